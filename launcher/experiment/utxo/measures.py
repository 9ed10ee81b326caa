# SPDX-License-Identifier: Apache-2.0
"""What `utxo` measures: bytes that a node's database writes a day, by mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from launcher.bench.bench_description import Mode
from launcher.experiment.remapcom.measures import SAVED, SPACE, WA
from launcher.experiment.runner.quantities import Axis, Quantity, Runs
from launcher.experiment.utxo.cases import BLOCKS_A_DAY, OUTPUTS


def blocks(run: dict[str, Any]) -> int:
    """Of the chain. The last batch may be of fewer than it counts for here."""
    return int(run["latency_us"]["commit"]["count"]) * int(run["parameters"]["utxo_flush"])


def a_day(run: dict[str, Any], name: str) -> float:
    """A member of the result for a day of the chain, in GB: of blocks that make as many coins as Bitcoin's."""
    scale = OUTPUTS / run["parameters"]["utxo_outputs"]
    return float(run[name] * scale * BLOCKS_A_DAY / blocks(run) / 1e9)


def _of(name: str, get: Callable[[dict[str, Any]], float], form: str, axis: Axis | None = None) -> Quantity:
    return Quantity(name, lambda runs, mode: get(runs[mode]), form, of_reference=True, unit="", axis=axis)


def _saved_a_day(runs: Runs, mode: str) -> float:
    return a_day(runs[Mode.off], "nand_bytes") - a_day(runs[mode], "nand_bytes")


def _seeks(run: dict[str, Any]) -> float:
    return float(100 * run["bytes_by_cause"]["seek_compaction"] / run["host_bytes"])


USER_A_DAY = _of("GB put a day", lambda run: a_day(run, "user_bytes"), "{:.3f}")
HOST_A_DAY = _of("GB written a day", lambda run: a_day(run, "host_bytes"), "{:.2f}")
NAND_A_DAY = _of("GB of NAND a day", lambda run: a_day(run, "nand_bytes"), "{:.2f}", Axis(12))
SAVED_A_DAY = Quantity("GB of NAND saved a day", _saved_a_day, "{:.2f}", unit="")
SEEKS = _of("written by seek compactions", _seeks, "{:.0f} %")
WA1 = _of("WA1", lambda run: float(run["wa1"]), "{:.2f}")
WA2 = _of("WA2", lambda run: float(run["wa2"]), "{:.3f}")
QUANTITIES = (WA1, WA2, WA, HOST_A_DAY, NAND_A_DAY, SAVED_A_DAY, SAVED, SPACE, SEEKS)
