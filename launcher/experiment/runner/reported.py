# SPDX-License-Identifier: Apache-2.0
"""The figures that a paper reports: of cases, or means over several."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from launcher.experiment.runner.quantities import Quantity


@dataclass(frozen=True)
class Span:
    """A figure, or the two between which the paper says that it is."""

    low: float
    high: float

    def text(self, form: str) -> str:
        """In the form of a quantity, with no more digits than the paper has."""
        form = re.sub(r"\.\df", "g", form)
        low, high = form.format(self.low), form.format(self.high)
        return low if self.low == self.high else f"{low.removesuffix(' %')} to {high}"


@dataclass(frozen=True)
class Reported:
    """One figure of the paper, by variant: of a case, or the mean of several."""

    source: str  # where the paper says it
    quantity: Quantity
    cases: tuple[str, ...]  # under the names of our results
    by_variant: Mapping[str, Span]
    name: str  # of the case, or of what the mean is over

    @property
    def is_mean(self) -> bool:
        return len(self.cases) > 1


@dataclass(frozen=True)
class Paper:
    """All figures of a paper."""

    variants: tuple[str, ...]  # those that it has figures of
    reported: tuple[Reported, ...]
    # A quantity that follows from another one that the paper has: from which, and how.
    derived: Mapping[Quantity, tuple[Quantity, Callable[[float], float]]] = field(default_factory=dict)

    def of_case(self, quantity: Quantity, case: str) -> Mapping[str, Span]:
        """What the paper says of one case, by variant."""
        found: dict[str, Span] = {}
        for reported in self.reported:
            if reported.quantity is quantity and reported.cases == (case,):
                found = {**reported.by_variant, **found}
        if found:
            return found
        if quantity in self.derived:
            other, turn = self.derived[quantity]
            return {name: Span(turn(span.low), turn(span.high)) for name, span in self.of_case(other, case).items()}
        return {}

    def means(self, quantity: Quantity, figure: str) -> list[Reported]:
        """What it says of means over cases of a figure."""
        return [
            reported
            for reported in self.reported
            if reported.quantity is quantity and reported.is_mean and reported.cases[0].startswith(f"{figure}-")
        ]

    def mean_of(self, quantity: Quantity, figure: str, variant: str) -> float | None:
        """The one mean of a figure, if it has one of this variant."""
        means = self.means(quantity, figure)
        found = [reported.by_variant[variant].low for reported in means if variant in reported.by_variant]
        return found[0] if found else None
