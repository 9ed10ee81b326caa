# SPDX-License-Identifier: Apache-2.0
"""The aims for the paper's evaluation, beside its figures and the measured ones. They are those of scale medium."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from launcher.experiment.cascaded.cases import CELLS, FIG4, FIG5, FIG6, FIG7, FIG8, FIG9, FIG13, VALUES
from launcher.experiment.cascaded.measures import WA1, WA2
from launcher.experiment.cascaded.paper import LEVELDB, REPORTED, WISCKEY
from launcher.experiment.cascaded.systems import PAPERS, SSD_I, SSD_S, column
from launcher.experiment.runner.parts import Table
from launcher.experiment.runner.quantities import Results

# Percent that WA1 of a fill may differ from the paper's by: more where a value is as small as what is stored beside it.
NEAR, NEAR_SMALL = 10, 15
_FILLS = tuple(cell.key for cell in CELLS if cell.figure in (FIG4, FIG5, FIG6, FIG7, FIG8, FIG9))
# Percent of LevelDB's NAND bytes that `blend` with a value log saves, by size of the values.
SAVED = {"1KB": 60, "4KB": 75, "16KB": 85}
S_SPAN, I_SPAN = (1.8, 3.4), (1.0, 1.3)
_LARGE_BUFFERS = ("16MB", "32MB", "64MB")


@dataclass(frozen=True)
class Aim:
    """One aim for one case."""

    what: str
    paper: str
    aim: str
    here: float
    met: bool


def _near(results: Results) -> Iterator[Aim]:
    """WA1 of each fill that the paper has a figure of."""
    for reported in REPORTED:
        (case,) = reported.cases
        if reported.quantity is not WA1 or case not in _FILLS or case not in results:
            continue
        for name, span in reported.by_variant.items():
            here = WA1.value(results[case], name)
            if here is None:
                continue
            small = name.startswith(WISCKEY) and results[case][name]["parameters"]["value_size"] <= 100
            percent = NEAR_SMALL if small else NEAR
            off = 100 * here / span.low - 100
            yield Aim(
                f"WA1, {case}, {name} ({off:+.0f} %)", f"{span.low:g}", f"within {percent} %", here, abs(off) <= percent
            )


def _devices(results: Results) -> Iterator[Aim]:
    """WA2 of the two SSDs, in each case that is not in a steady state."""
    for case, runs in results.items():
        if case not in _FILLS:
            continue
        for system in (LEVELDB, WISCKEY):
            on_i, on_s = (WA2.value(runs, column(system, device)) for device in (SSD_I, SSD_S))
            if on_i is None or on_s is None:
                continue
            yield Aim(f"WA2, {case}, {system}, S above I", "-", f"above {on_i:.2f}", on_s, on_s > on_i)
            for device, here, (low, high) in ((SSD_S, on_s, S_SPAN), (SSD_I, on_i, I_SPAN)):
                yield Aim(f"WA2, {case}, {system} {device}", "-", f"{low:g} to {high:g}", here, low <= here <= high)


def _steady(results: Results) -> Iterator[Aim]:
    """A steady state costs more than an initial one."""
    for buffer in _LARGE_BUFFERS:
        steady, initial = (results.get(f"{figure}-{buffer}", {}) for figure in (FIG13, FIG7))
        for name in PAPERS:
            here, there = WA2.value(steady, name), WA2.value(initial, name)
            if here is not None and there is not None and not name.endswith("HDD"):
                yield Aim(
                    f"WA2, {FIG13}-{buffer}, {name}, steady above initial",
                    "-",
                    f"above {there:.2f}",
                    here,
                    here > there,
                )


def _saved(results: Results) -> Iterator[Aim]:
    """NAND bytes of `blend` with a value log against LevelDB's, on SSD-I."""
    for value, percent in SAVED.items():
        runs = results.get(f"{VALUES}-{value}", {})
        ours, theirs = (runs.get(column(system, SSD_I)) for system in ("blend+", LEVELDB))
        if ours and theirs:
            here = 100 - 100 * ours["nand_bytes"] / theirs["nand_bytes"]
            yield Aim(
                f"NAND bytes saved by `blend` with separation, % of LevelDB's, {value}",
                "-",
                f"at least {percent}",
                here,
                here >= percent,
            )


_ALL: tuple[Callable[[Results], Iterator[Aim]], ...] = (_near, _devices, _steady, _saved)


def aims(results: Results) -> list[Aim]:
    """Of all finished cases."""
    return [aim for of in _ALL for aim in of(results)]


def table(results: Results, *, met: bool) -> Table:
    """Head and rows of the aims that are met, or of those that are missed."""
    rows = [[one.what, one.paper, one.aim, f"{one.here:.2f}"] for one in aims(results) if one.met == met]
    return ["aim", "the paper", "to be", "here"], rows
