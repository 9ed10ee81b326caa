# SPDX-License-Identifier: Apache-2.0
"""NoFTL-KV's evaluation: LinkBench with native placement, against file systems with journals and a hybrid mapping."""

from __future__ import annotations

from launcher.bench import rocks_options
from launcher.experiment.noftl import cases, report
from launcher.experiment.noftl.systems import VARIANTS
from launcher.experiment.runner.description import Experiment

NOFTL = Experiment(
    name="noftl",
    about="NoFTL-KV (EDBT 2018): LinkBench on RocksDB and LevelDB, native placement against journals and FASTer",
    title="Native placement against a file system and a flash translation layer: NoFTL-KV's evaluation",
    variants=VARIANTS,
    cases=cases.cases,
    page=report.page,
    tables=report.tables,
    summary=report.summary,
    seed=cases.SEED,
    program=rocks_options.PROGRAM,
)
