# SPDX-License-Identifier: Apache-2.0
"""KVSSD's evaluation: an LSM tree and a flash translation layer that know of each other."""

from __future__ import annotations

from launcher.experiment.kvssd import cases, report, simulated
from launcher.experiment.runner.description import Experiment

KVSSD = Experiment(
    name="kvssd",
    about="KVSSD (DATE 2018): LSM tree and flash translation layer, which layer earns which factor",
    title="LSM tree and flash translation layer: KVSSD's evaluation",
    variants=cases.VARIANTS,
    cases=lambda scale: cases.cases(scale),
    page=report.page,
    tables=report.tables,
    summary=report.summary,
    seed=cases.SEED,
    places=(simulated.Simulation(),),
)
