# SPDX-License-Identifier: Apache-2.0
"""The plots of `matrix`."""

from launcher.experiment.matrix import plot
from launcher.experiment.matrix.measures import COLLECTION, WHOLE, WRITE_99
from launcher.experiment.matrix.settings import MODES, Words
from launcher.tests.experiment.matrix.runs import results

OFF, RLSM, _ = MODES


def collection(words: Words) -> float:
    return 3.0 if "untold" in words else 1.25


def test_every_setting_has_a_cell_with_its_figure() -> None:
    figure = plot.settings(results(collection), OFF, COLLECTION)
    assert len(figure.axes) == 6
    for axes in figure.axes:
        assert [text.get_text() for text in axes.texts] == ["3.00"] * 18 + ["1.25"] * 18
    assert "full namespace, 5% over-provisioning" in figure.axes[0].get_title(loc="left")


def test_figures_that_are_all_alike_are_drawn_too() -> None:
    figure = plot.settings(results(lambda _: 1.0), RLSM, COLLECTION)
    assert len(figure.axes[0].texts) == 12


def test_every_step_that_a_mode_has_is_drawn() -> None:
    (axes,) = plot.steps(results(collection), OFF, (COLLECTION, WHOLE, WRITE_99)).axes
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert labels[0] == "untold\nto told" and len(labels) == 12
    (axes,) = plot.steps(results(collection), RLSM, (COLLECTION,)).axes
    assert len(axes.get_xticklabels()) == 9, "no steps of the mapping"
