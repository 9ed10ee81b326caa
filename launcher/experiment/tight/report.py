# SPDX-License-Identifier: Apache-2.0
"""The report of `tight`: how little flash each mode works on, and what it writes there."""

from __future__ import annotations

from typing import Any

from launcher.bench import bench
from launcher.bench.bench_description import Mode
from launcher.experiment.runner import provenance
from launcher.experiment.runner.description import Told
from launcher.experiment.runner.parts import Heading, Part, Picture, Rows, Table, Text
from launcher.experiment.runner.quantities import Quantity, Results
from launcher.experiment.runner.tables import by_variant, of_figure, summary_of
from launcher.experiment.tight import plot
from launcher.experiment.tight.cases import MODES, RATIOS, cases, figure, ratio
from launcher.experiment.tight.measures import (
    COMPLETED,
    PLAIN,
    QUANTITIES,
    SAVED,
    SHORT,
    WA,
    WA1,
    WA2,
    full_before_stock,
)

_NOTE = (
    "Puts of 1 KB to random keys, as many as there are keys, on flash of so many times the keys and values that are "
    "alive at the end. Each cell of a sweep is of one run; a dash is one that ran out of space. Every key of a run "
    "that was completed was read back. Compactions when space is short merge every table and keep blocks by cost; of "
    "these, some write tables as stock LevelDB does, and some are of single tables that give space back."
)


def ratios(told: Told) -> dict[str, float]:
    """Flash over live data of each case."""
    return {case.key: ratio(case.options) for case in cases(told.scale)}


def _sweep(quantity: Quantity, named: Results, over: dict[str, float], title: str) -> Table:
    modes = MODES if quantity.of_reference else MODES[1:]
    rows = [
        [f"{over[name]:.2f}", *(quantity.text(quantity.value(runs, mode)) for mode in modes)]
        for name, runs in named.items()
    ]
    return [f"{quantity.name}, {title}", *(f"`{mode}`" for mode in modes)], rows


def _least(named: Results, over: dict[str, float], title: str) -> Table:
    """The least flash that each mode completes the puts on, and that it does on all that is more."""

    def least(mode: Mode) -> str:
        done = None
        for name, runs in named.items():  # from the largest flash on
            if bench.is_full(runs[mode]):
                break
            done = over[name]
        return "-" if done is None else f"{done:.2f}"

    return ["least flash over live data", *(f"`{mode}`" for mode in MODES)], [[title, *map(least, MODES)]]


def _verdict(results: Results) -> str:
    found = full_before_stock(results)
    if not found:
        return "No mode ran out of space where stock LevelDB did not."
    return (
        "Out of space although stock LevelDB was not: " + ", ".join(f"`{mode}` in {name}" for name, mode in found) + "."
    )


def tables(told: Told) -> list[Part]:
    """For a page of documentation."""
    parts: list[Part] = [Text(" ".join(provenance.sentences(told))), Text(_NOTE)]
    parts += [Rows(provenance.table(told)), Rows(provenance.machines(told))]
    if told.results:
        parts.append(Text(_verdict(told.results)))
    over = ratios(told)
    for spare in RATIOS:
        named = of_figure(told.results, figure(spare))
        if not named:
            continue
        title = f"{spare} % over-provisioning"
        parts += [Heading(title), Text("Rows are flash over live data."), Rows(_least(named, over, title))]
        shown = (COMPLETED, WA1, WA2, WA, SAVED, SHORT, PLAIN)
        parts += [Rows(_sweep(quantity, named, over, title)) for quantity in shown]
    return parts


def page(told: Told) -> list[Part]:
    """The whole report."""
    pictures: list[Part] = []
    over = ratios(told)
    for spare in RATIOS:
        named = of_figure(told.results, figure(spare))
        if named:
            title = f"{spare} % over-provisioning"
            drawn = plot.over_flash(named, over, (WA, WA1, WA2, SAVED, COMPLETED), title)
            pictures += [Heading(f"Sweep, {title}"), Picture(drawn, f"write amplification over flash, {title}")]
    every: list[Part] = [
        Rows(by_variant(runs, {mode: f"`{mode}`" for mode in MODES}, QUANTITIES, f"{name}: {over[name]:.2f}"))
        for name, runs in told.results.items()
    ]
    head, note, *rest = tables(told)
    return [head, note, *pictures, *rest, *([Heading("Every case"), *every] if every else [])]


def summary(results: Results) -> list[dict[str, Any]]:
    """The same for programs."""
    return summary_of(results, MODES, QUANTITIES)
