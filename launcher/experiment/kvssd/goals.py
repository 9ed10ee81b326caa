# SPDX-License-Identifier: Apache-2.0
"""The goals for KVSSD's evaluation, beside the paper's figures and the measured ones."""

from __future__ import annotations

from dataclasses import dataclass

from launcher.experiment.kvssd import paper
from launcher.experiment.kvssd.measures import COLLECTION, FASTER, MORE_READS, WHOLE
from launcher.experiment.runner.parts import Table
from launcher.experiment.runner.quantities import Quantity, Results


@dataclass(frozen=True)
class Goal:
    """A figure of the paper's case of uniform keys, with a goal at medium scale and above."""

    name: str
    paper: str
    aim: str
    quantity: Quantity
    variant: str
    low: float
    high: float

    def met(self, value: float) -> bool:
        return self.low <= value <= self.high


_MOST = float("inf")
GOALS = (
    Goal("write amplification of LSM", "93", "70 to 116", WHOLE, "lsm", 70, 116),
    Goal("GC of nLSM", "1", "at most 1.01", COLLECTION, "nlsm", 0, 1.01),
    Goal("write amplification of rLSM(-), TH = 2", f"13.1; rLSM {paper.RLSM}", "at most 12", WHOLE, "rlsm-2", 0, 12),
    Goal("write amplification by the rule of `blend`, 4 runs", "-", "at most 9", WHOLE, "blend-4", 0, 9),
    Goal("throughput of rLSM(-) over LSM", f"rLSM {paper.RLSM_FASTER}", "at least 4", FASTER, "rlsm-2", 4, _MOST),
    Goal(
        "reads of rLSM(-) beyond LSM",
        f"rLSM {paper.RLSM_MORE_READS} %",
        "at most 11 %",
        MORE_READS,
        "rlsm-2",
        -_MOST,
        11,
    ),
)


def measured(results: Results, goal: Goal) -> float | None:
    """None if the case was not run."""
    return goal.quantity.value(results.get(paper.CASE, {}), goal.variant)


def table(results: Results) -> Table:
    """Head and rows of all goals whose case is finished."""
    rows = []
    for goal in GOALS:
        value = measured(results, goal)
        if value is not None:
            rows.append(
                [goal.name, goal.paper, goal.aim, goal.quantity.text(value), "yes" if goal.met(value) else "no"]
            )
    return ["uniform keys", "the paper", "aim", "here", "met"], rows
