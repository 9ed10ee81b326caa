# SPDX-License-Identifier: Apache-2.0
"""How long the rest of an experiment takes."""

from dataclasses import replace

from launcher.bench.bench_description import Mode, Workload
from launcher.bench.bench_options import BenchOptions
from launcher.bench.ioreplay import Options
from launcher.experiment.runner.estimate import Estimate, text, weight, weight_of
from launcher.experiment.runner.steps import Bench, Replay


def test_the_rest_goes_at_the_rate_of_what_is_done() -> None:
    now = [100.0]
    estimate = Estimate(50, lambda: now[0])
    assert estimate.seconds() is None and estimate.rest() == ""
    now[0] = 120
    estimate.finish(10)
    assert estimate.seconds() == 80 and estimate.rest() == "; about 80 s left"
    estimate.finish(40)
    assert estimate.seconds() == 0 and estimate.rest() == ""


def test_a_run_weighs_what_it_puts_and_reads() -> None:
    few = BenchOptions(num=1000, value_size=84, key_size=16)
    assert weight(few) == 100_000
    assert weight(replace(few, operations=1000)) == 200_000
    assert weight(replace(few, value_size_max=184)) == 200_000
    assert weight(replace(few, workload=Workload.mixalldist)) == 1000 * (16 + 35)


def test_preconditioning_weighs_its_flash() -> None:
    few = BenchOptions(num=1000, value_size=84, key_size=16)
    large = replace(few, geometry="2x2x64x32", superblocks=0)
    assert weight(large) == 100_000
    assert weight(replace(large, precondition=True)) == 100_000 + 2 * 2 * 64 * 32 * 4096 // 5
    half = 100_000 + 2 * 2 * 32 * 32 * 4096 // 5
    assert weight(replace(large, precondition=True, superblocks=32)) == half
    assert weight(replace(few, precondition=True, superblocks=32)) == half, "the RTL's flash"


def test_replays_weigh_their_recordings_once() -> None:
    few = Bench(BenchOptions(num=1000, value_size=84, key_size=16), Mode.off)
    assert weight_of([few]) == 100_000
    replayed = Replay((few, few), Options())
    steady = Replay((few, few), Options(geometry="2x2x64x32", precondition=True))
    assert weight_of([replayed]) == 250_000
    assert weight_of([replayed, steady]) == 300_000 + 2 * 2 * 64 * 32 * 4096 // 5


def test_times_for_people() -> None:
    assert [text(seconds) for seconds in (0.4, 89, 90, 3600, 5400, 81_360)] == [
        "0 s", "89 s", "2 min", "60 min", "1.5 h", "22.6 h",
    ]  # fmt: skip
