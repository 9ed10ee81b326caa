# SPDX-License-Identifier: Apache-2.0
"""What `tight` measures."""

from typing import Any

import pytest

from launcher.bench.bench_description import Mode
from launcher.experiment.runner.quantities import Results, Runs
from launcher.experiment.tight.measures import COMPLETED, PLAIN, SAVED, SHORT, SPACE, WA1, full_before_stock


def run(nand: int, full: bool = False) -> dict[str, Any]:
    return {
        "operations": 50 if full else 200,
        "parameters": {"operations": 200},
        "nand_bytes": nand,
        "wa1": 3,
        "space_amplification": 1.1,
        "short_compactions": 5,
        "plain_compactions": 2,
        "full": full,
    }


def test_a_run_without_space_tells_how_far_it_came_and_no_figures_of_the_whole() -> None:
    runs: Runs = {Mode.off: run(1000), Mode.base: run(900), Mode.blend: run(100, full=True)}
    assert [COMPLETED.value(runs, mode) for mode in runs] == [100, 100, 25]
    assert [SAVED.value(runs, mode) for mode in runs] == pytest.approx([0, 10, None])
    assert [one.value(runs, Mode.blend) for one in (WA1, SPACE, SHORT, PLAIN)] == [None, None, 7, 2]
    assert WA1.value(runs, Mode.base) == 3
    runs[Mode.off] = run(1000, full=True)
    assert SAVED.value(runs, Mode.base) is None


def test_what_ran_out_before_stock_did() -> None:
    results: Results = {
        "a": {Mode.off: run(1), Mode.fill: run(1, full=True), Mode.skip: run(1)},
        "b": {Mode.off: run(1, full=True), Mode.fill: run(1, full=True)},
    }
    assert full_before_stock(results) == [("a", Mode.fill)]
