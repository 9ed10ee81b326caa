# SPDX-License-Identifier: Apache-2.0
"""What a worker does: it says which build it has, and calls functions that run programs.

Only functions of modules are called, by name: the worker's tree has them, and is of the same build.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from launcher.bench import bench
from launcher.env import programs
from launcher.env.paths import CRASH_SCRIPTS, RELEASE, ROOT

WATCH_SECONDS = 0.2
ATTEMPTS = 3  # of one work, whose worker was lost or whose program was killed


class Again(Exception):  # noqa: N818 - reads as what happened
    """The work failed by no fault of its own, as when the kernel ended its program for memory: worth another try."""


@dataclass(frozen=True)
class Work:
    """A call that runs a program. `call` gets `arguments`, and an event that is set once its result is not wanted."""

    name: str  # for people
    key: str  # another one for each work of a command
    call: Callable[..., Any]
    arguments: tuple[Any, ...]
    bytes: int = 0  # of memory


@dataclass(frozen=True)
class Worker:
    """What a worker says of itself."""

    build: dict[str, str]  # digests, by what they are of
    memory: int  # bytes for its works; 0: unknown


MEMORY_VARIABLE = "OPENREMAP_WORKER_MEMORY"  # bytes that a worker was given, in its environment


def build(names: tuple[str, ...]) -> dict[str, str]:
    """Digests of the launcher, of the pinned tools, of the scripts that `crash` reads and of the programs of these
    names, all of this machine's tree."""
    scripts = tuple(sorted(str(path.relative_to(ROOT)) for path in CRASH_SCRIPTS.glob("*.txt")))
    found = {
        "launcher": _sources(ROOT / "launcher"),
        "pinned tools": _files(ROOT, _PINS),
        "crash scripts": _files(ROOT, scripts),
    }
    for name in names:
        try:
            found[name] = programs.digest(RELEASE / "bin" / name)
        except OSError:
            found[name] = "not built"
    return found


_PINS = ("requirements.txt", "requirements-launcher.txt", "toolchain.toml", "VERSION")


def _sources(folder: Path) -> str:
    names = [str(path.relative_to(folder)) for path in folder.rglob("*.py")]
    return _files(folder, tuple(sorted(name for name in names if not name.startswith("tests"))))


def _files(folder: Path, names: tuple[str, ...]) -> str:
    whole = hashlib.sha256()
    for name in names:
        whole.update(f"{name}\n".encode() + hashlib.sha256((folder / name).read_bytes()).digest())
    return whole.hexdigest()


def differences(ours: dict[str, str], theirs: dict[str, str]) -> list[str]:
    """What two builds differ in, for people."""
    return [
        f"{name}: {digest[:12]} here, {theirs.get(name, 'missing')[:12]} there"
        for name, digest in ours.items()
        if theirs.get(name) != digest
    ]


def introduce(names: tuple[str, ...]) -> Worker:
    """Called on a worker that is new."""
    given = os.environ.get(MEMORY_VARIABLE)
    return Worker(build(names), int(given) if given else bench.memory("MemAvailable") * 9 // 10)


@dataclass(frozen=True)
class Outcome:
    """What a call returned, or raised: an exception in a task would be told in the worker's log, too."""

    value: Any = None
    error: BaseException | None = None


def perform(call: Callable[..., Any], arguments: tuple[Any, ...]) -> Outcome:
    """Called on a worker, in a thread of it: the work itself. It is told to stop once its task is cancelled."""
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()
    stop, over = threading.Event(), threading.Event()

    def watch() -> None:
        while not over.wait(WATCH_SECONDS):
            task = worker.state.tasks.get(key)
            if task is None or task.state == "cancelled" or worker.status.name in ("closing", "closed", "failed"):
                stop.set()
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        return Outcome(call(*arguments, stop))
    except BaseException as error:  # also an interrupt, which would end the worker
        return Outcome(error=error)
    finally:
        over.set()
        watcher.join()
