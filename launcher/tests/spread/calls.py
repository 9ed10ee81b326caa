# SPDX-License-Identifier: Apache-2.0
"""What workers call in tests of the cluster; and a worker as a process."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from launcher.env import keeper
from launcher.env.paths import ROOT
from launcher.spread import cluster
from launcher.spread.work import Again

SECONDS = 60  # that anything here may take


def double(number: int, stop: threading.Event) -> int:
    return 2 * number


def fail(stop: threading.Event) -> None:
    raise ValueError("no such thing")


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


def until(true: object, what: str) -> None:
    """Waits until `true()` is, as long as a test may wait."""
    begun = time.monotonic()
    while not true():  # type: ignore[operator]
        assert time.monotonic() - begun < SECONDS, what
        time.sleep(0.05)


def has_ended(pid: int) -> bool:
    """Whether there is no such process, or only its exit code."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@contextmanager
def process(*arguments: str, env: dict[str, str] | None = None) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A scheduler or worker as a process with a keeper, and the address that it says."""
    command = [sys.executable, "-m", "launcher.tests.spread.calls", *arguments]
    child = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=os.environ | (env or {}))
    try:
        assert child.stdout
        yield child, child.stdout.readline().strip()
    finally:
        with contextlib.suppress(ProcessLookupError):
            child.send_signal(signal.SIGINT)
        try:
            child.wait(10)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        if child.stdout:
            child.stdout.close()


@contextmanager
def scheduler(tls: Path | None = None) -> Iterator[str]:
    with process("scheduler", *([str(tls)] if tls else [])) as (_, address):
        assert address
        yield address


@contextmanager
def worker(address: str, tls: Path | None = None, env: dict[str, str] | None = None) -> Iterator[subprocess.Popen[str]]:
    with process("worker", address, *([str(tls)] if tls else []), env=env) as (child, own):
        assert own
        yield child


def main(arguments: list[str]) -> None:
    keeper.keep()

    def say(address: str) -> None:
        print(address, flush=True)

    with contextlib.suppress(KeyboardInterrupt):
        match arguments:
            case ["scheduler", *tls]:
                cluster.serve_scheduler("127.0.0.1", 0, Path(tls[0]) if tls else None, say)
            case ["worker", address, *tls]:
                cluster.serve_worker(address, 1, 1 << 30, Path(tls[0]) if tls else None, say)


if __name__ == "__main__":
    main(sys.argv[1:])
