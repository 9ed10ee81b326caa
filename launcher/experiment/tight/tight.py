# SPDX-License-Identifier: Apache-2.0
"""Less and less flash for the same puts: which modes work there, and what they write."""

from __future__ import annotations

from launcher.experiment.runner.description import Experiment
from launcher.experiment.tight import cases, report

TIGHT = Experiment(
    name="tight",
    about="The same puts on less and less flash: bytes written, and which modes run out of space",
    title="Tight flash",
    variants=cases.VARIANTS,
    cases=lambda scale: cases.cases(scale),
    page=report.page,
    tables=report.tables,
    summary=report.summary,
    seed=cases.SEED,
)
