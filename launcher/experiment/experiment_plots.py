# SPDX-License-Identifier: Apache-2.0
"""Plots of an experiment's report: bars by case and mode, with the paper's figures as marks."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from launcher.bench.bench_description import Mode
from launcher.experiment import experiment_paper as paper
from launcher.experiment.experiment import MODES
from launcher.experiment.experiment_measures import (
    FASTER,
    FOUND,
    KEPT,
    KEPT_INTO,
    SAVED,
    SPACE,
    WA,
    Quantity,
    Results,
    Runs,
)
from launcher.experiment.experiment_paper import Reported, Span
from launcher.experiment.experiment_tables import LEVELS_CASE

if TYPE_CHECKING:  # matplotlib takes long to import, and most commands need no plot
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

QUANTITIES = (WA, SAVED, FASTER, SPACE, FOUND)
_BARS = 0.84  # of the width of a case
# Where a few bars would leave nothing of the others, a scale is by the logarithm: of WA above so many times the smallest,
_FAR = 12
# of percents of throughput, which may be below zero, above this; and then only beyond the other.
_FAR_PERCENT = 150
_LINEAR_PERCENT = 50
_TICKS = (-50, -25, 0, 25, 50, 100, 200, 400, 800)
_MARK = "black"


@dataclass(frozen=True)
class _Bars:
    """One quantity in a plot."""

    quantity: Quantity
    title: str
    values: Mapping[Mode, Sequence[float | None]]  # by mode, one value for each case
    paper: Sequence[Mapping[Mode, Span]]  # one entry for each case
    means: Sequence[tuple[int, int, Mode, Span]] = ()  # the paper's means: first and last case, mode, figure


def _by_workload(names: list[str]) -> list[str]:
    """YCSB's sizes of one workload side by side. Names are `ycsb-WORKLOAD-SIZE`; other figures stay as they are."""
    workloads = list(dict.fromkeys(name.split("-")[1] for name in names))
    return sorted(names, key=lambda name: workloads.index(name.split("-")[1]))


def _means(quantity: Quantity, figure: str, names: list[str]) -> list[tuple[int, int, Mode, Span]]:
    def places(row: Reported) -> list[int]:
        return [names.index(case) for case in row.cases]

    return [
        (min(places(row)), max(places(row)), mode, span)
        for row in paper.means(quantity, figure)
        if all(case in names for case in row.cases)
        for mode, span in row.by_mode.items()
    ]


def of_figure(named: Results, figure: str) -> Figure:
    """One plot of the finished cases of a figure, with one panel below the other for each quantity."""
    names = _by_workload(list(named))
    parts = [
        _Bars(
            quantity,
            quantity.name if quantity is WA else f"{quantity.name}, %",
            {
                mode: [quantity.value(named[name], mode) for name in names]
                for mode in (MODES if quantity.of_stock else MODES[1:])
            },
            [paper.of_case(quantity, name) for name in names],
            _means(quantity, figure, names),
        )
        for quantity in QUANTITIES
    ]
    labels = [name.removeprefix(f"{figure}-") for name in names]
    return _picture(parts, [label.replace("-", "\n") for label in labels] if figure == "ycsb" else labels)


def of_levels(runs: Runs) -> Figure:
    """Kept blocks in the paper's case, by the level that compactions wrote to."""
    read = {
        level: quantity
        for level, quantity in KEPT_INTO.items()
        if any(quantity.value(runs, mode) is not None for mode in MODES[1:])
    }
    values = {mode: [quantity.value(runs, mode) for quantity in read.values()] for mode in MODES[1:]}
    theirs = [paper.of_case(quantity, LEVELS_CASE) for quantity in read.values()]
    bars = _Bars(KEPT, f"{KEPT.name}, %", values, theirs)
    return _picture([bars], [f"into L{level}" for level in read])


def _picture(parts: list[_Bars], labels: list[str]) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 0.7 + 2.1 * len(parts)), layout="constrained")
    rows = figure.subplots(len(parts), 1, sharex=True, squeeze=False)[:, 0]
    for axes, bars in zip(rows, parts, strict=True):
        _draw(axes, bars, len(labels))
    rows[-1].set_xticks(range(len(labels)), labels, fontsize=8 if len(labels) < 12 else 7)
    handles, names = rows[0].get_legend_handles_labels()
    legend = dict(zip(names, handles, strict=True))
    for axes in rows[1:]:
        for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
            legend.setdefault(name, handle)
    figure.legend(legend.values(), legend.keys(), loc="outside upper center", ncols=len(legend), fontsize=8)
    return figure


def _draw(axes: Axes, bars: _Bars, cases: int) -> None:
    step = _BARS / len(bars.values)
    places = {mode: (place - (len(bars.values) - 1) / 2) * step for place, mode in enumerate(bars.values)}
    for mode, values in bars.values.items():
        at = [(index + places[mode], value) for index, value in enumerate(values) if value is not None]
        colour = f"C{list(MODES).index(mode)}"
        axes.bar([x for x, _ in at], [value for _, value in at], step, label=mode.value, color=colour)
    how = _scale(
        axes, bars.quantity, [value for values in bars.values.values() for value in values if value is not None]
    )
    label = "the paper's"
    for index, spans in enumerate(bars.paper):
        for mode, span in spans.items():
            if mode in places:
                middle, half = (span.high + span.low) / 2, (span.high - span.low) / 2
                axes.errorbar(
                    index + places[mode], middle, half, fmt="D", color=_MARK, ms=4, mec="white", capsize=3, label=label
                )
            else:  # of stock LevelDB, which has no bar
                axes.hlines(
                    span.low, index - _BARS / 2, index + _BARS / 2, color=_MARK, lw=1.5, label="the paper's, off"
                )
    for first, last, mode, span in bars.means:
        colour = f"C{list(MODES).index(mode)}"
        axes.hlines(
            span.low,
            first - _BARS / 2,
            last + _BARS / 2,
            color=colour,
            ls="--",
            lw=1.2,
            label=f"the paper's mean, {mode}",
        )
    if axes.get_yscale() != "log":
        axes.axhline(0, color="black", lw=0.6)
    axes.set_xlim(-0.5, cases - 0.5)
    axes.set_title(bars.title + how, fontsize=9, loc="left")
    axes.grid(axis="y", lw=0.4, alpha=0.6)
    axes.set_axisbelow(True)


def _scale(axes: Axes, quantity: Quantity, values: list[float]) -> str:
    """Chooses it; what its title says of it."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

    largest = max(values, default=0.0)
    if quantity is WA and largest > _FAR * min(values, default=0.0) > 0:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    elif quantity is FASTER and largest > _FAR_PERCENT:
        axes.set_yscale("symlog", linthresh=_LINEAR_PERCENT)
        axes.yaxis.set_major_locator(FixedLocator(_TICKS))
    else:
        return ""
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    return ", logarithmic" if quantity is WA else f", logarithmic above {_LINEAR_PERCENT}"


def image(figure: Figure, alt: str) -> str:
    """Embeds the plot in the page as PNG."""
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=90)
    encoded = base64.b64encode(picture.getvalue()).decode()
    return f"<img alt='{html.escape(alt, quote=True)}' src='data:image/png;base64,{encoded}'>"
