# SPDX-License-Identifier: Apache-2.0
"""Reruns of papers' experiments: the choice of runs, resuming an interrupted experiment, and the report."""

import datetime
import json
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from launcher.bench import bench, bench_options
from launcher.bench.bench import BenchFailed
from launcher.bench.bench_description import Mode, Workload
from launcher.bench.bench_options import BenchOptions, OptionError, check
from launcher.cli import cli_measure
from launcher.env import build, setup
from launcher.env.paths import ROOT
from launcher.env.steps import StepFailed
from launcher.experiment import experiment, experiment_reflink, experiment_tables
from launcher.experiment.experiment import Case, OtherExperiment, Scale, cases
from launcher.experiment.experiment_measures import Results
from launcher.experiment.experiment_reflink import Reflinks

STAND_IN = [sys.executable, str(Path(__file__).parents[1] / "bench" / "db_bench_stand_in.py")]
FEW = [case for case in cases(Scale.small) if case.name in ("1KB", "ycsba-1KB")]


def run(folder: Path, wanted: list[Case] = FEW, jobs: int = 2) -> tuple[Results, list[str]]:
    said: list[str] = []
    results, failures = experiment.run(wanted, folder, jobs, STAND_IN, said.append)
    assert not failures
    return results, said


@pytest.mark.parametrize("scale", Scale)
def test_every_case_can_be_run_and_has_files_of_its_own(scale: Scale) -> None:
    files = [case.file(mode) for case in cases(scale) for mode in Mode]
    assert len(set(files)) == len(files)
    assert all(name.replace("-", "").replace(".", "").isalnum() for name in files)
    for case in cases(scale):
        check(case.options)
        assert case.options.modes[0] == Mode.off
    assert {case.figure for case in cases(scale)} == set(experiment_tables.FIGURES)


def test_what_is_finished_is_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, said = run(tmp_path)
    assert said[0] == "18 runs, 0 of them finished before" and len(said) == 19
    lost = tmp_path / "runs" / FEW[0].file(Mode.skip)
    lost.write_text(lost.read_text()[:-10])  # as a power cut leaves it
    older = tmp_path / "runs" / FEW[1].file(Mode.off)
    text = older.read_text()
    older.write_text(text.replace('"background_cpu_seconds"', '"of_another_name"'))  # as an older db_bench wrote it
    again, said = run(tmp_path)
    assert said[0] == "18 runs, 16 of them finished before" and len(said) == 3
    assert older.read_text() == text
    assert again.keys() == first.keys()
    monkeypatch.setenv("STAND_IN_skip", "device error")
    run(tmp_path)  # nothing is left to fail


def test_flash_is_two_and_a_half_times_the_data_but_of_some_ycsb() -> None:
    for case in cases(Scale.full):
        if case.figure in ("ycsb", "mixgraph"):
            continue
        options = case.options
        mean = 16 + (options.value_size + (options.value_size_max or options.value_size)) // 2
        share = bench_options.flash_bytes(options) / (options.num * mean)
        assert 2.4 < share < 2.8, (case.figure, case.name, share)


def test_a_result_of_other_puts_or_another_flash_is_not_this_cases(tmp_path: Path) -> None:
    run(tmp_path, FEW[:1])
    path = tmp_path / "runs" / FEW[0].file(Mode.off)
    larger = replace(FEW[0].options, geometry="8x4x64x256")
    assert experiment.finished(path, FEW[0], Mode.off)
    assert experiment.finished(path, FEW[0], Mode.base) is None
    for other in (
        replace(FEW[0].options, workload=Workload.overwrite),
        replace(FEW[0].options, num=FEW[0].options.num + 1),
        replace(FEW[0].options, operations=7),
        replace(FEW[0].options, value_size=100),
        replace(FEW[0].options, seed=2),
        larger,
    ):
        assert experiment.finished(path, replace(FEW[0], options=other), Mode.off) is None
    run(tmp_path, [replace(FEW[0], options=larger)])
    assert experiment.finished(path, replace(FEW[0], options=larger), Mode.off)
    for geometry in ("8x4x65x256", "4x8x64x256", "8x4x64x128"):
        other = replace(larger, geometry=geometry)
        assert experiment.finished(path, replace(FEW[0], options=other), Mode.off) is None, geometry
    damages: tuple[dict[str, Any], ...] = ({"parameters": []}, {"geometry": None})
    for damage in damages:
        path.write_text(json.dumps(json.loads(path.read_text()) | damage))
        assert experiment.finished(path, replace(FEW[0], options=larger), Mode.off) is None, damage


