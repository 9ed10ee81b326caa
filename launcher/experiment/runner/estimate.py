# SPDX-License-Identifier: Apache-2.0
"""How long the rest of an experiment takes: by the bytes that its runs put, at the rate of those that are finished."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from launcher.bench import bench_options
from launcher.bench.bench_options import BenchOptions
from launcher.experiment.runner import steps
from launcher.experiment.runner.steps import Replay, Run
from launcher.hw import facts

# Times of the model relative to that of putting as many bytes: of the flash that is preconditioned, and of a replay of
# the puts.
_PRECONDITION, _REPLAY = 5, 4


def _preconditioning(geometry: str, superblocks: int) -> int:
    return bench_options.flash_bytes_of(geometry or facts.geometry(), superblocks) // _PRECONDITION


def weight(options: BenchOptions) -> int:
    """What the time of a run grows with: the bytes that are put, read and compared, and the flash that is filled."""
    value = bench_options.usual_value(options.workload, options.value_size, options.value_size_max)
    puts = (options.num + options.operations) * (options.key_size + value)
    return puts + (_preconditioning(options.geometry, options.superblocks) if options.precondition else 0)


def weight_of(runs: Sequence[Run]) -> int:
    """The same of runs that are done together: those of db_bench once, and all replays of them."""
    recorded = sum(weight(one.options) for one in steps.recordings(runs[0]))
    replays = [run.options for run in runs if isinstance(run, Replay)]
    filled = [_preconditioning(one.geometry, one.superblocks) for one in replays if one.precondition]
    return recorded + len(replays) * recorded // _REPLAY + sum(filled)


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
