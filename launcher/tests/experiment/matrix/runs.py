# SPDX-License-Identifier: Apache-2.0
"""Results of `matrix` whose write amplification is a product of factors that a test chooses."""

from collections.abc import Callable
from itertools import product
from typing import Any

from launcher.experiment.matrix.cases import key
from launcher.experiment.matrix.settings import FILL, MODES, SPACE, Words, name_of, words_of
from launcher.experiment.runner.quantities import Results


def run(factor: float = 1.0, **changes: Any) -> dict[str, Any]:
    """A run with this GC factor."""
    return {
        "user_bytes": 100_000,
        "host_bytes": 800_000,
        "nand_bytes": round(800_000 * factor),
        "bytes_by_cause": {},
        "geometry": {"dies": 4, "superblocks": 10},
        "erases": 60,
        "erase_counts": {"least": 3, "mean": 4, "most": 8},
        "device_latency_us": {"read": {"p99": 90.0, "p999": 900.0}, "write": {"p99": 500.0, "p999": 3000.0}},
        "keys_verified": 7,
    } | changes


def results(factor: Callable[[Words], float]) -> Results:
    """Of all modes and settings; `factor` is the GC factor of a setting, fill and over-provisioning last."""
    return {
        key(*of_case): {
            name_of(mode, words): run(factor((*words, *of_case))) for mode in MODES for words in words_of(mode)
        }
        for of_case in product(*([level.word for level in switch.levels] for switch in (FILL, SPACE)))
    }
