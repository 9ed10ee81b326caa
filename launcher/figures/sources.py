# SPDX-License-Identifier: Apache-2.0
"""Digests of source sets: what a figure was measured on, in twelve hexadecimal digits.

`docs/figures/sources.toml` names the sets. Comments and layout do not count, so that a reworded comment makes no figure
stale. Tests are part of no set.
"""

from __future__ import annotations

import functools
import hashlib
import re
import tomllib
from pathlib import Path
from typing import Any

from launcher.env.paths import ROOT

SETS_FILE = ROOT / "docs" / "figures" / "sources.toml"
DIGITS = 12

# Strings are matched so that a comment's beginning inside one is left alone. No string spans lines here.
_STRING = r"\"(?:\\.|[^\"\\\n])*\""
_C_LIKE = re.compile(rf"{_STRING}|'(?:\\.|[^'\\\n])'|(//[^\n]*|/\*.*?\*/)", re.DOTALL)
_HASH_LIKE = re.compile(rf"{_STRING}|'[^'\n]*'|(#[^\n]*)")
_COMMENTS = {
    # .in: linker scripts before CMake has put addresses into them
    **dict.fromkeys((".c", ".h", ".cc", ".cpp", ".S", ".in", ".scala", ".sc", ".sv", ".v", ".rdl"), _C_LIKE),
    **dict.fromkeys((".py", ".toml", ".yaml", ".cmake", ".sh"), _HASH_LIKE),
}
_OTHERS = {".patch", ".lock", ".txt"}  # taken as they are


def read_sets(path: Path = SETS_FILE) -> dict[str, list[str]]:
    """The paths of each set, files or folders, relative to the root."""
    document: dict[str, Any] = tomllib.loads(path.read_text())
    return {name: list(entry["paths"]) for name, entry in document.items()}


def bare(text: str, suffix: str) -> str:
    """A source without comments, and without layout where layout means nothing."""
    comments = _COMMENTS.get(suffix)
    if comments is None:
        return text
    text = comments.sub(lambda found: " " if found[1] is not None else found[0], text)
    if comments is _C_LIKE:
        return " ".join(text.split())
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())


def files(paths: list[str], root: Path = ROOT) -> list[Path]:
    """The sources of a set, in order of their names. Raises FileNotFoundError for a path that does not exist."""
    found: list[Path] = []
    for name in paths:
        path = root / name
        if not path.exists():
            raise FileNotFoundError(2, "a source set names it, but it does not exist", str(path))
        inside = [path] if path.is_file() else [p for p in path.rglob("*") if p.is_file()]
        found += [p for p in inside if p.suffix in _COMMENTS or p.suffix in _OTHERS]
    return sorted({p for p in found if "tests" not in p.relative_to(root).parts})


def digest(paths: list[str], root: Path = ROOT) -> str:
    """The digest of a set: names and contents of its files."""
    total = hashlib.sha256()
    for path in files(paths, root):
        total.update(f"{path.relative_to(root).as_posix()}\0".encode())
        total.update(bare(path.read_text(errors="replace"), path.suffix).encode() + b"\0")
    return total.hexdigest()[:DIGITS]


@functools.cache
def now(name: str) -> str:
    """The digest of a set of this tree."""
    return digest(read_sets()[name])
