# SPDX-License-Identifier: Apache-2.0
"""What `tight` measures: bytes written, what modes do because space is short, and whether the puts fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from launcher.bench import bench
from launcher.bench.bench_description import Mode
from launcher.experiment.runner.quantities import Quantity, Results, Runs


def completed(run: dict[str, Any]) -> float:
    """Percent of the puts that were made before there was no space left; 100: all."""
    return float(100 * run["operations"] / run["parameters"]["operations"]) if bench.is_full(run) else 100.0


def _of(name: str, get: Callable[[dict[str, Any]], float | None], form: str, unit: str = "") -> Quantity:
    return Quantity(name, lambda runs, mode: get(runs[mode]), form, of_reference=True, unit=unit)


def _whole(name: str) -> Callable[[dict[str, Any]], float | None]:
    """A figure of a run that was completed; that of a part is of another database."""
    return lambda run: None if bench.is_full(run) else float(run[name])


def _saved(runs: Runs, mode: str) -> float | None:
    if bench.is_full(runs[mode]) or bench.is_full(runs[Mode.off]):
        return None
    return float(100 - 100 * runs[mode]["nand_bytes"] / runs[Mode.off]["nand_bytes"])


def _written_short(run: dict[str, Any]) -> float:
    return float(run["short_compactions"] + run["plain_compactions"])


COMPLETED = _of("puts made", completed, "{:.1f} %", "%")
WA1 = _of("WA1", _whole("wa1"), "{:.2f}")
WA2 = _of("WA2", _whole("wa2"), "{:.2f}")
WA = _of("WA", _whole("wa"), "{:.2f}")
SAVED = Quantity("NAND bytes saved", _saved)
SPACE = _of("space over live data", _whole("space_amplification"), "{:.2f}")
SHORT = _of("compactions when space is short", _written_short, "{:.0f}")
PLAIN = _of("of these, written plain", lambda run: float(run["plain_compactions"]), "{:.0f}")
RECLAIMS = _of("of these, of single tables", lambda run: float(run["reclaim_compactions"]), "{:.0f}")
REFUSED = _of("pages copied instead of remapped", lambda run: float(run["remap_fallbacks"]), "{:.0f}")
QUANTITIES = (COMPLETED, WA1, WA2, WA, SAVED, SPACE, SHORT, PLAIN, RECLAIMS, REFUSED)


def full_before_stock(results: Results) -> list[tuple[str, str]]:
    """Cases and modes that ran out of space although stock LevelDB did not."""
    return [
        (name, mode)
        for name, runs in results.items()
        for mode, run in runs.items()
        if bench.is_full(run) and not bench.is_full(runs[Mode.off])
    ]
