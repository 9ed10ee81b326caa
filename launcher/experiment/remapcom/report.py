# SPDX-License-Identifier: Apache-2.0
"""RemapCom's report: tables and pictures, the paper's figures beside ours, and the alternative over reflinks."""

from __future__ import annotations

from statistics import mean
from typing import TYPE_CHECKING, Any

from launcher.bench.bench_description import Mode
from launcher.experiment.remapcom import goals, reflink, tables
from launcher.experiment.remapcom.cases import MODES
from launcher.experiment.remapcom.measures import (
    FASTER,
    FOUND,
    KEPT,
    KEPT_INTO,
    SAVED,
    SPACE,
    WA,
    saved,
    space,
    throughput,
)
from launcher.experiment.remapcom.paper import PAPER
from launcher.experiment.remapcom.tables import LEVELS_CASE
from launcher.experiment.runner import plots, provenance
from launcher.experiment.runner.description import Elsewhere, Told
from launcher.experiment.runner.parts import Heading, Part, Picture, Rows, Table, Text
from launcher.experiment.runner.quantities import Results, Runs
from launcher.experiment.runner.tables import of_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TIME_NOTE = (
    "Throughput is operations a second of the longer of device time (simulated, with the model's NAND timing) and CPU "
    "time of the host (measured, of LevelDB and what lies below it): LevelDB's background work runs inline here, so "
    "neither is measured while they overlap; this is what perfect overlap would give. The host has no page cache, so "
    "what is read comes from the device, unless it is in LevelDB's own cache of blocks; but PageFS reads ahead of "
    "compactions and scans as Linux does. Host CPU time depends on the machine and on what else it did. The paper "
    "measured in a virtual machine, on ext4 and an emulated SSD (FEMU). Tables of `blend` "
    "have Bloom filters of 10 bits a key, as it makes them by default; those of the other modes have none, as stock "
    "LevelDB's."
)


_PAPER_NOTE = (
    "The paper is RemapCom (Micromachines 2025, 16, 699): its RemapCom-Base is `base` here, its RemapCom "
    "`retain`. What its text and tables say is here, not what could be read off its figures. Where it gives "
    "two figures for several KV sizes, both are here. Marks in the pictures are its figures of a case, broken lines "
    "its means."
)
_BLOCKS_NOTE = (
    "Of the data blocks that compactions read, those that the output has unchanged. They are kept, remapped instead of "
    "written, where the output is at the end of a page: by `base` only by chance. `off` does not "
    "look for any. The paper's ratio of unchanged blocks (UDB) is of those found; that of Mixgraph is of LevelDB's "
    "blocks, compared before and after compactions."
)
_LEVELS_NOTE = (
    "The paper's are SSD writes saved in each level (its table 3), ours blocks kept of those read. Where there is no "
    "figure nothing was compacted into that level: `blend` needs fewer."
)


def _groups(results: Results, figure: str) -> list[tuple[str, Results, bool]]:
    """A figure's cases, as title, cases, whether the paper has a mean over just these: it may be over some of ours."""
    named = of_figure(results, figure)
    title = tables.FIGURES[figure]
    for found in PAPER.means(SAVED, figure):
        same = {name: runs for name, runs in named.items() if name in found.cases}
        if len(same) < len(found.cases):
            continue
        others = {name: runs for name, runs in named.items() if name not in same}
        if not others:
            return [(title, same, True)]
        names = ", ".join(name.removeprefix(f"{figure}-") for name in others)
        return [(f"{title}, the paper's cases", same, True), (f"{title}, {names}", others, False)]
    return [(title, named, False)]


def summary(results: Results) -> list[dict[str, Any]]:
    """Means over the cases of each figure, by figure and mode, and the paper's means over the same cases if known."""
    rows: list[dict[str, Any]] = []
    for figure in tables.FIGURES:
        for title, named, papers in _groups(results, figure):
            # Without puts (YCSB-C), the written bytes say little.
            writing = [runs for runs in named.values() if runs[Mode.off]["user_bytes"]]
            for mode in MODES[1:] if writing else ():
                rows.append(
                    {
                        "figure": figure,
                        "title": title,
                        "cases": list(named),
                        "mode": mode.value,
                        "nand_saved_percent": mean(saved(runs, mode) for runs in writing),
                        "space_percent": mean(space(runs, mode) for runs in named.values()),
                        "throughput": mean(
                            throughput(runs[mode]) / throughput(runs[Mode.off]) if throughput(runs[Mode.off]) else 0.0
                            for runs in named.values()
                        ),
                        "paper_nand_saved_percent": PAPER.mean_of(SAVED, figure, mode) if papers else None,
                    }
                )
    return rows


def _of_parts(results: Results) -> list[Table]:
    """Those for a page of documentation that are of parts of the evaluation."""
    found = [tables.levels(results), tables.background_cpu(results)]
    found += [tables.compared(quantity, results, "mixgraph") for quantity in (SAVED, FASTER, FOUND, KEPT)]
    return found


