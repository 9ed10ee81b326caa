# SPDX-License-Identifier: Apache-2.0
"""The report of `streams`: what makes sequential writes amplify, and what ends it."""

from __future__ import annotations

from typing import Any

from launcher.experiment.runner import plots, provenance
from launcher.experiment.runner.description import Told
from launcher.experiment.runner.parts import Heading, Part, Picture, Rows, Table, Text
from launcher.experiment.runner.quantities import Results
from launcher.experiment.runner.tables import by_variant, summary_of
from launcher.experiment.streams.cases import ABOUT, OVER_PROVISIONING, PIECES, WHOLE
from launcher.experiment.streams.measures import LATE, QUANTITIES
from launcher.experiment.streams.paper import CASE, PAPER, WAF
from launcher.experiment.streams.plot import over_writes

_NAMES = tuple(ABOUT)

_NOTE = (
    "Databases of LevelDB are recorded, each with records that are all updated several times. Their traces are merged "
    f"onto one device. They fill its namespace to the last page, with {OVER_PROVISIONING} % over-provisioning. The "
    "device gets nothing but tables: log, manifest and info log lie elsewhere. As the poster observed, "
    f"{WHOLE} % of the tables are written whole, and the others in pieces of 1/{PIECES}, of a page at least, in turn "
    "with the other writers. A superblock has room for 16 tables unless a line says otherwise. WAF is NAND pages "
    f"programmed for each page written. The poster's figure is {WAF}, measured with RocksDB on ext4 and a commercial "
    "SSD. It does not say how many writers there were."
)


def _writers(results: Results) -> Table:
    """All set-ups by case."""
    rows = [
        [ABOUT[name], *(LATE.text(LATE.value(runs, name)) for runs in results.values()), _of_paper(name)]
        for name in _NAMES
    ]
    return ["set-up", *results, "the poster"], rows


def _of_paper(name: str) -> str:
    found = PAPER.of_case(LATE, CASE).get(name)
    return found.text("{:g}") if found else "-"


def tables(told: Told) -> list[Part]:
    """For a page of documentation."""
    parts: list[Part] = [Text(" ".join(provenance.sentences(told))), Text(_NOTE)]
    parts += [Rows(provenance.table(told)), Rows(provenance.machines(told))]
    if told.results:
        parts += [Heading(f"{LATE.name}, by keys and writers"), Rows(_writers(told.results))]
    for name, runs in told.results.items():
        parts += [Heading(name), Rows(by_variant(runs, ABOUT, QUANTITIES, "set-up"))]
    return parts


def page(told: Told) -> list[Part]:
    """The whole report."""
    pictures: list[Part] = []
    for figure in sorted({name.split("-")[0] for name in told.results}, reverse=True):
        of = {name: runs for name, runs in told.results.items() if name.startswith(f"{figure}-")}
        drawn = plots.of_figure(of, figure, (LATE,), _NAMES, PAPER)
        pictures += [Heading(f"Writers, {figure} keys"), Picture(drawn, f"write amplification, {figure} keys")]
    for name, runs in told.results.items():
        pictures.append(Picture(over_writes(runs, ABOUT, name), f"write amplification over the writes, {name}"))
    head, note, *rest = tables(told)
    return [head, note, *pictures, *rest]


def summary(results: Results) -> list[dict[str, Any]]:
    """The same for programs."""
    return summary_of(results, _NAMES, QUANTITIES)
