#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""crash_replay.py CRASH OPTION ...: fails unless `crash` finds a violation and its reproducer shows the same one.

OPENREMAP_MUTANT names the seeded defect, LD_LIBRARY_PATH the folder with the device that has it
(docs/developing/crash.md). The reproducer is written to the working directory.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence

VIOLATION = re.compile(r"VIOLATION in (?P<where>.*?), (?P<what>cut at .*)")
ADVICE = re.compile(r"  again with: crash (?P<arguments>[^;]*);")


def found(output: str) -> tuple[str, list[str]]:
    """The first violation in the output, with its cuts, and the arguments that reproduce it."""
    violation, advice = VIOLATION.search(output), ADVICE.search(output)
    if violation is None or advice is None:
        raise SystemExit(f"no violation, or no command that shows it:\n{output}")
    return violation["what"], shlex.split(advice["arguments"])


def run(command: Sequence[str]) -> str:
    """Runs the command and returns its output. The exit code must be that of a violation."""
    print(shlex.join(command), flush=True)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout, flush=True)
    if done.returncode != 1:
        raise SystemExit(f"exit code {done.returncode}, not 1")
    return done.stdout


def main(crash: str, options: Sequence[str]) -> None:
    """See above."""
    reproducer = f"crash-replay-{os.environ['OPENREMAP_MUTANT']}.txt"
    what, again = found(run([crash, *options, "--violations", "1", "--reproducer", reproducer]))
    if again[:2] != ["--script", reproducer]:
        raise SystemExit(f"the command does not name {reproducer}")
    # What is found again would overwrite what is read.
    same, _ = found(run([crash, *again, "--reproducer", f"again-{reproducer}"]))
    if same != what:
        raise SystemExit(f"then: {same}\nnot:  {what}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
