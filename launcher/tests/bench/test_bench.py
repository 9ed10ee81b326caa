# SPDX-License-Identifier: Apache-2.0
"""launcher.bench.bench: running the modes and merging their results, with a stand-in for db_bench."""

import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from launcher.bench import bench
from launcher.bench.bench import RUN_MEMBERS, BenchFailed, BenchKilled, jobs_that_fit, run_all, run_one
from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import BenchOptions, Device, OptionError

STAND_IN = [sys.executable, str(Path(__file__).with_name("db_bench_stand_in.py"))]


@pytest.fixture(autouse=True)
def _own_build_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(bench, "BUILD", tmp_path / "build")


def test_document_has_the_members_readers_rely_on() -> None:
    document = run_all(replace(BenchOptions(), num=100, seed=9), STAND_IN)
    assert list(document) == ["workload", "device", "geometry", "seed", "options", "runs"]
    assert document["seed"] == 9
    assert document["options"]["num"] == 100
    assert [run["mode"] for run in document["runs"]] == ["off", "base", "retain", "blend"]
    for run in document["runs"]:
        assert list(run)[: len(RUN_MEMBERS)] == RUN_MEMBERS
        assert run["gc_shared_pages"] == 3
        assert "seed" not in run


def test_runs_stand_in_the_order_asked_for_however_they_end() -> None:
    document = run_all(replace(BenchOptions(), modes=(Mode.retain, Mode.off), jobs=1), STAND_IN)
    assert [run["mode"] for run in document["runs"]] == ["retain", "off"]


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        ("device error", "flash gone"),
        ("crash", "killed by SIGABRT"),
        ("silent", "its result cannot be read"),
        ("unverified", "0 of 6000 keys verified"),
        ("incomplete", "lacks wa2"),
        ("other geometry", "geometry differs"),
    ],
)
def test_a_bad_run_fails_the_benchmark(monkeypatch: pytest.MonkeyPatch, behaviour: str, words: str) -> None:
    monkeypatch.setenv("STAND_IN_base", behaviour)
    with pytest.raises(BenchFailed, match=words) as error:
        run_all(BenchOptions(), STAND_IN)
    assert "base" in str(error.value)


@pytest.mark.parametrize(("behaviour", "by_others"), [("killed", True), ("crash", False), ("device error", False)])
def test_a_program_that_others_ended_is_told_apart(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, behaviour: str, by_others: bool
) -> None:
    monkeypatch.setenv("STAND_IN_off", behaviour)
    with pytest.raises(BenchFailed) as error:
        run_one(BenchOptions(), Mode.off, STAND_IN, tmp_path, lambda *_: None, threading.Event())
    assert isinstance(error.value, BenchKilled) == by_others


def test_all_bad_runs_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAND_IN_off", "crash")
    monkeypatch.setenv("STAND_IN_retain", "device error")
    with pytest.raises(BenchFailed) as error:
        run_all(BenchOptions(), STAND_IN)
    assert "mode off" in str(error.value)
    assert "mode retain" in str(error.value)


def test_an_option_that_the_device_refuses_is_told_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for mode in ("base", "retain"):
        monkeypatch.setenv(f"STAND_IN_{mode}", "bad option")
    images = tmp_path / "images"
    with pytest.raises(OptionError) as error:
        run_all(replace(BenchOptions(), num=9000, image_dir=images), STAND_IN)
    assert str(error.value) in {f"--num=9000: does not fit {mode}" for mode in ("base", "retain")}
    assert list(images.iterdir()) == [], "the next attempt may use the same folder"


def test_an_old_result_does_not_pass_for_a_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    run_all(BenchOptions(), STAND_IN)
    monkeypatch.setenv("STAND_IN_off", "silent")
    with pytest.raises(BenchFailed, match="its result cannot be read"):
        run_all(BenchOptions(), STAND_IN)


def test_modes_take_turns_where_memory_lacks(tmp_path: Path) -> None:
    large = replace(BenchOptions(), device=Device.model, geometry="8x8x4096x256", superblocks=0, jobs=3)
    assert jobs_that_fit(large) == 1, "256 GiB each"
    assert jobs_that_fit(replace(large, image_dir=tmp_path)) == 3, "flash lies in files"
    assert jobs_that_fit(replace(BenchOptions(), jobs=3)) == 3
