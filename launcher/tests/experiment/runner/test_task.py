# SPDX-License-Identifier: Apache-2.0
"""Steps of a run: recordings and the replays of their traces, with stand-ins for the programs."""

import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from launcher.bench import bench, ioreplay
from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import BenchOptions, OptionError
from launcher.bench.ioreplay import Options, Target
from launcher.experiment.runner import provenance, running, store
from launcher.experiment.runner.description import Case, Variant
from launcher.experiment.runner.quantities import Results
from launcher.spread.cluster import Where

FOLDER = Path(__file__).parents[2] / "bench"
STAND_IN, REPLAYER = ([sys.executable, str(FOLDER / f"{name}_stand_in.py")] for name in ("db_bench", "ioreplay"))
CASE = Case("fill", "few", BenchOptions(num=100))
VARIANTS = (
    Variant("recorded", Mode.off),
    Variant("model", Mode.off, replay=lambda *_: Options()),
    Variant("hdd", Mode.off, replay=lambda *_: Options(device=Target.hdd)),
    Variant("two", Mode.off, replay=lambda *_: Options(), writers=2),
)


def run(folder: Path) -> tuple[Results, list[str], list[str]]:
    """Results, failures, and what was said."""
    said: list[str] = []
    found = running.run([CASE], VARIANTS, folder, Where(1), STAND_IN, said.append, replayer=REPLAYER)
    return *found, said


@pytest.fixture(scope="module")
def all_variants() -> Iterator[Path]:
    """A folder with all results, for tests that copy it."""
    with tempfile.TemporaryDirectory() as folder:
        run(Path(folder))
        yield Path(folder)


def test_recordings_are_replayed_and_both_are_the_result(tmp_path: Path) -> None:
    results, failures, said = run(tmp_path)
    assert not failures and said[0] == "4 runs, 0 of them finished before" and len(said) == 5
    runs = results["fill-few"]
    assert [runs["model"][name] for name in ("wa1", "wa2", "wa")] == [2, 1.5, 3]
    assert (runs["hdd"]["wa2"], runs["hdd"]["device_seconds"]) == (1, 1.5)
    assert (runs["two"]["user_bytes"], runs["two"]["replay"]["written_pages"]) == (2000, 200)
    assert [one["seed"] for one in runs["two"]["recordings"]] == [1, 2]
    assert runs["model"]["replayer"] and runs["model"]["program"] == runs["recorded"]["program"]
    assert "replayer" not in runs["recorded"] and str(tmp_path) not in json.dumps(runs), "no path of this machine"
    assert not [path for path in (tmp_path / "scratch" / "fill-few").iterdir() if path.is_dir()], "no trace is left"
    again = {"fill-few": {name: run | {"date": "another day"} for name, run in runs.items()}}
    again["fill-few"]["two"]["recordings"][0]["wall_seconds"] = 77
    assert provenance.counted(again) == provenance.counted(results)
    _, _, said = run(tmp_path)
    assert said == ["4 runs, 4 of them finished before"]


def test_no_space_is_a_result_where_a_variant_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAND_IN_off", "full")
    variants = (Variant("usual", Mode.off), Variant("full", Mode.off, changes={"seed": 2}, may_be_full=True))
    said: list[str] = []
    results, failures = running.run([CASE], variants, tmp_path, Where(1), STAND_IN, said.append)
    assert not results and len(failures) == 1 and "no space left on the device" in failures[0]
    kept = json.loads((tmp_path / "runs" / CASE.file("full")).read_text())
    assert kept["full"] is True and kept["operations"] == 50 and kept["machine"]
    assert not (tmp_path / "runs" / CASE.file("usual")).exists()
    assert said[-1].startswith("1/2 fill few full: WA 4.00, no space left, ")
    with pytest.raises(bench.BenchFailed, match="no space left"):
        bench.check(kept, Mode.off)


def test_replays_of_the_same_recordings_are_one_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded: list[int] = []
    real = bench.run_one

    def counted(options: BenchOptions, *others: Any) -> dict[str, Any]:
        recorded.append(options.seed)
        result: dict[str, Any] = real(options, *others)
        return result

    monkeypatch.setattr(bench, "run_one", counted)
    run(tmp_path)
    assert sorted(recorded) == [1, 1, 1, 2], "measured; recorded for two replays; and for the one of two databases"
    (tmp_path / "runs" / CASE.file("hdd")).unlink()
    recorded.clear()
    _, _, said = run(tmp_path)
    assert recorded == [1] and said[0].endswith(", 3 of them finished before") and len(said) == 2


def test_a_replay_that_fails_leaves_the_others_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAND_IN_model", "device error")
    _, failures, _ = run(tmp_path)
    assert len(failures) == 2 and failures[0].startswith("fill few model, replay onto model: exit code 1:")
    assert (tmp_path / "runs" / CASE.file("hdd")).is_file()
    monkeypatch.setenv("STAND_IN_model", "killed")
    _, failures, said = run(tmp_path)
    assert len([line for line in said if "it is tried again" in line]) == 4 and len(failures) == 2
    monkeypatch.setenv("STAND_IN_model", "bad option")
    with pytest.raises(OptionError, match="the device has 7 pages"):
        run(tmp_path)
    monkeypatch.delenv("STAND_IN_model")
    assert len(run(tmp_path)[0]) == 1


def test_a_recording_that_fails_fails_its_replays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAND_IN_off", "device error")
    _, failures, said = run(tmp_path)
    assert len(failures) == 4 and all("flash gone" in failure for failure in failures) and len(said) == 5


@pytest.mark.parametrize(
    "damage",
    [
        {"recordings": []},
        {"recordings": [{}]},
        {"recordings": None},
        {"replay": {}},
        {"wa": None},
        {"address": "0" * 64},
    ],
    ids=str,
)
def test_what_is_no_whole_result_is_run_again(tmp_path: Path, all_variants: Path, damage: dict[str, Any]) -> None:
    shutil.copytree(all_variants, tmp_path, dirs_exist_ok=True)
    path = tmp_path / "runs" / CASE.file("model")
    path.write_text(json.dumps(json.loads(path.read_text()) | damage))
    assert store.finished(path, CASE, VARIANTS[1]) is None
    _, _, said = run(tmp_path)
    assert said[0].endswith(", 3 of them finished before") and store.finished(path, CASE, VARIANTS[1])


def test_this_trees_programs_are_those_of_a_worker() -> None:
    assert bench.program().name == bench.PROGRAM and ioreplay.program().name == ioreplay.PROGRAM
