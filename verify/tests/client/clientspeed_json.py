#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clientspeed_json.py PROGRAM: whether the figures of `clientspeed --json` are there and agree with each other."""

from __future__ import annotations

import json
import subprocess
import sys

SECONDS = 0.1
ROUNDS = 2
MICROSECOND = 1e-6  # the figures' step
WAYS = ["mapped", "messages", "shadows"]
DEPTHS = ["1", "4"]
KEYS = ["iops", "reads", "wall_s", "device_cpu_s", "client_cpu_s"]


def wrong(run: dict[str, float]) -> str | None:
    """What is wrong with the figures of one run. CPU times are those of one thread each."""
    if list(run) != KEYS or not all(run[key] > 0 for key in KEYS):
        return "a figure is missing"
    rounding = 1 + run["iops"] * MICROSECOND / run["wall_s"]  # of both figures
    if run["wall_s"] < SECONDS or abs(run["iops"] - run["reads"] / run["wall_s"]) > rounding:
        return "the rate is not that of the reads"
    if max(run["device_cpu_s"], run["client_cpu_s"]) > 1.1 * run["wall_s"]:
        return "more CPU time than wall time"
    return None


def main(program: str) -> int:
    options = ["--json", "--seconds", str(SECONDS), "--rounds", str(ROUNDS)]
    options += [word for depth in DEPTHS for word in ("--depth", depth)]
    done = subprocess.run([program, *options], capture_output=True, text=True, timeout=600, check=True)
    figures = json.loads(done.stdout)
    found = []
    if [*figures] != WAYS or any([*depths] != DEPTHS for depths in figures.values()):
        found.append("other ways or depths")
    for way, depths in figures.items():
        for depth, runs in depths.items():
            faults = [fault for run in runs if (fault := wrong(run))]
            if len(runs) != ROUNDS or runs != sorted(runs, key=lambda run: float(run["iops"])):
                faults.append("other rounds")
            found += [f"{way}, depth {depth}: {fault}: {runs}" for fault in faults]
    print(*found, sep="\n", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
