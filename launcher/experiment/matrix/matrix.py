# SPDX-License-Identifier: Apache-2.0
"""The attribution matrix: which of five switches earns which factor of write amplification."""

from __future__ import annotations

from launcher.experiment.kvssd.cases import SEED
from launcher.experiment.matrix import report, settings
from launcher.experiment.matrix.cases import cases
from launcher.experiment.runner.description import Experiment

MATRIX = Experiment(
    name="matrix",
    about="Deallocate x allocator x mapping x placement x over-provisioning, which layer earns which factor",
    title="Which layer earns which factor of write amplification",
    variants=settings.VARIANTS,
    cases=lambda scale: cases(scale),
    page=report.page,
    tables=report.tables,
    summary=report.summary,
    seed=SEED,
)
