#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clocks_of_soc.py OPENREMAP FOLDER: clocks that stop change nothing on the device `soc`.

A bench runs on the SoC whose idle units have clocks that stop, and again with a waveform in FOLDER, where all clocks
run. All figures must be equal but for the times of the host. Exit code 1 if they are not, or without a waveform.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from launcher.bench.same_replay import differences

MODE = "retain"
LOAD = ("--device", "soc", "--mode", MODE, "--num", "130", "--superblocks", "8", "--write-buffer", "65536")
SMALL = ("--max-file-size", "65536", "--level1-bytes", "131072")
COUNTED = ("sim_cycles", "evaluated_cycles", "firmware_seconds")  # a run without these would show little
# Times of the host, and what has them in it.
HOST = ("wall_seconds", "sim_cpu_seconds", "host_cpu_seconds", "background_cpu_seconds", "latency_us")


def complaints(stopping: Mapping[str, Any], running: Mapping[str, Any]) -> list[str]:
    """What is wrong; nothing: an empty list."""
    return differences(running, stopping, COUNTED, ("where all clocks run", "where they stop"), HOST)


def run(program: str, out: Path, *more: str) -> dict[str, Any]:
    """The only run of the bench whose results `program` writes into `out`."""
    subprocess.run([program, "bench", *LOAD, *SMALL, "--json", str(out), *more], check=True)
    runs: list[dict[str, Any]] = json.loads(out.read_text())["runs"]
    return runs[0]


def main(program: str, folder: str) -> int:
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    waveform = out / f"{MODE}.fst"
    waveform.unlink(missing_ok=True)
    running = run(program, out / "running.json", "--trace-dir", folder)
    wrong = complaints(run(program, out / "stopping.json"), running)
    if not waveform.is_file() or not waveform.stat().st_size:
        wrong.append(f"nothing was written into {waveform}")
    print("\n".join(wrong) or "equal")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
