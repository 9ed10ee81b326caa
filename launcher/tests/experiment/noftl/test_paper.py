# SPDX-License-Identifier: Apache-2.0
"""What the paper reports stands beside a case and systems that are run."""

from launcher.experiment.noftl.cases import cases
from launcher.experiment.noftl.measures import ERASES, MOVED, SPARED
from launcher.experiment.noftl.paper import CASE, ERASES_OF, PAPER, SPARED_OF
from launcher.experiment.noftl.systems import ABOUT, FIRST, NATIVE
from launcher.experiment.runner.description import Scale


def test_its_figures_are_of_a_case_and_systems() -> None:
    assert CASE in [case.key for case in cases(Scale.small)]
    assert set(PAPER.variants) <= set(ABOUT)
    assert all(reported.cases == (CASE,) and reported.by_variant for reported in PAPER.reported)
    assert PAPER.of_case(ERASES, CASE)[FIRST].low == 21389
    assert PAPER.of_case(MOVED, CASE)[NATIVE].low == 0


def test_its_factor_is_that_of_its_erases() -> None:
    assert PAPER.of_case(SPARED, CASE)[NATIVE].low == SPARED_OF == round(ERASES_OF[0] / ERASES_OF[1], 2)
