# SPDX-License-Identifier: Apache-2.0
"""Writes result documents to a path that the user gives: a file, a link, a pipe or a device."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any


def is_special(path: Path) -> bool:
    """Whether the path, with links followed, must be written in place, because a new file cannot replace it. That holds
    for everything that is not a regular file, and for the file of this program's output (`--json /dev/stdout > log`).
    """
    return path.exists() and (not path.is_file() or _own_output(path) is not None)


def _own_output(path: Path) -> int | None:
    """The descriptor of this program's output if the path is the file that it goes to."""
    there = path.stat()
    for descriptor in (1, 2):
        try:
            own = os.fstat(descriptor)
        except OSError:  # closed
            continue
        if (own.st_dev, own.st_ino) == (there.st_dev, there.st_ino):
            return descriptor
    return None


def write(document: dict[str, Any], path: Path) -> None:
    """Writes a file atomically and creates its folder. Follows links."""
    write_text(json.dumps(document, indent=2, allow_nan=False) + "\n", path)


def write_text(text: str, path: Path) -> None:
    """The same for what is no JSON."""
    if is_special(path):
        own = _own_output(path)
        if own is None:
            path.write_text(text)
        else:  # opening it again would write at the start of the file
            sys.stdout.flush()
            with os.fdopen(os.dup(own), "w") as out:
                out.write(text)
        return
    target = Path(os.path.realpath(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(mode="w", dir=target.parent, prefix=target.name + ".", delete=False) as partial:
        try:
            partial.write(text)
            partial.flush()
            os.fchmod(partial.fileno(), 0o666 & ~_umask())  # the mode of a new file, not that of a temporary one
            Path(partial.name).replace(target)
        except OSError:  # for example, a full disk
            Path(partial.name).unlink()
            raise


def _umask() -> int:
    """Reads the umask from /proc, because os.umask() would change it for other threads meanwhile."""
    found = re.search(r"^Umask:\s*([0-7]+)$", Path("/proc/self/status").read_text(), re.MULTILINE)
    return int(found[1], 8) if found else 0o022
