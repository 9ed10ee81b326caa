# SPDX-License-Identifier: Apache-2.0
"""The aims of `tuned`."""

from launcher.experiment.runner.quantities import Results
from launcher.experiment.tuned.cases import key
from launcher.experiment.tuned.goals import GOALS, SIZES, mean_of, table
from launcher.experiment.tuned.measures import BEYOND_TIGHTEST, SAVED
from launcher.tests.experiment.tuned.runs import run


def uniform(nand: int, used: int) -> Results:
    """All sizes that a mean is over, but that of 4 KB other than the others."""
    runs = {"off": run(1000, 1200), "dynamic": run(900, 1000), "blend": run(nand, used)}
    other = {**runs, "blend": run(nand - 300, used)}
    return {key("uniform", size): other if size == "4 KB" else runs for size in SIZES}


def test_means_are_over_all_sizes_or_not_at_all() -> None:
    results = uniform(500, 1040)
    assert mean_of(results, SAVED, "uniform", "blend") == 60
    assert mean_of(results, BEYOND_TIGHTEST, "uniform", "blend") == 4
    assert mean_of(results, SAVED, "zipfian", "blend") is None
    del results["uniform-1KB"]
    assert mean_of(results, SAVED, "uniform", "blend") is None and table(results)[1] == []


def test_each_aim_is_judged() -> None:
    assert [goal.aim for goal in GOALS] == [60, 50, 52, 5, 5]
    head, rows = table(uniform(500, 1040))
    assert head == ["mean of 256 B, 1 KB, 4 KB", "aim", "`blend`", ""]
    assert rows == [
        ["saved against plain, uniform", "at least 60.0 %", "60.0 %", "reached"],
        ["saved against the best at equal space, uniform", "at least 50.0 %", "55.6 %", "reached"],
        ["space beyond the tightest, uniform", "at most +5.0 %", "+4.0 %", "reached"],
    ]
    assert [row[-1] for row in table(uniform(700, 1060))[1]] == ["not reached"] * 3
