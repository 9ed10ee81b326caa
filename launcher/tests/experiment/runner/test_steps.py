# SPDX-License-Identifier: Apache-2.0
"""The steps of a run."""

from collections.abc import Callable

from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import BenchOptions
from launcher.bench.ioreplay import Options
from launcher.experiment.runner import steps
from launcher.experiment.runner.description import Case, Variant


def always(options: Options) -> Callable[[BenchOptions, int], Options]:
    return lambda *_: options


def test_memory_is_that_of_the_largest_step() -> None:
    case = Case("fill", "1KB", BenchOptions(num=7, geometry="2x2x64x32", superblocks=0))
    small = 2 * 2 * 64 * 32 * 4096
    assert steps.flash_bytes(Variant("off", Mode.off).run(case)) == small
    for geometry, most in (("2x2x64x32", small), ("2x2x128x32", 2 * small), ("2x2x32x32", small)):
        options = Options(geometry=geometry)
        replayed = Variant("two", Mode.off, replay=always(options), writers=2)
        assert steps.flash_bytes(replayed.run(case)) == most


def test_all_runs_of_db_bench() -> None:
    case = Case("fill", "1KB", BenchOptions())
    one, two = Variant("off", Mode.off), Variant("two", Mode.off, replay=always(Options()), writers=2)
    assert steps.recordings(one.run(case)) == (one.run(case),)
    assert [step.options.seed for step in steps.recordings(two.run(case))] == [1, 2]
