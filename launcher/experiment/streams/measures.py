# SPDX-License-Identifier: Apache-2.0
"""What `streams` measures: what the device makes of the writes, also after the databases have filled it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from launcher.bench.bench_options import PAGE_BYTES
from launcher.experiment.runner.quantities import Axis, Quantity
from launcher.experiment.streams.cases import STEPS

FIRST = STEPS[0].name  # the reference


def windows(run: dict[str, Any]) -> list[tuple[int, int]]:
    """Written and programmed pages of the parts of a replay."""
    return [(one["written_pages"], one["programmed_pages"]) for one in run["replay"]["windows"]]


def late(run: dict[str, Any]) -> float | None:
    """Write amplification of the second half of the writes, when everything has been updated several times.

    None: the replay is too short to have two halves.
    """
    parts = windows(run)
    rest = parts[len(parts) // 2 :]
    written = sum(pages for pages, _ in rest)
    return sum(pages for _, pages in rest) / written if len(parts) > 1 and written else None


def fill(run: dict[str, Any]) -> float:
    """Percent of the pages that the replay uses which hold files in the end."""
    used = sum(recorded["used_bytes"] for recorded in run["recordings"])
    return float(100 * used / (run["replay"]["used_pages"] * PAGE_BYTES))


def _of(
    text: str, get: Callable[[dict[str, Any]], float | None], axis: Axis | None = None, form: str = "{:.2f}"
) -> Quantity:
    return Quantity(
        text, lambda runs, variant: get(runs[variant]), form, of_reference=True, unit="", axis=axis, reference=FIRST
    )


def _figure(name: str, form: str, text: str, axis: Axis | None = None, *, per_page: bool = False) -> Quantity:
    """A figure of the device; `per_page`: for a page that the host wrote."""

    def value(run: dict[str, Any]) -> float | None:
        figures = run["replay"]["figures"]
        if name not in figures or (per_page and not figures["host_write_pages"]):
            return None
        return float(figures[name]) / (figures["host_write_pages"] if per_page else 1)

    return _of(text, value, axis, form)


_AXIS = Axis(4)
LATE = _of("WAF, second half of the writes", late, _AXIS)
WHOLE = _of("WAF, all writes", lambda run: float(run["wa2"]), _AXIS)
MOVED = _figure("gc_pages", "{:.2f}", "pages moved by GC for a page written", per_page=True)
PADDING = _figure("padding_pages", "{:.3f}", "padding for a page written", per_page=True)
ERASES = _figure("erases", "{:,.0f}", "erases")
SECONDS = _figure("device_seconds", "{:,.1f}", "seconds of the device", _AXIS)
WRITTEN = _figure("host_write_pages", "{:,.0f}", "pages written")
FILL = _of("% of the used pages in files in the end", fill, form="{:.0f}")
VERIFIED = _of("pages compared", lambda run: float(run["replay"]["pages_verified"]), form="{:,.0f}")
QUANTITIES = (LATE, WHOLE, MOVED, PADDING, ERASES, SECONDS, WRITTEN, FILL, VERIFIED)
