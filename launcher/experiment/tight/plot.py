# SPDX-License-Identifier: Apache-2.0
"""The plot of `tight`: a line a mode over the flash, for each quantity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from launcher.bench.bench_description import Mode
from launcher.experiment.runner.quantities import Quantity, Results

if TYPE_CHECKING:  # matplotlib takes long to import, and most commands need no plot
    from matplotlib.figure import Figure


def over_flash(named: Results, ratios: Mapping[str, float], quantities: Sequence[Quantity], title: str) -> Figure:
    """One panel for each quantity. `ratios`: flash over live data, by case; the least stands at the right. A run that
    ran out of space has no point but of quantities that it has.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    figure = Figure(figsize=(11, 0.7 + 2.4 * len(quantities)), layout="constrained")
    rows = figure.subplots(len(quantities), 1, sharex=True, squeeze=False)[:, 0]
    for axes, quantity in zip(rows, quantities, strict=True):
        for number, mode in enumerate(Mode):
            points = [(ratios[name], quantity.value(runs, mode)) for name, runs in named.items()]
            known = [(x, y) for x, y in points if y is not None]
            if known and (quantity.of_reference or mode is not Mode.off):
                axes.plot(*zip(*known, strict=True), color=f"C{number}", marker="o", ms=3, lw=1.3, label=mode.value)
        axes.set_xscale("log")
        axes.set_title(f"{quantity.name}{f', {quantity.unit}' if quantity.unit else ''}", fontsize=9, loc="left")
        axes.grid(lw=0.4, alpha=0.6)
    rows[-1].invert_xaxis()
    rows[-1].xaxis.set_major_locator(FixedLocator(sorted(ratios.values())))
    rows[-1].xaxis.set_minor_locator(NullLocator())
    rows[-1].xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.2f}"))
    rows[-1].tick_params(axis="x", labelrotation=60, labelsize=8)
    rows[-1].set_xlabel("flash over live data", fontsize=9)
    figure.suptitle(title, fontsize=9)
    handles, labels = rows[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right upper", fontsize=8)
    return figure
