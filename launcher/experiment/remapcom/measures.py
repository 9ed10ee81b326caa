# SPDX-License-Identifier: Apache-2.0
"""The quantities of RemapCom's evaluation, each of a mode relative to stock LevelDB on the same operations."""

from __future__ import annotations

from typing import Any

from launcher.bench.bench_description import Mode
from launcher.experiment.runner.quantities import Axis, Quantity, Runs


def saved(runs: Runs, mode: str) -> float:
    """NAND bytes saved, in percent of stock LevelDB's."""
    stock = runs[Mode.off]["nand_bytes"]
    return 100 * (1 - runs[mode]["nand_bytes"] / stock) if stock else 0.0


def host_saved(runs: Runs, mode: str) -> float:
    """Host bytes saved, in percent of stock LevelDB's."""
    stock = runs[Mode.off]["host_bytes"]
    return 100 * (1 - runs[mode]["host_bytes"] / stock) if stock else 0.0


def space(runs: Runs, mode: str) -> float:
    """Additional space, in percent of stock LevelDB's; 0 if that takes none."""
    stock = runs[Mode.off]["used_bytes"]
    return float(100 * (runs[mode]["used_bytes"] / stock - 1)) if stock else 0.0


def throughput(run: dict[str, Any]) -> float:
    """Operations per second of device time or host CPU time, whichever is longer; 0 if no time passed."""
    seconds = max(run["device_seconds"], run["host_cpu_seconds"])
    return float(run["operations"] / seconds) if seconds else 0.0


def faster(runs: Runs, mode: str) -> float:
    """Additional operations per second, in percent of stock LevelDB's."""
    stock = throughput(runs[Mode.off])
    return 100 * (throughput(runs[mode]) / stock - 1) if stock else 0.0


def kept_into(run: dict[str, Any], level: int) -> float | None:
    """Kept blocks, in percent of the data blocks that compactions into this level read; None if they read none."""
    read = (entry for entry in run["levels"] if entry["level"] == level and entry["input_blocks"])
    return next((100 * float(entry["unchanged_ratio"]) for entry in read), None)


def kept(run: dict[str, Any], level: int) -> float:
    """As above, but 0 if they read none."""
    return kept_into(run, level) or 0.0


def background_cpu(runs: Runs, mode: str) -> float:
    """Additional host CPU time of flushes and compactions, in percent of stock LevelDB's."""
    stock = runs[Mode.off]["background_cpu_seconds"]
    return float(100 * (runs[mode]["background_cpu_seconds"] / stock - 1)) if stock else 0.0


def _puts(runs: Runs) -> bool:
    """Whether the workload puts anything. Without puts (YCSB-C), only compactions left by the load phase write."""
    return bool(runs[Mode.off]["user_bytes"])


def _divided(runs: Runs, mode: str) -> float | None:
    bytes_now = runs[mode]["nand_bytes"]
    return float(runs[Mode.off]["nand_bytes"] / bytes_now) if bytes_now and _puts(runs) else None


def _blocks_read(run: dict[str, Any]) -> int:
    return sum(entry["input_blocks"] for entry in run["levels"])


def _found(runs: Runs, mode: str) -> float | None:
    read = _blocks_read(runs[mode])
    return 100 * sum(entry["unchanged_blocks"] for entry in runs[mode]["levels"]) / read if read else None


def _found_over_base(runs: Runs, mode: str) -> float | None:
    base, here = FOUND.value(runs, Mode.base), _found(runs, mode)
    return here / base if base and here is not None else None


def _kept_at_all(runs: Runs, mode: str) -> float | None:
    return 100 * float(runs[mode]["unchanged_ratio"]) if _blocks_read(runs[mode]) else None


def _kept_into(level: int) -> Quantity:
    return Quantity(
        f"unchanged blocks kept by compactions into L{level}", lambda runs, mode: kept_into(runs[mode], level)
    )


WA = Quantity(
    "NAND bytes / user bytes",
    lambda runs, mode: float(runs[mode]["wa"]) if _puts(runs) else None,
    "{:.2f}",
    of_reference=True,
    unit="",
    axis=Axis(12),
)
SAVED = Quantity("NAND bytes saved", lambda runs, mode: saved(runs, mode) if _puts(runs) else None)
DIVIDED = Quantity("WA divided by", _divided, "{:.2f}")
FASTER = Quantity("throughput against off", faster, "{:+.1f} %", axis=Axis(150, linear=50))
SPACE = Quantity("space against off", space, "{:+.1f} %")
# Of the data blocks that compactions read. An unchanged one is kept if the output is at the end of a page there.
FOUND = Quantity("unchanged blocks found", _found)
FOUND_OVER_BASE = Quantity("unchanged blocks found, times those of base", _found_over_base, "x{:.2f}")
KEPT = Quantity("unchanged blocks kept", _kept_at_all)
KEPT_INTO = {level: _kept_into(level) for level in range(1, 7)}  # LevelDB has seven levels; none is compacted into L0
CPU = Quantity("CPU of flushes and compactions against off", background_cpu, "{:+.1f} %")
