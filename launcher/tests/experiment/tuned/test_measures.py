# SPDX-License-Identifier: Apache-2.0
"""What `tuned` measures."""

import pytest

from launcher.experiment.runner.quantities import Runs
from launcher.experiment.tuned.measures import (
    BEYOND,
    BEYOND_TIGHTEST,
    FASTER,
    FASTER_BEST,
    SAVED,
    SAVED_BEST,
    SAVED_LEAST,
    SPACE,
    SPEED,
    WA,
)
from launcher.tests.experiment.tuned.runs import run

RUNS: Runs = {
    "off": run(1000, 1200, 2.0),
    "ratio-4": run(500, 1300),
    "dynamic": run(800, 1000),
    "blend": run(400, 1100, 0.5),
}


def test_against_plain_and_against_the_best() -> None:
    shown = (SAVED, SAVED_BEST, SAVED_LEAST, BEYOND, BEYOND_TIGHTEST, FASTER, FASTER_BEST)
    assert [one.value(RUNS, "blend") for one in shown] == pytest.approx([60, 50, 20, -100 / 12, 10, 4, 2])
    assert [one.value(RUNS, "off") for one in shown] == pytest.approx([0, -25, -100, 0, 20, 1, 0.5])


def test_of_one_run() -> None:
    assert [one.value(RUNS, "blend") for one in (WA, SPACE, SPEED)] == [4, 1.1, 10]
    assert SAVED_BEST.value(RUNS, "skip-dynamic") is None, "not run"