@pytest.mark.parametrize(
    "damage",
    [
        {"keys_verified": "all"},
        {"wa": None},
        {"nand_bytes": True},
        {"host_cpu_seconds": float("nan")},
        {"gc_pages": -1},
        {"gc_pages": 10**400},
        {"nand_bytes": 1e308},
        {"device_seconds": 1e-308},
        {"levels": {"1": {}}},
        {"levels": [1]},
        {"levels": [{"level": 1, "input_blocks": 4}]},
        {"mode": ["off"]},
        {"seed": {}},
        {"workload": 7},
    ],
    ids=str,
)
def test_json_of_another_shape_is_no_result(tmp_path: Path, damage: dict[str, Any]) -> None:
    run(tmp_path, FEW[:1])
    path = tmp_path / "runs" / FEW[0].file(Mode.off)
    path.write_text(json.dumps(json.loads(path.read_text()) | damage))
    assert experiment.finished(path, FEW[0], Mode.off) is None
    _, said = run(tmp_path, FEW[:1])
    assert said[0] == "6 runs, 5 of them finished before"
    assert experiment.finished(path, FEW[0], Mode.off), "it was run again"


@pytest.mark.parametrize("text", ["[]", "7", "null", '"off"', "{}", "\xff", "", "[" * 100_000])
def test_what_is_no_object_is_no_result(tmp_path: Path, text: str) -> None:
    path = tmp_path / "off.json"
    path.write_bytes(text.encode("latin-1"))
    assert experiment.finished(path, FEW[0], Mode.off) is None
    path.unlink()
    path.mkdir()
    assert experiment.finished(path, FEW[0], Mode.off) is None


def test_a_mark_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "experiment.json").mkdir()
    with pytest.raises(experiment.OtherExperiment, match=r"experiment.json cannot be read: Is a directory"):
        experiment.check_mark(tmp_path, Scale.small)
    (tmp_path / "experiment.json").rmdir()
    (tmp_path / "experiment.json").write_text("[" * 200_000)
    with pytest.raises(experiment.OtherExperiment, match="holds another experiment"):
        experiment.check_mark(tmp_path, Scale.small)


def test_a_failure_leaves_the_others_alone_and_is_told_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAND_IN_base", "device error")
    said: list[str] = []
    results, failures = experiment.run(FEW, tmp_path, 2, STAND_IN, said.append)
    assert not results and len(said) == 1 + len(FEW) * len(Mode)
    assert len(failures) == len(FEW) and all("mode base" in failure and "flash gone" in failure for failure in failures)
    assert any(failure.startswith("ycsb ycsba-1KB, ") for failure in failures)
    assert sum(line.startswith("failed: ") for line in said) == len(FEW)
    monkeypatch.delenv("STAND_IN_base")
    results, said = run(tmp_path)
    assert said[0] == "18 runs, 15 of them finished before"
    assert set(results["ycsb-ycsba-1KB"]) == set(Mode)


def test_an_option_that_is_refused_ends_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAND_IN_base", "bad option")
    said: list[str] = []
    with pytest.raises(OptionError, match="does not fit base"):
        experiment.run(FEW, tmp_path, 1, STAND_IN, said.append)
    assert len(said) == 2, "the first of the first case"
    # The thread without the error must not start further runs, although the other thread is joined later.
    both = tmp_path / "both"
    with pytest.raises(OptionError, match="does not fit base"):
        experiment.run(FEW, both, 2, STAND_IN, said.append)
    assert not (both / "runs" / FEW[0].file(Mode.blend)).exists()


def test_what_failed_before_an_option_was_refused_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAND_IN_off", "device error")
    monkeypatch.setenv("STAND_IN_base", "bad option")
    with pytest.raises(OptionError, match=r"(?s)flash gone.*does not fit base"):
        experiment.run(FEW, tmp_path, 1, STAND_IN, lambda _: None)


def test_an_interrupt_ends_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Mode] = []

    def interrupted(_: BenchOptions, mode: Mode, *others: Any) -> dict[str, Any]:
        begun.append(mode)
        raise KeyboardInterrupt

    monkeypatch.setattr(bench, "run_one", interrupted)
    with pytest.raises(KeyboardInterrupt):
        experiment.run(FEW, tmp_path, 2, STAND_IN, lambda _: None)
    assert len(begun) <= 2


@pytest.mark.parametrize("failing", [None, BenchFailed, StepFailed])  # of a run, and of making its file system
def test_the_command_reports_what_is_finished_and_then_what_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: type[Exception] | None
) -> None:
    monkeypatch.setattr(setup, "ensure_tools", lambda: SimpleNamespace(activate=lambda: None))
    monkeypatch.setattr(build, "everything", lambda _: None)
    monkeypatch.setattr(experiment, "cases", lambda _: FEW)

    def reflinks(*_: object) -> Reflinks:
        if failing:
            raise failing("mode off: the loop device is gone")
        return Reflinks({}, "not asked for")

    monkeypatch.setattr(experiment_reflink, "run", reflinks)
    monkeypatch.setattr(bench, "program", lambda: Path(STAND_IN[1]))
    run_one = bench.run_one
    monkeypatch.setattr(bench, "run_one", lambda options, mode, _, *rest: run_one(options, mode, STAND_IN, *rest))
    if failing:
        run(tmp_path, FEW[1:])  # finished before
        monkeypatch.setenv("STAND_IN_skip", "device error")
        with pytest.raises(BenchFailed, match=r"(?s)mode skip.*over reflinks, mode off: the loop device is gone"):
            cli_measure.experiment(experiment.Paper.remapcom, Scale.small, tmp_path, 2)
    else:
        cli_measure.experiment(experiment.Paper.remapcom, Scale.small, tmp_path, 2)
    document = json.loads((tmp_path / "results.json").read_text())
    assert len(document["results"]) == len(FEW) - bool(failing)
    assert (tmp_path / "report.html").is_file()
    assert ("the loop device is gone" in (tmp_path / "summary.md").read_text()) == bool(failing)


