# SPDX-License-Identifier: Apache-2.0
"""Result documents, written where a person says: a file, a link to one, a pipe or a device."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any


def is_special(path: Path) -> bool:
    """Whether something is there, links followed, that must be written to, not replaced by a file: what is no regular one, and
    what output goes to, as of `--json /dev/stdout > log`."""
    return path.exists() and (not path.is_file() or _own_output(path) is not None)


def _own_output(path: Path) -> int | None:
    """The descriptor of this program's output, if the path is what it goes to."""
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
    """Writes a file whole or not at all, with its folder; links stay, and what they lead to is written."""
    text = json.dumps(document, indent=2, allow_nan=False) + "\n"
    if is_special(path):
        own = _own_output(path)
        if own is None:
            path.write_text(text)
        else:  # opened once more it would begin at the start of a file
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
            os.fchmod(partial.fileno(), 0o666 & ~_umask())  # as of any new file, not as of a temporary one
            Path(partial.name).replace(target)
        except OSError:  # as of a full disk
            Path(partial.name).unlink()
            raise


def _umask() -> int:
    """Linux tells it without setting it, which would be seen by other threads."""
    found = re.search(r"^Umask:\s*([0-7]+)$", Path("/proc/self/status").read_text(), re.MULTILINE)
    return int(found[1], 8) if found else 0o022
