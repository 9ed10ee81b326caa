# SPDX-License-Identifier: Apache-2.0
"""What a rerun of RemapCom's evaluation should reach: the paper's figures, the project's aims, and what was measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import mean
from typing import Any

from launcher.bench_options import Mode
from launcher.experiment import MODES, PAPER_SIZES

Runs = dict[Mode, dict[str, Any]]  # what db_bench reported, of one case
Results = dict[str, Runs]  # by figure and case, as `fillrandom-1KB`

# What RemapCom (Micromachines 2025) reports: NAND bytes saved against stock LevelDB, percent, mean over its KV sizes.
PAPER_SAVED = {
    "fillrandom": {Mode.base: 22.4, Mode.retain: 35.7},
    "fillzipfian": {Mode.base: 20.0, Mode.retain: 32.8},
}
# Blocks kept by the level written to, percent, KV 1 KB.
PAPER_LEVELS = {
    Mode.base: {1: 1, 2: 26, 3: 29, 4: 32},
    Mode.retain: {1: 5, 2: 47, 3: 52, 4: 53},
}
# WA divided by, KV ranges.
PAPER_RANGES = {"100B-1KB": 1.1, "1-4KB": 1.36, "4-16KB": 1.49}
PAPER_MIXGRAPH_WA = -11.0  # percent, mean of four
PAPER_KV_SIZES = tuple(size.replace(" ", "") for size in PAPER_SIZES)
# Throughput of YCSB against stock LevelDB, percent more, by KV size.
PAPER_YCSB = {
    "ycsbload": {"256B": 9.7, "1KB": 14.1, "4KB": 28.0},
    "ycsba": {"256B": 7.6, "1KB": 12.0, "4KB": 21.1},
    "ycsbc": {"256B": -3.8, "1KB": -3.1},
    "ycsbf": {"256B": 7.1, "1KB": 12.4, "4KB": 13.8},
}


def saved(runs: Runs, mode: Mode) -> float:
    """Percent of stock LevelDB's NAND bytes that were not written."""
    stock = runs[Mode.off]["nand_bytes"]
    return 100 * (1 - runs[mode]["nand_bytes"] / stock) if stock else 0.0


def host_saved(runs: Runs, mode: Mode) -> float:
    """Percent of the bytes that the host wrote with stock LevelDB and did not write with this mode."""
    stock = runs[Mode.off]["host_bytes"]
    return 100 * (1 - runs[mode]["host_bytes"] / stock) if stock else 0.0


def space(runs: Runs, mode: Mode) -> float:
    """Percent of space more than stock LevelDB takes."""
    return float(100 * (runs[mode]["used_bytes"] / runs[Mode.off]["used_bytes"] - 1))


def throughput(run: dict[str, Any]) -> float:
    """Operations a second of the longer of device time and host CPU time; 0 where no time passed."""
    seconds = max(run["device_seconds"], run["host_cpu_seconds"])
    return float(run["operations"] / seconds) if seconds else 0.0


def faster(runs: Runs, mode: Mode) -> float:
    """Percent more operations a second than stock LevelDB."""
    stock = throughput(runs[Mode.off])
    return 100 * (throughput(runs[mode]) / stock - 1) if stock else 0.0


def kept(run: dict[str, Any], level: int) -> float:
    """Percent of the data blocks that compactions into this level read and kept."""
    return 100 * next((entry["unchanged_ratio"] for entry in run["levels"] if entry["level"] == level), 0.0)


def background_cpu(runs: Runs, mode: Mode) -> float:
    """Percent more host CPU time than stock LevelDB took for flushes and compactions."""
    stock = runs[Mode.off]["background_cpu_seconds"]
    return float(100 * (runs[mode]["background_cpu_seconds"] / stock - 1)) if stock else 0.0


@dataclass(frozen=True)
class Goal:
    """A figure that the evaluation is about."""

    name: str
    paper: str  # what the paper reports, of `retain`
    aim: str
    cases: tuple[str, ...]
    of: Callable[[Runs, Mode], float]  # percent
    over: Callable[[list[float]], float] = mean  # of the cases


def _named(figure: str, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{figure}-{name}" for name in names)


_FILLS = _named("fillrandom", PAPER_KV_SIZES)
GOALS = (
    Goal("NAND bytes saved, uniform, mean of 256 B to 4 KB", "35.7", "at least 45", _FILLS, saved),
    Goal(
        "NAND bytes saved, zipfian, the same mean",
        "32.8",
        "at least 40",
        _named("fillzipfian", PAPER_KV_SIZES),
        saved,
    ),
    Goal("NAND bytes saved, uniform, 100 B", "-", "at least 40", ("fillrandom-100B",), saved),
    Goal(
        "data blocks kept by compactions into L3, 1 KB",
        "52",
        "at least 55 (retain)",
        ("fillrandom-1KB",),
        lambda runs, mode: kept(runs[mode], 3),
    ),
    Goal("space beyond stock, uniform, mean of 256 B to 4 KB", "-", "at most 8 (default)", _FILLS, space),
    Goal("write throughput, best of 256 B to 4 KB", "30", "at least 60", _FILLS, faster, max),
    Goal("write throughput, mean of 256 B to 4 KB", "about 15", "at least 25", _FILLS, faster),
    Goal("YCSB-C, operations a second, 1 KB", "-3.1", "no loss", ("ycsb-ycsbc-1KB",), faster),
    Goal("host CPU time of flushes and compactions, 1 KB", "-", "below 0 (skip)", ("fillrandom-1KB",), background_cpu),
)


def measured(results: Results, goal: Goal) -> dict[Mode, float] | None:
    """By mode, percent; None where a case of it was not run."""
    if any(case not in results for case in goal.cases):
        return None
    return {mode: goal.over([goal.of(results[case], mode) for case in goal.cases]) for mode in MODES[1:]}


def table(results: Results) -> tuple[list[str], list[list[str]]]:
    """Head and rows: each goal that was measured, in percent."""
    rows = []
    for goal in GOALS:
        ours = measured(results, goal)
        if ours:
            rows.append([goal.name, goal.paper, goal.aim, *(f"{ours[mode]:+.1f}" for mode in MODES[1:])])
    return ["percent", "the paper", "aim", *(mode.value for mode in MODES[1:])], rows
