# SPDX-License-Identifier: Apache-2.0
"""A disk of this machine that a measurement shall erase: what speaks against that."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from launcher.boards.board import BoardFailed, Reference

SYSFS = Path("/sys/dev/block")
MOUNTS = Path("/proc/self/mountinfo")
SWAPS = Path("/proc/swaps")
_SECTOR = 512  # of the kernel's counts, whatever the disk's is
_LOOKED_AT = 1 << 20  # bytes at either end: partition tables and file systems have something there


@dataclass(frozen=True)
class Disk:
    """What the kernel says of a whole disk."""

    path: Path  # without links
    number: str  # MAJOR:MINOR
    size: int  # bytes
    model: str


def find(path: Path) -> Disk:
    """The disk itself, also if `path` is a link of udev's to it. Raises BoardFailed for what is no whole disk."""
    try:
        real = path.resolve(strict=True)
        number = _number(real)
    except OSError as error:
        raise BoardFailed(f"--device: {path}: {error.strerror}") from None
    if number is None:
        raise BoardFailed(f"--device: {path}: is neither a disk nor a folder")
    entry = SYSFS / number
    if (entry / "partition").exists():
        raise BoardFailed(f"--device: {path}: is a partition; name the whole disk")
    try:
        size = int((entry / "size").read_text()) * _SECTOR
    except (OSError, ValueError) as error:
        raise BoardFailed(f"--device: {path}: the kernel does not tell its size: {error}") from None
    return Disk(real, number, size, _model(entry))


def model_below(folder: Path) -> str:
    """The model of the disk that a folder's file system lies on; "" where there is no single one."""
    number = folder.stat().st_dev
    entry = (SYSFS / f"{os.major(number)}:{os.minor(number)}").resolve()
    return _model(entry.parent if (entry / "partition").exists() else entry)


def _model(entry: Path) -> str:
    try:
        return (entry / "device" / "model").read_text().strip()
    except OSError:
        return ""


def _number(path: Path) -> str | None:
    found = path.stat()
    return f"{os.major(found.st_rdev)}:{os.minor(found.st_rdev)}" if stat.S_ISBLK(found.st_mode) else None


def refuse(disk: Disk, reference: Reference, erase: bool) -> None:
    """Raises BoardFailed where the disk is another one, is in use, or has data that `erase` does not give up."""
    name = f"--device: {disk.path}"
    if disk.model != reference.model:
        raise BoardFailed(
            f"{name}: its model is '{disk.model or 'unknown'}', and not '{reference.model}' as with "
            f"{reference.firmware}; of another disk name a folder on it"
        )
    if not reference.least_bytes <= disk.size <= reference.most_bytes:
        raise BoardFailed(
            f"{name}: has {disk.size:,} bytes; with {reference.firmware} the board has {reference.least_bytes:,} to "
            f"{reference.most_bytes:,} in this configuration (--config)"
        )
    if use := _use(disk):
        raise BoardFailed(f"{name}: {use}")
    if not erase and _has_data(disk):
        raise BoardFailed(
            f"{name}: has data, or reads as if it had: {reference.firmware} may send anything for blocks that were "
            "never written. --erase gives up all that is on it"
        )


def _use(disk: Disk) -> str:
    """Who has the disk; "": nobody."""
    entry = (SYSFS / disk.number).resolve()
    parts = [path for path in sorted(entry.glob("*/partition"))]
    numbers = {disk.number} | {(path.parent / "dev").read_text().strip() for path in parts}
    for line in MOUNTS.read_text().splitlines():
        words = line.split()
        if len(words) > 4 and words[2] in numbers:
            return f"is mounted on {words[4]}"
    if parts:
        return f"has partitions ({', '.join(path.parent.name for path in parts)})"
    for line in SWAPS.read_text().splitlines()[1:]:
        if line.split()[0] == str(disk.path):
            return "is swap space"
    holders = entry / "holders"
    if holders.is_dir() and (names := sorted(path.name for path in holders.iterdir())):
        return f"is used by {', '.join(names)}"
    try:
        os.close(os.open(disk.path, os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC))
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _has_data(disk: Disk) -> bool:
    try:
        with open(disk.path, "rb") as handle:
            first = handle.read(_LOOKED_AT)
            handle.seek(max(0, disk.size - _LOOKED_AT))
            return any(first) or any(handle.read(_LOOKED_AT))
    except OSError as error:
        raise BoardFailed(f"--device: {disk.path}: cannot be read: {error.strerror}") from None
