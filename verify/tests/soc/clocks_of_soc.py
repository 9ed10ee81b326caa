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
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

MODE = "retain"
LOAD = ("--device", "soc", "--mode", MODE, "--num", "130", "--superblocks", "8", "--write-buffer", "65536")
SMALL = ("--max-file-size", "65536", "--level1-bytes", "131072")
COUNTED = ("sim_cycles", "evaluated_cycles", "firmware_seconds")  # a run without these would show little
# Times of the host, and what has them in it.
HOST = ("wall_seconds", "sim_cpu_seconds", "host_cpu_seconds", "background_cpu_seconds", "latency_us")


def numbers(figures: Any, name: str = "") -> Iterator[tuple[str, float]]:
    """All numbers by their path, but those of the host."""
    if isinstance(figures, Mapping):
        for key, value in figures.items():
            if key not in HOST:
                yield from numbers(value, f"{name}.{key}" if name else key)
    elif isinstance(figures, list):
        for index, value in enumerate(figures):
            yield from numbers(value, f"{name}[{index}]")
    elif isinstance(figures, (int, float)):
        yield name, figures


def complaints(stopping: Mapping[str, Any], running: Mapping[str, Any]) -> list[str]:
    """What is wrong; nothing: an empty list."""
    wanted, found = dict(numbers(running)), dict(numbers(stopping))
    wrong = [f"no {name}" for name in COUNTED if not wanted.get(name)]
    names = [*wanted, *(name for name in found if name not in wanted)]
    both = [(name, wanted.get(name), found.get(name)) for name in names]
    return wrong + [f"{name}: {a} where all clocks run, {b} where they stop" for name, a, b in both if a != b]


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
