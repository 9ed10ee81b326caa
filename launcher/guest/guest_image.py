# SPDX-License-Identifier: Apache-2.0
"""The guest's initial file system: a cpio archive with the programs, their libraries and the scripts to run."""

from __future__ import annotations

import lzma
import os
import re
import stat
import subprocess
from collections.abc import Mapping
from pathlib import Path

from launcher.env import setup
from launcher.guest import guest_packages

INIT = Path(__file__).with_name("guest_init.sh")
PROGRAMS = (
    "usr/bin/fio",
    "usr/sbin/badblocks",
    "usr/sbin/dumpe2fs",
    "usr/sbin/e2fsck",
    "usr/sbin/mdadm",
    "usr/sbin/mke2fs",
    "usr/sbin/nvme",
)
# Modules of the kernel, in the order in which they are loaded: software RAID of several disks, and a disk without a
# device, to compare with. A script loads them from /lib/modules.
MODULES = ("md-mod", "raid1", "configfs", "null_blk")
LINKS = {"usr/sbin/mkfs.ext4": "mke2fs", "usr/sbin/fsck.ext4": "e2fsck"}
FOLDERS = {"bin": "usr/bin", "sbin": "usr/sbin", "lib": "usr/lib", "lib64": "usr/lib64"}  # as Debian has them
_LOADER = "usr/lib64/ld-linux-x86-64.so.2"


class Archive:
    """A cpio archive in the format that the kernel unpacks ("newc")."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._names: set[str] = set()

    def add(self, name: str, mode: int, data: bytes = b"", device: tuple[int, int] = (0, 0)) -> None:
        """Adds an entry and the folders above it. An existing entry stays unchanged."""
        above = str(Path(name).parent)
        if above != "." and above not in self._names:
            self.add(above, stat.S_IFDIR | 0o755)
        if name in self._names:
            return
        self._names.add(name)
        self._put(name, mode, data, device)

    def file(self, name: str, source: Path) -> None:
        self.add(name, stat.S_IFREG | (0o755 if os.access(source, os.X_OK) else 0o644), source.read_bytes())

    def link(self, name: str, target: str) -> None:
        self.add(name, stat.S_IFLNK | 0o777, target.encode())

    def finish(self) -> bytes:
        """Returns the archive. The kernel accepts several, concatenated."""
        self._put("TRAILER!!!", 0, b"", (0, 0))
        return bytes(self._bytes)

    def _put(self, name: str, mode: int, data: bytes, device: tuple[int, int]) -> None:
        number = len(self._names)
        fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name.encode()) + 1, 0)
        self._bytes += b"070701" + "".join(f"{field:08x}" for field in fields).encode()
        for part in (name.encode() + b"\0", data):
            self._bytes += part
            self._bytes += b"\0" * (-len(self._bytes) % 4)


def base(packages: guest_packages.Packages) -> Path:
    """The part that all runs share. Built once, and again when `INIT` has changed."""
    image = packages.folder / "initramfs.cpio"
    sources = [INIT, Path(__file__), packages.stamp]
    if image.exists() and image.stat().st_mtime > max(source.stat().st_mtime for source in sources):
        return image
    archive = Archive()
    for name, target in FOLDERS.items():
        archive.link(name, target)
    archive.add("dev/console", stat.S_IFCHR | 0o600, device=(5, 1))
    archive.add("init", stat.S_IFREG | 0o755, INIT.read_bytes())
    archive.file("usr/bin/busybox", packages.root / "usr/bin/busybox")
    archive.link("usr/bin/sh", "busybox")
    for program in PROGRAMS:
        _with_libraries(archive, packages, program)
    for name, target in LINKS.items():
        archive.link(name, target)
    for name in MODULES:
        archive.add(f"usr/lib/modules/{name}.ko", stat.S_IFREG | 0o644, module(packages.root, name))
    partial = image.with_suffix(f".{os.getpid()}")
    partial.write_bytes(archive.finish())
    partial.replace(image)
    return image


def own(folder: Path, tools: Mapping[str, Path]) -> bytes:
    """The part of one run: the files of a folder as /scripts, and statically linked programs in /usr/bin."""
    archive = Archive()
    for name, program in tools.items():
        archive.file(f"usr/bin/{name}", program)
    for path in sorted(folder.iterdir()):
        if path.is_file():
            archive.file(f"scripts/{path.name}", path)
    return archive.finish()


def module(root: Path, name: str) -> bytes:
    """A module of the kernel below `root`, decompressed: the guest's insmod takes no other."""
    found = [*root.glob(f"usr/lib/modules/*/kernel/**/{name}.ko*")]
    if len(found) != 1:
        raise setup.SetupError(f"the guest's packages have {len(found)} modules {name}, expected one")
    data = found[0].read_bytes()
    return lzma.decompress(data) if found[0].suffix == ".xz" else data


_NEEDED = re.compile(r"^\s*(?:(\S+) => )?(/\S+) \(0x[0-9a-f]+\)$", re.MULTILINE)


def libraries(listing: str, root: Path) -> list[str]:
    """Paths inside `root` that a loader's list of a program's libraries names."""
    found = []
    for match in _NEEDED.finditer(listing):
        path = Path(match[2])
        if path.is_relative_to(root):
            found.append(str(path.relative_to(root)))
    return found


def _with_libraries(archive: Archive, packages: guest_packages.Packages, program: str) -> None:
    loader, *options = packages.start(program)
    done = subprocess.run([loader, "--list", *options], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise setup.SetupError(f"{program} of the guest lacks libraries: {done.stderr.strip()}")
    archive.file(program, packages.root / program)
    for name in [_LOADER, *libraries(done.stdout, packages.root)]:
        # Under the name that the program requests, with links resolved.
        archive.file(name, (packages.root / name).resolve())
