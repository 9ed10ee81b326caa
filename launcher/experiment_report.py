# SPDX-License-Identifier: Apache-2.0
"""One HTML page of an experiment: tables and plots, the paper's figures beside ours."""

from __future__ import annotations

import base64
import html
import io
from statistics import mean
from typing import Any

from launcher import experiment_goals as goals
from launcher import experiment_reflink
from launcher.bench_options import Mode
from launcher.experiment import MODES, Scale, cases
from launcher.experiment_goals import (
    PAPER_LEVELS,
    PAPER_MIXGRAPH_WA,
    PAPER_RANGES,
    PAPER_SAVED,
    PAPER_YCSB,
    Results,
    saved,
    space,
    throughput,
)
from launcher.experiment_reflink import Reflinks

FIGURES = {
    "fillrandom": "Uniform random puts",
    "fillzipfian": "Zipfian puts",
    "awkward": "Items a little more than what would fill pages",
    "ranges": "Ranges of KV sizes",
    "data": "Sizes of data, KV 4 KB",
    "ycsb": "YCSB",
    "mixgraph": "Mixgraph",
}
_TIME_NOTE = (
    "Throughput is operations a second of the longer of device time (simulated, with the model's NAND timing) and CPU "
    "time of the host (measured, of LevelDB and what lies below it): LevelDB's background work runs inline here, so "
    "neither is measured while they overlap; this is what perfect overlap would give. The host has no page cache, so what "
    "is read comes from the device, unless it is in LevelDB's own cache of blocks; but PageFS reads ahead of compactions "
    "and scans as Linux does. Host CPU time depends on the machine and on what else it did. Tables of <code>blend</code> "
    "have Bloom filters of 10 bits a key, as it makes them by default; those of the other modes have none, as stock "
    "LevelDB's."
)


def summary(results: Results) -> list[dict[str, Any]]:
    """By figure and mode: means over the figure's cases, and the paper's value where it has one."""
    rows: list[dict[str, Any]] = []
    for figure in FIGURES:
        named = {name: runs for name, runs in results.items() if name.startswith(figure + "-")}
        # What was written while nothing was put says little: YCSB-C.
        writing = [runs for runs in named.values() if runs[Mode.off]["user_bytes"]]
        for mode in MODES[1:] if writing else ():
            rows.append(
                {
                    "figure": figure,
                    "mode": mode.value,
                    "nand_saved_percent": mean(saved(runs, mode) for runs in writing),
                    "space_percent": mean(space(runs, mode) for runs in named.values()),
                    "throughput": mean(
                        throughput(runs[mode]) / throughput(runs[Mode.off]) if throughput(runs[Mode.off]) else 0.0
                        for runs in named.values()
                    ),
                    "paper_nand_saved_percent": PAPER_SAVED.get(figure, {}).get(mode),
                }
            )
    return rows


def markdown(results: Results, reflinks: Reflinks) -> str:
    """The summary, the aims and the alternative, for a page of documentation."""

    def lines(head: list[str], rows: list[list[str]]) -> str:
        return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows]) + "\n"

    tables = [lines(*goals.table(results)), lines(*_summary_table(results)), lines(*_cases(results))]
    if reflinks.results:
        tables.append(lines(*experiment_reflink.table(reflinks, results)))
    if reflinks.not_run:
        tables.append(_not_run(reflinks) + "\n")
    return "\n".join(tables)


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
        "</style></head><body><h1>RemapCom's evaluation, rerun</h1>",
        f"<p>Scale {scale.value}. Every mode against stock LevelDB (<code>off</code>) on the same operations; each "
        "run read all its keys back. Means of NAND bytes leave out "
        f"workloads that put nothing. Log, manifest, padding and metadata are counted.{some}</p>",
        "<h2>Summary</h2>",
        _table(*_summary_table(results)),
        f"<p>{_TIME_NOTE}</p>",
        "<h2>Aims</h2>",
        _table(*goals.table(results)),
        "<p>In percent, against stock LevelDB but for the blocks kept. The paper's are those of its RemapCom, "
        "<code>retain</code> here.</p>",
    ]
    for figure, title in FIGURES.items():
        named = {
            name.removeprefix(figure + "-"): runs for name, runs in results.items() if name.startswith(figure + "-")
        }
        if not named:
            continue
        parts += [f"<h2>{title}</h2>", _plot(named), _table(*_details(named))]
        if figure == "ranges":
            parts.append(f"<p>The paper divides WA by {', '.join(f'{v} ({k})' for k, v in PAPER_RANGES.items())}.</p>")
        if figure == "ycsb":
            parts.append("<p>Throughput beyond stock, the paper's beside it:</p>")
            parts.append(_table(*_ycsb(named)))
        if figure == "mixgraph":
            parts.append(f"<p>The paper's mean WA: {PAPER_MIXGRAPH_WA} %.</p>")
    if "fillrandom-1KB" in results:
        parts += ["<h2>Blocks kept, by the level written to, KV 1 KB</h2>", _table(*_levels(results["fillrandom-1KB"]))]
    parts += _alternative(results, reflinks)
    return "\n".join([*parts, "</body></html>\n"])


