# SPDX-License-Identifier: Apache-2.0
"""Which stock LevelDB a variant is compared with: the best one that takes no more space, and others; and which setting
that remaps is best within a bound on space.
"""

from __future__ import annotations

from launcher.experiment.runner.quantities import Runs
from launcher.experiment.tuned.settings import REMAPPING, STOCK


def _stock(runs: Runs) -> list[str]:
    return [name for name in STOCK if name in runs]


def _written(runs: Runs, name: str) -> tuple[int, int]:
    """What decides: bytes written, and where these are equal, space."""
    return runs[name]["nand_bytes"], runs[name]["used_bytes"]


def tightest(runs: Runs) -> str:
    """The stock LevelDB that takes least space; of equals the one that writes least."""
    return min(_stock(runs), key=lambda name: tuple(reversed(_written(runs, name))))


def least_written(runs: Runs) -> str:
    """The stock LevelDB that writes least, whatever space it takes."""
    return min(_stock(runs), key=lambda name: _written(runs, name))


def best(runs: Runs, variant: str) -> str:
    """The stock LevelDB that writes least of those that take at most the variant's space. Where none does, it is the
    one that takes least.
    """
    fitting = [name for name in _stock(runs) if runs[name]["used_bytes"] <= runs[variant]["used_bytes"]]
    return min(fitting, key=lambda name: _written(runs, name)) if fitting else tightest(runs)


def within(runs: Runs, percent: float) -> str | None:
    """The setting that remaps and writes least of those that take at most so much more space than the tightest stock;
    None: none does.
    """
    most = runs[tightest(runs)]["used_bytes"] * (1 + percent / 100)
    fitting = [name for name in REMAPPING if name in runs and runs[name]["used_bytes"] <= most]
    return min(fitting, key=lambda name: _written(runs, name)) if fitting else None
