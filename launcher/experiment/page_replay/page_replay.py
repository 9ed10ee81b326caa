# SPDX-License-Identifier: Apache-2.0
"""Traces of pages of one database, replayed onto several devices."""

from __future__ import annotations

from launcher.experiment.page_replay import cases, report
from launcher.experiment.runner.description import Experiment

PAGE_REPLAY = Experiment(
    name="page-replay",
    about="Traces of pages, recorded once and replayed onto several devices",
    title="One database on several devices",
    variants=cases.VARIANTS,
    cases=lambda scale: cases.cases(scale),
    page=report.page,
    tables=report.tables,
    summary=report.summary,
    seed=cases.SEED,
)
