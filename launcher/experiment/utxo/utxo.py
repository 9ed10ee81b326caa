# SPDX-License-Identifier: Apache-2.0
"""The unspent coins of Bitcoin: what remapping saves a node."""

from __future__ import annotations

from launcher.experiment.runner.description import Experiment, Scale
from launcher.experiment.utxo import cases, report

UTXO = Experiment(
    name="utxo",
    about="A Bitcoin node's set of unspent coins: bytes that each mode writes a day",
    title="The unspent coins of Bitcoin",
    variants=cases.VARIANTS,
    cases=lambda scale: cases.cases(scale),
    page=report.page,
    tables=report.tables,
    summary=report.summary,
    seed=cases.SEED,
    scales=(Scale.small, Scale.quarter, Scale.medium, Scale.full),
)
