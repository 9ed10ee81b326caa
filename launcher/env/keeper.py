# SPDX-License-Identifier: Apache-2.0
"""Ends the processes that a command started, however the command ends: also by SIGKILL, which it cannot handle.

`keep` gives this process a keeper, a small process that waits for its end. Every program that is started from then on
inherits a variable with the name of this process, as do the programs that it starts, whatever sessions and process
groups they make. When this process has ended, the keeper looks for processes with that name and ends them. A
parent-death signal would reach children only, not a compiler that ninja started or a test that CTest started.

Processes that root runs for a user (apt-get under sudo) do not show their environment, and run to their end.

This module uses the standard library only: set-up needs it, and the keeper runs it as a program.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

VARIABLE = "OPENREMAP_KEPT_BY"  # names of the processes that have keepers, the outermost first: PID.START PID.START
_GRACE_SECONDS = 1.0  # from SIGTERM to SIGKILL
_GIVE_UP_SECONDS = 60.0  # a process that waits for a broken disk does not end
_POLL_SECONDS = 0.05
_QUIET_SCANS = 4  # scans without a finding until the keeper ends: a child may be between fork and exec


def keep() -> None:
    """Has the descendants of this process ended when it ends. A second call, or one after an exec, does nothing."""
    own = _name(os.getpid())
    outer = os.environ.get(VARIABLE, "").split()
    if own is None or own in outer:  # no /proc, or kept already
        return
    # A session of its own, so that a signal to the terminal or to the process group spares it.
    subprocess.Popen(
        [sys.executable, "-I", "-S", __file__, own],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        start_new_session=True,
    )
    os.environ[VARIABLE] = " ".join([*outer, own])


def _name(pid: int) -> str | None:
    """PID and start time, which together are never used twice. None if there is no such process."""
    try:
        # The second field is the program's name, which may hold anything; the 22nd is the start time.
        return f"{pid}.{Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[19]}"
    except OSError:
        return None


def _wait(pid: int) -> None:
    """Waits until the process, whose child this one is, has ended; it may have ended before this one looks."""
    while os.getppid() == pid:
        time.sleep(_POLL_SECONDS)


def _carries(name: str, pid: int) -> bool:
    try:
        variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:  # it has ended, or belongs to another user
        return False
    given = [entry for entry in variables if entry.startswith(VARIABLE.encode() + b"=")]
    return any(name.encode() in entry.partition(b"=")[2].split() for entry in given)


def _kept(name: str) -> list[int]:
    """PIDs of all processes that carry the name, but not of this one."""
    everyone = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in everyone if pid != os.getpid() and _carries(name, pid)]


def _signal(pids: list[int], deadly: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(OSError):  # it has ended
            os.kill(pid, deadly)


def _end_kept(name: str) -> None:
    """Ends all processes that carry the name. Those that come up meanwhile are found by a later scan."""
    begun = time.monotonic()
    _signal(_kept(name), signal.SIGTERM)
    quiet = 0
    while quiet < _QUIET_SCANS and time.monotonic() - begun < _GIVE_UP_SECONDS:
        time.sleep(_POLL_SECONDS)
        left = _kept(name)
        quiet = 0 if left else quiet + 1
        if time.monotonic() - begun > _GRACE_SECONDS:
            _signal(left, signal.SIGKILL)


if __name__ == "__main__":
    _wait(int(sys.argv[1].partition(".")[0]))
    _end_kept(sys.argv[1])
