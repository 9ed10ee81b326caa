# SPDX-License-Identifier: Apache-2.0
"""Runs db_bench once in each mode, several in parallel, and combines the results."""

from __future__ import annotations

import json
import re
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import PAGE_FS, BenchOptions, OptionError, flash_bytes
from launcher.bench.followed import OnProgress, follow
from launcher.env import steps
from launcher.env.paths import BUILD, RELEASE
from launcher.env.progress import PLAIN_SECONDS

# Members of a run in the result document, in this order. Further members that db_bench reports follow them.
RUN_MEMBERS = [
    "mode",
    "user_bytes",
    "host_bytes",
    "nand_bytes",
    "gc_pages",
    "wa1",
    "wa2",
    "wa",
    "remapped_pages",
    "remap_fallbacks",
    "unchanged_ratio",
    "levels",
    "space_amplification",
    "used_bytes",
    "operations",
    "device_seconds",
    "host_cpu_seconds",
    "background_cpu_seconds",
    "sim_cycles",
    "wall_seconds",
    "keys_verified",
]
_NO_NUMBERS = ("mode", "levels")
_LEVEL_MEMBERS = ("level", "input_blocks", "unchanged_blocks", "unchanged_ratio")  # of each entry of `levels`: numbers
_LEAST, _MOST = 1e-12, 2**64  # plausible range of a number that is not 0, whatever its unit
_SHARED_MEMBERS = ["workload", "device", "geometry", "seed"]  # equal in all runs, so the document has them once
BAD_OPTION = 2  # db_bench's exit code for options that only the device can check: its size, the contents of an image

FULL = 3  # db_bench's exit code for a workload that the device has no space for; there is a result all the same

PROGRAM = BenchOptions.program


class BenchFailed(Exception):  # noqa: N818 - reads as what happened
    """A run failed. The message names the mode and the reason."""


class BenchFull(BenchFailed):
    """The device had no space left. `result` has what was measured until then."""

    def __init__(self, message: str, result: dict[str, Any]) -> None:
        super().__init__(message)
        self.result = result


class BenchKilled(BenchFailed):
    """Somebody ended db_bench: the kernel for memory, or a user. It may succeed another time."""


def program(name: str = PROGRAM) -> Path:
    """The path of a built program that runs a database."""
    return RELEASE / "bin" / name


def memory(name: str) -> int:
    """An entry of /proc/meminfo in bytes; 0 if it is not known."""
    found = re.search(rf"^{name}: *(\d+) kB", Path("/proc/meminfo").read_text(), re.MULTILINE)
    return int(found[1]) * 1024 if found else 0


