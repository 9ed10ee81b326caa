# SPDX-License-Identifier: Apache-2.0
"""The aims for the paper's evaluation, beside its figures and the measured ones."""

from __future__ import annotations

from dataclasses import dataclass

from launcher.experiment.noftl import paper
from launcher.experiment.noftl.measures import (
    FASTER,
    FOR_MOVED,
    LESS_BUSY,
    MOVED,
    SPARED,
    SPARED_PER_BYTE,
    filled_per_table_byte,
)
from launcher.experiment.noftl.systems import BEST, NATIVE
from launcher.experiment.runner.parts import Table
from launcher.experiment.runner.quantities import Quantity, Results, Runs


@dataclass(frozen=True)
class Goal:
    """A figure of the native system, with an aim."""

    name: str
    paper: str
    aim: str
    quantity: Quantity
    low: float
    high: float

    def met(self, value: float) -> bool:
        return self.low <= value <= self.high


def _of_best(runs: Runs, variant: str) -> float | None:
    """Blocks filled for a byte of tables, in percent of what the best file system fills."""
    here, there = (filled_per_table_byte(runs[name]) for name in (variant, BEST))
    return 100 * here / there - 100 if here is not None and there else None


OF_BEST = Quantity("blocks filled for a byte of tables against `levels`", _of_best, "{:+.1f} %", reference=BEST)
_MOST = float("inf")
GOALS = (
    Goal("GC page writes", "0", "0", MOVED, 0, 0),
    Goal("erases that make room for GC", "-", "0", FOR_MOVED, 0, 0),
    Goal("erases, times fewer than faster-data", f"{paper.SPARED_OF}", "1.7 to 4.6", SPARED, 1.7, 4.6),
    Goal(
        "blocks filled for a byte of tables, times fewer than faster-data", "-", "1.7 to 4.6", SPARED_PER_BYTE, 1.7, 4.6
    ),
    Goal("requests a second over ssd-data", f"+{paper.FASTER} %, over FASTER", "at least +33 %", FASTER, 33, _MOST),
    Goal("flash busy time, times less than faster-data", "-", "at least 1.33", LESS_BUSY, 1.33, _MOST),
    Goal("blocks filled for a byte of tables, against `levels`", "-", "no more", OF_BEST, -_MOST, 0),
)


def table(results: Results) -> Table:
    """Head and rows: each goal by case."""
    rows = []
    for case, runs in results.items():
        for goal in GOALS:
            value = goal.quantity.value(runs, NATIVE)
            if value is not None:
                met = "met" if goal.met(value) else "missed"
                rows.append([case, goal.name, goal.paper, goal.aim, goal.quantity.text(value), met])
    return ["case", f"of `{NATIVE}`", "the paper", "aim", "here", ""], rows
