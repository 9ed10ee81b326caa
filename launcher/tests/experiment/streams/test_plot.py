# SPDX-License-Identifier: Apache-2.0
"""The plot of write amplification over what is written."""

from launcher.experiment.streams import plot
from launcher.tests.experiment.streams.test_measures import run


def test_points_are_the_ends_of_windows() -> None:
    one = run([(10, 10), (10, 20), (5, 15)])
    one["replay"]["used_pages"] = 20
    assert plot.points(one) == ([0.5, 1.0, 1.25], [1.0, 2.0, 3.0])
    figure = plot.over_writes({"a": one, "b": one}, {"a": "one", "b": "another"}, "a case")
    (axes,) = figure.axes
    assert len(axes.lines) == 3 and "a case" in axes.get_title(loc="left")
