# SPDX-License-Identifier: Apache-2.0
"""How much of the device's time the firmware takes, in each case of `remapcom`."""

from __future__ import annotations

from launcher.experiment.firmware_time import cases, report
from launcher.experiment.runner.description import Experiment

FIRMWARE_TIME = Experiment(
    name="firmware-time",
    about="The cases of remapcom with and without the time that the firmware takes",
    title="What the firmware's time changes",
    variants=cases.VARIANTS,
    cases=lambda scale: cases.cases(scale),
    page=report.tables,
    tables=report.tables,
    summary=report.summary,
    seed=cases.SEED,
)
