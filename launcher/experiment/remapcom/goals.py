# SPDX-License-Identifier: Apache-2.0
"""The goals for RemapCom's evaluation, beside the paper's figures and the measured ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import mean

from launcher.bench.bench_description import Mode
from launcher.experiment.remapcom.cases import MODES
from launcher.experiment.remapcom.measures import FASTER, KEPT_INTO, SAVED, background_cpu, faster, kept, saved, space
from launcher.experiment.remapcom.paper import KV_SIZES, PAPER
from launcher.experiment.runner.parts import Table
from launcher.experiment.runner.quantities import Quantity, Results, Runs


@dataclass(frozen=True)
class Goal:
    """A figure of the evaluation with a goal."""

    name: str
    paper: str  # the paper's figure for RemapCom
    aim: str
    cases: tuple[str, ...]
    of: Callable[[Runs, str], float]  # in percent
    over: Callable[[list[float]], float] = mean  # how the cases are combined


def _reported(quantity: Quantity, case: str) -> str:
    return PAPER.of_case(quantity, case)[Mode.retain].text("{:g}")


def _reported_mean(figure: str) -> str:
    return f"{PAPER.mean_of(SAVED, figure, Mode.retain):g}"


def _named(figure: str, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{figure}-{name}" for name in names)


_FILLS = _named("fillrandom", KV_SIZES)
_ZIPFIAN = _named("fillzipfian", KV_SIZES)
GOALS = (
    Goal(
        "NAND bytes saved, uniform, mean of 256 B to 4 KB", _reported_mean("fillrandom"), "at least 45", _FILLS, saved
    ),
    Goal(
        "NAND bytes saved, zipfian, the same mean",
        _reported_mean("fillzipfian"),
        "at least 40",
        _ZIPFIAN,
        saved,
    ),
    Goal("NAND bytes saved, uniform, 100 B", "-", "at least 40", ("fillrandom-100B",), saved),
    Goal(
        "data blocks kept by compactions into L3, 1 KB (the paper's: SSD writes saved there)",
        _reported(KEPT_INTO[3], "fillrandom-1KB"),
        "at least 55 (retain)",
        ("fillrandom-1KB",),
        lambda runs, mode: kept(runs[mode], 3),
    ),
    Goal("space beyond stock, uniform, mean of 256 B to 4 KB", "-", "at most 8 (default)", _FILLS, space),
    Goal("space beyond stock, zipfian, the same mean", "-", "at most 8 (default)", _ZIPFIAN, space),
    Goal(
        "write throughput, best of 256 B to 4 KB",
        _reported(FASTER, "fillrandom-4KB"),
        "at least 60",
        _FILLS,
        faster,
        max,
    ),
    Goal("write throughput, mean of 256 B to 4 KB", "about 15", "at least 25", _FILLS, faster),
    Goal(
        "YCSB-C, operations a second, 1 KB",
        _reported(FASTER, "ycsb-ycsbc-1KB"),
        "no loss",
        ("ycsb-ycsbc-1KB",),
        faster,
    ),
    Goal("host CPU time of flushes and compactions, 1 KB", "-", "below 0 (skip)", ("fillrandom-1KB",), background_cpu),
)


def measured(results: Results, goal: Goal) -> dict[Mode, float] | None:
    """The measured figure in percent, by mode; None if a case was not run."""
    if any(case not in results for case in goal.cases):
        return None
    return {mode: goal.over([goal.of(results[case], mode) for case in goal.cases]) for mode in MODES[1:]}


def table(results: Results) -> Table:
    """The table of all measured goals in percent: head and rows."""
    rows = []
    for goal in GOALS:
        ours = measured(results, goal)
        if ours:
            rows.append([goal.name, goal.paper, goal.aim, *(f"{ours[mode]:+.1f}" for mode in MODES[1:])])
    return ["percent", "the paper", "aim", *(mode.value for mode in MODES[1:])], rows