def _not_run(reflinks: Reflinks) -> str:
    what = "some runs are missing" if reflinks.results else "nothing was run"
    return f"Over reflinks {what}: {reflinks.not_run}."


def _alternative(results: Results, reflinks: Reflinks) -> list[str]:
    parts = [
        "<h2>The alternative of today: uniform puts over reflinks of XFS</h2>",
        "<p>The same puts, the same LevelDB and the same modes on an XFS with its defaults, where a block that is kept is "
        "cloned (<code>FICLONERANGE</code>) instead of remapped. Host bytes are those that its block device was told to "
        "write, journal and metadata of the file system included; nobody counts flash below it. Beside it the device that "
        "remaps. Each against stock LevelDB in the same place.</p>",
    ]
    if reflinks.results:
        parts.append(_table(*experiment_reflink.table(reflinks, results)))
    if reflinks.not_run:
        parts.append(f"<p>{html.escape(_not_run(reflinks))}</p>")
    return parts


def _summary_table(results: Results) -> tuple[list[str], list[list[str]]]:
    rows = [
        [
            FIGURES[row["figure"]],
            row["mode"],
            f"{row['nand_saved_percent']:.1f} %",
            "-" if row["paper_nand_saved_percent"] is None else f"{row['paper_nand_saved_percent']} %",
            f"{row['space_percent']:+.1f} %",
            f"x{row['throughput']:.2f}",
        ]
        for row in summary(results)
    ]
    return ["figure", "mode", "NAND bytes saved", "the paper's", "space", "throughput"], rows


def _cases(results: Results) -> tuple[list[str], list[list[str]]]:
    """A row a case. One in which nothing was put saves nothing, whatever the modes wrote."""
    rows = []
    for name, runs in results.items():
        puts = bool(runs[Mode.off]["user_bytes"])
        rows.append(
            [
                name,
                *(
                    ", ".join(
                        (
                            f"{saved(runs, mode):.1f} %" if puts else "-",
                            f"{space(runs, mode):+.1f} %",
                            f"{goals.faster(runs, mode):+.0f} %",
                        )
                    )
                    for mode in MODES[1:]
                ),
            ]
        )
    return ["NAND bytes saved, space, throughput", *(mode.value for mode in MODES[1:])], rows


def _details(named: Results) -> tuple[list[str], list[list[str]]]:
    head = ["case", "mode", "WA", "WA1", "WA2", "NAND saved", "space", "blocks kept", "device s", "host CPU s",
            "in background"]  # fmt: skip
    rows = []
    for name, runs in named.items():
        for mode, run in runs.items():
            rows.append(
                [
                    name,
                    mode.value,
                    f"{run['wa']:.2f}",
                    f"{run['wa1']:.2f}",
                    f"{run['wa2']:.2f}",
                    f"{saved(runs, mode):.1f} %",
                    f"{space(runs, mode):+.1f} %",
                    f"{100 * run['unchanged_ratio']:.1f} %",
                    f"{run['device_seconds']:.2f}",
                    f"{run['host_cpu_seconds']:.2f}",
                    f"{run['background_cpu_seconds']:.2f}",
                ]
            )
    return head, rows


def _ycsb(named: Results) -> tuple[list[str], list[list[str]]]:
    rows = []
    for name, runs in named.items():
        workload, size = name.split("-")
        paper = PAPER_YCSB.get(workload, {}).get(size)
        theirs = "-" if paper is None else f"{paper:+.1f} %"
        rows.append([name, *(f"{goals.faster(runs, mode):+.1f} %" for mode in MODES[1:]), theirs])
    return ["case", *(mode.value for mode in MODES[1:]), "retain, the paper's"], rows


def _levels(runs: dict[Mode, dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    levels = sorted({entry["level"] for run in runs.values() for entry in run["levels"] if entry["input_blocks"]})
    rows = []
    for mode, run in runs.items():
        kept = {entry["level"]: 100 * entry["unchanged_ratio"] for entry in run["levels"]}
        rows.append([mode.value, *(f"{kept.get(level, 0.0):.1f} %" for level in levels)])
    for mode, shares in PAPER_LEVELS.items():
        rows.append([f"{mode}, the paper's", *(f"{shares[level]} %" if level in shares else "-" for level in levels)])
    return ["mode", *(f"L{level}" for level in levels)], rows


def _table(head: list[str], rows: list[list[str]]) -> str:
    def line(cells: list[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    return "<table>" + line(head, "th") + "".join(line(row, "td") for row in rows) + "</table>"


def _plot(named: Results) -> str:
    """WA of every case and mode, as a picture inside the page."""
    import matplotlib

    matplotlib.use("Agg")  # no display
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(10, 3.6), layout="constrained")
    step = 0.8 / len(MODES)
    for place, mode in enumerate(MODES):
        at = [index + (place - (len(MODES) - 1) / 2) * step for index in range(len(named))]
        axes.bar(at, [runs[mode]["wa"] for runs in named.values()], step, label=mode.value)
    axes.set_xticks(range(len(named)), list(named))
    axes.set_ylabel("NAND bytes / user bytes")
    axes.legend()
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=100)
    pyplot.close(figure)
    return (
        f"<img alt='write amplification' src='data:image/png;base64,{base64.b64encode(picture.getvalue()).decode()}'>"
    )
