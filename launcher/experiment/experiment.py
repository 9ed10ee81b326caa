# SPDX-License-Identifier: Apache-2.0
"""Reproduces a paper's evaluation: lists its runs of db_bench, and runs those that have no result yet."""

from __future__ import annotations

import datetime
import json
import shutil
import subprocess
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from launcher.bench import bench, bench_options
from launcher.bench.bench_description import Mode, Workload
from launcher.bench.bench_options import MIB, BenchOptions, Device
from launcher.cli import documents
from launcher.env.paths import ROOT
from launcher.experiment.experiment_schedule import Need, Schedule


class Paper(StrEnum):
    """The papers that can be reproduced."""

    remapcom = "remapcom"


class Scale(StrEnum):
    """The amount of data, relative to the paper's."""

    small = "small"
    medium = "medium"
    full = "full"


MODES = tuple(Mode)  # `off`, stock LevelDB, comes first: it is the reference
SEED = 1


@dataclass(frozen=True)
class Case:
    """One workload with one amount of data. Every mode runs it."""

    figure: str  # part of the evaluation
    name: str  # within the figure
    options: BenchOptions

    def file(self, mode: Mode) -> str:
        return f"{self.figure}-{self.name}-{mode}.json"


# Value sizes that, with keys of 16 bytes, make items of about these sizes fit pages.
KV_SIZES = {"100 B": 84, "256 B": 240, "512 B": 488, "1 KB": 984, "2 KB": 1984, "4 KB": 3984}
PAPER_SIZES = ("256 B", "512 B", "1 KB", "2 KB", "4 KB")
AWKWARD_VALUES = (1000, 4096)  # with these, items slightly exceed a fraction or multiple of a page
KV_RANGES = {"100 B - 1 KB": (84, 1008), "1 - 4 KB": (1008, 4080), "4 - 16 KB": (4080, 16368)}
YCSB = (
    Workload.ycsbload,
    Workload.ycsba,
    Workload.ycsbb,
    Workload.ycsbc,
    Workload.ycsbd,
    Workload.ycsbe,
    Workload.ycsbf,
)
MIXGRAPH = (
    Workload.mixallrandom,
    Workload.mixalldist,
    Workload.mixprefixrandom,
    Workload.mixprefixdist,
)


@dataclass(frozen=True)
class Amounts:
    """Amount of data in bytes of keys and values, by figure."""

    fill: int
    others: int  # runs with sizes that do not fit pages, and with ranges of sizes
    data: tuple[int, ...]  # databases of the runs over the amount of data
    ycsb: int
    mixgraph_records: int
    mixgraph_operations: int
    kv_sizes: tuple[str, ...]
    zipfian_sizes: tuple[str, ...]
    ycsb_sizes: tuple[str, ...]
    # Sizes at which YCSB gets a larger flash. When several entries share a page, updates of hot keys leave `retain`
    # with sparsely filled blocks: with 1 KB it takes more than twice the data.
    ycsb_flash: dict[str, float] = field(default_factory=dict)


GIB = 1024 * MIB
AMOUNTS = {
    Scale.small: Amounts(
        4 * MIB, 4 * MIB, (2 * MIB, 6 * MIB), 3 * MIB, 30_000, 40_000, ("100 B", "1 KB"), ("100 B", "1 KB"), ("1 KB",)
    ),
    # Fills four levels, as the paper's amounts do; a run takes minutes.
    Scale.medium: Amounts(
        2 * GIB,
        512 * MIB,
        (512 * MIB, 3 * GIB),
        160 * MIB,
        1_000_000,
        1_000_000,
        tuple(KV_SIZES),
        PAPER_SIZES,
        ("256 B", "1 KB", "4 KB"),
    ),
    Scale.full: Amounts(
        4 * GIB,
        4 * GIB,
        tuple(size * GIB for size in (2, 6, 8, 10, 12)),
        800 * MIB,
        50_000_000,
        # "A total of 50 million mixed read-write requests are issued in the four workloads"
        # (RemapCom, on its figure 4).
        12_500_000,
        tuple(KV_SIZES),
        PAPER_SIZES,
        ("256 B", "1 KB", "4 KB"),
        {"1 KB": 4.0},
    ),
}


def _amount(size: int) -> str:
    return f"{size // GIB} GiB" if size >= GIB else f"{size // MIB} MiB"


