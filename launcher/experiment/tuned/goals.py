# SPDX-License-Identifier: Apache-2.0
"""The aims for `blend` against tuned stock LevelDBs, beside the measured figures."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import mean

from launcher.experiment.runner.parts import Table
from launcher.experiment.runner.quantities import Quantity, Results
from launcher.experiment.tuned.cases import key
from launcher.experiment.tuned.measures import BEYOND_TIGHTEST, SAVED, SAVED_BEST
from launcher.experiment.tuned.settings import DEFAULT

SPACE = 5.0  # percent beyond the stock LevelDB that takes least
SIZES = ("256 B", "1 KB", "4 KB")  # those that means are over


@dataclass(frozen=True)
class Goal:
    """A mean over SIZES, with an aim in percent."""

    law: str
    quantity: Quantity
    aim: float
    at_most: bool = False

    @property
    def cases(self) -> tuple[str, ...]:
        return tuple(key(self.law, size) for size in SIZES)

    @property
    def text(self) -> str:
        return f"at {'most' if self.at_most else 'least'} {self.quantity.text(self.aim)}"

    def met(self, value: float) -> bool:
        return value <= self.aim if self.at_most else value >= self.aim


GOALS = (
    Goal("uniform", SAVED, 60),
    Goal("uniform", SAVED_BEST, 50),
    Goal("zipfian", SAVED, 52),
    Goal("uniform", BEYOND_TIGHTEST, SPACE, at_most=True),
    Goal("zipfian", BEYOND_TIGHTEST, SPACE, at_most=True),
)


def mean_of(results: Results, quantity: Quantity, law: str, variant: str) -> float | None:
    """Over SIZES; None if a case is not finished."""
    values = [quantity.value(results.get(key(law, size), {}), variant) for size in SIZES]
    known = [value for value in values if value is not None]
    return mean(known) if len(known) == len(values) else None


def table(results: Results, variant: str = DEFAULT) -> Table:
    """Head and rows: each goal of which all cases are finished."""
    rows = []
    for goal in GOALS:
        value = mean_of(results, goal.quantity, goal.law, variant)
        if value is not None:
            verdict = "reached" if goal.met(value) else "not reached"
            rows.append([f"{goal.quantity.name}, {goal.law}", goal.text, goal.quantity.text(value), verdict])
    return [f"mean of {', '.join(SIZES)}", "aim", f"`{variant}`", ""], rows
