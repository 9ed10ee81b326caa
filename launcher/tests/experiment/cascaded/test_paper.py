# SPDX-License-Identifier: Apache-2.0
"""What the paper reports stands beside cases and columns that are run."""

import pytest

from launcher.experiment.cascaded.cases import BASE_OF, CELLS
from launcher.experiment.cascaded.measures import CHANGES, QUANTITIES, WA, WA1, WA2
from launcher.experiment.cascaded.paper import PAPER, REPORTED
from launcher.experiment.cascaded.systems import COLUMNS


def test_its_figures_are_of_cases_and_columns_that_there_are() -> None:
    keys = {cell.key for cell in CELLS}
    for reported in REPORTED:
        (case,) = reported.cases
        assert case in keys and set(reported.by_variant) <= set(PAPER.variants) <= set(COLUMNS)
        assert reported.quantity in (*QUANTITIES, *CHANGES)
        assert (reported.quantity not in CHANGES) or BASE_OF[case], f"{case}: nothing to compare with"
    assert {case.split("-")[0] for reported in REPORTED for case in reported.cases} == {f"fig{n}" for n in range(3, 14)}


@pytest.mark.parametrize("case", ["fig4-fillrandom", "fig5-27GB", "fig11-zipfian"])
def test_its_factors_make_its_whole(case: str) -> None:
    found = [one for one in REPORTED if one.quantity is WA and one.cases == (case,)]
    assert found
    for whole in found:
        for name, span in whole.by_variant.items():
            factors = [
                one.by_variant[name].low
                for quantity in (WA1, WA2)
                for one in REPORTED
                if one.quantity is quantity and one.cases == (case,) and name in one.by_variant
            ]
            assert len(factors) == 2
            assert factors[0] * factors[1] == pytest.approx(span.low, rel=0.012)
