# SPDX-License-Identifier: Apache-2.0
"""Cascaded write amplification: a study of LevelDB and WiscKey on SSDs, and the same with compactions that remap."""

from __future__ import annotations

from launcher.experiment.cascaded import cases, report, systems
from launcher.experiment.runner.description import Experiment, Scale

CASCADED = Experiment(
    name="cascaded",
    about="Sun and others: write amplification of LevelDB and WiscKey times that of SSDs",
    title="Cascaded write amplification",
    variants=systems.VARIANTS,
    cases=lambda scale: cases.cases(scale),
    page=report.page,
    tables=report.tables,
    summary=report.summary,
    seed=cases.SEED,
    scales=tuple(Scale),
)
