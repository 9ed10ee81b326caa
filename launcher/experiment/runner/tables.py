# SPDX-License-Identifier: Apache-2.0
"""Tables of an experiment's report, each a head and rows of text: our figures, beside the paper's if it has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

from launcher.experiment.runner.parts import Table
from launcher.experiment.runner.quantities import Quantity, Results, Runs
from launcher.experiment.runner.reported import Paper, Span


def of_figure(results: Results, figure: str) -> Results:
    """The finished cases of one figure."""
    return {name: runs for name, runs in results.items() if name.startswith(f"{figure}-")}


def by_variant(runs: Runs, titles: Mapping[str, str], quantities: Sequence[Quantity], head: str) -> Table:
    """The quantities of one case, a row a variant. `titles` are what the rows begin with, by variant."""
    rows = [[title, *(one.text(one.value(runs, variant)) for one in quantities)] for variant, title in titles.items()]
    return [head, *(one.name for one in quantities)], rows


def summary_of(results: Results, variants: Sequence[str], quantities: Sequence[Quantity]) -> list[dict[str, Any]]:
    """The quantities of each case and variant, for programs; None: undefined."""
    return [
        {"case": name, "variant": variant, **{one.name: one.value(runs, variant) for one in quantities}}
        for name, runs in results.items()
        for variant in variants
    ]


def paper_head(variants: Sequence[str]) -> list[str]:
    return [f"{variant}, the paper's" for variant in variants]


def paper_cells(quantity: Quantity, spans: Mapping[str, Span], variants: Sequence[str]) -> list[str]:
    return [spans[variant].text(quantity.form) if variant in spans else "-" for variant in variants]


@dataclass(frozen=True)
class Tables:
    """Tables over the variants of an experiment, the first of which is the reference."""

    variants: tuple[str, ...]
    paper: Paper

    @property
    def heads(self) -> list[str]:
        """Of the variants that are compared with the reference."""
        return [str(variant) for variant in self.variants[1:]]

    def our_cells(self, quantity: Quantity, cases: Sequence[Runs]) -> list[str]:
        """The figure of one case, or the mean of several if all are finished, by variant."""
        cells = []
        for variant in self.variants[1:]:
            values = [quantity.value(runs, variant) for runs in cases]
            known = [value for value in values if value is not None]
            cells.append(quantity.text(mean(known) if known and len(known) == len(values) else None))
        return cells

    def compared(self, quantity: Quantity, results: Results, figure: str) -> Table:
        """A row a finished case of the figure, and a row a mean that the paper has, of cases that all are finished."""
        named = of_figure(results, figure)
        means = [row for row in self.paper.means(quantity, figure) if all(case in named for case in row.cases)]
        spans = {case: self.paper.of_case(quantity, case) for case in named}
        given = [*spans.values(), *(row.by_variant for row in means)]
        theirs = [variant for variant in self.paper.variants if any(variant in by for by in given)]
        rows = []
        for case, runs in named.items():
            ours = self.our_cells(quantity, [runs])
            rows.append([case.removeprefix(f"{figure}-"), *ours, *paper_cells(quantity, spans[case], theirs)])
        for row in means:
            ours = self.our_cells(quantity, [named[case] for case in row.cases])
            name = row.name.removeprefix(f"{figure}, ").removeprefix(f"{figure}-")
            rows.append([name, *ours, *paper_cells(quantity, row.by_variant, theirs)])
        return [quantity.name, *self.heads, *paper_head(theirs)], rows

    def all_of_paper(self, results: Results, titles: Mapping[str, str]) -> Table:
        """Each figure of the paper, and ours of all variants beside it: none where a case of it is not finished.

        `titles` are the paper's names of the variants.
        """
        head = ["the paper's text", "figure", "the paper", *self.heads]
        rows = []
        for reported in self.paper.reported:
            quantity = reported.quantity
            given = reported.by_variant.items()
            theirs = ", ".join(f"{titles[variant]} {span.text(quantity.form)}" for variant, span in given)
            ours = self.our_cells(quantity, [results.get(case, {}) for case in reported.cases])
            rows.append([reported.source, f"{quantity.name}: {reported.name}", theirs, *ours])
        return head, rows
