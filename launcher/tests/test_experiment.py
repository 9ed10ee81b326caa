# SPDX-License-Identifier: Apache-2.0
"""The reruns of papers: which runs, going on after an end, and the report."""

import json
import sys
from pathlib import Path

import pytest

from launcher import experiment, experiment_report
from launcher.bench import BenchFailed
from launcher.bench_options import Mode, check
from launcher.experiment import Case, OtherExperiment, Scale, cases

STAND_IN = [sys.executable, str(Path(__file__).parent / "db_bench_stand_in.py")]
FEW = [case for case in cases(Scale.small) if case.name in ("1KB", "ycsba")]


def run(folder: Path, wanted: list[Case] = FEW, jobs: int = 2) -> tuple[experiment_report.Results, list[str]]:
    said: list[str] = []
    return experiment.run(wanted, folder, jobs, STAND_IN, said.append), said


@pytest.mark.parametrize("scale", Scale)
def test_every_case_can_be_run_and_has_files_of_its_own(scale: Scale) -> None:
    files = [case.file(mode) for case in cases(scale) for mode in Mode]
    assert len(set(files)) == len(files)
    assert all(name.replace("-", "").replace(".", "").isalnum() for name in files)
    for case in cases(scale):
        check(case.options)
        assert case.options.modes[0] == Mode.off
    assert {case.figure for case in cases(scale)} == set(experiment_report.FIGURES)


def test_what_is_finished_is_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, said = run(tmp_path)
    assert said[0] == "18 runs, 0 of them finished before" and len(said) == 19
    lost = tmp_path / "runs" / FEW[0].file(Mode.skip)
    lost.write_text(lost.read_text()[:-10])  # as a power cut leaves it
    again, said = run(tmp_path)
    assert said[0] == "18 runs, 17 of them finished before" and len(said) == 2
    assert again.keys() == first.keys()
    monkeypatch.setenv("STAND_IN_skip", "device error")
    run(tmp_path)  # nothing is left to fail


def test_a_failure_ends_the_others_and_keeps_what_is_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAND_IN_base", "device error")
    with pytest.raises(BenchFailed, match="mode base"):
        run(tmp_path, jobs=1)
    monkeypatch.delenv("STAND_IN_base")
    results, said = run(tmp_path)
    assert said[0] == "18 runs, 1 of them finished before"
    assert set(results["ycsb-ycsba"]) == set(Mode)


def test_a_folder_is_one_experiments(tmp_path: Path) -> None:
    experiment.mark(tmp_path, Scale.small)
    experiment.mark(tmp_path, Scale.small)
    with pytest.raises(OtherExperiment, match="--out"):
        experiment.mark(tmp_path, Scale.full)
    (tmp_path / "experiment.json").write_text("{")
    with pytest.raises(OtherExperiment):
        experiment.mark(tmp_path, Scale.small)


def test_the_report_has_our_figures_and_the_papers(tmp_path: Path) -> None:
    results, _ = run(tmp_path)
    rows = {(row["figure"], row["mode"]): row for row in experiment_report.summary(results)}
    retain = rows["fillrandom", "retain"]
    assert retain["nand_saved_percent"] == pytest.approx(25)  # 3000 of 4000
    assert retain["paper_nand_saved_percent"] == 35.7
    assert retain["space_percent"] == 0
    assert retain["throughput"] == 1
    assert rows["ycsb", "skip"]["paper_nand_saved_percent"] is None
    assert ("mixgraph", "skip") not in rows, "nothing ran"
    json.dumps(list(rows.values()), allow_nan=False)
    page = experiment_report.page(results, "small")
    for text in ("25.0 %", "35.7 %", "Uniform random puts", "YCSB", "data:image/png;base64,", "L1"):
        assert text in page
    assert "Mixgraph</h2>" not in page
