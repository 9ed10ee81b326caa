# SPDX-License-Identifier: Apache-2.0
"""Only what was verified goes onto a board: what is wrong with a file that shall be loaded, and what --force leaves."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from launcher.boards import sidecar
from launcher.boards.board import BoardFailed
from launcher.boards.jtag import bitstream
from launcher.suites import verified
from launcher.suites.verified import Digests

FORCE = "--force loads it all the same, and leaves a mark in its sidecar"


@dataclass(frozen=True)
class Verdict:
    """On a file. `why`: the reason why it is not verified, in a line; "": it is. `help`: what to do about it."""

    file: Path
    why: str
    help: tuple[str, ...] = ()
    sha256: str = ""  # of the file that was looked at

    @property
    def text(self) -> str:
        """In lines, the first of which names the file."""
        if not self.why:
            return f"{self.file.name}: verified: {', '.join(verified.VERILATED)} are green on its sources"
        return "\n  ".join([f"{self.file}: not verified: {self.why}", *self.help])


def judge(file: Path, board: str, firmware: str | None = None) -> Verdict:
    """Looks at a file and its sidecar. `firmware`: digest of what will run on it, when that is not what the sidecar
    names. Raises BoardFailed if the file cannot be read."""
    sha256 = sidecar.hash_of(file)
    return replace(_judged(file, sha256, board, firmware), sha256=sha256)


def _judged(file: Path, sha256: str, board: str, firmware: str | None) -> Verdict:
    again = f"`./openremap board build {board}` writes {sidecar.path_of(file).name} for a bitstream of its project"
    try:
        found = sidecar.read(file)
    except BoardFailed as error:
        return Verdict(file, str(error), (again,))
    if found is None:
        return Verdict(file, f"there is no {sidecar.path_of(file).name}, so nobody knows what it was made of", (again,))
    if found.sha256 != sha256:
        return Verdict(file, f"it has changed since {sidecar.path_of(file).name} was written", (again,))
    if found.board != board:
        return Verdict(file, f"it is for the board {found.board}, not for {board}")
    if found.built is None:
        return Verdict(file, "it was loaded by --force before, and nobody knows what it was made of", (again,))
    return _of_sources(file, Digests(found.built.rtl, firmware or found.built.firmware), found.commit)


def judge_sources(file: Path, built: Digests) -> Verdict:
    """The verdict on what is made of these sources, without a look at the file."""
    return _of_sources(file, built, None)


def _of_sources(file: Path, built: Digests, commit: str | None) -> Verdict:
    try:
        missing = verified.missing(built)
    except verified.RecordDamaged as error:
        return Verdict(file, str(error))
    if not missing:
        return Verdict(file, "")
    why = f"no green record of {', '.join(missing)} on its sources ({built})"
    command = f"./openremap test {' '.join(missing)}"
    if verified.digests() == built:
        return Verdict(file, why, (f"this makes the record: {command}",))
    where = f"check out {commit}, then" if commit else "the sources here are others; with those that it is of"
    return Verdict(file, why, (f"{where}: {command}",))


def require(verdict: Verdict, board: str, config: str, force: bool, say: Callable[[str], None]) -> None:
    """Says that a file is verified, or refuses it. `force`: leaves the mark instead, and warns. Raises BoardFailed."""
    if not verdict.why:
        say(verdict.text)
    elif not force:
        raise BoardFailed(f"{verdict.text}\n  {FORCE}")
    else:
        sidecar.mark_forced(verdict.file, board, config, verdict.why)
        say(f"warning: {verdict.text}\n  it is used because of --force; the mark is in {sidecar.path_of(verdict.file)}")


def copy(verdict: Verdict, folder: Path) -> Path:
    """A copy of the file that was looked at, which nobody writes to while it is loaded. Raises BoardFailed."""
    found = folder / verdict.file.name
    try:
        shutil.copyfile(verdict.file, found)
    except OSError as error:
        raise BoardFailed(f"{verdict.file}: {error.strerror}") from None
    if sidecar.hash_of(found) != verdict.sha256:
        raise BoardFailed(f"{verdict.file}: has just changed; run this again")
    return found


def require_unchanged(built: Digests) -> None:
    """Raises BoardFailed if the sources are others than those: nobody knows which of them was built."""
    if verified.digests() != built:
        raise BoardFailed("the sources changed meanwhile: nobody knows which of them it is made of; run this again")


def require_unchanged_project(out: Path, built: Digests) -> None:
    """The same of a project for Vivado, which must not be made into a bitstream with a user ID of other sources."""
    try:
        require_unchanged(built)
    except BoardFailed:
        (out / "build.tcl").unlink()
        raise


def remarks(file: Path) -> list[str]:
    """Warnings about a file of a build's folder that was loaded by --force; none if there is no such file."""
    try:
        found = sidecar.read(file)
    except BoardFailed as error:
        return [f"warning: {error}"]
    if found is None or not found.forced:
        return []
    last = found.forced[-1]
    times = "" if len(found.forced) == 1 else f", {len(found.forced)} times in all"
    return [f"warning: {file.name} was loaded by --force on {last.day}{times}: {last.why}"]


def note_bitstream(file: Path, board: str, config: str, built: Digests, user_id: int) -> str:
    """Writes the sidecar of a bitstream that Vivado has made, if it is of these sources. Returns a line to tell.
    A sidecar that fits the file stays as it is, where the sources at hand are others. Raises BoardFailed."""
    try:
        told = bitstream.user_id(file.read_bytes())
    except OSError as error:
        raise BoardFailed(f"{file}: {error.strerror}") from None
    if told == user_id:
        sidecar.write(file, board, config, built)
        return judge(file, board).text
    if sidecar.fitting(file) is not None:
        return judge(file, board).text
    has = "no user ID" if told is None else f"the user ID {told:08X}h"
    return (
        f"{file.name}: has {has}, these sources {user_id:08X}h: it is of others, so it gets no sidecar; "
        "make it again from this project"
    )
