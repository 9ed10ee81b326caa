# SPDX-License-Identifier: Apache-2.0
"""What `matrix` measures of each run: KVSSD's factors, latencies of the device, and wear."""

from __future__ import annotations

from collections.abc import Callable

from launcher.experiment.kvssd import measures as kvssd
from launcher.experiment.kvssd.measures import Run
from launcher.experiment.matrix.settings import FIRST
from launcher.experiment.runner.quantities import Quantity


def _of(name: str, get: Callable[[Run], float | None], form: str = "{:.2f}") -> Quantity:
    return Quantity(name, lambda runs, variant: get(runs[variant]), form, of_reference=True, unit="", reference=FIRST)


def latency(call: str, share: str) -> Callable[[Run], float | None]:
    """Microseconds of the device's time for which PageFS waited in a call; None: it made none, or they are not told."""

    def value(run: Run) -> float | None:
        times = run.get("device_latency_us", {}).get(call)
        return float(times[share]) if times else None

    return value


def _superblocks(run: Run) -> tuple[int, int]:
    """Dies, and superblocks."""
    return int(run["geometry"]["dies"]), int(run["geometry"]["superblocks"])


def erases(run: Run) -> float | None:
    """Of all superblocks together, during the measured operations; None: not told."""
    dies, _ = _superblocks(run)
    return float(run["erases"]) / dies if "erases" in run else None


def mean_erases(run: Run) -> float | None:
    """Of a superblock, during the measured operations."""
    all_of_them = erases(run)
    return None if all_of_them is None else all_of_them / _superblocks(run)[1]


def spread(run: Run) -> float | None:
    """Largest number of erases of a superblock less the smallest, at the end, since the device was new."""
    counts = run.get("erase_counts")
    return float(counts["most"] - counts["least"]) if counts else None


def flash_level(run: Run) -> float | None:
    """Pages programmed for each page that LevelDB and the file system write: what the SSD adds, as GC and mapping."""
    modified, collected = kvssd.read_modify_write(run), kvssd.collection(run)
    return modified * collected if modified is not None and collected is not None else None


COMPACTION = _of("compaction", kvssd.compaction)
READ_MODIFY_WRITE = _of("read-modify-write", kvssd.read_modify_write)
COLLECTION = _of("GC", kvssd.collection)
FLASH = _of("flash-level factor", flash_level)
WHOLE = _of("write amplification", kvssd.whole)
READ_99 = _of("read, p99, us", latency("read", "p99"), "{:,.0f}")
READ_999 = _of("read, p999, us", latency("read", "p999"), "{:,.0f}")
WRITE_99 = _of("write, p99, us", latency("write", "p99"), "{:,.0f}")
WRITE_999 = _of("write, p999, us", latency("write", "p999"), "{:,.0f}")
ERASES = _of("superblocks erased", erases, "{:,.0f}")
MEAN_ERASES = _of("erases of a superblock, mean", mean_erases)
SPREAD = _of("most less least", spread, "{:.0f}")
VERIFIED = _of("keys compared", lambda run: float(run["keys_verified"]), "{:,.0f}")

FACTORS = (COMPACTION, READ_MODIFY_WRITE, COLLECTION, FLASH, WHOLE)
LATENCIES = (READ_99, READ_999, WRITE_99, WRITE_999)
QUANTITIES = (*FACTORS, *LATENCIES, ERASES, MEAN_ERASES, SPREAD, VERIFIED)
EXPLAINED = (*FACTORS, *LATENCIES, ERASES)  # those that effects are told of
