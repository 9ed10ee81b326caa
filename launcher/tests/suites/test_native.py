# SPDX-License-Identifier: Apache-2.0
"""launcher.suites.native: what CTest builds and runs for each suite, and the commands of `long`."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from launcher.env import build, paths, steps
from launcher.env.paths import RELEASE, ROOT, SANITIZED, THREADS
from launcher.suites import boards, gtest_batch, native, running, single_test
from launcher.suites.reports import Totals
from launcher.suites.running import Selection

ALL = Selection()


@pytest.fixture(autouse=True)
def _own_reports(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(paths, "REPORTS", tmp_path / "reports")


def outcome(code: int) -> steps.Outcome:
    return steps.Outcome(code, 1.0, ["last words"], False)


def test_the_long_suite_builds_its_programs_and_runs_each(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    built: list[str | tuple[str, ...]] = []
    monkeypatch.setattr(build, "verilog", lambda with_soc=False: None)
    monkeypatch.setattr(build, "native", lambda targets: built.append(targets))
    monkeypatch.setattr(native, "RELEASE", tmp_path)
    monkeypatch.setattr(native, "ROOT", tmp_path)  # the folder of the script `openremap`
    monkeypatch.setattr(native, "BUILD", tmp_path / "build")
    (tmp_path / "bin").mkdir()
    programs = {
        "bin/lockstep": 0,
        "bin/fuzz": 1,
        "bin/fulldevice": 0,
        "bin/crash": 0,
        "bin/crash-leveldb": 0,
        "bin/crash-rocksdb": 0,
        "bin/soak-leveldb": 0,
        "bin/ctest": 0,
        "bin/controller_test": 0,
        "openremap": 0,
    }
    programs[f"bin/{native.RACES}"] = 0
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    for name, code in programs.items():
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\nexit {code}\n")
        program.chmod(0o755)
    waveform = tmp_path / "build" / "soc-waveform" / "retain.fst"
    waveform.parent.mkdir(parents=True)
    (tmp_path / "openremap").write_text(f"#!/bin/sh\ncase $* in *--trace-dir*) echo waves >{waveform} ;; esac\n")
    monkeypatch.setattr(native, "_BOUNDS", ("true",))
    monkeypatch.setattr(native, "_PYTHON", ("true",))
    monkeypatch.setattr(boards, "make", lambda: built.append("boards"))
    monkeypatch.setattr(boards, "parts", lambda programs: {"board-chain": ["true", str(programs)]})
    monkeypatch.setattr(native, "_PLYVEL", ("true",))
    monkeypatch.setattr(native, "_XFS", ("sh", "-c", f"exit {single_test.SKIPPED}"))
    totals = native.long(ALL)
    leveldb = ("crash-leveldb", "crash-rocksdb", "soak-leveldb", "upstream_tests", "leveldb_dropin")
    assert built == [
        "boards",
        (
            "lockstep",
            "fuzz",
            "hwbench",
            "fulldevice",
            native.RACES,
            "crash",
            *leveldb,
            "db_bench",
            "ioreplay",
            native.STALE,
            native.WATCHED,
            "device_tests",
        ),
    ]
    assert totals.passed == 58
    assert totals.skipped == ["long.reflink-xfs"]
    failed = [failure.split(":")[0] for failure in totals.failures]
    fuzzed = ("model", "rtl", "rtl-stalls", "rtl-wide", "soc", "soc-stalls")
    assert failed == [f"long.fuzz-{name}" for name in fuzzed]


def test_the_stale_image_is_a_part_of_long_alone() -> None:
    """Its case runs with CTest's configuration `long`, beside the same run with the shipped image."""
    listed = (ROOT / "verify" / "tests" / "soc" / "CMakeLists.txt").read_text()
    cases = re.findall(r"add_test\(NAME (\S+) COMMAND \${orm_soc_lists} [^)]*?(CONFIGURATIONS long)?\)", listed)
    assert cases == [("verify.soc.lists", "CONFIGURATIONS long"), ("verify.soc.stale", "CONFIGURATIONS long")]
    part = native._long_soc(RELEASE / "bin", ["ctest"])["stale-soc"]
    assert part[:4] == ["ctest", "-C", "long", "-R"]
    assert all(re.search(part[4], name) for name, _ in cases)


