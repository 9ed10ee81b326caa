# SPDX-License-Identifier: Apache-2.0
"""What a bitstream or boot image was made of: a file FILE.json beside it, which is bound to it by its SHA-256.

A bitstream of Vivado is made long after its project was written, maybe on another machine, so nothing of ours runs
when it is made. The project tells Vivado a user ID, which comes back in the header of the .bit file: by it a later
`board build` knows whether the bitstream is of the sources at hand, and only then writes the sidecar.
"""

from __future__ import annotations

import datetime
import hashlib
import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from launcher.boards.board import BoardFailed
from launcher.boards.jtag.bitstream import NO_USER_ID
from launcher.cli import documents
from launcher.env import version
from launcher.suites import verified
from launcher.suites.verified import Digests

_VERSION = 1
STAMP = b"ORMSTAMP"  # begins the stamp in a boot image
UNKNOWN = "0" * 64  # in a stamp: the digest of sources that nobody knows


@dataclass(frozen=True)
class Forced:
    """A time at which the file was loaded though it was not verified, and why it was not."""

    day: str
    why: str


@dataclass(frozen=True)
class Sidecar:
    """`built`: None when only --force has written it, for a file that nobody knows the sources of."""

    board: str
    config: str
    sha256: str
    built: Digests | None
    version: str
    commit: str | None
    forced: tuple[Forced, ...] = ()


def path_of(file: Path) -> Path:
    """The sidecar of a file."""
    return file.with_name(f"{file.name}.json")


def hash_of(file: Path) -> str:
    """Raises BoardFailed."""
    try:
        with open(file, "rb") as handle:
            return hashlib.file_digest(handle, "sha256").hexdigest()
    except OSError as error:
        raise BoardFailed(f"{file}: {error.strerror}") from None


def user_id(*digests: str) -> int:
    """32 bits for a bitstream, from the digests of what it contains. Never the value that stands for none."""
    found = int.from_bytes(hashlib.sha256("\0".join(digests).encode()).digest()[:4], "big")
    return found if found != NO_USER_ID else 0


def stamp(built: Digests, is_verified: bool) -> bytes:
    """What goes into a boot image: a mark, both digests, and a word that is 1 when they had a green record."""
    return STAMP + bytes.fromhex(built.rtl) + bytes.fromhex(built.firmware) + int(is_verified).to_bytes(4, "little")


def write(file: Path, board: str, config: str, built: Digests) -> None:
    """Writes the sidecar of a file that has just been made of these sources. Of an equal file that has been loaded by
    --force, the mark stays. The commit is left out if another one may be checked out by now. Raises BoardFailed."""
    sha256 = hash_of(file)
    old = fitting(file)
    forced = () if old is None else old.forced
    commit = verified.commit() if verified.digests() == built else None
    store(file, Sidecar(board, config, sha256, built, version.number(), commit, forced))


def fitting(file: Path) -> Sidecar | None:
    """The sidecar, if it is whole and of this very file; else None. Raises BoardFailed if the file cannot be read."""
    sha256 = hash_of(file)
    try:
        found = read(file)
    except BoardFailed:
        return None
    return found if found is not None and found.sha256 == sha256 else None


def store(file: Path, sidecar: Sidecar) -> None:
    """Raises BoardFailed."""
    try:
        documents.write({"version_of_this_file": _VERSION, **asdict(sidecar)}, path_of(file))
    except OSError as error:
        raise BoardFailed(f"{path_of(file)}: {error.strerror}") from None


def read(file: Path) -> Sidecar | None:
    """The sidecar of a file; None if there is none. Whether it fits the file is for the caller. Raises BoardFailed."""
    path = path_of(file)
    try:
        text = path.read_text()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise BoardFailed(f"{path}: {error}") from None
    try:
        return _parsed(json.loads(text))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BoardFailed(f"{path}: is damaged ({error!r}); `./openremap board build` writes it") from None


def _parsed(document: dict[str, Any]) -> Sidecar:
    fields = dict(document)
    if fields.pop("version_of_this_file") != _VERSION:
        raise ValueError("another version")
    built = fields.pop("built")
    forced = tuple(Forced(**entry) for entry in fields.pop("forced"))
    found = Sidecar(**fields, built=None if built is None else Digests(**built), forced=forced)
    texts = [found.board, found.config, found.sha256, found.version]
    texts += [] if found.built is None else [found.built.rtl, found.built.firmware]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("a text is none")
    return found


def mark_forced(file: Path, board: str, config: str, why: str) -> None:
    """Leaves the mark of --force in the sidecar, before the file is loaded. Raises BoardFailed."""
    old = fitting(file) or Sidecar(board, config, hash_of(file), None, version.number(), None)
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    store(file, replace(old, forced=(*old.forced, Forced(today, why))))
