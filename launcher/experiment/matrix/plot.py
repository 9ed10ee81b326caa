# SPDX-License-Identifier: Apache-2.0
"""The plots of `matrix`: a figure of all settings as coloured cells, and the factors of the steps with their spans."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from launcher.experiment.matrix import effects
from launcher.experiment.matrix.effects import STEPS
from launcher.experiment.matrix.settings import ALLOCATOR, DEALLOCATE, PLACEMENT, System, words_of
from launcher.experiment.runner.quantities import Quantity, Results

if TYPE_CHECKING:  # matplotlib takes long to import, and most commands need no plot
    from matplotlib.figure import Figure


def settings(results: Results, mode: System, quantity: Quantity) -> Figure:
    """A panel a case: rows are Deallocate and allocator, columns mapping and placement."""
    from matplotlib.colors import LogNorm
    from matplotlib.figure import Figure

    found = effects.values(results, mode, list(words_of(mode)), quantity)
    rows = list(product(*([level.word for level in switch.levels] for switch in (DEALLOCATE, ALLOCATOR))))
    columns = list(product((one.word for one in mode.mappings), (level.word for level in PLACEMENT.levels)))
    of_cases = [tuple(case.split("-")) for case in results]
    figure = Figure(figsize=(11, 1.7 * len(of_cases) + 0.6), layout="constrained")
    # A span of one value has no colours.
    norm = LogNorm(min(found.values(), default=1), max(found.values(), default=1) * 1.001)
    for axes, of in zip(figure.subplots(len(of_cases), 1, sharex=True, squeeze=False)[:, 0], of_cases, strict=True):
        cells = [[found.get((*row, *column, *of), float("nan")) for column in columns] for row in rows]
        axes.imshow(cells, norm=norm, cmap="YlOrRd", aspect="auto")
        for y, line in enumerate(cells):
            for x, value in enumerate(line):
                axes.text(x, y, quantity.form.format(value), ha="center", va="center", fontsize=8)
        axes.set_yticks(range(len(rows)), [", ".join(row) for row in rows], fontsize=8)
        axes.set_xticks(range(len(columns)), ["\n".join(column) for column in columns], fontsize=8)
        axes.set_title(
            f"{mode.name}: {quantity.name}, {' namespace, '.join(of)} over-provisioning", fontsize=9, loc="left"
        )
    return figure


def steps(results: Results, mode: System, quantities: tuple[Quantity, ...]) -> Figure:
    """The mean factor of each step as a mark, from its least to its most as a line."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    figure = Figure(figsize=(11, 4), layout="constrained")
    axes = figure.subplots()
    of = [effects.values(results, mode, list(words_of(mode)), quantity) for quantity in quantities]
    shown = [step for step in STEPS if effects.effect(of[0], step) is not None]
    for number, (quantity, found) in enumerate(zip(quantities, of, strict=True)):
        told = [effects.effect(found, step) for step in shown]
        known = [(place, one) for place, one in enumerate(told) if one is not None]
        at = [place + (number - (len(quantities) - 1) / 2) * 0.8 / len(quantities) for place, _ in known]
        means = [one.mean for _, one in known]
        spans = [[one.mean - one.least for _, one in known], [one.most - one.mean for _, one in known]]
        axes.errorbar(at, means, spans, fmt="o", ms=4, lw=1.3, capsize=3, color=f"C{number}", label=quantity.name)
    axes.axhline(1, color="black", lw=0.8)
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 1.5, 2, 3, 5)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_xticks(range(len(shown)), [f"{one.before}\nto {one.after}" for one in shown], fontsize=8)
    axes.set_title(f"{mode.name}: times less by each step, geometric mean, least and most", fontsize=9, loc="left")
    axes.grid(axis="y", lw=0.4, alpha=0.6)
    figure.legend(loc="outside right upper", fontsize=8)
    return figure
