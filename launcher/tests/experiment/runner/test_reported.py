# SPDX-License-Identifier: Apache-2.0
"""A paper's figures: their texts, means, and those that follow from others."""

from launcher.experiment.runner.quantities import Quantity
from launcher.experiment.runner.reported import Paper, Reported, Span

HALF = Quantity("half", lambda runs, variant: None)
WHOLE = Quantity("whole", lambda runs, variant: None)
OTHER = Quantity("other", lambda runs, variant: None)
PAPER = Paper(
    ("a", "b"),
    (
        Reported("3", HALF, ("fill-1",), {"b": Span(1, 2)}, "fill-1"),
        Reported("3", HALF, ("fill-1",), {"a": Span(3, 3), "b": Span(9, 9)}, "fill-1"),
        Reported("4", HALF, ("fill-1", "fill-2"), {"a": Span(5, 5)}, "fill, mean"),
    ),
    {WHOLE: (HALF, lambda half: 2 * half)},
)


def test_a_span_has_the_digits_of_the_paper() -> None:
    assert Span(30, 30).text("{:+.1f} %") == "+30 %" and Span(-3.1, -3.1).text("{:+.1f} %") == "-3.1 %"
    assert Span(5.4, 16.2).text("{:+.1f} %") == "+5.4 to +16.2 %"
    assert Span(1.1, 1.1).text("{:.2f}") == "1.1" and Span(1.18, 1.18).text("x{:.2f}") == "x1.18"


def test_a_figure_belongs_to_its_case_and_quantity() -> None:
    assert PAPER.of_case(HALF, "fill-1") == {"a": Span(3, 3), "b": Span(1, 2)}, "the first one counts"
    assert PAPER.of_case(HALF, "fill-2") == {} and PAPER.of_case(OTHER, "fill-1") == {}


def test_what_follows_from_another_figure() -> None:
    assert PAPER.of_case(WHOLE, "fill-1") == {"a": Span(6, 6), "b": Span(2, 4)} and PAPER.of_case(WHOLE, "fill-2") == {}


def test_means_are_of_a_figure() -> None:
    assert [mean.name for mean in PAPER.means(HALF, "fill")] == ["fill, mean"]
    assert PAPER.means(HALF, "fi") == [] and PAPER.means(OTHER, "fill") == []
    assert PAPER.mean_of(HALF, "fill", "a") == 5 and PAPER.mean_of(HALF, "fill", "b") is None