def jobs_that_fit(options: BenchOptions) -> int:
    """Number of modes that fit memory in parallel, at least 1. Flash takes memory unless it is kept in files."""
    flash = flash_bytes(options)
    if options.image_dir or flash == 0:
        return options.jobs
    return max(1, min(options.jobs, memory("MemAvailable") * 9 // 10 // flash))


def run_all(options: BenchOptions, command: list[str]) -> dict[str, Any]:
    """Runs every mode with `command` (db_bench, or what stands in for it) and returns the result document.

    A failing mode does not stop the others, so that one look shows all that is wrong; then BenchFailed is raised. An
    option that db_bench refuses stops them all: OptionError.
    """
    folder = BUILD / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    runs: dict[Mode, dict[str, Any]] = {}
    failures: list[str] = []
    refused: dict[Mode, str] = {}
    stop = threading.Event()
    with Board(options.modes) as board, ThreadPoolExecutor(max_workers=options.jobs) as pool:
        futures = {
            pool.submit(run_one, options, mode, command, folder, board.reporter(mode), stop): mode
            for mode in options.modes
        }
        try:
            for future in as_completed(futures):
                mode = futures[future]
                try:
                    runs[mode] = future.result()
                    board.finish(mode)
                except OptionError as error:
                    refused[mode] = str(error)
                    stop.set()  # a bad option of one mode is bad for all modes
                except BenchFailed as error:
                    failures.append(str(error))
        except BaseException:
            stop.set()
            raise
    if refused:
        if options.image_dir:  # remove the incomplete images; the folders were empty before
            for mode in options.modes:
                shutil.rmtree(options.image_dir / mode, ignore_errors=True)
        raise OptionError(next(refused[mode] for mode in options.modes if mode in refused))
    if failures:
        raise BenchFailed("\n".join(failures))
    return assemble(options, [runs[mode] for mode in options.modes])


def run_one(
    options: BenchOptions,
    mode: Mode,
    command: list[str],
    folder: Path,
    on_progress: OnProgress,
    stop: threading.Event,
) -> dict[str, Any]:
    """Runs one mode: starts db_bench, follows its progress and returns its result object."""
    if stop.is_set():
        raise BenchFailed(f"{mode}: not started")
    result = folder / f"{mode}.json"
    result.unlink(missing_ok=True)
    if options.image_dir:
        (options.image_dir / mode).mkdir(parents=True, exist_ok=True)
    if options.trace_dir:
        options.trace_dir.mkdir(parents=True, exist_ok=True)
    if options.trace_pages:
        options.trace_pages.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    ended = follow([*command, *options.arguments(mode, result)], folder / f"{mode}.log", on_progress, stop)
    if ended.code == BAD_OPTION:
        raise OptionError(ended.refusal(options.program))
    if ended.code == FULL:
        result_so_far = check(_read(result, mode, options.program), mode, may_be_full=True)
        raise BenchFull(f"mode {mode}: {options.program}: {ended.told}", result_so_far)
    if ended.code != 0:
        raise (BenchKilled if ended.killed else BenchFailed)(f"mode {mode}: {options.program}: {ended.told}")
    run = _read(result, mode, options.program)
    if isinstance(run, dict):
        run.setdefault("wall_seconds", time.monotonic() - begun)
    return check(run, mode)


def _read(result: Path, mode: Mode, program: str) -> Any:
    try:
        return json.loads(result.read_text())
    except (OSError, ValueError, RecursionError) as error:
        raise BenchFailed(f"mode {mode}: {program} ended but its result cannot be read ({error})") from error


def is_full(run: dict[str, Any]) -> bool:
    """Whether the workload ended because the device had no space left."""
    return run.get("full") is True


def check(run: Any, mode: Mode, may_be_full: bool = False) -> dict[str, Any]:
    """Returns the result unchanged. Raises BenchFailed unless it has every required field and the run read back and
    compared every key, or `may_be_full` and the device had no space left. A result of an older db_bench may lack
    fields, and a file may hold any JSON. db_bench itself fails if a key is missing or wrong; the check of keys here
    finds a run that compared none.
    """
    if not isinstance(run, dict):
        raise BenchFailed(f"mode {mode}: db_bench's result is not a JSON object")
    missing = [name for name in [*_SHARED_MEMBERS, *RUN_MEMBERS, "keys_expected"] if name not in run]
    if missing:
        raise BenchFailed(f"mode {mode}: db_bench's result lacks {', '.join(missing)}")
    numbers = [*(name for name in RUN_MEMBERS if name not in _NO_NUMBERS), "keys_expected"]
    wrong = [name for name in numbers if not is_amount(run[name])]
    if not _are_levels(run["levels"]):
        wrong.append("levels")
    if not _are_amounts(run.get("bytes_by_cause", {})):
        wrong.append("bytes_by_cause")
    if wrong:
        raise BenchFailed(f"mode {mode}: db_bench's result has invalid values of {', '.join(wrong)}")
    if is_full(run):
        if not may_be_full:
            raise BenchFailed(f"mode {mode}: the device had no space left")
        return run
    expected = run["keys_expected"]
    if run["keys_verified"] != expected or run["keys_verified"] < 1:
        raise BenchFailed(f"mode {mode}: {run['keys_verified']} of {expected} keys verified")
    return run


def is_amount(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    # Their ratios must be valid numbers, too.
    return value == 0 or _LEAST <= value < _MOST


def _are_amounts(value: Any) -> bool:
    return isinstance(value, dict) and all(is_amount(amount) for amount in value.values())


def _are_levels(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(entry, dict) and all(is_amount(entry.get(name)) for name in _LEVEL_MEMBERS) for entry in value
    )


def assemble(options: BenchOptions, runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Combines all runs into one result document."""
    first = runs[0]
    for run in runs[1:]:
        for name in _SHARED_MEMBERS:
            if run[name] != first[name]:
                raise BenchFailed(
                    f"modes {first['mode']} and {run['mode']} ran under different conditions: {name} differs"
                )
    return {
        **{name: first[name] for name in _SHARED_MEMBERS},
        "options": {
            name: getattr(options, name)
            for name in (
                "num",
                "operations",
                "value_size",
                "value_size_max",
                "key_size",
                "write_buffer",
                "max_file_size",
                "level1_bytes",
                "level_ratio",
                "fill_space",
                "last_level_ratio",
                "dynamic_levels",
                "blend_runs",
                "blend_rule",
                "blend_space",
                "remap_blocks",
                "blend_filter_bits",
                "bloom_bits",
                "mix_insert",
                "mix_update",
                "mix_read",
                "mix_delete",
                "mix_scan",
                "mix_keys",
                "utxo_outputs",
                "utxo_flush",
                "utxo_cache",
                "block_size",
                "seek_compactions",
                "compactions",
                "separate",
                "value_log_threshold",
                "value_log_segment",
                "value_log_dead",
                "value_log_collector",
                *PAGE_FS,
                "superblocks",
                "geometry",
            )
        },
        "runs": [
            {name: run[name] for name in RUN_MEMBERS}
            | {name: value for name, value in run.items() if name not in (*RUN_MEMBERS, *_SHARED_MEMBERS)}
            for run in runs
        ],
    }


class Board:
    """A progress bar for each mode on a terminal; occasional lines otherwise."""

    def __init__(self, modes: tuple[Mode, ...]) -> None:
        self._bars = Progress(
            TextColumn("{task.fields[mode]:>7}"),
            TextColumn("{task.description:8}"),
            BarColumn(),
            TextColumn("{task.percentage:3.0f} %"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=steps.console,
            disable=not steps.console.is_terminal,
        )
        self._tasks: dict[Mode, TaskID] = {
            mode: self._bars.add_task("waiting", total=None, mode=str(mode), start=False) for mode in modes
        }
        self._begun = time.monotonic()
        self._said: dict[Mode, tuple[str, float]] = {}

    def __enter__(self) -> Board:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def reporter(self, mode: Mode) -> OnProgress:
        """The function that a run calls with its progress."""

        def report(done: int, total: int, phase: str) -> None:
            task = self._bars.tasks[self._tasks[mode]]
            if task.description != phase:
                self._bars.reset(task.id, description=phase, total=total)
            self._bars.update(task.id, completed=done, total=total)
            if self._bars.disable:
                self._say(mode, done, total, phase)

        return report

    def finish(self, mode: Mode) -> None:
        self._bars.update(self._tasks[mode], description="done", total=1, completed=1)
        if self._bars.disable:
            steps.console.print(f"  {mode}: done ({time.monotonic() - self._begun:.0f} s)")

    def _say(self, mode: Mode, done: int, total: int, phase: str) -> None:
        seconds = time.monotonic() - self._begun
        last_phase, last = self._said.get(mode, ("", 0.0))
        if phase != last_phase or seconds - last >= PLAIN_SECONDS:
            self._said[mode] = (phase, seconds)
            percent = 100 * done // total if total else 100
            steps.console.print(
                f"  {mode}: {escape(phase)} {percent} % ({done}/{total}), {seconds:.0f} s", soft_wrap=True
            )
