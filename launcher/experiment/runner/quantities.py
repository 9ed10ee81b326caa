# SPDX-License-Identifier: Apache-2.0
"""Quantities of an experiment's runs, each of a variant, mostly relative to the reference on the same operations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Runs = dict[str, dict[str, Any]]  # results of one case, by variant
Results = dict[str, Runs]  # by figure and case, as `fillrandom-1KB`


@dataclass(frozen=True)
class Axis:
    """When a plot's scale is logarithmic: where a few large bars would hide the others."""

    above: float  # without `linear`: a multiple of the smallest value; else a value
    linear: float | None = None  # linear up to here: for what may be negative


@dataclass(frozen=True)
class Quantity:
    """A quantity that every case has in every variant."""

    name: str
    of: Callable[[Runs, str], float | None]  # None: undefined
    form: str = "{:.1f} %"
    of_reference: bool = False  # also shown for the reference
    unit: str = "%"  # in a plot's title; empty: none
    axis: Axis | None = None  # None: always linear
    reference: str = "off"

    def value(self, runs: Runs, variant: str) -> float | None:
        """None if the quantity is undefined, or this variant or the reference was not run."""
        return self.of(runs, variant) if variant in runs and self.reference in runs else None

    def text(self, value: float | None) -> str:
        return "-" if value is None else self.form.format(value)
