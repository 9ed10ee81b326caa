# SPDX-License-Identifier: Apache-2.0
"""The command line: an error is one line and exit code 2, before anything is set up or built."""

import errno
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from launcher.bench import bench
from launcher.bench.bench_options import OptionError
from launcher.cli import cli, cli_spread
from launcher.env import build, paths, setup
from launcher.env.paths import ROOT
from launcher.hw import hwbench
from launcher.suites import fix, suites
from launcher.suites.reports import Totals
from launcher.suites.running import Selection
from launcher.tests.bench.test_bench import STAND_IN


@pytest.fixture(autouse=True)
def _no_set_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> setup.Environment:
        raise AssertionError("options are checked before set-up")

    monkeypatch.setattr(setup, "ensure_tools", refuse)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["bench", "fillwrong"], "fillrandom"),
        (["bench", "--device", "asic"], "rtl"),
        (["bench", "--mode", "off,quick"], "quick"),
        (["bench", "--num", "0"], "--num"),
        (["bench", "--num", "many"], "--num"),
        (["bench", "--value-size", "-1"], "--value-size"),
        (["bench", "--key-size", "4"], "--key-size"),
        (["bench", "--seed", str(2**64)], "--seed"),
        (["bench", "--write-buffer", "1"], "--write-buffer"),
        (["bench", "--level-ratio", "1"], "--level-ratio"),
        (["bench", "--plot", "picture.jpg"], "--plot"),
        (["bench", "--superblocks", "65"], "--superblocks: 65 is not between 0 and 64"),
        (["bench", "--json", "/proc/a.json"], "--json"),
        (["bench", "--image-dir", "/proc/images"], "--image-dir"),
        (["bench", "--no-such-option"], "--no-such-option"),
        (["bench", "fillseq", "fillrandom"], "fillrandom"),
        (["bench", "--device", "model", "--geometry", "3x3x64x32"], "--geometry"),
        (["lockstep", "--faults", "x=1"], "--faults: 'x=1' is not one of"),
        (["lockstep", "--mutants", "--faults", "x=1"], "--faults"),
        (["ioreplay", "/no/such/trace"], "TRACE: /no/such/trace: no such file"),
        (["ioreplay", "--device", "tape", "trace"], "--device"),
        (["ioreplay", "--chunk", "0", "trace"], "--chunk: 0 is not between 1"),
        (["ioreplay"], "TRACE"),
        (["crash", "--faults", "erase-fail=2"], "--faults"),
        (["crash", "--geometry", "2x2"], "--geometry"),
        (["crash", "--segments", "1"], "--segments: 1 is not between 68"),
        (["experiment", "remapcom", "--scheduler", "here"], "--scheduler: 'here' is not tcp://HOST:PORT"),
        (["experiment", "remapcom", "--scheduler", "tls://h:1"], "tls:// and --tls need each other"),
        (["experiment", "remapcom", "--scheduler", "tcp://h:1", "--jobs", "2"], "--jobs: not with --scheduler"),
        (["experiment", "remapcom", "--tls", "/proc"], "--tls: needs --scheduler"),
        (["experiment", "remapcom", "--jobs", "0"], "--jobs: 0 is not between 1 and 1024"),
        (["experiment", "nothing"], "unknown experiment 'nothing'"),
        (["scheduler", "--host", "0.0.0.0"], "--host: 0.0.0.0 is not loopback"),
        (["scheduler", "--host", "lab", "--tls", "/proc"], "--tls: there is no file /proc/ca.pem"),
        (["scheduler", "--port", "65536"], "--port"),
        (["worker", "127.0.0.1:8786"], "ADDRESS: '127.0.0.1:8786' is not tcp://HOST:PORT"),
        (["worker", "tcp://127.0.0.1:8786", "--memory", "0"], "--memory"),
        (["crash", "--seeds", "0"], "--seeds: 0 is not between 1 and 100000"),
        (["crash", "--seeds", "2", "--mutants"], "--mutants: cannot be combined with --seeds"),
        (["crash", "--scheduler", "here"], "--scheduler"),
        (["lockstep", "--seeds", "2", "--mutants"], "--mutants: cannot be combined with --seeds"),
        (["fuzz", "--entries", "0"], "--entries: 0 is not between 1"),
        (["fuzz", "--stalls"], "--stalls: requires --device rtl"),
        (["fuzz", "--seed", str(2**64 - 1), "--seeds", "2"], "--seeds: "),
        (["synth", "--seeds", "2", "--area-only"], "--seeds and --scheduler: are of place and route"),
        (["synth", "--seed", str(2**31 - 1), "--seeds", "2"], "--seeds: 2147483648 is not between"),
        (["hwbench", "--device", "model"], "--device"),
        (["hwbench", "--device", "soc", "--wide"], "--wide: the soc has pages of one slot"),
        (["guest", "--geometry", "2x2"], "--geometry"),
        (["guest", "--serial", "a b"], "--serial: 'a b' is not"),
        (["guest", "--serial", "123456789012345678901"], "--serial"),
        (["synth", "NoUnit"], "unknown unit 'NoUnit'"),
        (["synth", "--family", "ecp5,ice40"], "--family: unknown family 'ice40'"),
        (["synth", "--mhz", "0"], "--mhz: 0 is not between 1 and 400"),
        (["synth", "--seed", "-1"], "--seed"),
        (["synth", "--minutes", "0"], "--minutes"),
        (["synth", "--json", "/proc/a.json"], "--json"),
        (["test", "nosuch"], "nosuch"),
        (["test", "--seed", "-1"], "--seed"),
        (["fix", "cobol"], "no language 'cobol'"),
        (["nosuch"], "nosuch"),
    ],
)
def test_a_bad_option_is_one_line_and_code_2(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.strip().splitlines()) == 1
    assert err.startswith("openremap: ")
    assert words in err


