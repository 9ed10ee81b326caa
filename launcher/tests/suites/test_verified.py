# SPDX-License-Identifier: Apache-2.0
"""launcher.suites.verified: when a suite's run makes a record of its sources, and what takes the record away."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from launcher.cli import cli
from launcher.env import paths, setup
from launcher.env.paths import ROOT
from launcher.hw import rtl
from launcher.suites import suites, verified
from launcher.suites.reports import REPEATS, Totals
from launcher.suites.running import Selection
from launcher.suites.suites import Suite, run_suites
from launcher.suites.verified import VERILATED, Digests, RecordDamaged

ALL = Selection()
ONE, OTHER = Digests("1" * 64, "a" * 64), Digests("2" * 64, "a" * 64)
GREEN = Totals(passed=3, skipped=["one"])
RED = Totals(passed=3, failures=["bad"])


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = tmp_path / "build" / "verified.json"
    monkeypatch.setattr(verified, "FILE", found)
    monkeypatch.setattr(verified, "digests", lambda: ONE)
    return found


def test_the_suites_are_those_that_run_verilator() -> None:
    known = {suite.name: suite for suite in suites.SUITES}
    assert all(known[name].always for name in VERILATED)


def test_a_record_needs_all_of_them() -> None:
    for done, name in enumerate(VERILATED):
        assert verified.missing(ONE) == list(VERILATED[done:])
        verified.note(name, Selection(seed=7), GREEN, ONE)
    assert verified.missing(ONE) == []
    assert verified.missing(OTHER) == list(VERILATED)
    green = verified.read()[ONE]["native"]
    assert (green.passed, green.skipped, green.seed) == (3, 1, 7)
    assert green.version == (ROOT / "VERSION").read_text().strip() and len(green.day) == 10


def test_other_suites_make_none(file: Path) -> None:
    verified.note("python", ALL, GREEN, ONE)
    assert not file.exists()


@pytest.mark.parametrize("selection", [Selection("gc"), Selection(code_coverage=True)])
def test_a_part_of_a_suite_makes_none(selection: Selection) -> None:
    verified.note("native", selection, GREEN, ONE)
    assert verified.read() == {}


def test_nothing_that_ran_makes_none() -> None:
    verified.note("native", ALL, Totals(skipped=["all"]), ONE)
    assert verified.read() == {}
    verified.note("soc", ALL, Totals(apart={REPEATS: 4}), ONE)  # cases that `native` has run, too
    assert verified.read()[ONE]["soc"].passed == 4


@pytest.mark.parametrize("selection", [ALL, Selection("gc"), Selection(seed=2)])
def test_a_failure_removes_the_record_of_its_suite(selection: Selection) -> None:
    for name in ("native", "cocotb"):
        verified.note(name, ALL, GREEN, ONE)
    verified.note("native", selection, RED, ONE)
    assert set(verified.read()[ONE]) == {"cocotb"}
    verified.note("cocotb", selection, RED, OTHER)  # and of the sources that it ran on, before and after
    assert verified.read() == {}


def test_a_failure_of_other_sources_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    verified.note("native", ALL, GREEN, ONE)
    monkeypatch.setattr(verified, "digests", lambda: OTHER)
    verified.note("native", ALL, RED, OTHER)
    assert set(verified.read()) == {ONE}


def test_sources_that_change_meanwhile_make_none(capsys: pytest.CaptureFixture[str]) -> None:
    verified.note("native", ALL, GREEN, OTHER)
    assert verified.read() == {}
    assert "native: not recorded as green: its sources changed" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "[" * 100_000,
        '{"version": 2, "builds": []}',
        '{"version": 1}',
        '{"version": 1, "builds": [{"rtl": "1", "firmware": "2", "suites": {}}]}',
        json.dumps({"version": 1, "builds": [{"rtl": "1" * 64, "firmware": "2" * 64, "suites": {"native": {}}}]}),
        json.dumps(
            {
                "version": 1,
                "builds": [
                    {
                        "rtl": "1" * 64,
                        "firmware": "2" * 64,
                        "suites": {
                            "native": {
                                **dict.fromkeys(("skipped", "seed", "day", "version", "commit"), None),
                                "passed": 0,
                            }
                        },
                    }
                ],
            }
        ),
    ],
)
def test_a_damaged_record_is_named_and_a_run_begins_a_new_one(
    text: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.parent.mkdir()
    file.write_text(text)
    with pytest.raises(
        RecordDamaged, match=r"verified\.json: is damaged .*; remove it, and run ./openremap test scala"
    ):
        verified.missing(ONE)
    verified.note("native", ALL, GREEN, ONE)
    assert set(verified.read()) == {ONE}
    assert (file.parent / "verified.damaged.json").read_text() == text
    assert "it is verified.damaged.json now; a new record begins" in capsys.readouterr().err


def test_a_record_that_cannot_be_read(file: Path) -> None:
    file.mkdir(parents=True)
    with pytest.raises(RecordDamaged, match=r"verified\.json"):
        verified.read()


WRITER = """
import sys
from pathlib import Path
from launcher.suites import verified
from launcher.suites.reports import Totals
from launcher.suites.running import Selection
verified.FILE = Path(sys.argv[1])
for number in range(20):
    built = verified.Digests(sys.argv[2] * 64, f"{number:064x}")
    verified.digests = lambda: built
    verified.note("native", Selection(), Totals(passed=1), built)
