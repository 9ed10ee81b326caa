# SPDX-License-Identifier: Apache-2.0
"""What workers call in tests of the cluster; and a worker as a process."""

import atexit
import contextlib
import errno
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from launcher.env import keeper
from launcher.env.paths import ROOT
from launcher.spread import cluster
from launcher.spread.cluster import Where
from launcher.spread.work import Again

SECONDS = 60  # that anything here may take


def double(number: int, stop: threading.Event) -> int:
    return 2 * number


def fail(stop: threading.Event) -> None:
    raise ValueError("no such thing")


def full(first: Path | None, stop: threading.Event) -> str:
    """The machine of the worker that writes its name to `first` has no room left; None: no machine has any."""
    if first is not None:
        with contextlib.suppress(FileExistsError), first.open("x") as file:
            file.write(str(os.getpid()))
        until(first.read_text, "it is written")
    if first is None or first.read_text() == str(os.getpid()):
        raise OSError(errno.ENOSPC, "No space left on device")
    return "done"


def killed(tries: Path, succeed_at: int, stop: threading.Event) -> str:
    """Its program is killed until it was called as often."""
    with tries.open("a") as file:
        file.write("x")
    if len(tries.read_text()) < succeed_at:
        raise Again("killed by SIGKILL")
    return "done"


def program(folder: Path, gate: Path | None, stop: threading.Event) -> str:
    """Runs a program that ends once `gate` is there, and writes to `folder` which processes have it."""
    child = subprocess.Popen(["sleep", str(SECONDS)])
    (folder / f"{os.getpid()}-{child.pid}").touch()
    begun = time.monotonic()
    while (gate is None or not gate.exists()) and time.monotonic() - begun < SECONDS:
        if stop.wait(0.05):
            break
    child.kill()
    child.wait()
    return "stopped" if stop.is_set() else "ended"


def until(true: object, what: str, seconds: float = SECONDS) -> None:
    """Waits until `true()` is, as long as a test may wait."""
    begun = time.monotonic()
    while not true():  # type: ignore[operator]
        assert time.monotonic() - begun < seconds, what
        time.sleep(0.02)


def has_ended(pid: int) -> bool:
    """Whether there is no such process, or only its exit code."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@dataclass(frozen=True)
class Child:
    """A scheduler or worker as a process of its own, and the address that it says."""

    pid: int
    address: str

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def wait(self, seconds: float = SECONDS) -> None:
        until(lambda: has_ended(self.pid), f"process {self.pid} ends", seconds)


class Nursery:
    """A process that has imported Dask once, and forks what tests ask for: an import takes longer than most tests."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "launcher.tests.spread.calls"]
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def start(self, arguments: list[str]) -> Child:
        assert self._process.stdin and self._process.stdout
        with tempfile.TemporaryDirectory() as folder:
            said = Path(folder) / "address"
            print(json.dumps([str(said), *arguments]), file=self._process.stdin, flush=True)
            pid = int(self._process.stdout.readline())
            until(lambda: said.exists() or has_ended(pid), "it listens")
            return Child(pid, said.read_text() if said.exists() else "")

    def close(self) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.wait(SECONDS)
        self._process.stdout.close()


@cache
def nursery() -> Nursery:
    one = Nursery()
    atexit.register(one.close)
    return one


@contextmanager
def process(*arguments: str) -> Iterator[Child]:
    """A scheduler or worker with a keeper."""
    child = nursery().start(list(arguments))
    try:
        yield child
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child.pid, signal.SIGINT)
        try:
            child.wait(10)
        except AssertionError:
            child.kill()
            child.wait()


@contextmanager
def scheduler(tls: Path | None = None) -> Iterator[str]:
    with process("scheduler", *([str(tls)] if tls else [])) as child:
        assert child.address
        yield child.address


@contextmanager
def worker(address: str, tls: Path | None = None) -> Iterator[Child]:
    with process("worker", address, *([str(tls)] if tls else [])) as child:
        assert child.address
        yield child


@dataclass(frozen=True)
class Cluster:
    """A scheduler with two workers that have a slot each. For tests that end none of them."""

    scheduler: Child
    workers: tuple[Child, Child]

    @property
    def where(self) -> Where:
        return Where(scheduler=self.scheduler.address)


@contextmanager
def started_cluster() -> Iterator[Cluster]:
    with (
        process("scheduler") as found,
        worker(found.address) as one,
        worker(found.address) as other,
    ):
        yield Cluster(found, (one, other))


def main(arguments: list[str], said: Path) -> None:
    keeper.keep()

    def say(address: str) -> None:
        hidden = said.with_name("hidden")
        hidden.write_text(address)
        hidden.rename(said)  # at once: whoever waits for it reads it whole

    with contextlib.suppress(KeyboardInterrupt):
        match arguments:
            case ["scheduler", *tls]:
                cluster.serve_scheduler("127.0.0.1", 0, Path(tls[0]) if tls else None, say)
            case ["worker", address, *tls]:
                cluster.serve_worker(address, 1, 1 << 30, Path(tls[0]) if tls else None, say)


def nurse() -> None:
    """Forks a process for each line, a file for its address and its arguments, and says its number."""
    cluster._quiet()
    cluster._classes()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks for their exit codes
    for line in sys.stdin:
        said, *arguments = json.loads(line)
        pid = os.fork()
        if pid != 0:
            print(pid, flush=True)
            continue
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        # Neither the test's requests nor its answers are the child's.
        nowhere = os.open(os.devnull, os.O_RDWR)
        for own in (0, 1):
            os.dup2(nowhere, own)
        code = 1
        try:
            main(arguments, Path(said))
            code = 0
        finally:
            os._exit(code)


if __name__ == "__main__":
    nurse()