def cases(scale: Scale) -> list[Case]:
    """All cases of the evaluation at this scale."""
    amounts = AMOUNTS[scale]
    found: list[Case] = []

    def add(figure: str, name: str, flash_over_data: float = bench_options.FLASH_OVER_DATA, **changes: Any) -> None:
        options: BenchOptions = replace(BenchOptions(), device=Device.model, modes=MODES, seed=SEED, **changes)
        value = bench_options.usual_value(options.workload, options.value_size, options.value_size_max)
        # The sum of both, because a workload that inserts adds to the loaded records.
        items = options.num + (options.operations if figure == "ycsb" else 0)
        usual = bench_options.sizes(options.device, items, options.key_size, value, flash_over_data)
        sized = replace(
            options,
            write_buffer=usual.write_buffer,
            max_file_size=usual.max_file_size,
            level1_bytes=usual.level1_bytes,
            level_ratio=usual.level_ratio,
            superblocks=usual.superblocks,
            geometry=usual.geometry,
        )
        found.append(Case(figure, name.replace(" ", ""), sized))

    for workload in (Workload.fillrandom, Workload.fillzipfian):
        for name in amounts.kv_sizes if workload is Workload.fillrandom else amounts.zipfian_sizes:
            size = KV_SIZES[name]
            add(workload.value, name, workload=workload, value_size=size, num=amounts.fill // (16 + size))
    for size in AWKWARD_VALUES:
        add("awkward", f"{size} B", workload=Workload.fillrandom, value_size=size, num=amounts.others // (16 + size))
    for name, (low, high) in KV_RANGES.items():
        mean = 16 + (low + high) // 2
        flash = (
            bench_options.FLASH_OVER_DATA * mean / (16 + high)
        )  # sizes() assumes that all items have the maximum size
        num = amounts.others // mean
        add("ranges", name, flash, workload=Workload.fillrandom, value_size=low, value_size_max=high, num=num)
    for data in amounts.data:
        size = KV_SIZES["4 KB"]
        add("data", _amount(data), workload=Workload.fillrandom, value_size=size, num=data // (16 + size))
    for name in amounts.ycsb_sizes:
        size = KV_SIZES[name]
        for workload in YCSB:
            num = amounts.ycsb // (16 + size)
            flash = amounts.ycsb_flash.get(name, bench_options.FLASH_OVER_DATA)
            add("ycsb", f"{workload.value}-{name}", flash, workload=workload, value_size=size, num=num)
    for workload in MIXGRAPH:
        add(
            "mixgraph",
            workload.value,
            workload=workload,
            key_size=48,
            num=amounts.mixgraph_records,
            operations=amounts.mixgraph_operations,
        )
    return found


class OtherExperiment(bench_options.OptionError):
    """The folder has the results of another experiment."""


def check_mark(folder: Path, scale: Scale) -> dict[str, Any]:
    """Returns the mark of this scale. Raises OtherExperiment if the folder has another mark; no mark is fine."""
    wanted = {"paper": Paper.remapcom.value, "scale": scale.value, "seed": SEED}
    try:
        there = json.loads((folder / "experiment.json").read_text())
    except FileNotFoundError:
        there = wanted
    except OSError as error:
        raise OtherExperiment(f"--out: {folder / 'experiment.json'} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError):
        there = None
    if there != wanted:
        raise OtherExperiment(f"--out: {folder} holds another experiment's results; name a new folder")
    return wanted


def mark(folder: Path, scale: Scale) -> None:
    """Creates the folder if needed and marks it with this scale. Raises OtherExperiment if it has another mark."""
    documents.write(check_mark(folder, scale), folder / "experiment.json")


def finished(path: Path, case: Case, mode: Mode) -> dict[str, Any] | None:
    """The result of a run, or None if there is no complete one of the current case."""
    try:
        run = bench.check(json.loads(path.read_text()), mode)
    except (OSError, ValueError, RecursionError, bench.BenchFailed):
        return None
    return run if _is_of(run, case.options, mode) else None


# The parameters that make results comparable. Tuning parameters of the modes are not among them: a result names its
# commit, which tells its defaults.
_DECIDING = (
    "num",
    "key_size",
    "value_size",
    "value_size_max",
    "write_buffer",
    "max_file_size",
    "level1_bytes",
    "level_ratio",
)


def _is_of(run: dict[str, Any], options: BenchOptions, mode: Mode) -> bool:
    """Whether a result has the puts and the flash of these options."""
    parameters, geometry = run.get("parameters"), run["geometry"]
    if not isinstance(parameters, dict) or not isinstance(geometry, dict):
        return False
    wanted = {name: getattr(options, name) for name in _DECIDING} | {"operations": options.operations or options.num}
    if {name: parameters.get(name) for name in wanted} != wanted:
        return False
    if (run["workload"], run["mode"], run["seed"]) != (options.workload, mode, options.seed):
        return False
    if not options.geometry:
        return True
    channels, dies, blocks, pages, *_ = map(int, options.geometry.split("x"))
    flash = {"channels": channels, "dies": channels * dies, "superblocks": blocks, "pages_per_block": pages}
    return {name: geometry.get(name) for name in flash} == flash


def commit() -> str:
    """The commit of this tree. `-dirty`: with changes; `unknown`: not a clone, or git is missing."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--exclude=*"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        said = ""
    return said or "unknown"


def stamped(run: dict[str, Any], built_from: str) -> dict[str, Any]:
    """Adds date and commit to a result, because an experiment may take days."""
    return run | {"commit": built_from, "date": datetime.date.today().isoformat()}


def gather(wanted: list[Case], folder: Path) -> dict[str, dict[Mode, dict[str, Any]]]:
    """Results of the cases that are finished in all modes, by case and mode."""
    results: dict[str, dict[Mode, dict[str, Any]]] = {}
    for case in wanted:
        runs = {mode: finished(folder / "runs" / case.file(mode), case, mode) for mode in MODES}
        whole = {mode: run for mode, run in runs.items() if run is not None}
        if len(whole) == len(MODES):
            results[f"{case.figure}-{case.name}"] = whole
    return results


def is_too_large_for_memory(case: Case) -> bool:
    """Whether a run keeps its flash in a file instead of in memory."""
    return bench_options.flash_bytes(case.options) > bench.memory("MemTotal") * 3 // 4 > 0


def run(
    wanted: list[Case], folder: Path, jobs: int, command: list[str], say: Callable[[str], None]
) -> tuple[dict[str, dict[Mode, dict[str, Any]]], list[str]]:
    """Results by case and mode, and what failed. A run that is finished already is not repeated.

    A run that fails leaves the others alone, which may take hours yet; an option that db_bench refuses ends them all:
    OptionError, which tells what failed before, too.
    """
    runs = folder / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    todo = {
        case.file(mode): (case, mode)
        for case in wanted
        for mode in MODES
        if finished(runs / case.file(mode), case, mode) is None
    }
    total = len(wanted) * len(MODES)
    done = total - len(todo)
    say(f"{total} runs, {done} of them finished before")
    built_from = commit()  # read now: the tree may change while db_bench runs
    stop = threading.Event()
    lock = threading.Lock()
    failures: list[str] = []
    # Flash in a file is fast, too, as long as it fits the page cache.
    needs = [Need(name, bench_options.flash_bytes(case.options)) for name, (case, _) in todo.items()]
    schedule = Schedule(needs, bench.memory("MemAvailable") * 9 // 10)

    def one(case: Case, mode: Mode) -> None:
        nonlocal done
        scratch = folder / "scratch" / f"{case.figure}-{case.name}"
        scratch.mkdir(parents=True, exist_ok=True)
        images = scratch / "images"
        options = replace(case.options, image_dir=images) if is_too_large_for_memory(case) else case.options
        try:
            shutil.rmtree(images / mode, ignore_errors=True)  # left by an interrupted run
            result = bench.run_one(options, mode, command, scratch, lambda *_: None, stop)
        except bench.BenchFailed as error:
            if not stop.is_set():
                with lock:
                    failures.append(f"{case.figure} {case.name}, {error}")
                    say(f"failed: {failures[-1]}")
            return
        finally:
            shutil.rmtree(images / mode, ignore_errors=True)
        documents.write(stamped(result, built_from), runs / case.file(mode))
        with lock:
            done += 1
            say(
                f"{done}/{total} {case.figure} {case.name} {mode}: "
                f"WA {result['wa']:.2f}, {result['wall_seconds']:.0f} s"
            )

    def work() -> None:
        while (need := schedule.take()) is not None:
            try:
                one(*todo[need.name])
            except BaseException:
                stop.set()
                schedule.end()
                raise
            finally:
                schedule.give_back(need)

    with ThreadPoolExecutor(max_workers=jobs) as pool:
        try:
            for future in [pool.submit(work) for _ in range(jobs)]:
                future.result()
        except BaseException as error:  # Ctrl-C is raised here, not in the threads
            stop.set()
            schedule.end()
            if isinstance(error, bench_options.OptionError):
                raise bench_options.OptionError("\n".join([*failures, str(error)])) from error
            raise
    return gather(wanted, folder), failures
