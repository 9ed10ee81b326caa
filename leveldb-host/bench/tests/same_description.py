#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""same_description.py DB_BENCH: db_bench's option table must equal the description behind the launcher.

The description is interfaces/options/bench.yaml; launcher/bench/bench_description.py is generated from it. Also checks
that the launcher recognises a file that --trace wrote.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from launcher.bench import bench_description as description
from launcher.bench.bench_options import is_trace


def described() -> dict[str, Any]:
    """The description in the form of `db_bench --describe`."""
    options: dict[str, Any] = {}
    for name, option in description.OPTIONS.items():
        told: dict[str, Any] = {
            "kind": option.kind,
            "default": option.default if option.number is None else option.number.default,
            "help": option.help,
            "excludes": list(option.excludes),
            "workloads": list(option.workloads),
        }
        if option.number is not None:
            told |= {"low": option.number.low, "high": option.number.high, "or_zero": option.number.or_zero}
        if option.choices:
            told["choices"] = list(option.choices)
        options[name] = told
    return {
        "options": options,
        "modes": description.MODES,
        "workloads": {
            workload.value: {
                "text": description.WORKLOADS[workload],
                "stream": workload.stream,
                "own_value_sizes": workload.own_value_sizes,
            }
            for workload in description.Workload
        },
        "remap": {
            name: {"low": number.low, "high": number.high, "or_zero": number.or_zero, "default": number.default}
            for name, number in description.REMAP.items()
        },
        "trace": {"name": description.TRACE_NAME, "version": description.TRACE_VERSION},
    }


def differences(program: Any, wanted: Any, place: str = "") -> list[str]:
    """Where two JSON values differ, each with its path; the order of an object's members counts."""
    if isinstance(program, dict) and isinstance(wanted, dict):
        found = []
        for name in [*wanted, *(name for name in program if name not in wanted)]:
            if name not in program or name not in wanted:
                found.append(f"{place}/{name}: only in the {'program' if name in program else 'description'}")
            else:
                found += differences(program[name], wanted[name], f"{place}/{name}")
        in_order = place.count("/") != 1 or [*program] == [*wanted]  # options, modes and workloads are lists by name
        return found if found or in_order else [f"{place}: another order in the program"]
    return [] if program == wanted else [f"{place}: {program!r} in the program, {wanted!r} in the description"]


def main(program: str) -> int:
    """Prints the differences; 1 when there are any."""
    text = subprocess.run([program, "--describe"], capture_output=True, text=True, timeout=600, check=True).stdout
    found = differences(json.loads(text), described())
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "operations"
        command = [program, "--device=mem", "--workload=ycsba", "--num=10", f"--trace={trace}"]
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600, check=True)
        if not is_trace(trace):
            found.append("the launcher does not recognise a file that --trace wrote")
    for difference in found:
        print(difference, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
