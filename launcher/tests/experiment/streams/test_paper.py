# SPDX-License-Identifier: Apache-2.0
"""What the poster reports stands beside a case and a set-up that are run."""

from launcher.experiment.runner.description import Scale
from launcher.experiment.streams.cases import ABOUT, cases
from launcher.experiment.streams.measures import LATE
from launcher.experiment.streams.paper import CASE, PAPER, WAF


def test_its_figure_is_of_a_case_and_a_set_up() -> None:
    assert CASE in [case.key for case in cases(Scale.medium)]
    assert set(PAPER.of_case(LATE, CASE)) == set(PAPER.variants) <= set(ABOUT)
    assert PAPER.of_case(LATE, CASE)[PAPER.variants[0]].low == WAF
