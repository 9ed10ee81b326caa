# SPDX-License-Identifier: Apache-2.0
"""The cases of `matrix`: KVSSD's uniform keys on flash that they fill more or less, by over-provisioning."""

from __future__ import annotations

from dataclasses import replace

from launcher.experiment.kvssd.cases import AMOUNTS, options_of
from launcher.experiment.matrix.settings import FILL, OVER_PROVISIONING
from launcher.experiment.runner.description import Case, Scale

KEYS = "uniform"
# Of KVSSD's flash, by level of FILL. Its small scale leaves more of the namespace free than the larger ones do.
_FLASH = {
    Scale.small: {"full": 5 / 6, "roomy": 1.0},
    Scale.medium: {"full": 1.0, "roomy": 6 / 5},
    Scale.full: {"full": 1.0, "roomy": 6 / 5},
}


def key(fill: str, space: str) -> str:
    """Of a case, by its levels of FILL and SPACE."""
    return f"{fill}-{space}"


def cases(scale: Scale) -> list[Case]:
    """One for each fill and over-provisioning, which changes the flash and leaves the namespace as it is."""
    found = []
    for level in FILL.levels:
        blocks = round(AMOUNTS[scale].blocks * _FLASH[scale][level.word])
        amounts = replace(AMOUNTS[scale], blocks=blocks)
        found += [Case(level.word, f"{space}%", options_of(amounts, KEYS, space)) for space in OVER_PROVISIONING]
    return found
