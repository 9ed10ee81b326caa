# SPDX-License-Identifier: Apache-2.0
"""What `tuned` measures: bytes, space and throughput, against stock LevelDB as it is and the best one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from launcher.experiment.remapcom.measures import throughput
from launcher.experiment.runner.quantities import Quantity, Runs
from launcher.experiment.tuned.best import best, least_written, tightest
from launcher.experiment.tuned.settings import PLAIN

Reference = Callable[[Runs, str], str]  # the variant that another one is compared with


def plain(_: Runs, __: str) -> str:
    """Stock LevelDB as it is."""
    return PLAIN


def _tightest(runs: Runs, _: str) -> str:
    return tightest(runs)


def _least_written(runs: Runs, _: str) -> str:
    return least_written(runs)


def _of(name: str, get: Callable[[dict[str, Any]], float], form: str = "{:.2f}") -> Quantity:
    return Quantity(name, lambda runs, variant: get(runs[variant]), form, of_reference=True, unit="")


def _saved(name: str, reference: Reference) -> Quantity:
    def value(runs: Runs, variant: str) -> float:
        return float(100 - 100 * runs[variant]["nand_bytes"] / runs[reference(runs, variant)]["nand_bytes"])

    return Quantity(name, value, of_reference=True)


def _beyond(name: str, reference: Reference) -> Quantity:
    def value(runs: Runs, variant: str) -> float:
        return float(100 * runs[variant]["used_bytes"] / runs[reference(runs, variant)]["used_bytes"] - 100)

    return Quantity(name, value, "{:+.1f} %", of_reference=True)


def _faster(name: str, reference: Reference) -> Quantity:
    def value(runs: Runs, variant: str) -> float:
        return throughput(runs[variant]) / throughput(runs[reference(runs, variant)])

    return Quantity(name, value, "x{:.2f}", of_reference=True, unit="")


WA1 = _of("WA1", lambda run: float(run["wa1"]))
WA2 = _of("WA2", lambda run: float(run["wa2"]))
WA = _of("WA", lambda run: float(run["wa"]))
SPACE = _of("space over live data", lambda run: float(run["space_amplification"]), "{:.3f}")
SPEED = _of("1000 puts a second", lambda run: throughput(run) / 1000, "{:.1f}")
SAVED = _saved("saved against plain", plain)
SAVED_BEST = _saved("saved against the best at equal space", best)
SAVED_LEAST = _saved("saved against the least written", _least_written)
BEYOND = _beyond("space beyond plain", plain)
BEYOND_TIGHTEST = _beyond("space beyond the tightest", _tightest)
FASTER = _faster("throughput over plain", plain)
FASTER_BEST = _faster("throughput over the best at equal space", best)
QUANTITIES = (WA1, WA2, WA, SPACE, SPEED, SAVED, SAVED_BEST, BEYOND, BEYOND_TIGHTEST, FASTER, FASTER_BEST)
