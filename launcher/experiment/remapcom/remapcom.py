# SPDX-License-Identifier: Apache-2.0
"""RemapCom's evaluation (Micromachines 2025, 16, 699) on the model, in all modes of the LevelDB fork."""

from __future__ import annotations

from launcher.experiment.remapcom import cases, reflink, report
from launcher.experiment.runner.description import Experiment

REMAPCOM = Experiment(
    name="remapcom",
    about="RemapCom, Micromachines 2025: compactions that remap unchanged blocks",
    title="RemapCom's evaluation, rerun",
    variants=cases.VARIANTS,
    cases=lambda scale: cases.cases(scale),
    page=report.page,
    tables=report.documentation,
    summary=report.summary,
    seed=cases.SEED,
    places=(reflink.Reflinks(),),
)
