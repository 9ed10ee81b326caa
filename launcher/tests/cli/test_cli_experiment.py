# SPDX-License-Identifier: Apache-2.0
"""The command `experiment`: its list, the choice of cases, and the reports of what is finished and what failed."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from launcher.bench import bench
from launcher.bench.bench import BenchFailed
from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import OptionError
from launcher.cli import cli_experiment
from launcher.env import build, setup
from launcher.env.steps import StepFailed
from launcher.experiment.remapcom import cases as remapcom
from launcher.experiment.remapcom import reflink
from launcher.experiment.remapcom.cases import VARIANTS, cases
from launcher.experiment.runner import running, store
from launcher.experiment.runner.description import Case, Elsewhere, Scale
from launcher.experiment.runner.store import OtherExperiment
from launcher.spread.cluster import Where

STAND_IN = [sys.executable, str(Path(__file__).parents[1] / "bench" / "db_bench_stand_in.py")]
FEW = [case for case in cases(Scale.small) if case.name in ("1KB", "ycsba-1KB")]


def run(folder: Path, wanted: list[Case] = FEW) -> None:
    running.run(wanted, VARIANTS, folder, Where(2), STAND_IN, lambda _: None)


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command runs the stand-in, few cases, and nothing over reflinks."""
    monkeypatch.setattr(setup, "ensure_tools", lambda: SimpleNamespace(activate=lambda: None))
    monkeypatch.setattr(build, "everything", lambda _: None)
    monkeypatch.setattr(remapcom, "cases", lambda _: FEW)
    monkeypatch.setattr(reflink, "run", lambda *_: Elsewhere({}, "not asked for"))
    monkeypatch.setattr(bench, "program", lambda _name: Path(STAND_IN[1]))
    run_one = bench.run_one
    monkeypatch.setattr(bench, "run_one", lambda options, mode, _, *rest: run_one(options, mode, STAND_IN, *rest))


@pytest.mark.usefixtures("stand_in")
def test_a_second_command_does_not_run_in_the_same_folder(tmp_path: Path) -> None:
    with store.alone(tmp_path), pytest.raises(OptionError, match=r"^--out: another command runs in"):
        cli_experiment.experiment("remapcom", out=tmp_path)
    assert not (tmp_path / "runs").exists()
    run(tmp_path)
    with store.alone(tmp_path):
        cli_experiment.experiment("remapcom", out=tmp_path, report_only=True)  # what is finished can be seen meanwhile
    assert (tmp_path / "summary.md").is_file()


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize("failing", [None, BenchFailed, StepFailed])  # of a run, and of making its file system
def test_the_command_reports_what_is_finished_and_then_what_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: type[Exception] | None
) -> None:
    def reflinks(*_: object) -> Elsewhere:
        if failing:
            raise failing("mode off: the loop device is gone")
        return Elsewhere({}, "not asked for")

    monkeypatch.setattr(reflink, "run", reflinks)
    if failing:
        run(tmp_path, FEW[1:])  # finished before
        monkeypatch.setenv("STAND_IN_skip", "device error")
        with pytest.raises(BenchFailed, match=r"(?s)mode skip.*over reflinks, mode off: the loop device is gone"):
            cli_experiment.experiment("remapcom", Scale.small, tmp_path, [], 2)
    else:
        cli_experiment.experiment("remapcom", Scale.small, tmp_path, [], 2)
    document = json.loads((tmp_path / "results.json").read_text())
    assert len(document["results"]) == len(FEW) - bool(failing)
    assert (tmp_path / "report.html").is_file()
    assert ("the loop device is gone" in (tmp_path / "summary.md").read_text()) == bool(failing)


def test_the_report_of_an_unfinished_experiment_has_the_cases_that_all_modes_ran(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def report() -> None:
        cli_experiment.experiment("remapcom", Scale.small, tmp_path, [], 2, report_only=True)

    with pytest.raises(OptionError, match=r"--report-only: no case in .* is finished"):
        report()
    assert not list(tmp_path.iterdir()), "a folder that is named wrongly stays as it was"
    run(tmp_path)
    (tmp_path / "runs" / FEW[0].file(Mode.blend)).unlink()
    report()
    assert "2 of 22 cases" in capsys.readouterr().err
    document = json.loads((tmp_path / "results.json").read_text())
    assert set(document["results"]) == {f"{case.figure}-{case.name}" for case in FEW[1:]}
    tables = (tmp_path / "summary.md").read_text()
    assert "| ycsb-ycsba-1KB | " in tables and "\n| fillrandom" not in tables
    page = (tmp_path / "report.html").read_text()
    assert "Of 22 cases 2 are finished" in page and "a report of what had been run" in page
    (tmp_path / "summary.md").unlink()
    (tmp_path / "summary.md").mkdir()
    with pytest.raises(OptionError, match=r"--out: .*summary\.md is a folder"):
        report()
    assert (tmp_path / "report.html").read_text() == page, "refused before anything is written"
    (tmp_path / "summary.md").rmdir()
    with pytest.raises(OtherExperiment):
        cli_experiment.experiment("remapcom", Scale.full, tmp_path, [], 2, report_only=True)


@pytest.mark.usefixtures("stand_in")
def test_only_the_cases_that_are_named_are_run(tmp_path: Path) -> None:
    cli_experiment.experiment("remapcom", Scale.small, tmp_path, ["ycsb", "fillrandom-1KB"], 2)
    assert {path.name.rpartition("-")[0] for path in (tmp_path / "runs").iterdir()} == {
        "fillrandom-1KB",
        "ycsb-ycsba-1KB",
    }
    assert "Of 3 cases 2 are finished" in (tmp_path / "report.html").read_text()
    with pytest.raises(OptionError, match=r"--only: no case 'fillrandom-9KB' .* the figures are .*ycsb, .*1KB"):
        cli_experiment.experiment("remapcom", Scale.small, tmp_path, ["fillrandom-9KB"], 2)


def test_a_report_is_of_all_that_is_finished(tmp_path: Path) -> None:
    run(tmp_path)
    with pytest.raises(OptionError, match="--only: not with --report-only, which reports all cases"):
        cli_experiment.experiment("remapcom", Scale.small, tmp_path, ["ycsb"], 2, report_only=True)
    assert not (tmp_path / "report.html").exists()


def test_the_list_names_what_can_be_run(capsys: pytest.CaptureFixture[str]) -> None:
    cli_experiment.experiment("list", Scale.medium)
    said = capsys.readouterr().out
    assert said.startswith("remapcom: RemapCom, Micromachines 2025") and "variants: off, base, " in said
    assert "    data: data-512MiB, data-3GiB\n" in said and "    reflink: reflink-1KB, reflink-4KB\n" in said


def test_a_scale_that_an_experiment_lacks_is_refused_and_not_listed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(OptionError, match="--scale: remapcom has no quarter, but small, medium, full"):
        cli_experiment.experiment("remapcom", Scale.quarter)
    cli_experiment.experiment("list", Scale.quarter)
    assert capsys.readouterr().out.startswith("cascaded: ")


def test_an_unknown_experiment_is_refused() -> None:
    with pytest.raises(OptionError, match="unknown experiment 'nothing'; the experiments are remapcom"):
        cli_experiment.experiment("nothing")
