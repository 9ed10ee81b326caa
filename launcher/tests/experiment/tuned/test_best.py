# SPDX-License-Identifier: Apache-2.0
"""Which stock LevelDB a variant is compared with."""

from launcher.experiment.runner.quantities import Runs
from launcher.experiment.tuned.best import best, least_written, tightest, within
from launcher.tests.experiment.tuned.runs import run

RUNS: Runs = {
    "off": run(1000, 1200),
    "ratio-4": run(700, 1300),
    "dynamic": run(900, 1070),
    "dynamic-4": run(800, 1150),
    "blend": run(400, 1160),
    "tiered-stays": run(100, 900),
}


def test_the_best_takes_no_more_space() -> None:
    assert best(RUNS, "blend") == "dynamic-4"
    assert best(RUNS, "off") == "dynamic-4"
    assert best(RUNS, "ratio-4") == "ratio-4"
    assert best(RUNS, "dynamic") == "dynamic", "a stock one may be its own"


def test_where_none_takes_as_little_it_is_the_tightest() -> None:
    assert best(RUNS, "tiered-stays") == "dynamic" == tightest(RUNS)
    assert least_written(RUNS) == "ratio-4", "not one that remaps"


def test_of_equals_the_other_figure_decides() -> None:
    runs: Runs = {"off": run(1000, 1200), "ratio-4": run(900, 1200), "ratio-6": run(900, 1100), "blend": run(1, 1200)}
    assert tightest(runs) == "ratio-6" and least_written(runs) == "ratio-6" == best(runs, "blend")
    runs["ratio-8"] = run(950, 1100)
    assert tightest(runs) == "ratio-6"


def test_the_best_setting_within_a_bound_on_space() -> None:
    runs: Runs = {**RUNS, "blend-10": run(600, 1120), "blend-20": run(500, 1125), "skip-dynamic": run(850, 1080)}
    assert within(runs, 5) == "blend-10", "the tightest stock takes 1070"
    assert within(runs, 6) == "blend-20" and within(runs, 9) == "blend"
    assert within(runs, 1) == "skip-dynamic" and within(runs, 0) is None
