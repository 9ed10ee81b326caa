# SPDX-License-Identifier: Apache-2.0
"""How write amplification grows while databases write: a line for each set-up."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from launcher.experiment.runner.quantities import Runs
from launcher.experiment.streams.measures import windows
from launcher.experiment.streams.paper import WAF

if TYPE_CHECKING:  # matplotlib takes long to import, and most commands need no plot
    from matplotlib.figure import Figure


def points(run: dict[str, object]) -> tuple[list[float], list[float]]:
    """Where each window ends, in times the pages that the databases use, and its write amplification."""
    parts = windows(run)
    used = float(run["replay"]["used_pages"])  # type: ignore[index]
    return [end / used for end in accumulate(pages for pages, _ in parts)], [made / pages for pages, made in parts]


def over_writes(runs: Runs, about: dict[str, str], title: str) -> Figure:
    """One plot of a case."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.5), layout="constrained")
    axes = figure.subplots()
    for number, (name, run) in enumerate(runs.items()):
        x, y = points(run)
        axes.plot(x, y, color=f"C{number % 10}", ls="-" if number < 10 else "--", label=about[name], lw=1.3)
    axes.axhline(WAF, color="black", ls=":", lw=1, label="the poster's, at its end")
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    axes.set_xlabel("written, in times the namespace", fontsize=9)
    axes.set_title(f"write amplification of the device, {title}", fontsize=9, loc="left")
    axes.grid(lw=0.4, alpha=0.6)
    figure.legend(loc="outside right upper", fontsize=8)
    return figure