def test_the_report_of_an_unfinished_experiment_has_the_cases_that_all_modes_ran(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def report() -> None:
        cli_measure.experiment(experiment.Paper.remapcom, Scale.small, tmp_path, 2, True)

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
    with pytest.raises(OtherExperiment):
        cli_measure.experiment(experiment.Paper.remapcom, Scale.full, tmp_path, 2, True)


def test_a_run_says_when_and_of_which_commit_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results, _ = run(tmp_path)
    stamp = results["ycsb-ycsba-1KB"][Mode.off]
    assert stamp["commit"] and datetime.date.fromisoformat(stamp["date"])
    monkeypatch.setenv("PATH", str(tmp_path))  # no git
    assert experiment.commit() == "unknown"


def test_what_is_kept_of_the_papers_amounts_is_of_these_cases() -> None:
    kept = ROOT / "experiments" / "remapcom" / "full"
    assert json.loads((kept / "experiment.json").read_text())["scale"] == Scale.full  # mark() would make one
    wanted = cases(Scale.full) + experiment_reflink.cases(Scale.full)
    known = {case.file(mode): (case, mode) for case in wanted for mode in Mode}
    files = sorted((kept / "runs").iterdir())
    assert files
    for path in files:
        case, mode = known[path.name]
        found = experiment.finished(path, case, mode)
        assert found is not None, path.name
        assert found["commit"] and found["mode"] == mode and found["seed"] == experiment.SEED
        for name in ("blend_runs", "blend_space"):
            assert found["parameters"][name] == getattr(case.options, name), (path.name, name)


def test_a_folder_is_one_experiments(tmp_path: Path) -> None:
    experiment.mark(tmp_path, Scale.small)
    experiment.mark(tmp_path, Scale.small)
    with pytest.raises(OtherExperiment, match="--out"):
        experiment.mark(tmp_path, Scale.full)
    (tmp_path / "experiment.json").write_text("{")
    with pytest.raises(OtherExperiment):
        experiment.mark(tmp_path, Scale.small)


def test_flash_beyond_memory_is_kept_in_a_file_while_it_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = [case for case in cases(Scale.full) if case.name == "12GiB"]
    assert len(large) == 1
    monkeypatch.setattr(bench, "memory", lambda _: 24 << 30)
    assert experiment.is_too_large_for_memory(large[0])
    seen: list[Path] = []
    real = bench.run_one

    def watched(options: BenchOptions, mode: Mode, *others: Any) -> dict[str, Any]:
        assert options.image_dir
        seen.append(options.image_dir / mode)
        result: dict[str, Any] = real(options, mode, *others)
        assert (options.image_dir / mode).is_dir()
        return result

    monkeypatch.setattr(bench, "run_one", watched)
    run(tmp_path, large, jobs=1)
    assert len(seen) == len(Mode) and not any(path.exists() for path in seen)
    monkeypatch.setattr(bench, "memory", lambda _: 0)
    assert not experiment.is_too_large_for_memory(large[0]), "not known"


def test_runs_side_by_side_fit_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = [case for case in cases(Scale.full) if case.name in ("2GiB", "6GiB", "ycsbc-4KB")]
    available = 20 << 30
    monkeypatch.setattr(bench, "memory", lambda name: 24 << 30 if name == "MemTotal" else available)
    assert not any(experiment.is_too_large_for_memory(case) for case in wanted)
    lock = threading.Lock()
    going: list[int] = []  # the flash of the runs under way, in bytes
    most: list[int] = []
    beside: list[int] = []
    real = bench.run_one

    def watched(options: BenchOptions, *others: Any) -> dict[str, Any]:
        with lock:
            going.append(bench_options.flash_bytes(options))
            most.append(sum(going))
            beside.append(len(going))
        result: dict[str, Any] = real(options, *others)
        # The first run ends when another one goes beside it, so that the machine's load does not matter.
        while len(most) < 2:
            time.sleep(0.01)
        with lock:
            going.remove(bench_options.flash_bytes(options))
        return result

    monkeypatch.setattr(bench, "run_one", watched)
    run(tmp_path, wanted, jobs=2)
    assert len(most) == 18 and max(beside) == 2 and max(most) <= available * 9 // 10


def test_ycsb_of_one_kilobyte_has_a_larger_flash() -> None:
    flash = {
        case.name: bench_options.flash_bytes(case.options) / (case.options.num * (16 + case.options.value_size))
        for case in cases(Scale.full)
        if case.figure == "ycsb"
    }
    assert 3.9 < flash["ycsba-1KB"] < 4.5 and 2.4 < flash["ycsba-256B"] < 2.8
