# SPDX-License-Identifier: Apache-2.0
"""launcher.suites.verified: when a suite's run makes a record of its sources, and what takes the record away."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from launcher.cli import cli, documents
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
    for name in verified.NARROWING:
        monkeypatch.delenv(name, raising=False)
    found = tmp_path / "build" / "verified.json"
    monkeypatch.setattr(verified, "FILE", found)
    monkeypatch.setattr(verified, "digests", lambda: ONE)
    return found


def note(suite: str, selection: Selection, totals: Totals, before: Digests) -> None:
    """The end of a suite that began with these sources."""
    verified.note(suite, selection, totals, replace(verified.state(), digests=before))


def test_the_suites_are_among_those_that_always_run() -> None:
    known = {suite.name: suite for suite in suites.SUITES}
    assert all(known[name].always for name in VERILATED)


def test_a_record_needs_all_of_them() -> None:
    for done, name in enumerate(VERILATED):
        assert verified.missing(ONE) == list(VERILATED[done:])
        note(name, Selection(seed=7), GREEN, ONE)
    assert verified.missing(ONE) == []
    assert verified.missing(OTHER) == list(VERILATED)
    green = verified.read()[ONE]["native"]
    assert (green.passed, green.skipped, green.seed) == (3, 1, 7)
    assert green.version == (ROOT / "VERSION").read_text().strip() and len(green.day) == 10


def test_other_suites_make_none(file: Path) -> None:
    note("python", ALL, GREEN, ONE)
    assert not file.exists()


@pytest.mark.parametrize("selection", [Selection("gc"), Selection(code_coverage=True)])
def test_a_part_of_a_suite_makes_none(selection: Selection) -> None:
    note("native", selection, GREEN, ONE)
    assert verified.read() == {}


def test_nothing_that_ran_makes_none() -> None:
    note("native", ALL, Totals(skipped=["all"]), ONE)
    assert verified.read() == {}
    note("soc", ALL, Totals(apart={REPEATS: 4}), ONE)  # cases that `native` has run, too
    assert verified.read()[ONE]["soc"].passed == 4


@pytest.mark.parametrize("selection", [ALL, Selection("gc"), Selection(seed=2)])
def test_a_failure_removes_the_record_of_its_suite(selection: Selection) -> None:
    for name in ("native", "cocotb"):
        note(name, ALL, GREEN, ONE)
    note("native", selection, RED, ONE)
    assert set(verified.read()[ONE]) == {"cocotb"}
    note("cocotb", selection, RED, OTHER)  # and of the sources that it ran on, before and after
    assert verified.read() == {}


def test_a_failure_of_other_sources_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    note("native", ALL, GREEN, ONE)
    monkeypatch.setattr(verified, "digests", lambda: OTHER)
    note("native", ALL, RED, OTHER)
    assert set(verified.read()) == {ONE}


def test_sources_that_change_meanwhile_make_none(capsys: pytest.CaptureFixture[str]) -> None:
    note("native", ALL, GREEN, OTHER)
    assert "native: not recorded as green: its sources changed" in capsys.readouterr().err
    # Changed, and changed back.
    verified.note("native", ALL, GREEN, replace(verified.state(), times="earlier"))
    assert "its sources changed" in capsys.readouterr().err
    verified.note("native", ALL, GREEN, None)
    assert "its sources changed" in capsys.readouterr().err
    assert verified.read() == {}


def test_a_failure_counts_also_when_nobody_knows_how_it_began() -> None:
    note("native", ALL, GREEN, ONE)
    verified.note("native", ALL, RED, None)
    assert verified.read() == {}


def test_times_tell_of_a_change_that_was_taken_back(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    source = tmp_path / "a.scala"
    source.write_text("one")
    monkeypatch.setattr(rtl, "source_files", lambda: [source])
    before = verified.state()
    assert verified.state() == before
    source.write_text("two")
    source.write_text("one")
    os.utime(source, ns=(0, 1 + source.stat().st_mtime_ns))
    after = verified.state()
    assert after != before and after.digests == before.digests


@pytest.mark.parametrize("variable", ["PYTEST_ADDOPTS", "COCOTB_TEST_FILTER"])
def test_an_environment_that_leaves_cases_out_makes_none(
    variable: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(variable, "-k one")
    note("cocotb", ALL, GREEN, ONE)
    assert verified.read() == {}
    assert f"cases may have been left out, as {variable} is set" in capsys.readouterr().err


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
    note("native", ALL, GREEN, ONE)
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
    verified.note("native", Selection(), Totals(passed=1), verified.state())
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


def test_a_failure_on_a_full_disk_takes_the_whole_record(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("native", "cocotb"):
        note(name, ALL, GREEN, ONE)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(documents, "write", full)
    with pytest.raises(OSError, match="No space"):
        note("native", ALL, GREEN, ONE)
    assert set(verified.read()[ONE]) == {"native", "cocotb"}
    with pytest.raises(OSError, match="No space"):
        note("native", ALL, RED, ONE)
    assert verified.read() == {}


def test_sources_that_cannot_be_read_stop_no_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def gone() -> Digests:
        raise FileNotFoundError("firmware/a.c~")

    monkeypatch.setattr(verified, "digests", gone)
    totals = run_suites([Suite("native", "", lambda _: Totals(passed=1))], ALL, record=True)
    assert (totals.passed, totals.failed) == (1, 0)
    assert "native: not recorded: firmware/a.c~" in capsys.readouterr().err
    assert verified.read() == {}


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
    (tmp_path / b"firmware/\xff.c".decode(errors="surrogateescape")).write_text("")  # a name that is no UTF-8
    assert verified.digests(tmp_path).firmware != second.firmware
    (tmp_path / "constraints/acorn").mkdir(parents=True)
    (tmp_path / "constraints/acorn/pins.toml").write_text("")
    assert verified.digests(tmp_path).rtl != third.rtl
    assert third.rtl != first.rtl
    monkeypatch.setattr(rtl, "source_digest", lambda: "others")
    assert verified.digests(tmp_path).rtl != third.rtl


def test_a_commit_is_that_of_a_clean_tree(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def git(*words: str) -> str:
        command = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b", *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    monkeypatch.setattr(verified, "ROOT", tmp_path)
    assert verified.commit() is None
    git("init", "--quiet")
    assert verified.commit() is None
    (tmp_path / "build.sc").write_text("one")
    (tmp_path / ".gitignore").write_text("build\n")
    git("add", ".")
    git("commit", "--quiet", "-m", "one")
    head = git("rev-parse", "HEAD")
    assert verified.commit() == head
    # A tree without git inside of another project's repository.
    (tmp_path / "build").mkdir()
    monkeypatch.setattr(verified, "ROOT", tmp_path / "build")
    assert verified.commit() is None
    monkeypatch.setattr(verified, "ROOT", tmp_path)
    git("config", "status.showUntrackedFiles", "no")
    (tmp_path / b"\xff.scala".decode(errors="surrogateescape")).write_text("")
    git("config", "core.quotePath", "false")
    assert verified.commit() is None


@pytest.mark.parametrize("error", [FileNotFoundError("git"), subprocess.TimeoutExpired("git", 1)])
def test_without_an_answer_of_git_there_is_no_commit(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_git(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(subprocess, "run", no_git)
    assert verified.commit() is None
