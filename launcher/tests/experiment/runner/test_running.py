# SPDX-License-Identifier: Apache-2.0
"""Runs of an experiment: those that are left, side by side, and what fails among them."""

import datetime
import errno
import re
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from launcher.bench import bench, bench_options
from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import BenchOptions, OptionError
from launcher.experiment.remapcom.cases import VARIANTS, cases
from launcher.experiment.runner import provenance, running, store, task
from launcher.experiment.runner.description import Case, Scale, Variant, is_too_large_for_memory
from launcher.experiment.runner.quantities import Results
from launcher.spread.cluster import Where
from launcher.tests.spread import calls

STAND_IN = [sys.executable, str(Path(__file__).parents[2] / "bench" / "db_bench_stand_in.py")]
FEW = [case for case in cases(Scale.small) if case.name in ("1KB", "ycsba-1KB")]


def run(folder: Path, wanted: list[Case] = FEW, jobs: int = 2) -> tuple[Results, list[str]]:
    said: list[str] = []
    results, failures = running.run(wanted, VARIANTS, folder, Where(jobs), STAND_IN, said.append)
    assert not failures
    return results, said


def test_what_is_finished_is_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, said = run(tmp_path)
    assert said[0] == "18 runs, 0 of them finished before" and len(said) == 19
    assert re.search(r"; about \d+ s left$", said[-2]) and not said[-1].endswith("left")
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


def test_a_failure_leaves_the_others_alone_and_is_told_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAND_IN_base", "device error")
    said: list[str] = []
    results, failures = running.run(FEW, VARIANTS, tmp_path, Where(2), STAND_IN, said.append)
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
        running.run(FEW, VARIANTS, tmp_path, Where(1), STAND_IN, said.append)
    assert len(said) == 2, "the first of the first case"
    # The thread without the error must not start further runs, although the other thread is joined later.
    both = tmp_path / "both"
    with pytest.raises(OptionError, match="does not fit base"):
        running.run(FEW, VARIANTS, both, Where(2), STAND_IN, said.append)
    assert not (both / "runs" / FEW[0].file(Mode.blend)).exists()


def test_what_failed_before_an_option_was_refused_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAND_IN_off", "device error")
    monkeypatch.setenv("STAND_IN_base", "bad option")
    with pytest.raises(OptionError, match=r"(?s)flash gone.*does not fit base"):
        running.run(FEW, VARIANTS, tmp_path, Where(1), STAND_IN, lambda _: None)


def test_an_interrupt_ends_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Mode] = []

    def interrupted(_: BenchOptions, mode: Mode, *others: Any) -> dict[str, Any]:
        begun.append(mode)
        raise KeyboardInterrupt

    monkeypatch.setattr(bench, "run_one", interrupted)
    with pytest.raises(KeyboardInterrupt):
        running.run(FEW, VARIANTS, tmp_path, Where(2), STAND_IN, lambda _: None)
    assert len(begun) <= 2


def test_a_run_says_when_and_of_which_commit_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results, _ = run(tmp_path)
    stamp = results["ycsb-ycsba-1KB"][Mode.off]
    assert stamp["commit"] and datetime.date.fromisoformat(stamp["date"])
    monkeypatch.setenv("PATH", str(tmp_path))  # no git
    assert provenance.commit() == "unknown"


def test_flash_beyond_memory_is_kept_in_a_file_while_it_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = [case for case in cases(Scale.full) if case.name == "12GiB"]
    assert len(large) == 1
    monkeypatch.setattr(bench, "memory", lambda _: 24 << 30)
    assert is_too_large_for_memory(large[0].options)
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
    assert not is_too_large_for_memory(large[0].options), "not known"


def test_runs_side_by_side_fit_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = [case for case in cases(Scale.full) if case.name in ("2GiB", "6GiB", "ycsbc-4KB")]
    available = 20 << 30
    monkeypatch.setattr(bench, "memory", lambda name: 24 << 30 if name == "MemTotal" else available)
    assert not any(is_too_large_for_memory(case.options) for case in wanted)
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


def test_what_two_cases_ask_for_is_run_once(tmp_path: Path) -> None:
    twice = [FEW[0], replace(FEW[0], figure="again")]
    plans = running.planned(twice, VARIANTS)
    assert plans[0].files == ("fillrandom-1KB-off.json", "again-1KB-off.json")
    assert len(plans) == len(Mode)
    results, said = run(tmp_path, twice)
    assert said[0] == "12 runs, 0 of them finished before" and len(said) == 1 + len(Mode)
    assert said[-1].startswith("12/12 ") and results["again-1KB"] == results["fillrandom-1KB"]
    (tmp_path / "runs" / plans[0].files[1]).unlink()
    again, said = run(tmp_path, twice)
    assert said == ["12 runs, 12 of them finished before"], "the other file has it"
    assert again == results


