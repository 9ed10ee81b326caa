# SPDX-License-Identifier: Apache-2.0
"""Tables and summaries that reports share."""

from __future__ import annotations

from launcher.experiment.runner.quantities import Quantity, Results
from launcher.experiment.runner.tables import by_variant, of_figure, summary_of

PUTS = Quantity("puts", lambda runs, variant: float(runs[variant]["puts"]), "{:.0f}")
ERASES = Quantity("erases", lambda runs, variant: runs[variant].get("erases"), "{:.1f}")
RESULTS: Results = {
    "keys-uniform": {"off": {"puts": 3}, "blend": {"puts": 4, "erases": 2.5}},
    "keysets-zipfian": {"off": {"puts": 5}},
}


def test_a_figure_has_the_cases_of_its_name_alone() -> None:
    assert list(of_figure(RESULTS, "keys")) == ["keys-uniform"]


def test_a_variant_is_a_row_that_begins_with_its_title() -> None:
    head, rows = by_variant(RESULTS["keys-uniform"], {"blend": "the blend", "off": "stock"}, (PUTS, ERASES), "set-up")
    assert head == ["set-up", "puts", "erases"]
    assert rows == [["the blend", "4", "2.5"], ["stock", "3", "-"]]


def test_a_summary_has_every_case_and_variant_and_none_where_there_is_no_figure() -> None:
    assert summary_of(RESULTS, ("off", "blend"), (PUTS, ERASES)) == [
        {"case": "keys-uniform", "variant": "off", "puts": 3, "erases": None},
        {"case": "keys-uniform", "variant": "blend", "puts": 4, "erases": 2.5},
        {"case": "keysets-zipfian", "variant": "off", "puts": 5, "erases": None},
        {"case": "keysets-zipfian", "variant": "blend", "puts": None, "erases": None},
    ]
