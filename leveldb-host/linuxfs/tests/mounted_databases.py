# SPDX-License-Identifier: Apache-2.0
"""Databases of db_bench on an XFS or an ext4 that is mounted from an image: filled, cut in the middle, read again."""

from __future__ import annotations

import fcntl
import json
import os
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from launcher.guest import xfs_image
from launcher.guest.xfs_image import CannotMount
from launcher.suites.single_test import Skipped, require

INSIDE = "--inside"  # the mount namespace
SECONDS = 1800  # time-out of a program
GOING_DOWN = 0x8004587D  # XFS_IOC_GOINGDOWN, EXT4_IOC_SHUTDOWN
WITHOUT_LOG = struct.pack("I", 2)  # what the journal has in memory is lost


# Tables and journal are written at once and not beside a test, where they would be counted.
MKFS_EXT4 = ("mkfs.ext4", "-q", "-F", "-b", "4096", "-E", "lazy_itable_init=0,lazy_journal_init=0")


def _must(what: str, command: list[str]) -> None:
    """Runs a command of the machine, without which nothing can be mounted."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise CannotMount(f"cannot {what}: {error}") from error
    if done.returncode != 0:
        raise CannotMount(f"cannot {what}: {done.stderr.strip()}")


def make_ext4(image: Path, size: int) -> None:
    """Creates an empty ext4 of `size` bytes in a sparse file, by the machine's own mkfs.ext4."""
    image.unlink(missing_ok=True)  # an earlier one may still be mounted
    with open(image, "wb") as file:
        file.truncate(size)
    _must("make an ext4 image", [*MKFS_EXT4, str(image)])


@contextmanager
def mounted(image: Path, folder: Path, kind: str) -> Iterator[None]:
    """Mounts an image of this kind on the folder, in the mount namespace of this process."""
    _must(f"mount an image of {kind}", ["mount", "-t", kind, "-o", "loop", str(image), str(folder)])
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@dataclass(frozen=True)
class Databases:
    """Runs of db_bench with the same options, each with a new database in a folder where an image is mounted."""

    program: str
    image: Path
    folder: Path
    kind: str  # of the file system
    options: tuple[str, ...]
    puts: int

    def _command(self, *more: str) -> list[str]:
        return [self.program, f"--device=reflink:{self.folder}", *self.options, *more]

    def _run(self, *more: str) -> Any:
        command = self._command(*more)
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
        require(done.returncode == 0, f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr[-2000:]}")
        return json.loads(done.stdout)

    def _read(self, least: int) -> Any:
        """What the database holds after the image has been mounted anew. The database is removed."""
        with mounted(self.image, self.folder, self.kind):
            found = self._run(f"--check={least}")
            subprocess.run(["rm", "-r", str(self.folder / "db")], check=True)
        return found

    def fill(self, what: str, beside: Callable[[Path], None] = lambda _: None) -> Any:
        """The result of a fill, which db_bench reads back, and which is read once more after a remount.

        `beside` sees the database's folder before that.
        """
        with mounted(self.image, self.folder, self.kind):
            run = self._run()
            beside(self.folder / "db")
        found = self._read(self.puts)
        require(found["least_puts"] == self.puts and found["mismatches"] == 0, f"{what}: after a remount: {found}")
        require(run["keys_verified"] == run["keys_expected"] > 0, f"{what}: {run['keys_verified']} keys verified")
        counted = run["geometry"]["counted"]
        require(counted.startswith("block device 7:"), f"{what}: counted at {counted}, and not at the loop device")
        require(run["host_bytes"] > run["user_bytes"] > 0, f"{what}: {run['host_bytes']} bytes written")
        return run

    def cut(self, what: str, after: int) -> int:
        """A fill that ends in a power cut once so many puts are synced: what was synced is there. Returns how many
        were.
        """
        synced = 0
        with mounted(self.image, self.folder, self.kind):
            command = self._command()
            with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as running:
                assert running.stderr is not None
                for line in running.stderr:
                    words = line.split()
                    if words[:1] == ["synced"]:
                        synced = int(words[1])
                    if synced >= after:
                        descriptor = os.open(self.folder, os.O_RDONLY)
                        fcntl.ioctl(descriptor, GOING_DOWN, WITHOUT_LOG)
                        os.close(descriptor)
                        break
                running.kill()
        require(synced >= after, f"{what}: the fill ended after {synced} puts")
        found = self._read(synced)
        held = f"{what}: {synced} puts were synced: {found}"
        require(found["mismatches"] == 0 and found["most_puts"] >= synced, held)
        return synced


def inside(test: Callable[[str], None]) -> None:
    """Runs the test, with the last word of the command line, in a mount namespace of its own. Skipped, where the
    machine does not allow mounts.
    """
    try:
        if INSIDE not in sys.argv:
            xfs_image.require_namespace()
            namespace = xfs_image.NAMESPACE
            os.execvp(namespace[0], [*namespace, sys.executable, *sys.argv[:-1], INSIDE, sys.argv[-1]])
        test(sys.argv[-1])
    except CannotMount as why:
        raise Skipped(str(why)) from why
