# SPDX-License-Identifier: Apache-2.0
"""The report of `noftl`: garbage collection and erases of each system, beside the paper's figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from launcher.experiment.noftl import goals, paper
from launcher.experiment.noftl.cases import FIGURE, LINKS, OPERATIONS
from launcher.experiment.noftl.measures import (
    BY_OWNER,
    COUNTS,
    LATE,
    LAYERS,
    MEANS,
    OF_FASTER,
    PAGES_VERIFIED,
    PICTURED,
    QUANTITIES,
    TIMES,
    VERIFIED,
)
from launcher.experiment.noftl.paper import PAPER
from launcher.experiment.noftl.systems import ABOUT, FIRST, LOG, NATIVE, ON_CONTROLLER, ON_FASTER
from launcher.experiment.runner import plots, provenance
from launcher.experiment.runner.description import Scale, Told
from launcher.experiment.runner.parts import Heading, Part, Picture, Rows, Table, Text
from launcher.experiment.runner.quantities import Quantity, Results, Runs
from launcher.experiment.runner.tables import Tables, by_variant, of_figure, summary_of

_NAMES = tuple(ABOUT)
# Tables leave out the first one, which here has figures of the paper, too.
_TABLES = Tables((FIRST, *_NAMES), PAPER)
_TITLES = {FIRST: "RocksDB", NATIVE: "NoFTL-KV"}

_NOTE = (
    "LinkBench's mix on RocksDB and on LevelDB: nodes of 128 bytes are loaded, each with "
    f"{LINKS} links in the mean, and then {OPERATIONS} requests for each node are made, half of which list a node's "
    "links. All files but tables lie on a second device that is memory, as in the paper; `noftl` has the metadata of "
    "its file system there, too. Each database is recorded once with each way to write its files, on the fast model of "
    "the controller, and every node, link and count is read back and compared. The trace of its pages is then replayed "
    "onto a model of FASTer, a flash translation layer with log blocks, and onto the controller, where every page is "
    f"compared. Both have flash blocks of the same size; FASTer has {LOG} % log blocks, the controller {LOG} % "
    "over-provisioning. Counts are of load and requests together. The controller erases a block before it fills it, "
    "also for the first time, and FASTer behind: blocks filled are the erases with those that FASTer still owes. Where "
    "a figure is for a byte of tables it is for what the database writes into tables."
)
_JOURNAL = (
    "A journal of metadata has a copy of what PageFS writes for its own metadata, a journal of all pages a copy of the "
    "tables as well, as by data=journal of ext3 and ext4, with descriptors and commits, in a ring of 1/192 of the "
    "device."
)
_NOT_DONE = (
    f"Not reproducible: {paper.SPARED_OF} times fewer erases. The paper's {paper.ERASES_OF[0]:,} erases are less than "
    "one for each of its 24,576 blocks, and its native system erased a twentieth of its blocks, so both had hardly "
    "begun to erase; its figure 2a has some 740 GB written onto 24 GB of flash. Its absolute throughput, its threads "
    "and MyRocks are not here either. FASTer has no time, so throughput and response times are the controller's."
)
_SCALES = {
    Scale.small: "The flash has 24 MiB, so that the databases have two levels below level 0.",
    Scale.medium: "All sizes are about 1/16 of the paper's.",
    Scale.full: "Flash and tables have the paper's sizes.",
}


def _about() -> Table:
    return ["system", "what it is"], [[name, about] for name, about in ABOUT.items()]


def _of(runs: Runs, names: Sequence[str], quantities: Sequence[Quantity], head: str) -> Rows:
    return Rows(by_variant(runs, dict(zip(names, names, strict=True)), quantities, head))


def _of_case(name: str, runs: Runs) -> list[Part]:
    return [
        Heading(name.removeprefix(f"{FIGURE}-")),
        _of(runs, _NAMES, COUNTS, "garbage collection and erases"),
        _of(runs, ON_FASTER, OF_FASTER, "FASTer: erases by cause"),
        _of(runs, ON_CONTROLLER, BY_OWNER, "the controller: erases by whose pages filled the block"),
        _of(runs, _NAMES, LAYERS, "what each layer writes"),
        _of(runs, _NAMES, TIMES, "times"),
        _of(runs, ON_CONTROLLER, MEANS, "response times, mean, µs of the device"),
        _of(runs, ON_CONTROLLER, LATE, "response times, 99.9 %, µs of the device"),
        _of(runs, _NAMES, (VERIFIED, PAGES_VERIFIED), "verified"),
    ]


def tables(told: Told) -> list[Part]:
    """For a page of documentation."""
    parts: list[Part] = [
        Text(" ".join(provenance.sentences(told))),
        Text(f"{_NOTE} {_SCALES[told.scale]}"),
        Text(_JOURNAL),
        Text(_NOT_DONE),
        Rows(_about()),
        Rows(provenance.table(told)),
        Rows(provenance.machines(told)),
    ]
    named = of_figure(told.results, FIGURE)
    if not named:
        return parts
    parts += [Heading("Aims"), Rows(goals.table(named))]
    parts += [Heading("What the paper reports"), Rows(_TABLES.all_of_paper(named, _TITLES))]
    for name, runs in named.items():
        parts += _of_case(name, runs)
    return parts


def page(told: Told) -> list[Part]:
    """The whole report."""
    pictures: list[Part] = []
    if named := of_figure(told.results, FIGURE):
        drawn = plots.of_figure(named, FIGURE, PICTURED, _NAMES, PAPER)
        pictures = [Heading("By system"), Picture(drawn, "garbage collection, erases and flash time by system")]
    head, note, *rest = tables(told)
    return [head, note, *pictures, *rest]


def summary(results: Results) -> list[dict[str, Any]]:
    """The same for programs."""
    return summary_of(results, _NAMES, (*QUANTITIES, *_response()))


def _response() -> list[Quantity]:
    """Response times under names of their own."""
    return [
        Quantity(f"{one.name}, {what}", one.of, one.form, one.of_reference, one.unit, one.axis, one.reference)
        for what, quantities in (("mean µs", MEANS), ("99.9 % µs", LATE))
        for one in quantities
    ]
