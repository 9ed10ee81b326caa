# SPDX-License-Identifier: Apache-2.0
"""Adds up the summaries of lockstep runs (lockstep --summary FILE). The sum must be large enough."""

from __future__ import annotations

import json
import sys
from pathlib import Path

LEAST_COMMANDS = 100_000
STORMS_OF = 3  # one round in this many must have storms


def main(files: list[str]) -> int:
    runs = {name: json.loads(Path(name).read_text()) for name in files}
    for name, run in runs.items():
        print(f"{name}: {run['commands']} commands; {run['storms']} of {run['rounds']} rounds had storms")
    commands, rounds, storms = (sum(run[key] for run in runs.values()) for key in ("commands", "rounds", "storms"))
    print(f"{commands} commands; {storms} of {rounds} rounds had storms")
    wrong = 0
    if commands < LEAST_COMMANDS:
        print(f"expected at least {LEAST_COMMANDS} commands")
        wrong = 1
    if storms == 0 or STORMS_OF * storms < rounds:
        print(f"expected storms in at least one round in {STORMS_OF}")
        wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
