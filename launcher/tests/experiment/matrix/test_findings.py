# SPDX-License-Identifier: Apache-2.0
"""What is expected of the matrix."""

from launcher.experiment.matrix import findings
from launcher.experiment.matrix.findings import FINDINGS, OFF
from launcher.experiment.matrix.settings import SPACE, Words, words_of
from launcher.tests.experiment.matrix.runs import results


def collection(words: Words) -> float:
    return (3.0 if "full" in words else 1.5) if "untold" in words else 1.05


def test_every_finding_is_of_a_setting_that_is_run() -> None:
    settings = set(words_of(OFF))
    for finding in FINDINGS:
        assert finding.words[:-1] in settings and finding.words[-1] in [level.word for level in SPACE.levels]


def test_an_expectation_is_met_within_its_bounds() -> None:
    factors = FINDINGS[0]
    assert [factors.holds(value) for value in (1.9, 2.0, 5.4, 5.5)] == [False, True, True, False]
    assert factors.bounds == "2 to 5.4" and FINDINGS[1].bounds == "at most 1.1"


def test_what_is_shown_and_what_is_not() -> None:
    assert findings.table({})[1] == []
    rows = findings.table(results(collection))[1]
    assert [row[5] for row in rows] == ["yes", "yes", "yes", "yes", "no", "no", "no", "no", "no"]
    assert rows[0][1:] == [
        "untold, next, anywhere, mixed, 5% over-provisioning",
        "flash-level factor",
        "2 to 5.4",
        *("3.00", "yes"),
        *("1.50", "no"),
    ]
    only = {"roomy-25%": results(collection)["roomy-25%"]}
    ((*_, full, full_shown, roomy, shown),) = findings.table(only)[1]
    assert (full, full_shown, roomy, shown) == ("-", "-", "1.50", "no"), "the others were not run"
