# SPDX-License-Identifier: Apache-2.0
"""The cases of `firmware-time`: those of `remapcom`, with and without the time that the firmware takes."""

from __future__ import annotations

from dataclasses import replace

from launcher.bench.bench_description import Mode
from launcher.experiment.remapcom import cases as remapcom
from launcher.experiment.runner.description import Case, Scale, Variant
from launcher.firmware import costs

SEED = remapcom.SEED
MODES = remapcom.MODES
WITHOUT, WITH = "none", costs.CPU  # values of --firmware-cpu


def name_of(mode: Mode, cpu: str) -> str:
    """Of the variant that runs `mode` with the firmware on `cpu`."""
    return f"{mode}-{cpu}"


VARIANTS = tuple(
    Variant(name_of(mode, cpu), mode, changes={"firmware_cpu": cpu}) for mode in MODES for cpu in (WITHOUT, WITH)
)


def cases(scale: Scale) -> list[Case]:
    """Those of `remapcom`, which name no CPU here, as the variants do."""
    return [replace(case, options=replace(case.options, firmware_cpu="")) for case in remapcom.cases(scale)]
