#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench_of_soc.py RESULT.json: what db_bench did on the device `soc` is worth the name, and all of it was read back.

At least two compactions merged tables, blocks were remapped, garbage collection moved pages, and every key was
verified.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

LEAST_COMPACTIONS = 2  # counted by the levels that they merged into: each takes one at least


def complaints(run: Mapping[str, Any]) -> list[str]:
    """What is wrong with the result; nothing: an empty list."""
    found = []
    if run["device"] != "soc":
        found.append(f"a result of device {run['device']}")
    merged = sum(level["input_blocks"] > 0 for level in run["levels"])
    if merged < LEAST_COMPACTIONS:
        found.append(f"compactions merged into {merged} levels, at least {LEAST_COMPACTIONS} are expected")
    for name in ("remapped_pages", "gc_pages", "keys_expected"):
        if run[name] <= 0:
            found.append(f"{name} is {run[name]}")
    if run["keys_verified"] != run["keys_expected"] or run["mismatches"] != 0:
        found.append(
            f"{run['keys_verified']} of {run['keys_expected']} keys verified, {run['mismatches']} with other values"
        )
    return found


def main(path: str) -> int:
    """Prints what was done; 1 when that is too little, or wrong."""
    run = json.loads(Path(path).read_text())
    levels = [f"level {level['level']}: {level['input_blocks']} blocks merged" for level in run["levels"]]
    print(
        f"{', '.join(levels)}; {run['remapped_pages']} pages remapped, {run['gc_pages']} moved by GC; "
        f"{run['keys_verified']} keys verified; {run['evaluated_cycles']} cycles evaluated, "
        f"{run['device_seconds']:.3f} s of device time, {run['sim_cpu_seconds']:.1f} s of CPU time"
    )
    found = complaints(run)
    for complaint in found:
        print(complaint, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
