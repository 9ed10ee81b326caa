# SPDX-License-Identifier: Apache-2.0
"""What `cascaded` measures."""

import pytest

from launcher.experiment.cascaded.measures import (
    CAUSES,
    HOST_RATE,
    OPERATIONS,
    OTHER,
    RATE,
    RATE_CHANGE,
    VALUE_LOG,
    WA,
    WA1,
    WA1_ADDED,
    WA1_CHANGE,
    WA2,
    WA2_CHANGE,
    WA_CHANGE,
    WA_TIMES,
)
from launcher.experiment.cascaded.systems import COLUMNS, compared
from launcher.tests.experiment.cascaded.test_systems import runs_of

NAME = "leveldb S"


def test_factors_causes_and_throughput() -> None:
    runs = compared({"a": runs_of()}, {})["a"]
    found = [one.value(runs, NAME) for one in (WA1, WA2, WA, RATE, OPERATIONS, HOST_RATE)]
    assert found == [4, 2, 8, 0.002, 0.02, 0.008]
    assert sum(one.value(runs, NAME) or 0 for one in CAUSES) == pytest.approx(4)
    assert (VALUE_LOG.value(runs, NAME), OTHER.value(runs, NAME)) == (0, 0.1)
    assert all(WA1.value(runs, name) == 4 for name in COLUMNS)


def test_changes_are_against_the_case_that_the_paper_compares_with() -> None:
    base, other = runs_of(), runs_of(wa1=5.0, wa2=3.0, wa=15.0, device_seconds=0.25)
    runs = compared({"a": base, "b": other}, {"b": "a"})
    values = [
        one.value(runs["b"], NAME) for one in (WA1_CHANGE, WA1_ADDED, WA2_CHANGE, WA_CHANGE, WA_TIMES, RATE_CHANGE)
    ]
    assert values == pytest.approx([25, 1, 50, 87.5, 1.875, 100])
    assert WA1_CHANGE.value(runs["a"], NAME) is None
    other["leveldb-s"]["device_seconds"] = 0
    runs = compared({"a": base, "b": other}, {"b": "a"})
    assert RATE.value(runs["b"], NAME) is RATE_CHANGE.value(runs["b"], NAME) is None
