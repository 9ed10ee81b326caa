# SPDX-License-Identifier: Apache-2.0
"""What the paper reports stands beside a case and systems that are run."""

from launcher.experiment.kvssd.cases import ABOUT, cases
from launcher.experiment.kvssd.measures import COLLECTION, COMPACTION, READ_MODIFY_WRITE, WHOLE
from launcher.experiment.kvssd.paper import CASE, PAPER, TITLES
from launcher.experiment.runner.description import Scale


def test_its_figures_are_of_a_case_and_of_systems() -> None:
    assert CASE in [case.key for case in cases(Scale.medium)]
    assert set(PAPER.variants) == set(TITLES) <= set(ABOUT)
    for reported in PAPER.reported:
        assert reported.cases == (CASE,) and set(reported.by_variant) <= set(PAPER.variants)


# "The overall one of LSM under Uniform is 93, which closely matches the product ... 17.7 x 1.5 x 3.6 = 95.6".
def test_its_factors_make_its_whole() -> None:
    product = 1.0
    for quantity in (COMPACTION, READ_MODIFY_WRITE, COLLECTION):
        product *= PAPER.of_case(quantity, CASE)["lsm"].low
    assert round(product, 1) == 95.6
    assert PAPER.of_case(WHOLE, CASE)["lsm"].low == 93
