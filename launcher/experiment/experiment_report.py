# SPDX-License-Identifier: Apache-2.0
"""The report of an experiment: one HTML page of tables and pictures, the paper's figures beside ours, and its tables as
Markdown.
"""

from __future__ import annotations

import html
import re
from statistics import mean
from typing import Any

from launcher.bench.bench_description import Mode
from launcher.experiment import experiment_goals as goals
from launcher.experiment import experiment_paper as paper
from launcher.experiment import experiment_plots as plots
from launcher.experiment import experiment_provenance as provenance
from launcher.experiment import experiment_reflink
from launcher.experiment import experiment_tables as tables
from launcher.experiment.experiment import MODES, Scale, cases
from launcher.experiment.experiment_measures import FASTER, FOUND, KEPT, SAVED, Results, saved, space, throughput
from launcher.experiment.experiment_reflink import Reflinks
from launcher.experiment.experiment_tables import LEVELS_CASE, Table

_TIME_NOTE = (
    "Throughput is operations a second of the longer of device time (simulated, with the model's NAND timing) and CPU "
    "time of the host (measured, of LevelDB and what lies below it): LevelDB's background work runs inline here, so "
    "neither is measured while they overlap; this is what perfect overlap would give. The host has no page cache, so "
    "what is read comes from the device, unless it is in LevelDB's own cache of blocks; but PageFS reads ahead of "
    "compactions and scans as Linux does. Host CPU time depends on the machine and on what else it did. The paper "
    "measured in a virtual machine, on ext4 and an emulated SSD (FEMU). Tables of <code>blend</code> "
    "have Bloom filters of 10 bits a key, as it makes them by default; those of the other modes have none, as stock "
    "LevelDB's."
)


_PAPER_NOTE = (
    "The paper is RemapCom (Micromachines 2025, 16, 699): its RemapCom-Base is <code>base</code> here, its RemapCom "
    "<code>retain</code>. What its text and tables say is here, not what could be read off its figures. Where it gives "
    "two figures for several KV sizes, both are here. Marks in the pictures are its figures of a case, broken lines "
    "its means."
)
_BLOCKS_NOTE = (
    "Of the data blocks that compactions read, those that the output has unchanged. They are kept, remapped instead of "
    "written, where the output is at the end of a page: by <code>base</code> only by chance. <code>off</code> does not "
    "look for any. The paper's ratio of unchanged blocks (UDB) is of those found; that of Mixgraph is of LevelDB's "
    "blocks, compared before and after compactions."
)
_LEVELS_NOTE = (
    "The paper's are SSD writes saved in each level (its table 3), ours blocks kept of those read. Where there is no "
    "figure nothing was compacted into that level: <code>blend</code> needs fewer."
)


def _groups(results: Results, figure: str) -> list[tuple[str, Results, bool]]:
    """A figure's cases, as title, cases, whether the paper has a mean over just these: it may be over some of ours."""
    named = tables.of_figure(results, figure)
    title = tables.FIGURES[figure]
    for found in paper.means(SAVED, figure):
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
                        "paper_nand_saved_percent": paper.mean_of(SAVED, figure, mode) if papers else None,
                    }
                )
    return rows


def _of_parts(results: Results) -> list[Table]:
    """Those for a page of documentation that are of parts of the evaluation."""
    found = [tables.levels(results), tables.background_cpu(results)]
    found += [tables.compared(quantity, results, "mixgraph") for quantity in (SAVED, FASTER, FOUND, KEPT)]
    return found


def markdown(results: Results, reflinks: Reflinks, scale: Scale) -> str:
    """A page of documentation: the source, the aims, the paper's figures beside ours, and the alternative."""

    def lines(head: list[str], rows: list[list[str]]) -> str:
        return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows]) + "\n"

    found = [
        provenance.table(results, reflinks.results),
        goals.table(results),
        _summary_table(results),
        tables.cases(results),
        tables.all_of_paper(results),
        *_of_parts(results),
    ]
    if reflinks.results:
        found.append(experiment_reflink.table(reflinks, results))
    parts = [" ".join(provenance.sentences(results, reflinks.results, scale)) + "\n"]
    parts += [lines(*table) for table in found if table[1]]
    if reflinks.not_run:
        parts.append(_not_run(reflinks) + "\n")
    return "\n".join(parts)


