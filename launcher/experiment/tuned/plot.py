# SPDX-License-Identifier: Apache-2.0
"""The plot of `tuned`: what each variant writes over the space that it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launcher.experiment.runner.quantities import Results
from launcher.experiment.tuned.measures import SPACE, WA
from launcher.experiment.tuned.settings import DEFAULT, REMAPPING, STOCK, TIERED

if TYPE_CHECKING:  # matplotlib takes long to import, and most commands need no plot
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_GROUPS = {"stock": (STOCK, "s"), "without remaps": (TIERED, "^"), "remapping": (REMAPPING, "o")}
_COLUMNS = 2


def lower_left(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Those of which no other has both less space and fewer writes, by space."""
    found: list[tuple[float, float]] = []
    for x, y in sorted(points):
        if not found or y < found[-1][1]:
            found.append((x, y))
    return found


def frontier(results: Results) -> Figure:
    """A panel a case: points of all variants, a line through the best of the stock ones and of those that remap."""
    from matplotlib.figure import Figure

    rows = -(-len(results) // _COLUMNS)
    figure = Figure(figsize=(11, 0.7 + 3.4 * rows), layout="constrained")
    panels = list(figure.subplots(rows, _COLUMNS, squeeze=False).flat)
    for axes, (case, runs) in zip(panels, results.items(), strict=False):
        for number, (label, (names, marker)) in enumerate(_GROUPS.items()):
            points = {name: (SPACE.value(runs, name), WA.value(runs, name)) for name in names}
            known = {name: (x, y) for name, (x, y) in points.items() if x is not None and y is not None}
            if not known:
                continue
            axes.scatter(*zip(*known.values(), strict=True), color=f"C{number}", marker=marker, s=18, label=label)
            for name, at in known.items():
                weight = "bold" if name == DEFAULT else "normal"
                axes.annotate(name, at, (3, 3), textcoords="offset points", fontsize=6, weight=weight)
            if names is not TIERED:
                axes.plot(*zip(*lower_left(list(known.values())), strict=True), color=f"C{number}", lw=1)
        _label(axes, case)
    for axes in panels[len(results) :]:
        axes.set_visible(False)
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3, fontsize=8)
    return figure


def _label(axes: Axes, case: str) -> None:
    axes.set_title(case, fontsize=9, loc="left")
    axes.set_xlabel(SPACE.name, fontsize=8)
    axes.set_ylabel("NAND bytes / user bytes", fontsize=8)
    axes.tick_params(labelsize=8)
    axes.grid(lw=0.4, alpha=0.6)
