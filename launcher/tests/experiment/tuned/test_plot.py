# SPDX-License-Identifier: Apache-2.0
"""The plot of `tuned`."""

from launcher.experiment.runner.quantities import Results
from launcher.experiment.tuned.plot import frontier, lower_left
from launcher.tests.experiment.tuned.runs import run


def test_the_line_is_through_points_that_no_other_beats() -> None:
    assert lower_left([(1.2, 5), (1.0, 9), (1.1, 7), (1.15, 8), (1.3, 5)]) == [(1.0, 9), (1.1, 7), (1.2, 5)]
    assert lower_left([]) == []


def test_a_panel_a_case_with_all_variants_that_ran() -> None:
    runs = {"off": run(1000, 1200), "ratio-4": run(700, 1300), "dynamic": run(1100, 1250), "blend": run(400, 1160)}
    results: Results = {name: runs for name in ("uniform-1KB", "uniform-4KB", "zipfian-1KB")}
    drawn = frontier(results)
    assert [axes.get_title(loc="left") for axes in drawn.axes if axes.get_visible()] == list(results)
    first = drawn.axes[0]
    assert [len(points.get_offsets()) for points in first.collections] == [3, 1]  # type: ignore[arg-type]
    assert [list(line.get_xdata()) for line in first.get_lines()] == [[1.2, 1.3], [1.16]]  # type: ignore[arg-type]
    assert [text.get_text() for text in first.texts] == ["off", "ratio-4", "dynamic", "blend"]
    assert [text.get_text() for text in drawn.legends[0].get_texts()] == ["stock", "remapping"]