def page(results: Results, reflinks: Reflinks, scale: Scale) -> str:
    """The whole report."""
    total = len(cases(scale))
    some = (
        ""
        if len(results) == total
        else f" Of {total} cases {len(results)} are finished in all modes: all means are of these."
    )
    parts = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'><title>RemapCom rerun</title><style>"
        "body{font-family:sans-serif;max-width:70em;margin:2em auto}table{border-collapse:collapse;margin:1em 0}"
        "td,th{border:1px solid #bbb;padding:.2em .6em;text-align:right}th:first-child,td:first-child{text-align:left}"
        "img{max-width:100%}</style></head><body><h1>RemapCom's evaluation, rerun</h1>",
        "<p>Every mode against stock LevelDB (<code>off</code>) on the same operations; each "
        "run read all its keys back. Means of NAND bytes leave out "
        f"workloads that put nothing. Log, manifest, padding and metadata are counted.{some}</p>",
        "<h2>Where the figures come from</h2>",
        f"<p>{_coded(' '.join(provenance.sentences(results, reflinks.results, scale)))}</p>",
        _table(*provenance.table(results, reflinks.results)),
        "<h2>Summary</h2>",
        _table(*_summary_table(results)),
        f"<p>{_TIME_NOTE}</p>",
        "<h2>Aims</h2>",
        _table(*goals.table(results)),
        "<p>In percent, against stock LevelDB but for the blocks kept. The paper's are those of its RemapCom, "
        "<code>retain</code> here.</p>",
        "<h2>All that the paper reports</h2>",
        f"<p>{_PAPER_NOTE}</p>",
        _table(*tables.all_of_paper(results)),
        f"<p>{_BLOCKS_NOTE}</p>",
    ]
    for figure, title in tables.FIGURES.items():
        named = tables.of_figure(results, figure)
        if named:
            parts += [
                f"<h2>{title}</h2>",
                plots.image(plots.of_figure(named, figure), f"{title}: bars by case and mode"),
            ]
            parts += [_table(*table) for table in tables.of_figure_all(results, figure)]
            parts += ["<details><summary>All runs</summary>", _table(*tables.runs_of(named, figure)), "</details>"]
    levels = tables.levels(results)
    if levels[1]:
        title = "Blocks kept, by the level written to, KV 1 KB"
        parts += [f"<h2>{title}</h2>", plots.image(plots.of_levels(results[LEVELS_CASE]), title)]
        parts += [_table(*levels), f"<p>{_LEVELS_NOTE}</p>"]
    parts += _alternative(results, reflinks)
    return "\n".join([*parts, "</body></html>\n"])


def _coded(text: str) -> str:
    """Turns text between backticks into code elements."""
    return re.sub("`([^`]*)`", r"<code>\1</code>", html.escape(text))


def _not_run(reflinks: Reflinks) -> str:
    what = "some runs are missing" if reflinks.results else "nothing was run"
    return f"Over reflinks {what}: {reflinks.not_run}."


def _alternative(results: Results, reflinks: Reflinks) -> list[str]:
    parts = [
        "<h2>The alternative of today: uniform puts over reflinks of XFS</h2>",
        "<p>The same puts, the same LevelDB and the same modes on an XFS with its defaults, where a block that is kept "
        "is cloned (<code>FICLONERANGE</code>) instead of remapped. Host bytes are those that its block device was "
        "told to write, journal and metadata of the file system included; nobody counts flash below it. Beside it the "
        "device that remaps. Each against stock LevelDB in the same place.</p>",
    ]
    if reflinks.results:
        parts.append(_table(*experiment_reflink.table(reflinks, results)))
    if reflinks.not_run:
        parts.append(f"<p>{html.escape(_not_run(reflinks))}</p>")
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


def _table(head: list[str], rows: list[list[str]]) -> str:
    def line(cells: list[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    return "<table>" + line(head, "th") + "".join(line(row, "td") for row in rows) + "</table>"
