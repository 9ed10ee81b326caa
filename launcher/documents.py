# SPDX-License-Identifier: Apache-2.0
"""Result documents, written where a person says: a file, a link to one, a pipe or a device."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


def is_special(path: Path) -> bool:
    """Whether something is there, links followed, that is no regular file: it must be written to, not replaced by one."""
    return path.exists() and not path.is_file()


def write(document: dict[str, Any], path: Path) -> None:
    """Writes a file whole or not at all, with its folder; links stay, and what they lead to is written."""
    text = json.dumps(document, indent=2, allow_nan=False) + "\n"
    if is_special(path):
        path.write_text(text)
        return
    target = Path(os.path.realpath(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(target.name + ".tmp")
    try:
        partial.write_text(text)
        partial.replace(target)
    except OSError:  # as of a full disk
        partial.unlink(missing_ok=True)
        raise
