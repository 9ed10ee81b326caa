#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hwbench_bounds.py PROGRAM [OPTION ...]: fails if an operation takes more cycles than its bound.

It runs hwbench with 160 commands and seed 1. A bound is a little above the measured figure, so that it catches changes
that make the controller slower. It is not a goal; the goals are in launcher/hw/hwbench.py. Lower a bound if the figure
is far below it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

# Maximum cycles per page; for cases with queue depth 1, the median of the latency. These bounds are for flash pages of
# one slot. WIDE has those that differ with pages of four slots.
BOUNDS = {
    "lookup_cached": 1.05,
    "lookup_sequential": 1.15,
    "lookup_random": 2.8,
    "read_qd1": 446,
    "read_qd64": 290,
    "read_sequential": 285,
    "write_qd1": 455,
    "write_qd64": 280,
    "write_sequential": 270,
    "remap_single": 330,
    "remap_run": 4.0,
    "remap_vector_random": 16.6,
    "remap_vector_qd2": 12,
    "copy_single": 376,
    "copy_run": 5.0,
    "copy_random": 15,
    "read_nand": 1550,
    "write_nand": 3900,
    "write_gc": 20500,
    "read_gc": 5000,
    "gc_alone": 11000,
    # From write_gc: cycles per page that GC moved, including host programs; cycles that a host page waited for a slot.
    "gc_page": 12000,
    "gc_stall": 13500,
}
WIDE = {
    "read_qd1": 447,
    "read_nand": 1450,
    "write_nand": 670,
    "write_gc": 13000,
    "read_gc": 2850,
    "gc_alone": 7600,
    "gc_page": 8100,
    "gc_stall": 11500,
}
COPIES = ("copy_single", "copy_run", "copy_random")
LATENCIES = ("read_qd1", "write_qd1")
# Each of their commands must end in the hardware. With `--device soc` hwbench measures just these, and the firmware on
# its CPU must not make them slower.
BY_HARDWARE = ("remap_single", "remap_run", "remap_vector_random", "remap_vector_qd2", *COPIES)
MOVING = ("write_gc", "gc_alone")  # where GC must move pages


def figures(document: Mapping[str, Any]) -> dict[str, float]:
    """What counts of each case, and what follows from the writes beside GC; without GC there is nothing to follow."""
    found = {}
    for case in document["cases"]:
        name = case["name"]
        found[name] = case["latency"]["p50"] if name in LATENCIES else case["cycles_per_page"]
        if name == "write_gc" and case["gc_pages"] > 0:
            found["gc_page"] = round(case["cycles"] / case["gc_pages"], 2)
            found["gc_stall"] = round(case["stall_alloc"] / case["pages"], 2)
    return found


def complaints(document: Mapping[str, Any]) -> list[str]:
    """What is over its bound, missing, or nothing at all."""
    found = []
    bounds = BOUNDS | (WIDE if document["slots_per_page"] > 1 else {})
    if document["device"] == "soc":
        bounds = {name: bounds[name] for name in BY_HARDWARE}
    measured = figures(document)
    if set(measured) != set(bounds):
        found.append(f"measured {', '.join(measured)}; expected {', '.join(bounds)}")
    for case in document["cases"]:
        if case["name"] in MOVING and case["gc_pages"] == 0:
            found.append(f"{case['name']}: GC moved nothing")
        if case["name"] in BY_HARDWARE and case["by_hardware"] != case["commands"]:
            found.append(f"{case['name']}: {case['by_hardware']} of {case['commands']} commands ended in the hardware")
    for name in (name for name in bounds if name in measured):
        if not 0 < measured[name] <= bounds[name]:
            found.append(f"{name}: {measured[name]} cycles; at most {bounds[name]}")
    return found


def main(command: list[str]) -> int:
    """Prints the figures; 1 when one is out of bounds, or hwbench fails."""
    ended = subprocess.run(
        [*command, "--commands", "160", "--seed", "1"], stdout=subprocess.PIPE, text=True, check=False
    )
    if ended.returncode != 0:
        print(f"hwbench ended with code {ended.returncode}", file=sys.stderr)
        return 1
    document = json.loads(ended.stdout)
    for case in document["cases"]:
        moved = f", {case['gc_pages']} pages moved by GC" if case["gc_pages"] else ""
        print(f"{case['name']}: {case['cycles_per_page']} cycles a page, p50 {case['latency']['p50']}{moved}")
    followed = figures(document)
    for name in (name for name in ("gc_page", "gc_stall") if name in followed):
        print(f"{name}: {followed[name]} cycles")
    found = complaints(document)
    for complaint in found:
        print(complaint, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
