# SPDX-License-Identifier: Apache-2.0
"""Tables of an experiment's report, each a head and rows of text: our figures, beside the paper's if it has them."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import mean

from launcher.bench.bench_description import Mode
from launcher.experiment import experiment_paper as paper
from launcher.experiment.experiment import MODES
from launcher.experiment.experiment_measures import (
    CPU,
    DIVIDED,
    FASTER,
    FOUND,
    FOUND_OVER_BASE,
    KEPT,
    KEPT_INTO,
    SAVED,
    SPACE,
    Quantity,
    Results,
    Runs,
)
from launcher.experiment.experiment_paper import Span

Table = tuple[list[str], list[list[str]]]

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


def of_figure(results: Results, figure: str) -> Results:
    """The finished cases of one figure."""
    return {name: runs for name, runs in results.items() if name.startswith(f"{figure}-")}


def _mode_name(mode: Mode) -> str:
    return {Mode.off: "LevelDB", Mode.base: "RemapCom-Base", Mode.retain: "RemapCom"}[mode]


def _paper_head(modes: list[Mode]) -> list[str]:
    return [f"{mode}, the paper's" for mode in modes]


def _paper_cells(quantity: Quantity, spans: Mapping[Mode, Span], modes: list[Mode]) -> list[str]:
    return [spans[mode].text(quantity.form) if mode in spans else "-" for mode in modes]


def _our_cells(quantity: Quantity, cases: list[Runs]) -> list[str]:
    """The figure of one case, or the mean of several if all are finished, by mode."""
    cells = []
    for mode in MODES[1:]:
        values = [quantity.value(runs, mode) for runs in cases]
        known = [value for value in values if value is not None]
        cells.append(quantity.text(mean(known) if known and len(known) == len(values) else None))
    return cells


def compared(quantity: Quantity, results: Results, figure: str) -> Table:
    """A row a finished case of the figure, and a row a mean that the paper has, of cases that all are finished."""
    named = of_figure(results, figure)
    means = [row for row in paper.means(quantity, figure) if all(case in named for case in row.cases)]
    spans = {case: paper.of_case(quantity, case) for case in named}
    modes = [mode for mode in paper.MODES if any(mode in by for by in [*spans.values(), *(m.by_mode for m in means)])]
    rows = [
        [case.removeprefix(f"{figure}-"), *_our_cells(quantity, [runs]), *_paper_cells(quantity, spans[case], modes)]
        for case, runs in named.items()
    ]
    for row in means:
        ours = _our_cells(quantity, [named[case] for case in row.cases])
        name = row.name.removeprefix(f"{figure}, ").removeprefix(f"{figure}-")
        rows.append([name, *ours, *_paper_cells(quantity, row.by_mode, modes)])
    return [quantity.name, *(mode.value for mode in MODES[1:]), *_paper_head(modes)], rows


def of_figure_all(results: Results, figure: str) -> list[Table]:
    """Each quantity of the figure's cases. Those that only the paper's figures are of: where it has some."""
    always = [SAVED, FASTER, SPACE, FOUND, KEPT, *([CPU] if figure in FILLS else [])]
    named = of_figure(results, figure)
    papers = [one for one in (DIVIDED, FOUND_OVER_BASE) if any(paper.of_case(one, case) for case in named)]
    return [compared(quantity, results, figure) for quantity in [*papers, *always]]


def all_of_paper(results: Results) -> Table:
    """Each figure of the paper, and ours of all modes beside it: none where a case of it is not finished."""
    head = ["the paper's text", "figure", "the paper", *(mode.value for mode in MODES[1:])]
    rows = []
    for reported in paper.REPORTED:
        quantity = reported.quantity
        theirs = ", ".join(f"{_mode_name(mode)} {span.text(quantity.form)}" for mode, span in reported.by_mode.items())
        ours = _our_cells(quantity, [results.get(case, {}) for case in reported.cases])
        rows.append([reported.source, f"{quantity.name}: {reported.name}", theirs, *ours])
    return head, rows


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
            theirs = _paper_cells(quantity, paper.of_case(quantity, LEVELS_CASE), papers)
            rows.append([f"L{level}", *_our_cells(quantity, [runs]), *theirs])
    return [*head, *theirs_head], rows


def background_cpu(results: Results) -> Table:
    """CPU time of flushes and compactions of the fills: stock LevelDB's, and of the modes against it."""
    rows = []
    for figure in FILLS:
        for name, runs in of_figure(results, figure).items():
            rows.append([name, f"{runs[Mode.off]['background_cpu_seconds']:.1f} s", *_our_cells(CPU, [runs])])
    return ["CPU of flushes and compactions", "off", *(mode.value for mode in MODES[1:])], rows


def cases(results: Results) -> Table:
    """One row for each case. A case without puts has no savings, whatever the modes wrote."""
    rows = []
    for name, runs in results.items():
        parts = [_our_cells(quantity, [runs]) for quantity in (SAVED, SPACE, _ROUGHLY_FASTER)]
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
                    mode.value,
                    *(f"{run[ratio]:.2f}" for ratio in ("wa", "wa1", "wa2")),
                    SAVED.text(SAVED.value(runs, mode)),
                    SPACE.text(SPACE.value(runs, mode)),
                    KEPT.text(KEPT.value(runs, mode)),
                    *(f"{run[time]:.2f}" for time in ("device_seconds", "host_cpu_seconds", "background_cpu_seconds")),
                ]
            )
    return head, rows
