# SPDX-License-Identifier: Apache-2.0
"""Tables of RemapCom's report, each a head and rows of text: our figures, beside the paper's if it has them."""

from __future__ import annotations

from launcher.bench.bench_description import Mode
from launcher.experiment.remapcom.cases import MODES
from launcher.experiment.remapcom.measures import (
    CPU,
    DIVIDED,
    FASTER,
    FOUND,
    FOUND_OVER_BASE,
    KEPT,
    KEPT_INTO,
    SAVED,
    SPACE,
)
from launcher.experiment.remapcom.paper import NAMES, PAPER
from launcher.experiment.runner.parts import Table
from launcher.experiment.runner.quantities import Quantity, Results
from launcher.experiment.runner.tables import Tables, of_figure, paper_cells

FIGURES = {
    "fillrandom": "Uniform random puts",
    "fillzipfian": "Zipfian puts",
    "awkward": "Items a little more than what would fill pages",
    "ranges": "Ranges of KV sizes",
    "data": "Sizes of data, KV 4 KB",
    "ycsb": "YCSB",
    "mixgraph": "Mixgraph",
}
FILLS = ("fillrandom", "fillzipfian")
LEVELS_CASE = "fillrandom-1KB"  # the paper's table 3


_TABLES = Tables(MODES, PAPER)
compared = _TABLES.compared


def of_figure_all(results: Results, figure: str) -> list[Table]:
    """Each quantity of the figure's cases. Those that only the paper's figures are of: where it has some."""
    always = [SAVED, FASTER, SPACE, FOUND, KEPT, *([CPU] if figure in FILLS else [])]
    named = of_figure(results, figure)
    papers = [one for one in (DIVIDED, FOUND_OVER_BASE) if any(PAPER.of_case(one, case) for case in named)]
    return [compared(quantity, results, figure) for quantity in [*papers, *always]]


def all_of_paper(results: Results) -> Table:
    """Each figure of the paper, and ours of all modes beside it."""
    return _TABLES.all_of_paper(results, NAMES)


def levels(results: Results) -> Table:
    """Blocks kept in the paper's case, by the level that compactions wrote to, and the SSD writes that the paper saved
    in that level. Levels that no mode compacted into are left out.
    """
    head = ["blocks kept by compactions into", *(mode.value for mode in MODES[1:])]
    papers = [Mode.base, Mode.retain]
    theirs_head = [f"the paper's SSD writes saved: {mode.value}" for mode in papers]  # another quantity: its table 3
    runs = results.get(LEVELS_CASE, {})
    rows = []
    for level, quantity in KEPT_INTO.items():
        if any(quantity.value(runs, mode) is not None for mode in MODES[1:]):
            theirs = paper_cells(quantity, PAPER.of_case(quantity, LEVELS_CASE), papers)
            rows.append([f"L{level}", *_TABLES.our_cells(quantity, [runs]), *theirs])
    return [*head, *theirs_head], rows


def background_cpu(results: Results) -> Table:
    """CPU time of flushes and compactions of the fills: stock LevelDB's, and of the modes against it."""
    rows = []
    for figure in FILLS:
        for name, runs in of_figure(results, figure).items():
            rows.append([name, f"{runs[Mode.off]['background_cpu_seconds']:.1f} s", *_TABLES.our_cells(CPU, [runs])])
    return ["CPU of flushes and compactions", "off", *(mode.value for mode in MODES[1:])], rows


def cases(results: Results) -> Table:
    """One row for each case. A case without puts has no savings, whatever the modes wrote."""
    rows = []
    for name, runs in results.items():
        parts = [_TABLES.our_cells(quantity, [runs]) for quantity in (SAVED, SPACE, _ROUGHLY_FASTER)]
        rows.append([name, *(", ".join(cell) for cell in zip(*parts, strict=True))])
    return ["NAND bytes saved, space, throughput", *(mode.value for mode in MODES[1:])], rows


_ROUGHLY_FASTER = Quantity(FASTER.name, FASTER.of, "{:+.0f} %")


def runs_of(named: Results, figure: str) -> Table:
    """One row for each run, as measured."""
    head = ["case", "mode", "WA", "WA1", "WA2", "NAND saved", "space", "blocks kept", "device s", "host CPU s",
            "in background"]  # fmt: skip
    rows = []
    for name, runs in named.items():
        for mode, run in runs.items():
            rows.append(
                [
                    name.removeprefix(f"{figure}-"),
                    str(mode),
                    *(f"{run[ratio]:.2f}" for ratio in ("wa", "wa1", "wa2")),
                    SAVED.text(SAVED.value(runs, mode)),
                    SPACE.text(SPACE.value(runs, mode)),
                    KEPT.text(KEPT.value(runs, mode)),
                    *(f"{run[time]:.2f}" for time in ("device_seconds", "host_cpu_seconds", "background_cpu_seconds")),
                ]
            )
    return head, rows
