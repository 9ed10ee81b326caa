# SPDX-License-Identifier: Apache-2.0
"""The report of `cascaded`: the paper's figures 3 to 13 again, with its numbers beside ours."""

from __future__ import annotations

from typing import Any

from launcher.experiment.cascaded import goals
from launcher.experiment.cascaded.cases import BASE_OF, FIG3, FIG10, FIG11, FIG12, FIGURES, VALUES
from launcher.experiment.cascaded.measures import CAUSES, CHANGES, FACTORS, FACTORS_OF_YCSB, HOST_RATE, QUANTITIES, WA2
from launcher.experiment.cascaded.paper import PAPER
from launcher.experiment.cascaded.systems import ABOUT, COLUMNS, I_SPACE, PAPERS, S_SPACE, compared
from launcher.experiment.runner import plots, provenance
from launcher.experiment.runner.description import Scale, Told
from launcher.experiment.runner.parts import Heading, Part, Picture, Rows, Table, Text
from launcher.experiment.runner.quantities import Quantity, Results
from launcher.experiment.runner.tables import of_figure, summary_of

_TITLES = {
    "fig3": "Figure 3: the device by itself",
    "fig4": "Figure 4: in order and at random, 54 GB",
    "fig5": "Figure 5: amounts of data",
    "fig6": "Figure 6: sizes of values",
    "fig7": "Figure 7: write buffers",
    "fig8": "Figure 8: sizes of tables",
    "fig9": "Figure 9: sizes of blocks",
    "fig10": "Figure 10: sizes of values, YCSB",
    "fig11": "Figure 11: zipfian and uniform keys, YCSB",
    "fig12": "Figure 12: shares of reads, YCSB",
    "fig13": "Figure 13: a steady state, by write buffer",
    VALUES: "What `blend` with a value log saves",
}
_NOTE = (
    "All databases are LevelDB on PageFS on the fast model of the controller. WA1 is what LevelDB and the file system "
    f"write for each byte that is put, WA2 what the flash programs for each of these. SSD-I has {I_SPACE} % "
    f"over-provisioning, gets Deallocate, and PageFS allocates first fit. SSD-S has {S_SPACE} %, gets no Deallocate, "
    "and PageFS allocates next fit, so that writes go everywhere. Allocation is the file system's, so each database "
    "runs once for each SSD; the disk is a replay of the trace of SSD-I, with WA2 1 and a cost for each byte and each "
    "discontinuity, the latter divided as the sizes are. Throughput is of the device's time alone: 10^6 bytes that are "
    "put, or operations, a second of what "
    "is measured; on the disk the load of YCSB is measured, too. Figures of the paper are those of its text."
)
_SCALES = {
    Scale.small: "All sizes but those of keys, values and blocks are 1/64 of the paper's, and data and flash 1/640: "
    "there is a level less than in the paper.",
    Scale.quarter: "All sizes but those of keys, values and blocks are 1/64 of the paper's: there are as many levels.",
    Scale.medium: "All sizes but those of keys, values and blocks are 1/16 of the paper's: there are as many levels.",
    Scale.full: "All sizes are the paper's.",
}


def _factors(figure: str) -> tuple[Quantity, ...]:
    if figure == FIG3:
        return HOST_RATE, WA2
    return FACTORS_OF_YCSB if figure in (FIG10, FIG11, FIG12) else FACTORS


def _about() -> Table:
    return ["database", "what it is"], [[name, about] for name, about in ABOUT.items()]


def _by_column(results: Results, quantity: Quantity) -> Table:
    """A row a case, with the paper's figure behind ours."""
    rows = []
    for case, runs in results.items():
        spans = PAPER.of_case(quantity, case)
        cells = []
        for name in COLUMNS:
            ours = quantity.text(quantity.value(runs, name))
            cells.append(f"{ours} ({spans[name].text(quantity.form)})" if name in spans else ours)
        rows.append([case, *cells])
    return [f"{quantity.name} (the paper's)", *COLUMNS], rows


def _causes(results: Results) -> Table:
    """What WA1 consists of: SSD-I alone, as it does not depend on the device."""
    names = [name for name in COLUMNS if name.endswith(" I")]
    rows = [
        [case, name.removesuffix(" I"), *(one.text(one.value(runs, name)) for one in CAUSES)]
        for case, runs in results.items()
        for name in names
    ]
    return ["WA1 by cause", "database", *(one.name for one in CAUSES)], rows


def _changes(results: Results) -> list[Part]:
    """What the paper gives relative to another case."""
    parts: list[Part] = []
    for quantity in CHANGES:
        told = {case: runs for case, runs in results.items() if PAPER.of_case(quantity, case)}
        if told:
            parts.append(Rows(_by_column(told, quantity)))
    return parts


def tables(told: Told) -> list[Part]:
    """For a page of documentation."""
    results = compared(told.results, BASE_OF)
    parts: list[Part] = [Text(" ".join(provenance.sentences(told))), Text(f"{_NOTE} {_SCALES[told.scale]}")]
    parts += [Rows(_about()), Rows(provenance.table(told)), Rows(provenance.machines(told))]
    for met, title in ((False, "Aims of scale medium that are missed"), (True, "Those that are met")):
        if (table := goals.table(results, met=met))[1]:
            parts += [Heading(f"{title}: {len(table[1])}"), Rows(table)]
    for figure in FIGURES:
        named = of_figure(results, figure)
        if named:
            parts += [Heading(_TITLES[figure]), *(Rows(_by_column(named, one)) for one in _factors(figure))]
            parts += [*_changes(named), Rows(_causes(named))]
    missing = [case for case in BASE_OF if case not in results]
    if missing:
        parts += [Heading("Not run"), Text(", ".join(missing))]
    return parts


def page(told: Told) -> list[Part]:
    """The whole report."""
    results = compared(told.results, BASE_OF)
    pictures: list[Part] = []
    for figure in FIGURES:
        named = of_figure(results, figure)
        if not named:
            continue
        pictures.append(Heading(_TITLES[figure]))
        ours = tuple(name for name in COLUMNS if name not in PAPERS)
        for what, names in (("the paper's databases", PAPERS), ("ours", ours)):
            drawn = plots.of_figure(named, figure, _factors(figure), names, PAPER)
            pictures.append(Picture(drawn, f"{_TITLES[figure]}, {what}"))
    head, note, *rest = tables(told)
    return [head, note, *pictures, *rest]


def summary(results: Results) -> list[dict[str, Any]]:
    """The same for programs."""
    return summary_of(compared(results, BASE_OF), COLUMNS, (*QUANTITIES, *CHANGES))
