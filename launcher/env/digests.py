# SPDX-License-Identifier: Apache-2.0
"""The digest of files: it changes with a file's content, and with its name."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path


def of_files(paths: Iterable[Path], root: Path, first: str = "") -> str:
    """Of the names below `root` and the contents, in this order, behind the text `first`. Raises OSError."""
    whole = hashlib.sha256(first.encode())
    for path in paths:
        whole.update(os.fsencode(f"{path.relative_to(root).as_posix()}\0"))  # a name need not be UTF-8
        whole.update(hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()
