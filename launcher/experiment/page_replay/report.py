# SPDX-License-Identifier: Apache-2.0
"""The report of `page-replay`: what one database costs on each device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from launcher.experiment.page_replay.cases import ABOUT, RECORDED, VARIANTS
from launcher.experiment.runner import plots, provenance
from launcher.experiment.runner.description import Told
from launcher.experiment.runner.parts import Heading, Part, Picture, Rows, Text
from launcher.experiment.runner.quantities import Axis, Quantity, Results
from launcher.experiment.runner.reported import Paper
from launcher.experiment.runner.tables import by_variant, summary_of

_NAMES = tuple(variant.name for variant in VARIANTS)
_NO_PAPER = Paper((), ())

_NOTE = (
    "A database is recorded once: all that PageFS sent to its device, without the data. The traces are then replayed "
    "onto other devices. WA1 is what LevelDB and the file system make of a byte, WA2 what the device makes of it. WA1 "
    "does not depend on the device, so it is that of the recording. WA2 and time of a replay are of the whole trace, "
    "which also has the beginning of the file system and the reads that verify all keys. The disk has no flash: its "
    "WA2 is 1. The model of the hybrid mapping has no time."
)


def _of(name: str, get: Callable[[dict[str, Any]], float | None], form: str, axis: Axis | None = None) -> Quantity:
    return Quantity(
        name,
        lambda runs, variant: get(runs[variant]),
        form,
        of_reference=True,
        unit="",
        axis=axis,
        reference=RECORDED.name,
    )


def figure(run: dict[str, Any], name: str) -> float | None:
    """A figure of the device that a trace was replayed onto; None: it has none of this name."""
    value = run.get("replay", {}).get("figures", {}).get(name)
    return None if value is None else float(value)


def _seconds(run: dict[str, Any]) -> float | None:
    return float(run["device_seconds"]) or None


WA1 = _of("WA1, host bytes / user bytes", lambda run: float(run["wa1"]), "{:.2f}")
WA2 = _of("WA2, NAND bytes / host bytes", lambda run: float(run["wa2"]), "{:.3f}", Axis(12))
WA = _of("WA, NAND bytes / user bytes", lambda run: float(run["wa"]), "{:.2f}", Axis(12))
SECONDS = _of("seconds of the device", _seconds, "{:.2f}", Axis(12))
ERASES = _of("erases", lambda run: figure(run, "erases"), "{:,.0f}")
SEEKS = _of("discontinuities", lambda run: figure(run, "discontinuities"), "{:,.0f}")
VERIFIED = _of("pages compared", lambda run: run.get("replay", {}).get("pages_verified"), "{:,.0f}")
QUANTITIES = (WA1, WA2, WA, SECONDS, ERASES, SEEKS, VERIFIED)


def tables(told: Told) -> list[Part]:
    """For a page of documentation."""
    parts: list[Part] = [Text(" ".join(provenance.sentences(told))), Text(_NOTE)]
    parts += [Rows(provenance.table(told)), Rows(provenance.machines(told))]
    for name, runs in told.results.items():
        parts += [Heading(name), Rows(by_variant(runs, {name: ABOUT[name] for name in _NAMES}, QUANTITIES, "device"))]
    return parts


def page(told: Told) -> list[Part]:
    """The whole report."""
    parts: list[Part] = []
    if told.results:
        picture = plots.of_figure(told.results, "fill", (WA2, WA, SECONDS), _NAMES, _NO_PAPER)
        parts = [Heading("All devices"), Picture(picture, "write amplification and time by device")]
    head, *rest = tables(told)
    return [head, *parts, *rest]


def summary(results: Results) -> list[dict[str, Any]]:
    """The same for programs."""
    return summary_of(results, _NAMES, QUANTITIES)
