# SPDX-License-Identifier: Apache-2.0
"""Synthetic results of RemapCom's experiment: the db_bench stand-in's, with the changes that a test needs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import BenchOptions
from launcher.experiment.runner.quantities import Runs
from launcher.tests.bench import db_bench_stand_in


def runs(changes: Mapping[Mode, dict[str, Any]] | None = None, **of_all: Any) -> Runs:
    """One case in all modes, with changes to single modes and to all."""
    found: Runs = {}
    for mode in Mode:
        arguments = BenchOptions().arguments(mode, Path("unused"))
        result = db_bench_stand_in.result(dict(argument[2:].split("=", 1) for argument in arguments))
        stamp = {"commit": "1111111", "date": "2026-11-25"}
        found[mode] = result | stamp | of_all | (changes or {}).get(mode, {})
    return found


def level(number: int, read: int, unchanged: int, kept: int) -> dict[str, Any]:
    """db_bench's statistics of the compactions into a level."""
    return {
        "level": number,
        "input_blocks": read,
        "unchanged_blocks": unchanged,
        "unchanged_ratio": kept / read if read else 0,
    }
