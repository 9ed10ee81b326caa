# SPDX-License-Identifier: Apache-2.0
"""One run of db_bench, on the machine of a worker."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from launcher.bench import bench
from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import BenchOptions
from launcher.env.paths import BUILD
from launcher.experiment.runner import provenance
from launcher.experiment.runner.description import is_too_large_for_memory
from launcher.spread.work import Again


def run_case(
    options: BenchOptions, mode: Mode, command: tuple[str, ...], log: Path | None, stop: threading.Event
) -> dict[str, Any]:
    """The result of a run, and its machine. An empty command is this tree's db_bench.

    Images lie beside `log` (None: in the build folder), in a folder of this attempt: a run whose worker was lost may
    still be ending. What db_bench said stays there only. What attempts left that were killed is removed.
    """
    below = log.parent if log else BUILD / "experiment" / "scratch"
    below.mkdir(parents=True, exist_ok=True)
    _remove_left(below)
    given = list(command) or [str(bench.program())]
    with _attempt(below, mode) as own:
        if is_too_large_for_memory(options):
            options = replace(options, image_dir=own / "images")
        try:
            result = bench.run_one(options, mode, given, own, lambda *_: None, stop)
        except bench.BenchKilled as error:
            raise Again(str(error)) from None
        finally:
            if log:
                with suppress(FileNotFoundError):
                    (own / f"{mode}.log").replace(log)
    return result | {"machine": provenance.machine()}


def _lock(folder: Path) -> int | None:
    """A descriptor that holds the folder's lock; None if another process or thread has it, or the folder is gone."""
    try:
        held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return None
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if folder.exists():
            return held
    except OSError:
        pass
    os.close(held)
    return None


@contextmanager
def _attempt(below: Path, mode: Mode) -> Iterator[Path]:
    """A folder that is removed at the end, and locked until then: one without a lock was left by a killed process."""
    held = None
    while held is None:  # another command may remove it before it is locked
        own = Path(tempfile.mkdtemp(prefix=f"{mode}-", dir=below))
        held = _lock(own)
    try:
        yield own
    finally:
        shutil.rmtree(own, ignore_errors=True)
        os.close(held)


def _remove_left(below: Path) -> None:
    for mode in Mode:
        for folder in below.glob(f"{mode}-*/"):
            held = _lock(folder)
            if held is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(held)
