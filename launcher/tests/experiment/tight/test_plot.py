# SPDX-License-Identifier: Apache-2.0
"""The plot of `tight`."""

from typing import Any

from launcher.bench.bench_description import Mode
from launcher.experiment.runner.quantities import Results
from launcher.experiment.tight.measures import COMPLETED, SAVED, WA1
from launcher.experiment.tight.plot import over_flash


def run(mode: Mode, full: bool) -> dict[str, Any]:
    amounts = {"operations": 50, "parameters": {"operations": 200}, "nand_bytes": 10 + len(mode), "wa1": 3}
    return amounts | {"full": full}


def points(line: Any) -> int:
    """Of a line of matplotlib."""
    return len(line.get_xdata())


def test_a_line_a_mode_and_no_points_of_what_ran_out() -> None:
    named: Results = {
        name: {mode: run(mode, name == "spare5-1.2" and mode != Mode.off) for mode in Mode}
        for name in ("spare5-1.5", "spare5-1.2")
    }
    drawn = over_flash(named, {"spare5-1.5": 1.5, "spare5-1.2": 1.2}, (WA1, SAVED, COMPLETED), "5 %")
    first, second, third = drawn.axes
    assert [points(line) for line in first.get_lines()] == [2, 1, 1, 1, 1, 1]
    assert [points(line) for line in second.get_lines()] == [1, 1, 1, 1, 1], "stock saves nothing"
    assert [points(line) for line in third.get_lines()] == [2] * len(Mode)
    low, high = third.get_xlim()
    assert low > high, "the least flash stands at the right"
    assert drawn.legends[0].get_texts()[0].get_text() == "off"