def test_variants_are_modes_with_options(tmp_path: Path) -> None:
    variants = (
        Variant("off", Mode.off),
        Variant("blend-2", Mode.blend, changes={"blend_runs": 2}),
        Variant("blend-3", Mode.blend, changes={"blend_runs": 3}),
        Variant("usual", Mode.blend, changes={"blend_runs": BenchOptions().blend_runs}),
    )
    assert [variant.options(FEW[0]).blend_runs for variant in variants[1:3]] == [2, 3]
    said: list[str] = []
    results, _ = running.run(FEW[:1], variants, tmp_path, Where(2), STAND_IN, said.append)
    logs = {path.name for path in (tmp_path / "scratch" / FEW[0].key).iterdir()}
    assert logs == {"off.log", "blend-2.log", "blend-3.log", "usual.log"} - {
        "usual.log" if BenchOptions().blend_runs == 3 else ""
    }, "each its own"
    assert list(results["fillrandom-1KB"]) == ["off", "blend-2", "blend-3", "usual"]
    assert len({run["address"] for run in results["fillrandom-1KB"].values()}) == 3 + (BenchOptions().blend_runs != 3)
    other = Variant("blend-2", Mode.blend, changes={"blend_runs": 4})
    path = tmp_path / "runs" / FEW[0].file("blend-2")
    assert store.finished(path, FEW[0], variants[1]) and store.finished(path, FEW[0], other) is None


def test_a_variant_that_fails_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAND_IN_blend", "device error")
    variants = (Variant("off", Mode.off), Variant("two runs", Mode.blend, changes={"blend_runs": 2}))
    _, failures = running.run(FEW[:1], variants, tmp_path, Where(1), STAND_IN, lambda _: None)
    assert len(failures) == 1 and failures[0].startswith("fillrandom 1KB two runs, mode blend: ")


def test_workers_of_a_scheduler_give_the_same(tmp_path: Path, two_workers: calls.Cluster) -> None:
    here, _ = run(tmp_path / "here", FEW[:1])
    said: list[str] = []
    there, failures = running.run(FEW[:1], VARIANTS, tmp_path / "there", two_workers.where, STAND_IN, said.append, ())
    assert not failures and provenance.counted(there) == provenance.counted(here)
    assert said[0] == "6 runs, 0 of them finished before" and said[-1].startswith("6/6 ")
    assert not (tmp_path / "there" / "scratch").exists(), "a worker has its own"


def test_a_program_that_is_killed_is_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[Mode] = []
    real = bench.run_one

    def killed(options: BenchOptions, mode: Mode, *others: Any) -> dict[str, Any]:
        tries.append(mode)
        if tries.count(mode) == 1 and mode is Mode.off:
            raise bench.BenchKilled("mode off: db_bench: killed by SIGKILL")
        result: dict[str, Any] = real(options, mode, *others)
        return result

    monkeypatch.setattr(bench, "run_one", killed)
    _, said = run(tmp_path, FEW[:1])
    assert tries.count(Mode.off) == 2 and len(tries) == 7
    assert "fillrandom 1KB off: mode off: db_bench: killed by SIGKILL; it is tried again" in said
    kept = {path.name for path in (tmp_path / "scratch" / "fillrandom-1KB").iterdir()}
    assert kept == {f"{mode}.log" for mode in Mode}, "only the logs stay"


@pytest.mark.parametrize("gone", [False, True])
def test_a_program_that_is_built_anew_ends_all(tmp_path: Path, gone: bool) -> None:
    """Also one that is just being linked."""
    program = tmp_path / "db_bench.py"
    program.write_text(Path(STAND_IN[-1]).read_text())
    said: list[str] = []

    def build_after_the_first(line: str) -> None:
        said.append(line)
        if line.startswith("1/6 "):
            program.unlink() if gone else program.write_text(program.read_text() + "\n")

    with pytest.raises(bench.BenchFailed, match=r"db_bench\.py on \S+ was built anew since the command began"):
        running.run(FEW[:1], VARIANTS, tmp_path, Where(1), [sys.executable, str(program)], build_after_the_first)
    assert len(said) == 2 and len(list((tmp_path / "runs").iterdir())) == 1, "what was measured before is kept"


def test_a_full_disk_for_a_log_does_not_take_a_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = Path.write_text

    def full(path: Path, *given: Any, **others: Any) -> int:
        if path.suffix == ".log":
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, *given, **others)

    monkeypatch.setattr(Path, "write_text", full)
    results, _ = run(tmp_path, FEW[:1])
    assert set(results[FEW[0].key]) == set(Mode)


def test_what_a_killed_attempt_left_is_removed_and_one_that_goes_on_is_not(tmp_path: Path) -> None:
    scratch = tmp_path / "scratch" / FEW[0].key
    left = scratch / f"{Mode.skip}-of-a-killed-one"
    left.mkdir(parents=True)
    (left / "images").write_bytes(bytes(1 << 16))
    with task._attempt(scratch, Mode.skip) as own:
        run(tmp_path, FEW[:1])
        assert own.is_dir(), "of another command on the same folder"
        assert not left.exists()
    assert not [path for path in scratch.iterdir() if path.is_dir()]
    assert (scratch / f"{Mode.skip}.log").is_file()
