# SPDX-License-Identifier: Apache-2.0
"""What a run of an experiment consists of: db_bench alone, or db_bench whose traces of pages are then replayed."""

from __future__ import annotations

from dataclasses import dataclass

from launcher.bench import bench_options, ioreplay
from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import BenchOptions


@dataclass(frozen=True)
class Bench:
    """A run of db_bench."""

    options: BenchOptions
    mode: Mode
    may_be_full: bool = False  # that the device has no space left is a result, too


@dataclass(frozen=True)
class Replay:
    """Runs of db_bench that are recorded, one after the other, and then their traces, merged, on a device."""

    recorded: tuple[Bench, ...]
    options: ioreplay.Options  # without traces and file of results


Run = Bench | Replay


def recordings(run: Run) -> tuple[Bench, ...]:
    """The runs of db_bench."""
    return run.recorded if isinstance(run, Replay) else (run,)


def flash_bytes(run: Run) -> int:
    """Bytes of the largest flash, which takes memory: the steps go one after the other."""
    most = max(bench_options.flash_bytes(one.options) for one in recordings(run))
    return max(most, ioreplay.flash_bytes(run.options)) if isinstance(run, Replay) else most
