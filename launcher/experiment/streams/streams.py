# SPDX-License-Identifier: Apache-2.0
"""Concurrent sequential writes: the poster's finding, and what ends it."""

from __future__ import annotations

from launcher.experiment.runner.description import Experiment
from launcher.experiment.streams import cases, report

STREAMS = Experiment(
    name="streams",
    about="Choi and others: concurrent sequential writes, and what ends their write amplification",
    title="Databases that write side by side",
    variants=cases.VARIANTS,
    cases=lambda scale: cases.cases(scale),
    page=report.page,
    tables=report.tables,
    summary=report.summary,
    seed=cases.SEED,
)
