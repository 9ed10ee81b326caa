# SPDX-License-Identifier: Apache-2.0
"""Plots of an experiment's report: bars by case and variant, with the paper's figures as marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from launcher.experiment.runner.quantities import Quantity, Results
from launcher.experiment.runner.reported import Paper, Reported, Span

if TYPE_CHECKING:  # matplotlib takes long to import, and most commands need no plot
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BARS = 0.84  # of the width of a case
_TICKS = (-50, -25, 0, 25, 50, 100, 200, 400, 800)
_MARK = "black"


@dataclass(frozen=True)
class Bars:
    """One quantity in a plot."""

    quantity: Quantity
    title: str
    values: Mapping[str, Sequence[float | None]]  # by variant, one value for each case
    paper: Sequence[Mapping[str, Span]]  # one entry for each case
    means: Sequence[tuple[int, int, str, Span]] = ()  # the paper's means: first and last case, variant, figure


def _means(paper: Paper, quantity: Quantity, figure: str, names: list[str]) -> list[tuple[int, int, str, Span]]:
    def places(row: Reported) -> list[int]:
        return [names.index(case) for case in row.cases]

    return [
        (min(places(row)), max(places(row)), variant, span)
        for row in paper.means(quantity, figure)
        if all(case in names for case in row.cases)
        for variant, span in row.by_variant.items()
    ]


def of_figure(
    named: Results,
    figure: str,
    quantities: Sequence[Quantity],
    variants: Sequence[str],
    paper: Paper,
    labels: Sequence[str] | None = None,
) -> Figure:
    """One plot of the cases of a figure, in the order of `named`, one panel below the other for each quantity.

    The first variant is the reference. `labels`: those of the cases, if not their names.
    """
    names = list(named)
    parts = [
        Bars(
            quantity,
            f"{quantity.name}, {quantity.unit}" if quantity.unit else quantity.name,
            {
                variant: [quantity.value(named[name], variant) for name in names]
                for variant in (variants if quantity.of_reference else variants[1:])
            },
            [paper.of_case(quantity, name) for name in names],
            _means(paper, quantity, figure, names),
        )
        for quantity in quantities
    ]
    return picture(parts, labels or [name.removeprefix(f"{figure}-") for name in names], variants)


def picture(parts: Sequence[Bars], labels: Sequence[str], variants: Sequence[str]) -> Figure:
    """Panels of bars by case. A variant has the same colour in all plots: that of its place in `variants`."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 0.7 + 2.1 * len(parts)), layout="constrained")
    rows = figure.subplots(len(parts), 1, sharex=True, squeeze=False)[:, 0]
    for axes, bars in zip(rows, parts, strict=True):
        _draw(axes, bars, len(labels), variants)
    rows[-1].set_xticks(range(len(labels)), labels, fontsize=8 if len(labels) < 12 else 7)
    handles, names = rows[0].get_legend_handles_labels()
    legend = dict(zip(names, handles, strict=True))
    for axes in rows[1:]:
        for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
            legend.setdefault(name, handle)
    figure.legend(legend.values(), legend.keys(), loc="outside upper center", ncols=len(legend), fontsize=8)
    return figure


def _draw(axes: Axes, bars: Bars, cases: int, variants: Sequence[str]) -> None:
    step = _BARS / len(bars.values)
    places = {variant: (place - (len(bars.values) - 1) / 2) * step for place, variant in enumerate(bars.values)}
    for variant, values in bars.values.items():
        points = [(index + places[variant], value) for index, value in enumerate(values) if value is not None]
        colour = f"C{list(variants).index(variant)}"
        axes.bar([x for x, _ in points], [value for _, value in points], step, label=str(variant), color=colour)
    how = _scale(
        axes, bars.quantity, [value for values in bars.values.values() for value in values if value is not None]
    )
    label = "the paper's"
    for index, spans in enumerate(bars.paper):
        for variant, span in spans.items():
            if variant in places:
                middle, half = (span.high + span.low) / 2, (span.high - span.low) / 2
                at = index + places[variant]
                axes.errorbar(at, middle, half, fmt="D", color=_MARK, ms=4, mec="white", capsize=3, label=label)
            else:  # of the reference, which has no bar
                axes.hlines(
                    span.low, index - _BARS / 2, index + _BARS / 2, color=_MARK, lw=1.5, label=f"the paper's, {variant}"
                )
    for first, last, variant, span in bars.means:
        colour = f"C{list(variants).index(variant)}"
        axes.hlines(
            span.low,
            first - _BARS / 2,
            last + _BARS / 2,
            color=colour,
            ls="--",
            lw=1.2,
            label=f"the paper's mean, {variant}",
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
    axis = quantity.axis
    if axis is None:
        return ""
    if axis.linear is None and largest > axis.above * min(values, default=0.0) > 0:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    elif axis.linear is not None and largest > axis.above:
        axes.set_yscale("symlog", linthresh=axis.linear)
        axes.yaxis.set_major_locator(FixedLocator(_TICKS))
    else:
        return ""
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    return ", logarithmic" if axis.linear is None else f", logarithmic above {axis.linear:g}"
