# SPDX-License-Identifier: Apache-2.0
"""The aims of `cascaded`."""

import pytest

from launcher.experiment.cascaded import goals
from launcher.experiment.cascaded.goals import aims
from launcher.experiment.cascaded.systems import compared
from launcher.experiment.runner.quantities import Results
from launcher.tests.experiment.cascaded.test_systems import runs_of


def met_of(results: Results, what: str) -> list[bool]:
    return [aim.met for aim in aims(compared(results, {})) if aim.what.startswith(what)]


@pytest.mark.parametrize(("wa1", "met"), [(14.8, False), (15, True), (18, True), (18.3, False)])
def test_wa1_is_near_the_papers(wa1: float, met: bool) -> None:
    found = met_of({"fig7-4MB": runs_of(wa1=wa1)}, "WA1, fig7-4MB, leveldb S")
    assert found == [met]


def test_wa1_of_small_values_in_a_log_may_be_farther_off() -> None:
    assert met_of({"fig7-4MB": runs_of(wa1=4.52 * 1.14)}, "WA1, fig7-4MB, wisckey S") == [True]
    results = {"fig6-16KB": runs_of(wa1=1.14)}
    for name in ("wisckey-s", "leveldb-s"):
        results["fig6-16KB"][name]["parameters"]["value_size"] = 16384
    assert met_of(results, "WA1, fig6-16KB, wisckey S") == [False]


def test_the_ssds_differ_as_the_papers_do() -> None:
    found = met_of({"fig7-4MB": runs_of(wa2=3.0)}, "WA2, fig7-4MB, leveldb")
    assert found == [True, True, False]  # S above I, S within its span, I without
    assert met_of({"fig7-4MB": runs_of(wa2=1.9)}, "WA2, fig7-4MB, leveldb") == [False, True, False]


def test_a_steady_state_costs_more() -> None:
    results = {"fig7-16MB": runs_of(), "fig13-16MB": runs_of(wa2=2.5)}
    assert met_of(results, "WA2, fig13-16MB, leveldb S") == [True]
    assert met_of(results, "WA2, fig13-16MB, leveldb I") == [False]


@pytest.mark.parametrize(("nand", "met"), [(2000, True), (2100, False)])
def test_what_a_value_log_saves(nand: int, met: bool) -> None:
    runs = runs_of()
    runs["blend+"]["recordings"][0]["nand_bytes"] = nand
    assert met_of({"values-4KB": runs}, "NAND bytes saved") == [met]


def test_missed_aims_and_met_ones_are_two_tables() -> None:
    results = compared({"fig7-4MB": runs_of(wa2=3.0)}, {})
    missed, met = (goals.table(results, met=which)[1] for which in (False, True))
    assert len(missed) + len(met) == len(aims(results))
    assert ["WA1, fig7-4MB, leveldb S (-76 %)", "16.56", "within 10 %", "4.00"] in missed
    assert ["WA2, fig7-4MB, leveldb, S above I", "-", "above 2.00", "3.00"] in met
    assert goals.table({}, met=True)[1] == []
