# SPDX-License-Identifier: Apache-2.0
"""Provenance of a report's figures: commits and dates of its runs, and cases with runs of several commits."""

import platform

from launcher.bench.bench_description import Mode
from launcher.experiment.remapcom.remapcom import REMAPCOM
from launcher.experiment.runner import provenance, report
from launcher.experiment.runner.description import Elsewhere, Scale
from launcher.experiment.runner.parts import Table
from launcher.experiment.runner.provenance import MEASURED, counted, machines, mixed_cases
from launcher.experiment.runner.quantities import Results
from launcher.tests.experiment.remapcom_runs import runs


def sentences(results: Results, reflinks: Results, scale: Scale) -> list[str]:
    return provenance.sentences(report.told(REMAPCOM, scale, results, {"reflinks": Elsewhere(reflinks)}))


def table(results: Results, reflinks: Results) -> Table:
    return provenance.table(report.told(REMAPCOM, Scale.small, results, {"reflinks": Elsewhere(reflinks)}))


LATER = {"commit": "2222222", "date": "2026-11-27"}


def test_a_report_of_one_commit() -> None:
    results = {"fillrandom-1KB": runs(), "ycsb-ycsba-1KB": runs()}
    head, rows = table(results, {})
    assert head == ["commit", "days", "runs", "of these over reflinks", "modes"]
    assert rows == [["1111111", "2026-11-25", "12", "0", "all"]]
    assert sentences(results, {}, Scale.medium) == [
        "Scale medium, seed 1, by `./openremap experiment remapcom --scale medium --out DIR`.",
        "The runs are of one commit.",
    ]


def test_a_report_of_several_commits_says_which_cases_mix_them() -> None:
    results = {"fillrandom-1KB": runs({Mode.blend: LATER}), "fillrandom-4KB": runs(date="2026-11-26")}
    reflinks = {"fillrandom-1KB": runs(None, **LATER)}
    _, rows = table(results, reflinks)
    assert rows == [
        ["1111111", "2026-11-25 to 2026-11-26", "11", "0", "all"],
        ["2222222", "2026-11-27", "7", "6", "all"],
    ]
    assert table(results, {})[1][1] == ["2222222", "2026-11-27", "1", "0", "blend"]
    assert mixed_cases(results) == ["fillrandom-1KB"]
    said = " ".join(sentences(results, reflinks, Scale.full))
    assert "2 commits" in said and said.endswith("compared in 1 case: fillrandom-1KB.")


def test_commits_are_in_the_order_of_their_days() -> None:
    results = {"a": runs(None, **LATER), "b": runs(), "c": runs(commit="0000000")}
    assert [row[0] for row in table(results, {})[1]] == ["0000000", "1111111", "2222222"]


def test_a_run_without_a_stamp_is_told_as_unknown() -> None:
    case = runs()
    for run in case.values():
        del run["commit"], run["date"]
    assert table({"fillrandom-1KB": case}, {})[1] == [["unknown", "unknown", "6", "0", "all"]]
    case[Mode.base] |= {"commit": "1111111", "date": None}
    assert mixed_cases({"fillrandom-1KB": case}) == ["fillrandom-1KB"]
    assert table({}, {})[1] == []


def test_programs_and_machines_of_runs_that_say_theirs() -> None:
    def said(results: Results) -> Table:
        return machines(report.told(REMAPCOM, Scale.small, results, {}))

    assert said({"fillrandom-1KB": runs()}) == (["SHA-256 of the program and its library", "machine", "runs"], [])
    both = {"a": runs(program="ab", machine="X, 2 cores, 4 GiB"), "b": runs(program="ab"), "c": runs()}
    assert said(both)[1] == [["ab", "X, 2 cores, 4 GiB", "6"], ["ab", "unknown", "6"]]


def test_the_digest_of_what_is_counted_does_not_depend_on_the_machine() -> None:
    of = counted({"fillrandom-1KB": runs()})
    assert counted({"fillrandom-1KB": runs(None, **dict.fromkeys(MEASURED, 7))}) == of
    assert counted({"fillrandom-1KB": runs({Mode.skip: {"nand_bytes": 1}})}) != of
    assert counted({"fillrandom-2KB": runs()}) != of


def test_the_machine_is_told_without_its_name() -> None:
    said = provenance.machine()
    assert said.endswith(" GiB") and " cores, " in said and platform.node() not in said