"""


def test_several_runs_do_not_lose_each_others_records(file: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(file), letter], cwd=ROOT) for letter in ("c", "d", "e")
    ]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert len(verified.read()) == 60
    assert {path.name for path in file.parent.iterdir()} == {"verified.json", "verified.json.lock"}


def test_a_run_that_cannot_write_its_record_ends_all_the_same(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.parent.write_text("in the way")
    totals = run_suites([Suite("native", "", lambda _: Totals(passed=1))], ALL, record=True)
    assert (totals.passed, totals.failed) == (1, 0)
    assert "native: not recorded: " in capsys.readouterr().err


def test_only_a_run_that_shall_record_does() -> None:
    green = [Suite("native", "", lambda _: Totals(passed=1)), Suite("style", "", lambda _: Totals(passed=1))]
    run_suites(green, ALL)
    assert verified.read() == {}
    run_suites(green, ALL, record=True)
    assert set(verified.read()[ONE]) == {"native"}


def test_the_command_records(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Ready:
        def activate(self) -> None:
            pass

    green = [Suite(entry.name, "", lambda _: Totals(passed=1)) for entry in suites.SUITES]
    monkeypatch.setattr(suites, "SUITES", green)
    monkeypatch.setattr(setup, "ensure_tools", Ready)
    monkeypatch.setattr(paths, "REPORTS", tmp_path / "reports")
    assert cli.main(["test", "native", "soc", "style"]) == 0
    assert set(verified.read()[ONE]) == {"native", "soc"}


def test_digests_are_of_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(rtl, "source_digest", lambda: "emitted")
    for name in ("soc/a.py", "firmware/src/a.c", "firmware/tests/a_test.cc", "interfaces/gen/c/a.h", "docs/a.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("one")
    first = verified.digests(tmp_path)
    assert str(first) == f"RTL {first.rtl[:12]}, firmware {first.firmware[:12]}"
    for name in ("firmware/tests/a_test.cc", "docs/a.md"):
        (tmp_path / name).write_text("two")
    assert verified.digests(tmp_path) == first
    (tmp_path / "interfaces/gen/c/a.h").write_text("two")
    second = verified.digests(tmp_path)
    assert (second.rtl, second.firmware == first.firmware) == (first.rtl, False)
    (tmp_path / "soc/a.py").rename(tmp_path / "soc/b.py")
    third = verified.digests(tmp_path)
    assert third.rtl != first.rtl
    monkeypatch.setattr(rtl, "source_digest", lambda: "others")
    assert verified.digests(tmp_path).rtl != third.rtl


def test_a_commit_is_that_of_a_clean_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = {"rev-parse": "0123abc\n", "status": ""}

    def git(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 0, answers[command[1]])

    monkeypatch.setattr(subprocess, "run", git)
    assert verified.commit() == "0123abc"
    answers["status"] = " M build.sc\n"
    assert verified.commit() is None

    def no_git(*_: object, **__: object) -> None:
        raise FileNotFoundError("git")

    monkeypatch.setattr(subprocess, "run", no_git)
    assert verified.commit() is None
