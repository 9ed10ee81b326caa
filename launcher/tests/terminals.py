# SPDX-License-Identifier: Apache-2.0
"""Runs a program whose output goes into pipes, or to a pseudo-terminal as a user's does."""

from __future__ import annotations

import contextlib
import os
import pty
import subprocess
from collections.abc import Mapping

_DECIDES = ("CI", "TERM", "OPENREMAP_PROGRESS", "FORCE_COLOR")  # variables that decide about progress


def _environment(extra: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _DECIDES}
    return {**kept, "TERM": "xterm", **extra}


def into_pipe(command: list[str], **extra: str) -> str:
    """What the program writes to stdout and stderr, which are one pipe. It must succeed."""
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=_environment(extra)
    )
    text = done.stdout.decode()
    assert done.returncode == 0, text
    return text


def on_terminal(command: list[str], **extra: str) -> str:
    """The same on a pseudo-terminal."""
    leader, follower = pty.openpty()
    child = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=follower, stderr=follower, env=_environment(extra)
    )
    os.close(follower)
    written = b""
    with contextlib.suppress(OSError):  # EIO: the program has ended, and nobody has the terminal open
        while part := os.read(leader, 65536):
            written += part
    os.close(leader)
    assert child.wait() == 0, written
    return written.decode()
