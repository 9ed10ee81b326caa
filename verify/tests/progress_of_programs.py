#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""progress_of_programs.py PROGRAM ARGUMENT...: the program redraws its progress on a terminal, and not in a pipe."""

from __future__ import annotations

import sys

from launcher.tests import terminals

REDRAWN = "\r\x1b[K"


def faults(command: list[str]) -> list[str]:
    """What is wrong with the program's progress. It must run for less than the time between two plain lines."""
    piped, shown = terminals.into_pipe(command), terminals.on_terminal(command)
    every = terminals.into_pipe(command, OPENREMAP_PROGRESS="every")
    found = []
    if "\r" in piped or "\x1b" in piped:
        found.append("control characters in a pipe")
    if REDRAWN not in shown:
        found.append("no redrawn line on a terminal")
    # What is left of each line that was redrawn: nothing but the program's results.
    left = [line.rpartition(REDRAWN)[2].rstrip() for line in shown.split("\n")]
    if [line for line in left if " of " in line and line not in piped]:
        found.append(f"progress is left on the terminal: {left}")
    if not any(line.startswith("progress ") for line in every.splitlines()):
        found.append("no lines for a program that reads them")
    return found


if __name__ == "__main__":
    wrong = faults(sys.argv[1:])
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)