def documentation(told: Told) -> list[Part]:
    """For a page of documentation: the source, the aims, the paper's figures beside ours, and the alternative."""
    results, reflinks = told.results, told.elsewhere[reflink.NAME]
    found = [
        provenance.table(told),
        provenance.machines(told),
        goals.table(results),
        _summary_table(results),
        tables.cases(results),
        tables.all_of_paper(results),
        *_of_parts(results),
    ]
    if reflinks.results:
        found.append(reflink.table(reflinks, results))
    parts: list[Part] = [Text(" ".join(provenance.sentences(told))), *map(Rows, found)]
    if reflinks.not_run:
        parts.append(Text(_not_run(reflinks)))
    return parts


def page(told: Told) -> list[Part]:
    """The whole report."""
    results = told.results
    some = (
        ""
        if len(results) == told.total
        else f" Of {told.total} cases {len(results)} are finished in all modes: all means are of these."
    )
    parts: list[Part] = [
        Text(
            "Every mode against stock LevelDB (`off`) on the same operations; each "
            "run read all its keys back. Means of NAND bytes leave out "
            f"workloads that put nothing. Log, manifest, padding and metadata are counted.{some}"
        ),
        Heading("Where the figures come from"),
        Text(" ".join(provenance.sentences(told))),
        Rows(provenance.table(told)),
        *([Rows(provenance.machines(told))] if provenance.machines(told)[1] else []),
        Heading("Summary"),
        Rows(_summary_table(results)),
        Text(_TIME_NOTE),
        Heading("Aims"),
        Rows(goals.table(results)),
        Text(
            "In percent, against stock LevelDB but for the blocks kept. The paper's are those of its RemapCom, "
            "`retain` here."
        ),
        Heading("All that the paper reports"),
        Text(_PAPER_NOTE),
        Rows(tables.all_of_paper(results)),
        Text(_BLOCKS_NOTE),
    ]
    for figure, title in tables.FIGURES.items():
        named = of_figure(results, figure)
        if named:
            parts += [Heading(title), Picture(picture(named, figure), f"{title}: bars by case and mode")]
            parts += map(Rows, tables.of_figure_all(results, figure))
            parts.append(Rows(tables.runs_of(named, figure), folded="All runs"))
    levels = tables.levels(results)
    if levels[1]:
        title = "Blocks kept, by the level written to, KV 1 KB"
        parts += [Heading(title), Picture(picture_of_levels(results[LEVELS_CASE]), title)]
        parts += [Rows(levels), Text(_LEVELS_NOTE)]
    return parts + _alternative(told)


QUANTITIES = (WA, SAVED, FASTER, SPACE, FOUND)


def _by_workload(names: list[str]) -> list[str]:
    """YCSB's sizes of one workload side by side. Names are `ycsb-WORKLOAD-SIZE`; other figures stay as they are."""
    workloads = list(dict.fromkeys(name.split("-")[1] for name in names))
    return sorted(names, key=lambda name: workloads.index(name.split("-")[1]))


def picture(named: Results, figure: str) -> Figure:
    """One plot of the finished cases of a figure."""
    ordered = {name: named[name] for name in _by_workload(list(named))}
    labels = [name.removeprefix(f"{figure}-") for name in ordered]
    labels = [label.replace("-", "\n") for label in labels] if figure == "ycsb" else labels
    return plots.of_figure(ordered, figure, QUANTITIES, MODES, PAPER, labels)


def picture_of_levels(runs: Runs) -> Figure:
    """Kept blocks in the paper's case, by the level that compactions wrote to."""
    read = {
        level: quantity
        for level, quantity in KEPT_INTO.items()
        if any(quantity.value(runs, mode) is not None for mode in MODES[1:])
    }
    values: dict[str, list[float | None]] = {
        mode: [quantity.value(runs, mode) for quantity in read.values()] for mode in MODES[1:]
    }
    theirs = [PAPER.of_case(quantity, LEVELS_CASE) for quantity in read.values()]
    bars = plots.Bars(KEPT, f"{KEPT.name}, %", values, theirs)
    return plots.picture([bars], [f"into L{level}" for level in read], MODES)


def _not_run(reflinks: Elsewhere) -> str:
    what = "some runs are missing" if reflinks.results else "nothing was run"
    return f"Over reflinks {what}: {reflinks.not_run}."


def _alternative(told: Told) -> list[Part]:
    reflinks = told.elsewhere[reflink.NAME]
    parts: list[Part] = [
        Heading("The alternative of today: uniform puts over reflinks of XFS"),
        Text(
            "The same puts, the same LevelDB and the same modes on an XFS with its defaults, where a block that is "
            "kept is cloned (`FICLONERANGE`) instead of remapped. Host bytes are those that its block device was "
            "told to write, journal and metadata of the file system included; nobody counts flash below it. Beside it "
            "the device that remaps. Each against stock LevelDB in the same place."
        ),
    ]
    if reflinks.results:
        parts.append(Rows(reflink.table(reflinks, told.results)))
    if reflinks.not_run:
        parts.append(Text(_not_run(reflinks)))
    return parts


def _summary_table(results: Results) -> Table:
    rows = [
        [
            row["title"],
            row["mode"],
            f"{row['nand_saved_percent']:.1f} %",
            "-" if row["paper_nand_saved_percent"] is None else f"{row['paper_nand_saved_percent']:.1f} %",
            f"{row['space_percent']:+.1f} %",
            f"x{row['throughput']:.2f}",
        ]
        for row in summary(results)
    ]
    return ["figure", "mode", "NAND bytes saved", "the paper's", "space", "throughput"], rows
