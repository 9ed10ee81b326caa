# SPDX-License-Identifier: Apache-2.0
"""The report of `firmware-time`: how much longer the device takes for each case if its firmware takes time."""

from __future__ import annotations

from typing import Any

from launcher.bench.bench_description import Mode
from launcher.experiment.firmware_time.cases import MODES, WITH, WITHOUT, name_of
from launcher.experiment.runner import provenance
from launcher.experiment.runner.description import Told
from launcher.experiment.runner.parts import Heading, Part, Rows, Table, Text
from launcher.experiment.runner.quantities import Results, Runs

LIMIT = 2.0  # percent; results that change by more are out of date
_NOTE = (
    f"Each case runs twice in each mode: with firmware that takes no time, and with that of a {WITH} at the "
    "controller's clock. The figures say by how much the second takes the device longer. They have both signs, as "
    f"collections begin at other moments. Cases beyond {LIMIT:.0f} % stand in a list of their own."
)


def longer(runs: Runs, mode: Mode) -> float:
    """By how many percent of the device's time."""
    without, with_time = (float(runs[name_of(mode, cpu)]["device_seconds"]) for cpu in (WITHOUT, WITH))
    return 100 * with_time / without - 100


def beyond(results: Results) -> list[tuple[str, Mode, float]]:
    """Case, mode and percent of those that change by more than the limit, the largest first."""
    changes = [(name, mode, longer(runs, mode)) for name, runs in results.items() for mode in MODES]
    return sorted((one for one in changes if abs(one[2]) > LIMIT), key=lambda one: -abs(one[2]))


def _table(results: Results) -> Table:
    rows = [[name, *(f"{longer(runs, mode):+.1f} %" for mode in MODES)] for name, runs in results.items()]
    return ["case", *(f"`{mode}`" for mode in MODES)], rows


def tables(told: Told) -> list[Part]:
    """For a page of documentation, and the whole report."""
    parts: list[Part] = [Text(" ".join(provenance.sentences(told))), Text(_NOTE)]
    parts += [Rows(provenance.table(told)), Rows(provenance.machines(told))]
    if not told.results:
        return parts
    parts += [Heading("Device time that the firmware adds"), Rows(_table(told.results))]
    parts.append(Heading(f"Changes of more than {LIMIT:.0f} %"))
    if found := beyond(told.results):
        rows = [[name, f"`{mode}`", f"{change:+.1f} %"] for name, mode, change in found]
        parts.append(Rows((["case", "mode", "device time"], rows)))
    else:
        parts.append(Text("None."))
    return parts


def summary(results: Results) -> list[dict[str, Any]]:
    """The same for programs."""
    return [
        {"case": name, "mode": mode, "device time, percent": longer(runs, mode)}
        for name, runs in results.items()
        for mode in MODES
    ]
