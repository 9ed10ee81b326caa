# SPDX-License-Identifier: Apache-2.0
"""Runs a program that tells its progress on standard error, and ends it when its result is not wanted."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from launcher.env import steps
from launcher.env.progress import EVERY

OnProgress = Callable[[int, int, str], None]

# Signals by which others end a program: the kernel for memory, a user, Ctrl-C.
KILLS = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
_LAST_LINES = 20


@dataclass(frozen=True)
class Ended:
    """How the program ended, and the last lines that it said beside its progress."""

    code: int
    words: tuple[str, ...]
    killed: bool  # by somebody else: the kernel for memory, or a user

    @property
    def told(self) -> str:
        """How it ended and what it said, for the message of an error."""
        return f"{steps.exit_text(self.code)}:\n" + ("\n".join(f"  {word}" for word in self.words) or "  (no output)")

    def refusal(self, program: str) -> str:
        """The last line, without the name of the program before it."""
        return self.words[-1].removeprefix(f"{program}: ") if self.words else f"{program} refused an option"


def parse_progress(line: str) -> tuple[int, int, str] | None:
    """Parses `progress <done> <total> <phase>`; None for any other line."""
    words = line.split(maxsplit=3)
    if len(words) != 4 or words[0] != "progress" or not (words[1].isdigit() and words[2].isdigit()):
        return None
    return int(words[1]), int(words[2]), words[3].strip()


def follow(command: Sequence[str], log: Path, on_progress: OnProgress | None, stop: threading.Event) -> Ended:
    """Runs the command, whose standard error goes to `log`, too. It is ended once `stop` is set.

    `on_progress`: told of each step; None: the program tells now and then, as in a log.
    """
    words: deque[str] = deque(maxlen=_LAST_LINES)
    child = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=os.environ | (EVERY if on_progress else {}),
        text=True,
        errors="replace",
    )
    threading.Thread(target=_terminate_on, args=(stop, child), daemon=True).start()
    assert child.stderr is not None
    try:
        with open(log, "w") as file:
            for line in child.stderr:
                file.write(line)
                step = parse_progress(line) if on_progress else None
                if on_progress and step:
                    on_progress(*step)
                else:
                    words.append(line.rstrip())
        code = child.wait()
    except BaseException:  # an interrupt: what the program uses is free when the caller goes on
        child.terminate()
        child.wait()
        raise
    return Ended(code, tuple(words), -code in KILLS and not stop.is_set())


def _terminate_on(stop: threading.Event, child: subprocess.Popen[str]) -> None:
    while child.poll() is None:
        if stop.wait(0.2):
            child.terminate()
            return
