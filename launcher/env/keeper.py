# SPDX-License-Identifier: Apache-2.0
"""Ends the processes that a command started, however the command ends: also by SIGKILL, which it cannot handle.

`keep` gives this process a keeper, a small process that waits for its end, and then ends what descends from it. It
knows descendants in two ways:

- Every program that is started from then on inherits a variable with the name of this process, as do the programs that
  it starts, whatever sessions and process groups they make.
- While it waits, the keeper follows the children of the process, and theirs, in /proc. So it also knows programs whose
  environment was cleared, and those whose parent has ended since. One whose environment was cleared escapes only if
  its parent ended within _POLL_SECONDS of its start.

A parent-death signal would reach children only, not a compiler that ninja started or a test that CTest started.

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
from collections.abc import Iterable
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
        with open(f"/proc/{pid}/stat", "rb") as stat:
            return f"{pid}.{stat.read().rpartition(b')')[2].split()[19].decode()}"
    except OSError:
        return None


class Family:
    """The descendants of a process that were seen, and are still there."""

    def __init__(self, ancestor: int) -> None:
        self._roots = [ancestor]
        self._seen: dict[int, str] = {}  # PID to name: a PID may be used again

    def look(self, more: Iterable[int] = ()) -> list[int]:
        """Follows children of the ancestor, of those seen before and of `more`. Returns all but this process."""
        self._seen = {pid: name for pid, name in self._seen.items() if _name(pid) == name}
        to_ask = [*self._roots, *more, *self._seen]
        asked: set[int] = {os.getpid()}
        while to_ask:
            pid = to_ask.pop()
            if pid in asked:
                continue
            asked.add(pid)
            for child in _children(pid):
                name = _name(child)
                if name is not None and child != os.getpid():
                    self._seen[child] = name
                    to_ask.append(child)
        return list(self._seen)

    def forget_ancestor(self) -> None:
        """When it has ended, its PID may be given to another process."""
        self._roots = []


def _children(pid: int) -> list[int]:
    """Children of all threads of a process; none if the kernel does not list them. The keeper asks for them all the
    time beside tests that need the processors, so this does without pathlib, which takes longer."""
    found: list[int] = []
    with contextlib.suppress(OSError):  # it has ended, or belongs to another user
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - see above
            with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{thread}/children", "rb") as listed:
                found += map(int, listed.read().split())
    return found


def _is_zombie(pid: int) -> bool:
    """Whether the process has ended, and only its parent has not asked for its exit code."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def _wait(pid: int, family: Family) -> None:
    """Waits until the process, whose child this one is, has ended; it may have ended before this one looks."""
    while os.getppid() == pid:
        family.look()
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


def _end_kept(name: str, family: Family) -> None:
    """Ends the family and all processes that carry the name. What comes up meanwhile is found by a later scan."""

    def left_over() -> list[int]:
        carrying = _kept(name)
        return [pid for pid in {*carrying, *family.look(carrying)} if not _is_zombie(pid)]

    begun = time.monotonic()
    _signal(left_over(), signal.SIGTERM)
    quiet = 0
    while quiet < _QUIET_SCANS and time.monotonic() - begun < _GIVE_UP_SECONDS:
        time.sleep(_POLL_SECONDS)
        left = left_over()
        quiet = 0 if left else quiet + 1
        if time.monotonic() - begun > _GRACE_SECONDS:
            _signal(left, signal.SIGKILL)


if __name__ == "__main__":
    ancestor = int(sys.argv[1].partition(".")[0])
    relatives = Family(ancestor)
    _wait(ancestor, relatives)
    relatives.forget_ancestor()
    _end_kept(sys.argv[1], relatives)