def test_each_ctest_suite_builds_and_runs_what_is_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[tuple[Path, tuple[str, ...]]] = []
    ran: list[tuple[list[str], dict[str, str]]] = []

    def run(title: str, command: list[str], log: Path, *, env: dict[str, str], timeout: float) -> steps.Outcome:
        ran.append((command, env))
        return outcome(1)

    monkeypatch.setattr(build, "verilog", lambda with_soc=False: None)
    monkeypatch.setattr(build, "native", lambda folder, targets: built.append((folder, targets)))
    monkeypatch.setattr(steps, "run", run)
    units: list[tuple[Path, tuple[str, ...]]] = []
    unit_environment: dict[str, str] = {}

    def in_batches(suite: str, cases: list[str], reports: Path, environment: dict[str, str], *rest: float) -> Totals:
        assert (suite, cases) == ("sanitized", ["a unit test"])
        unit_environment.update(environment)
        return Totals(passed=1)

    def listed(folder: Path, selects: tuple[str, ...]) -> list[str]:
        units.append((folder, selects))
        return ["a unit test"]

    monkeypatch.setattr(gtest_batch, "listed", listed)
    monkeypatch.setattr(gtest_batch, "run", in_batches)
    for suite in (native.native, native.sanitized, native.tsan, native.native_all, native.sanitized_all):
        totals = suite(Selection(expression="a.word/b[2]+"))
        assert totals.failed == 1
        assert totals.passed == (suite is native.sanitized)
    assert built == [
        (RELEASE, ("device_tests",)),
        (SANITIZED, ("unit_tests", "memory_tests")),
        (THREADS, ("thread_tests",)),
        (RELEASE, ()),
        (SANITIZED, ()),
    ]
    (release, _), (sanitized, asan), (threads, tsan), (release_all, _), (sanitized_all, asan_all) = ran
    [(unit_build, unit_selects)] = units
    assert unit_build == SANITIZED
    assert unit_selects[unit_selects.index("-R") + 1] == r"a\.word/b\[2\]\+"
    assert all(command[command.index("-R") + 1] == r"a\.word/b\[2\]\+" for command, _ in ran)
    assert not {"-L", "-LE", "-E"} & set(release_all)
    assert not {"-L", "-LE"} & set(sanitized_all)
    # A label is of one of the two kinds, so each test runs in the release build or in the sanitized one.
    for label in ("unit", "unit-threads"):
        assert re.search(release[release.index("-LE") + 1], label)
        assert re.search(unit_selects[unit_selects.index("-L") + 1], label)
        assert not re.search(sanitized[sanitized.index("-L") + 1], label)
    for label in ("device", "threads", "upstream", "memory", "memory-threads"):
        assert not re.search(release[release.index("-LE") + 1], label)
        assert not re.search(unit_selects[unit_selects.index("-L") + 1], label)
    assert re.search(sanitized[sanitized.index("-L") + 1], "memory")
    labels = ("unit", "unit-threads", "threads", "device")
    assert [label for label in labels if re.search(threads[threads.index("-L") + 1], label)] == [
        "unit-threads",
        "threads",
    ]
    assert "ASAN_OPTIONS" in asan
    assert asan == asan_all == unit_environment
    assert "halt_on_error=1" in tsan["TSAN_OPTIONS"]


def test_every_googletest_program_has_a_kind() -> None:
    """openremap_gtest sets the kind. A program without one could run in no build, as CTest skips what is not built."""
    lists = [
        path
        for path in ROOT.rglob("CMakeLists.txt")
        if path.relative_to(ROOT).parts[0] not in ("build", "out") and "gtest_discover_tests" in path.read_text()
    ]
    assert not lists


def test_what_the_sanitized_build_leaves_out_of_verify_is_there() -> None:
    lists = [path.read_text() for path in (ROOT / "verify" / "tests").glob("*/CMakeLists.txt")]
    names = [name for text in lists for name in re.findall(r"add_test\(NAME (\S+)", text)]
    names += [f"verify.lockstep.{name}" for text in lists for name in re.findall(r"orm_lockstep_test\((\S+)", text)]
    assert {name for name in names if re.search(native.SANITIZED_LEAVES_OUT, name)} == {
        "verify.fuzz.stalls",
        *(f"verify.lockstep.{case}" for case in ("2", "quick.2", "quick.3", "quick.4", "no-rest", "faults")),
    }


def test_ctest_takes_an_escaped_text_literally(tmp_path: Path) -> None:
    names = [f"a{c}b" for c in ".*+?|()[]^$-/\\#&~ :"] + ["axb", "ab"]
    quoted = [name.replace("\\", "\\\\") for name in names]
    (tmp_path / "CTestTestfile.cmake").write_text("".join(f'add_test("{name}" "true")\n' for name in quoted))
    for name in names:
        command = ["ctest", "--test-dir", str(tmp_path), "-N", "-R", re.escape(name)]
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert re.findall(r"^ *Test +#\d+: (.*)$", listed, re.M) == [name]


def test_no_case_has_a_time_out_that_a_busy_machine_reaches() -> None:
    files = [path for path in ROOT.glob("*/**/CMakeLists.txt") if path.relative_to(ROOT).parts[0] != "build"]
    files.append(ROOT / "cmake" / "Project.cmake")
    given = [int(n) for path in files for n in re.findall(r"\b(?<!_)TIMEOUT (\d+)", path.read_text())]
    discovery = [int(n) for path in files for n in re.findall(r"\bDISCOVERY_TIMEOUT (\d+)", path.read_text())]
    assert min(given) >= running.CASE_SECONDS
    assert min(discovery) >= 600
