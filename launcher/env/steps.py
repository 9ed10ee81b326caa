# SPDX-License-Identifier: Apache-2.0
"""Runs long commands as steps: output goes to a log, progress to the screen, and a failure shows the log's end."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.status import Status

from launcher.env import progress
from launcher.env.paths import ROOT

# Rich's own test for a terminal can be overruled by the environment (FORCE_COLOR), which would redraw lines in a file.
LIVE = progress.redraws(sys.stderr)
console = Console(stderr=True, highlight=False, force_terminal=LIVE, force_interactive=LIVE)

_LOG_TAIL = 30
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_TICK = re.compile(r"^\[(\d+)/(\d+)\]")  # ninja's own count


def say(text: str) -> None:
    """Tells a line as it is: brackets, which text from elsewhere may have, are no markup, and it is not broken."""
    console.print(text, markup=False, soft_wrap=True)


def exit_text(code: int) -> str:
    """How a program ended, from its return code: "exit code 3", or "killed by SIGKILL"."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:  # a real-time signal
        return f"killed by signal {-code}"


class StepFailed(Exception):  # noqa: N818 - reads as what happened
    """A step failed. The message can be printed as it is."""


@dataclass(frozen=True)
class Outcome:
    """The result of a command."""

    code: int
    seconds: float
    tail: list[str]  # its last lines
    timed_out: bool = False


def run(
    title: str,
    command: list[str],
    log: Path,
    *,
    cwd: Path = ROOT,
    env: Mapping[str, str] | None = None,
    timeout: float | None = None,
    on_line: Callable[[str], str | None] | None = None,
    shown: bool = True,
    stop: threading.Event | None = None,
) -> Outcome:
    """Runs `command`. Its exit code never raises an exception.

    `on_line` may turn a line of output into a progress note. `shown` is false for commands that run in parallel: their
    progress lines would overwrite each other. `stop`, once it is set, ends the command: for one that runs in a thread,
    where no interrupt arrives.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    tail: deque[str] = deque(maxlen=_LOG_TAIL)
    note = ""
    expired = threading.Event()
    with Ticker(title, shown) as ticker, open(log, "w") as out:
        child = subprocess.Popen(
            command,
            cwd=cwd,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,  # a time-out must also end grandchildren
        )

        def expire() -> None:
            expired.set()
            end_group(child)

        timer = threading.Timer(timeout, expire) if timeout else None
        if timer:
            timer.start()
        if stop is not None:
            threading.Thread(target=_end_on, args=(stop, child), daemon=True).start()
        try:
            assert child.stdout is not None
            for raw in child.stdout:
                line = _ANSI.sub("", raw.rstrip("\n"))
                out.write(line + "\n")
                out.flush()
                tail.append(line)
                note = (on_line(line) if on_line else _tick(line)) or note
                ticker.note(note)
            code = child.wait()
        except BaseException:
            end_group(child)
            child.wait()
            raise
        finally:
            if timer:
                timer.cancel()
    return Outcome(code, time.monotonic() - begun, list(tail), expired.is_set())


def must(title: str, command: list[str], log: Path, *, env: Mapping[str, str] | None = None) -> None:
    """Runs a step that later steps need. Prints its duration, or raises StepFailed with the log's end."""
    outcome = run(title, command, log, env=env)
    if outcome.code != 0:
        end = "\n".join("    " + line for line in outcome.tail)
        raise StepFailed(f"{title} failed ({exit_text(outcome.code)}); the end of {log}:\n{end}")
    done(title, outcome.seconds)


def done(title: str, seconds: float, note: str = "") -> None:
    """Prints the line of a finished step."""
    tail = f"{seconds:.0f} s  {note}".rstrip()
    console.print(f"[green]✓[/] {escape(title)} [dim]{escape(tail)}[/]", soft_wrap=True)


class Ticker:
    """Progress of a step: a spinner with the elapsed seconds on a terminal, else a line now and then."""

    def __init__(self, title: str, shown: bool = True) -> None:
        self._title = title
        self._shown = shown
        self._note = ""
        self._begun = time.monotonic()
        self._stop = threading.Event()
        self._status: Status | None = console.status(escape(title)) if shown and console.is_terminal else None
        self._thread = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> Ticker:
        if not self._shown:
            return self
        if self._status:
            self._status.start()
        else:
            console.print(f"  {escape(self._title)} ...", soft_wrap=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if not self._shown:
            return
        self._stop.set()
        self._thread.join()
        if self._status:
            self._status.stop()

    def note(self, text: str) -> None:
        self._note = text

    def _tick(self) -> None:
        rhythm = progress.Rhythm()
        while not self._stop.wait(0.25):
            line = f"{escape(self._title)} [dim]{time.monotonic() - self._begun:.0f} s  {escape(self._note)}[/]"
            if self._status:
                self._status.update(line)
            elif rhythm.due():
                console.print(f"  {line}", soft_wrap=True)


def _tick(line: str) -> str | None:
    found = _TICK.match(line)
    return f"{found[1]}/{found[2]}" if found else None


def _end_on(stop: threading.Event, child: subprocess.Popen[str]) -> None:
    while child.poll() is None:
        if stop.wait(0.2):
            end_group(child)
            return


def end_group(child: subprocess.Popen[str]) -> None:
    """Ends a child that leads its session, and the child's descendants."""
    for deadly in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(child.pid, deadly)
            child.wait(timeout=5)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue
