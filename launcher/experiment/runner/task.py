# SPDX-License-Identifier: Apache-2.0
"""The steps of a run, on the machine of a worker: db_bench, and replays of what it sent to the device."""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from launcher.bench import bench, ioreplay
from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import BenchOptions
from launcher.env import programs
from launcher.env.paths import BUILD
from launcher.experiment.runner import provenance, store
from launcher.experiment.runner.description import is_too_large_for_memory
from launcher.experiment.runner.steps import Bench
from launcher.spread.work import Again

Measured = dict[str, Any] | bench.BenchFailed


class Changed(Exception):  # noqa: N818 - reads as what happened
    """A program is not the one any more that the experiment began with, so its result would be stamped wrongly."""


def run_case(
    options: BenchOptions, mode: Mode, command: tuple[str, ...], digest: str, log: Path | None, stop: threading.Event
) -> dict[str, Any]:
    """The result of a run, and its machine. An empty command is this tree's program. Raises Changed if the program
    has another digest before or after the run.

    Images lie beside `log` (None: in the build folder), in a folder of this attempt: a run whose worker was lost may
    still be ending. What db_bench said stays there only. What attempts left that were killed is removed.
    """
    with _folder(mode, log) as own:
        try:
            with unchanged(list(command) or [str(bench.program(options.program))], digest):
                result = _bench(options, mode, command, own, stop)
        finally:
            _keep_logs(own, log)
    return result | {"machine": provenance.machine()}


def run_to_the_end(
    options: BenchOptions, mode: Mode, command: tuple[str, ...], digest: str, log: Path | None, stop: threading.Event
) -> dict[str, Any]:
    """As run_case(), but that the device has no space left is a result, too."""
    try:
        return run_case(options, mode, command, digest, log, stop)
    except bench.BenchFull as full:
        return full.result | {"machine": provenance.machine()}


def run_replays(
    recorded: tuple[Bench, ...],
    replays: tuple[ioreplay.Options, ...],
    command: tuple[str, ...],
    replayer: tuple[str, ...],
    digests: tuple[str, str],
    log: Path | None,
    stop: threading.Event,
) -> list[Measured]:
    """Records the runs, then replays their traces in each of these ways: results, or how a replay failed.

    All is as in run_case(); an empty `replayer` is this tree's ioreplay. `digests`: of db_bench and of ioreplay.
    """
    with (
        _folder(recorded[0].mode, log) as own,
        unchanged(list(command) or [str(bench.program(recorded[0].options.program))], digests[0]),
        unchanged(list(replayer) or [str(ioreplay.program())], digests[1]),
    ):
        try:
            results: list[dict[str, Any]] = []
            traces: list[Path] = []
            for number, one in enumerate(recorded):
                folder = own / f"pages-{number}"
                options = replace(one.options, trace_pages=folder)
                results.append(_bench(options, one.mode, command, own, stop))
                traces.append(folder / f"{one.mode}.pages")
            found: list[Measured] = []
            for replay in replays:
                try:
                    found.append(_replay(replace(replay, traces=tuple(traces)), results, replayer, own, stop))
                except bench.BenchFailed as error:
                    found.append(error)
        finally:
            _keep_logs(own, log)
    return found


def _bench(
    options: BenchOptions, mode: Mode, command: tuple[str, ...], own: Path, stop: threading.Event
) -> dict[str, Any]:
    if is_too_large_for_memory(options):
        options = replace(options, image_dir=own / "images")
    try:
        program = list(command) or [str(bench.program(options.program))]
        return bench.run_one(options, mode, program, own, lambda *_: None, stop)
    except bench.BenchKilled as error:
        raise Again(str(error)) from None
    finally:
        shutil.rmtree(own / "images", ignore_errors=True)  # the next step has a flash of its own


def _replay(
    options: ioreplay.Options,
    recorded: list[dict[str, Any]],
    replayer: tuple[str, ...],
    own: Path,
    stop: threading.Event,
) -> dict[str, Any]:
    begun = time.monotonic()
    try:
        replayed = ioreplay.measure(options, list(replayer) or [str(ioreplay.program())], own, stop)
    except bench.BenchKilled as error:
        raise Again(str(error)) from None
    seconds = time.monotonic() - begun + sum(one["wall_seconds"] for one in recorded)
    return store.of_replay(recorded, replayed, seconds) | {"machine": provenance.machine()}


@contextmanager
def unchanged(command: list[str], digest: str) -> Iterator[None]:
    """Holds a step to the program that the experiment began with: a build may replace it at any time.

    Raises Changed if it has another digest before or after the step, also after one that failed.
    """

    def check() -> None:
        program = Path(command[-1])
        try:
            now = programs.digest(program)
        except (FileNotFoundError, PermissionError):  # it is just being linked
            now = ""
        if now != digest:
            raise Changed(
                f"{program.name} on {platform.node()} was built anew since the command began; start it again, with the "
                "same build on each machine"
            )

    check()
    try:
        yield
    except Exception:
        check()
        raise
    check()


@contextmanager
def _folder(mode: Mode, log: Path | None) -> Iterator[Path]:
    """The folder of an attempt."""
    below = log.parent if log else BUILD / "experiment" / "scratch"
    below.mkdir(parents=True, exist_ok=True)
    _remove_left(below)
    with _attempt(below, mode) as own:
        yield own


def _keep_logs(own: Path, log: Path | None) -> None:
    """All that programs said, in the order of their ends."""
    if not log:
        return
    with contextlib.suppress(OSError):  # a full disk must not take the result, which is still to be written
        logs = sorted(own.glob("*.log"), key=lambda path: path.stat().st_mtime)
        if logs:
            log.write_text("".join(path.read_text(errors="replace") for path in logs))


@contextmanager
def _attempt(below: Path, mode: Mode) -> Iterator[Path]:
    """A folder that is removed at the end, and locked until then: one without a lock was left by a killed process."""
    held = None
    while held is None:  # another command may remove it before it is locked
        own = Path(tempfile.mkdtemp(prefix=f"{mode}-", dir=below))
        held = store.lock(own)
    try:
        yield own
    finally:
        shutil.rmtree(own, ignore_errors=True)
        os.close(held)


def _remove_left(below: Path) -> None:
    for mode in Mode:
        for folder in below.glob(f"{mode}-*/"):
            held = store.lock(folder)
            if held is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(held)
