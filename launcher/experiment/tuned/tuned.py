# SPDX-License-Identifier: Apache-2.0
"""Stock LevelDB, tuned: what remapping saves against the best of them."""

from __future__ import annotations

from launcher.experiment.runner.description import Experiment, Scale
from launcher.experiment.tuned import cases, report, settings

TUNED = Experiment(
    name="tuned",
    about="Stock LevelDB with several tunings, tiering without remaps, and settings of blend: bytes, space, throughput",
    title="Remapping against tuned stock LevelDB",
    variants=settings.SETTINGS,
    cases=lambda scale: cases.cases(scale),
    page=report.page,
    tables=report.tables,
    summary=report.summary,
    seed=cases.SEED,
    scales=(Scale.small, Scale.quarter, Scale.medium, Scale.full),
)
