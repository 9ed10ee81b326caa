# SPDX-License-Identifier: Apache-2.0
"""The cases of `matrix`: KVSSD's uniform keys and flash, with little, usual and much over-provisioning."""

from __future__ import annotations

from launcher.experiment.kvssd.cases import AMOUNTS, options_of
from launcher.experiment.matrix.settings import OVER_PROVISIONING
from launcher.experiment.runner.description import Case, Scale

KEYS = "uniform"
FIGURE = "over-provisioning"


def cases(scale: Scale) -> list[Case]:
    """One for each over-provisioning. The namespace is as large in all of them, so the database fills as much of it."""
    return [Case(FIGURE, f"{space}%", options_of(AMOUNTS[scale], KEYS, space)) for space in OVER_PROVISIONING]
