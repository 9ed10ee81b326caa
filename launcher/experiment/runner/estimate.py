# SPDX-License-Identifier: Apache-2.0
"""How long the rest of an experiment takes: by the bytes that its runs put, at the rate of those that are finished."""

from __future__ import annotations

import time
from collections.abc import Callable

from launcher.bench import bench_options
from launcher.bench.bench_options import BenchOptions
from launcher.experiment.runner import steps
from launcher.experiment.runner.steps import Replay, Run


def weight(options: BenchOptions) -> int:
    """What the time of a run grows with: the bytes that are put, read and compared."""
    value = bench_options.usual_value(options.workload, options.value_size, options.value_size_max)
    return (options.num + options.operations) * (options.key_size + value)


def weight_of(run: Run) -> int:
    """The same of all steps of a run. A replay writes what was recorded again."""
    recorded = sum(weight(one.options) for one in steps.recordings(run))
    return 2 * recorded if isinstance(run, Replay) else recorded


def text(seconds: float) -> str:
    """About how long, for people."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


class Estimate:
    """The rest of a number of runs with known weights."""

    def __init__(self, left: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._left = left
        self._done = 0
        self._clock = clock
        self._begun = clock()

    def finish(self, amount: int) -> None:
        """A run of this weight has ended."""
        self._done += amount
        self._left -= amount

    def seconds(self) -> float | None:
        """None until a run has ended."""
        return (self._clock() - self._begun) / self._done * self._left if self._done else None

    def rest(self) -> str:
        """As the end of a line of progress; empty where nothing is known or left."""
        seconds = self.seconds()
        return f"; about {text(seconds)} left" if seconds is not None and self._left > 0 else ""
