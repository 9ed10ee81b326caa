# SPDX-License-Identifier: Apache-2.0
"""The report of `kvssd`: which layer earns which factor, with the paper's figures beside ours."""

from __future__ import annotations

from typing import Any

from launcher.experiment.kvssd import goals, simulated
from launcher.experiment.kvssd.cases import ABOUT, FIRST, KEYS_FIGURE, OPERATIONS, OVER_PROVISIONING, SPACE_FIGURE
from launcher.experiment.kvssd.measures import COLLECTION, PICTURED, QUANTITIES, WHOLE
from launcher.experiment.kvssd.paper import PAPER, TITLES
from launcher.experiment.runner import plots, provenance
from launcher.experiment.runner.description import Told
from launcher.experiment.runner.parts import Heading, Part, Picture, Rows, Table, Text
from launcher.experiment.runner.quantities import Quantity, Results
from launcher.experiment.runner.tables import Tables, by_variant, of_figure, summary_of

_NAMES = tuple(ABOUT)
# Tables leave out the first one, which here has figures of the paper, too.
_TABLES = Tables((FIRST, *_NAMES), PAPER)

_NOTE = (
    "All systems are LevelDB on PageFS on the fast model, with a superblock as large as a table. Records are loaded "
    f"first; then {OPERATIONS:g} operations for each record are measured. The compaction factor is what LevelDB and "
    "the file system write for each byte that is put, log included. The read-modify-write factor is what a mapping of "
    "32 KB adds. GC is pages programmed for each page written, without those of wear levelling and of the controller's "
    "metadata, which the paper does not name. The product of the three is the write amplification. "
    f"Over-provisioning is {OVER_PROVISIONING} % unless a table says otherwise; a flash with more is larger, so the "
    "database fills as much of the namespace. Throughput is operations for each second of the model's time, of which "
    "the firmware's computing takes none. Read "
    "amplification counts, for gets alone, whole flash pages of 32 KB, those of tables' indexes included."
)
_NOT_DONE = (
    "Not here: rLSM itself, whose garbage collection keeps the levels apart; the KV interface and the key-range tree "
    "in the SSD's memory, which change no count of flash pages. The host does what the paper's SSD does, through "
    "placement handles and remaps. dLSM and lLSM, which the paper compares with, are simulated only."
)
_SIMULATED_NOTE = (
    "Simulated trees with exact keys and no device: what a compaction would write and a get would look at. LSM and "
    "rLSM(-) are among them to be compared with the measured ones. Metadata is in memory, and tables have no index, so "
    "reads are fewer than measured ones. What lies below the tree is not simulated."
)


def _about() -> Table:
    return ["name", "what it is"], [[name, about] for name, about in ABOUT.items()]


def _spaces(results: Results, quantity: Quantity) -> Table:
    """By over-provisioning."""
    named = of_figure(results, SPACE_FIGURE)
    rows = [[name, *(quantity.text(quantity.value(runs, name)) for runs in named.values())] for name in _NAMES]
    return [f"{quantity.name}, by over-provisioning", *(case.removeprefix(f"{SPACE_FIGURE}-") for case in named)], rows


def tables(told: Told) -> list[Part]:
    """For a page of documentation."""
    parts: list[Part] = [Text(" ".join(provenance.sentences(told))), Text(_NOTE), Text(_NOT_DONE), Rows(_about())]
    parts += [Rows(provenance.table(told)), Rows(provenance.machines(told))]
    if not told.results:
        return parts
    if (aims := goals.table(told.results))[1]:
        parts += [Heading("Aims, at scale medium"), Rows(aims)]
    parts += [Heading("What the paper's text reports"), Rows(_TABLES.all_of_paper(told.results, TITLES))]
    for name, runs in of_figure(told.results, KEYS_FIGURE).items():
        parts += [
            Heading(f"{name.removeprefix(f'{KEYS_FIGURE}-').capitalize()} keys"),
            Rows(by_variant(runs, dict(zip(_NAMES, _NAMES, strict=True)), QUANTITIES, "")),
        ]
    if of_figure(told.results, SPACE_FIGURE):
        parts += [Heading("Over-provisioning, uniform keys")]
        parts += [Rows(_spaces(told.results, one)) for one in (COLLECTION, WHOLE)]
    found = told.elsewhere.get(simulated.NAME)
    if found and found.results:
        parts += [Heading("By simulation only"), Text(_SIMULATED_NOTE), Rows(simulated.table(found.results))]
    return parts


def page(told: Told) -> list[Part]:
    """The whole report."""
    pictures: list[Part] = []
    for figure, quantities in ((KEYS_FIGURE, PICTURED), (SPACE_FIGURE, (COLLECTION, WHOLE))):
        if named := of_figure(told.results, figure):
            drawn = plots.of_figure(named, figure, quantities, _NAMES, PAPER)
            pictures += [Heading(figure.capitalize()), Picture(drawn, f"factors by system, {figure}")]
    head, note, *rest = tables(told)
    return [head, note, *pictures, *rest]


def summary(results: Results) -> list[dict[str, Any]]:
    """The same for programs."""
    return summary_of(results, _NAMES, QUANTITIES)
