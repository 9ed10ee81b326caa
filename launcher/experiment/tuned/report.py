# SPDX-License-Identifier: Apache-2.0
"""The report of `tuned`: savings against stock LevelDB as it is and the best one, and the frontier of `blend`."""

from __future__ import annotations

from typing import Any

from launcher.experiment.runner import provenance
from launcher.experiment.runner.description import Told
from launcher.experiment.runner.parts import Heading, Part, Picture, Rows, Table, Text
from launcher.experiment.runner.quantities import Results
from launcher.experiment.runner.tables import by_variant, summary_of
from launcher.experiment.tuned import goals, plot
from launcher.experiment.tuned.best import best, least_written, tightest, within
from launcher.experiment.tuned.cases import LAWS
from launcher.experiment.tuned.measures import (
    BEYOND,
    BEYOND_TIGHTEST,
    FASTER,
    FASTER_BEST,
    QUANTITIES,
    SAVED,
    SAVED_BEST,
    SAVED_LEAST,
)
from launcher.experiment.tuned.settings import DEFAULT, REMAPPING, SETTINGS, TIERED

_NAMES = tuple(setting.name for setting in SETTINGS)
_NOTE = (
    "Random puts, as many as there are keys, in stock LevelDB (`off`) with several tunings, in the plan of `blend` "
    "without some of its remaps, and in settings of `blend`. The best at equal space is, of the stock ones, the one "
    "that writes the fewest NAND bytes and takes no more space than what is compared with it; where none takes as "
    "little it is the tightest, the one that takes least. The least written is the one that writes least in any space. "
    "Throughput is puts per second of the longer of device time (simulated) and CPU time of the host (measured, and so "
    "of the machine). Each figure is of one run; every key of every database was read back and compared."
)
_TIERED_NOTE = (
    "How much of what `blend` saves is the plan's, and how much remapping's. Savings are those against stock LevelDB "
    "as it is. The tables are the same in all three columns."
)
_FRONTIER_NOTE = "Means over " + ", ".join(goals.SIZES) + "."


def _settings() -> Table:
    return ["variant", "kind", "what it is"], [[f"`{one.name}`", one.kind.value, one.about] for one in SETTINGS]


def _against(results: Results) -> Table:
    """A row a case: the default setting against each of the stock ones that it is compared with."""
    rows = []
    for case, runs in results.items():
        shown = (SAVED, SAVED_BEST, SAVED_LEAST, BEYOND, BEYOND_TIGHTEST, FASTER, FASTER_BEST)
        names = (best(runs, DEFAULT), least_written(runs), tightest(runs))
        rows.append([case, *(f"`{name}`" for name in names), *(one.text(one.value(runs, DEFAULT)) for one in shown)])
    heads = ["best at equal space", "least written", "tightest", "saved: plain", "saved: best", "saved: least written"]
    heads += ["space: plain", "space: tightest", "throughput: plain", "throughput: best"]
    return [f"`{DEFAULT}` against stock", *heads], rows


def _tiered(results: Results) -> Table:
    shown = (*TIERED, DEFAULT)
    rows = [[case, *(SAVED.text(SAVED.value(runs, name)) for name in shown)] for case, runs in results.items()]
    return ["saved against plain, by what is remapped", "nothing", "what stays", "all"], rows


def _within(results: Results) -> Table:
    """A row a case: what is left of the savings within the aim for space."""
    shown = (BEYOND_TIGHTEST, SAVED, SAVED_BEST, FASTER)
    rows = []
    for case, runs in results.items():
        name = within(runs, goals.SPACE)
        figures = ("-" if name is None else one.text(one.value(runs, name)) for one in shown)
        rows.append([case, "-" if name is None else f"`{name}`", *figures])
    return [f"at most {goals.SPACE:g} % beyond the tightest", "setting", *(one.name for one in shown)], rows


def _frontier(results: Results, law: str) -> Table:
    """A row a setting that remaps, of means."""
    shown = (SAVED, SAVED_BEST, BEYOND, BEYOND_TIGHTEST, FASTER)
    rows = []
    for name in REMAPPING:
        values = [goals.mean_of(results, quantity, law, name) for quantity in shown]
        if any(value is not None for value in values):
            rows.append([f"`{name}`", *(one.text(value) for one, value in zip(shown, values, strict=True))])
    return [f"{law}, mean", *(one.name for one in shown)], rows


def tables(told: Told) -> list[Part]:
    """For a page of documentation."""
    parts: list[Part] = [Text(" ".join(provenance.sentences(told))), Text(_NOTE), Rows(_settings())]
    parts += [Rows(provenance.table(told)), Rows(provenance.machines(told))]
    results = told.results
    if not results:
        return parts
    if (table := goals.table(results))[1]:
        parts += [Heading("Aims"), Rows(table)]
    parts += [Heading("`blend` against the best stock LevelDB"), Rows(_against(results))]
    parts += [Rows(_within(results))]
    parts += [Heading("What remapping earns"), Text(_TIERED_NOTE), Rows(_tiered(results))]
    frontiers = [_frontier(results, law) for law in LAWS]
    if any(rows for _, rows in frontiers):
        parts += [Heading("Space and savings of settings"), Text(_FRONTIER_NOTE), *map(Rows, frontiers)]
    parts.append(Heading("All variants"))
    titles = {name: f"`{name}`" for name in _NAMES}
    parts += [Rows(by_variant(runs, titles, QUANTITIES, f"all variants, {case}")) for case, runs in results.items()]
    return parts


def page(told: Told) -> list[Part]:
    """The whole report."""
    head, note, *rest = tables(told)
    if not told.results:
        return [head, note, *rest]
    drawn = plot.frontier(told.results)
    return [head, note, Heading("Writes over space"), Picture(drawn, "NAND bytes over space, by variant"), *rest]


def summary(results: Results) -> list[dict[str, Any]]:
    """The same for programs; with the stock LevelDBs that each variant is compared with."""
    found = summary_of(results, _NAMES, QUANTITIES)
    for row in found:
        runs = results[row["case"]]
        row |= {"best at equal space": best(runs, row["variant"]), "tightest": tightest(runs)}
    return found
