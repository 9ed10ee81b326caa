#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""same_limits.py DB_BENCH: the launcher's ranges, defaults and names are those that the program's help text has, and the
launcher knows what the program writes to --trace.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from launcher.bench.bench_options import LIMITS, BenchOptions, Mode, Workload, is_trace

NOT_THE_PROGRAMS = {"superblocks", "jobs"}  # the first is the hardware's there, the device's here


def options(text: str) -> dict[str, tuple[str, str]]:
    """Of each option of a help text what stands in its parentheses, and its default."""
    found = {}
    for line in text.splitlines():
        match = re.fullmatch(r"  --([a-z0-9-]+)= ?.*\(([^()]*)\)(?:, default (\S+))?", line)
        if match:
            found[match[1].replace("-", "_")] = (match[2], match[3] or "")
    return found


def differences(text: str) -> list[str]:
    """What the help text and the launcher do not agree in."""
    found = []
    given = options(text)
    usual = BenchOptions()
    for name, limit in LIMITS.items():
        if name in NOT_THE_PROGRAMS:
            continue
        flag = "--" + name.replace("_", "-")
        if name not in given:
            found.append(f"{flag}: none in the program")
            continue
        span, default = given[name]
        span = span.removeprefix("0, ").replace("2^64-1", str(2**64 - 1))  # "0, " is what stands for: none
        wanted = str(limit) if name != "last_level_ratio" else f"2..{limit.high}"  # launcher: without 1, by `check`
        if span != wanted:
            found.append(f"{flag}: {span} in the program, {wanted} in the launcher")
        if default != str(getattr(usual, name)):
            found.append(f"{flag}: default {default} in the program, {getattr(usual, name)} in the launcher")
    for name, kind in (("mode", Mode), ("workload", Workload)):
        names = "|".join(kind)
        if given.get(name, ("", ""))[0] != names:
            found.append(f"--{name}: {given.get(name)} in the program, {names} in the launcher")
    return found


def main(program: str) -> int:
    """Prints the differences; 1 when there are any."""
    text = subprocess.run([program, "--help"], capture_output=True, text=True, timeout=60, check=True).stdout
    found = differences(text)
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "operations"
        command = [program, "--device=mem", "--workload=ycsba", "--num=10", f"--trace={trace}"]
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60, check=True)
        if not is_trace(trace):
            found.append("the launcher does not know a file that --trace wrote")
    for difference in found:
        print(difference, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