@pytest.mark.parametrize("command", [[], ["bench"], ["synth"], ["test"], ["build"], ["clean"]])
def test_help_needs_no_set_up(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*command, "--help"]) == 0
    assert "Usage: ./openremap" in capsys.readouterr().out


def test_suites_are_listed_without_set_up(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["test", "--list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [s.name for s in suites.SUITES]


@pytest.fixture
def _tools(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Nothing:
        def activate(self) -> None:
            pass

    monkeypatch.setattr(setup, "ensure_tools", Nothing)
    monkeypatch.setattr(paths, "REPORTS", tmp_path / "reports")
    monkeypatch.setattr(bench, "BUILD", tmp_path / "build")


@pytest.mark.usefixtures("_tools")
@pytest.mark.parametrize(
    ("totals", "code", "last"),
    [
        (Totals(passed=2), 0, "2 passed, 0 failed"),
        (Totals(passed=2, failures=["x"]), 1, "2 passed, 1 failed"),
        (Totals(), 1, "0 passed, 1 failed"),
    ],
)
def test_the_last_line_is_the_totals(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], totals: Totals, code: int, last: str
) -> None:
    monkeypatch.setattr(suites, "SUITES", [suites.Suite("only", "", lambda _: totals)])
    assert cli.main(["test"]) == code
    said = capfd.readouterr().out.splitlines()
    assert said[-1] == last
    assert "measured figures of the documentation are of" in said[-2]
    assert cli.main(["test", "only"]) == code
    assert "measured figures" not in capfd.readouterr().out, "only after a run of everything"


@pytest.mark.usefixtures("_tools")
def test_a_suite_for_the_patient_runs_only_when_named(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []

    def suite(name: str, always: bool) -> suites.Suite:
        def run(_: Selection) -> Totals:
            ran.append(name)
            return Totals(passed=1)

        return suites.Suite(name, "", run, always)

    monkeypatch.setattr(suites, "SUITES", [suite("quick", True), suite("slow", False)])
    assert cli.main(["test"]) == 0
    assert ran == ["quick"]
    assert cli.main(["test", "slow"]) == 0
    assert ran == ["quick", "slow"]


@pytest.mark.usefixtures("_tools")
def test_bench_writes_table_document_and_picture(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "db_bench"
    program.write_text(f'#!/bin/sh\nexec {" ".join(STAND_IN)} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setattr(bench, "program", lambda: program)
    monkeypatch.setattr(build, "everything", lambda targets, **_: None)
    results, picture = tmp_path / "r.json", tmp_path / "p.png"
    assert cli.main(["bench", "--json", str(results), "--plot", str(picture), "--num", "50"]) == 0
    assert results.exists()
    assert picture.exists()
    assert "against off" in capsys.readouterr().out
    monkeypatch.setenv("STAND_IN_off", "device error")
    results.unlink()
    assert cli.main(["bench", "--json", str(results), "--plot", str(picture)]) == 1
    assert "flash gone" in capsys.readouterr().err
    assert not results.exists()


@pytest.mark.usefixtures("_tools")
@pytest.mark.parametrize(("given", "device"), [([], "rtl"), (["--device", "rtl"], "rtl"), (["--device", "soc"], "soc")])
def test_hwbench_is_built_with_the_soc_when_that_is_measured(
    given: list[str], device: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[object] = []

    def run(commands: int, seed: int, wide: bool, mhz: float | None, device: hwbench.Device) -> dict[str, Any]:
        asked.append((commands, mhz, device))
        return {"device": device, "clock_ns": 10, "seed": seed, "slots_per_page": 1, "cases": [], "derived": []}

    monkeypatch.setattr(build, "everything", lambda targets, with_soc: asked.append((targets, with_soc)))
    monkeypatch.setattr(hwbench, "synth_mhz", lambda _: 50.0)
    monkeypatch.setattr(hwbench, "run", run)
    results = tmp_path / "r.json"
    assert cli.main(["hwbench", *given, "--commands", "200", "--json", str(results)]) == 0
    on_soc = device == "soc"
    assert asked == [((hwbench.PROGRAM,), on_soc), (200, None if on_soc else 50.0, device)]
    assert json.loads(results.read_text())["device"] == device
    assert "clock cycles" in capsys.readouterr().out


def test_what_the_system_refuses_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fills_up(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "results.json")

    monkeypatch.setattr(shutil, "rmtree", fills_up)
    monkeypatch.setattr(cli, "BUILD", tmp_path)
    assert cli.main(["clean"]) == 1
    assert capsys.readouterr().err == "openremap: results.json: No space left on device\n"


def test_clean_does_not_remove_the_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "BUILD", ROOT)
    assert cli.main(["clean"]) == 2
    assert (ROOT / "openremap").exists()


def test_the_version_is_that_of_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"openremap {(ROOT / 'VERSION').read_text().strip()}\n"


@pytest.mark.parametrize(("failures", "code"), [([], 0), (["ruff check: exit code 1"], 1)])
def test_fix_ends_with_what_its_formatters_say(
    failures: list[str], code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Tools:
        def activate(self) -> None:
            pass

    asked: list[tuple[str, ...]] = []

    def run(languages: tuple[str, ...]) -> list[str]:
        asked.append(languages)
        return failures

    monkeypatch.setattr(setup, "ensure_tools", Tools)
    monkeypatch.setattr(fix, "run", run)
    assert cli.main(["fix", "c", "python"]) == code
    assert asked == [("c", "python")]
    assert capsys.readouterr().err == "".join(f"{failure}\n" for failure in failures)


@pytest.mark.parametrize(
    ("failure", "code", "words"),
    [
        (setup.SetupError("apt-get failed"), 1, "apt-get failed"),
        (setup.SetupError("packages are missing", 2), 2, "packages are missing"),
        (OSError(errno.ENOSPC, "No space left on device", "/cache/x"), 1, "/cache/x: No space left on device"),
    ],
)
def test_a_failed_set_up_is_a_failed_test(
    failure: Exception, code: int, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> setup.Environment:
        raise failure

    monkeypatch.setattr(setup, "ensure_tools", fail)
    assert cli.main(["test"]) == code
    said = capsys.readouterr()
    assert said.out == "0 passed, 1 failed\n"
    assert said.err == f"openremap: {words}\n"


@pytest.mark.parametrize(
    ("command", "last"),
    [
        ([".ci/run"], "0 passed, 1 failed"),
        (["openremap", "test", "units"], "0 passed, 1 failed"),
        (["openremap", "build"], "/file/"),
    ],
)
def test_a_set_up_that_cannot_begin(command: list[str], last: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = subprocess.run(
        [str(ROOT / command[0]), *command[1:]],
        env=os.environ | {"OPENREMAP_CACHE": str(tmp_path / "file")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    lines = done.stdout.splitlines()
    assert done.returncode == 1
    assert last in lines[-1]
    assert lines[0].startswith("openremap: ") and "Not a directory" in lines[0]


@pytest.mark.parametrize("arguments", [["--version"], ["test", "--list"], ["--help"]])
def test_output_that_does_not_fit(arguments: list[str]) -> None:
    with Path(_FULL).open("w") as full:
        command = [sys.executable, "-c", _MAIN, *arguments]
        done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and lines[0].startswith("openremap: ") and "No space left on device" in lines[0]


_FULL = "/dev/full"
_MAIN = "import sys; from launcher.cli.cli import main; sys.exit(main(sys.argv[1:]))"


def test_a_machine_does_as_much_as_it_has_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    for cores in (2, 64):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _, cores=cores: set(range(cores)))
        assert cli_spread.where(None, "", None).jobs == cores
    assert cli_spread.where(48, "", None).jobs == 48


def test_these_are_the_variables_that_devices_read() -> None:
    source = (ROOT / "sim" / "device" / "pcie_device.cc").read_text()
    assert set(re.findall(r'getenv\("(\w+)"\)', source)) == set(cli_spread._OF_DEVICES)


def test_what_devices_read_from_the_environment_stays_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of experiments and workers, whose options say what the device is; workers elsewhere would not see it."""
    monkeypatch.setenv("OPENREMAP_FW_CPU", "none")
    monkeypatch.setenv("OPENREMAP_FIRMWARE", "remote")
    monkeypatch.delenv("OPENREMAP_FW_CACHE", raising=False)
    there = (1, 2, None, "tcp://127.0.0.1:8786", None)
    with pytest.raises(OptionError, match=r"^--scheduler: its workers do not see OPENREMAP_FW_CPU and OPENREMAP_FIRM"):
        cli_spread.seeds_from(*there)
    assert cli_spread.seeds_from(*there, devices=False).where.scheduler
    assert cli_spread.seeds_from(1, 2, 1, "", None).count == 2, "programs of this machine see them"
    said: list[str] = []
    cli_spread.forget_devices(said.append)
    assert len(said) == 2 and said[0].startswith("OPENREMAP_FW_CPU is left out")
    assert "OPENREMAP_FW_CPU" not in os.environ and "OPENREMAP_FIRMWARE" not in os.environ
    cli_spread.forget_devices(said.append)
    assert len(said) == 2 and cli_spread.seeds_from(*there).where.scheduler
