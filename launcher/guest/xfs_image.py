# SPDX-License-Identifier: Apache-2.0
"""An XFS image in a file, mounted in a private mount namespace: a file system with reflinks on its own block device."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from launcher.env import leveldb_packages
from launcher.env.unpacked_packages import Packages

NAMESPACE = ("unshare", "--mount", "--propagation", "private")
_MOUNT = ("mount", "-t", "xfs", "-o", "loop")
LEAST_BYTES = 320 << 20  # mkfs.xfs refuses less than 300 MB


class CannotMount(Exception):  # noqa: N818 - reads as what happened
    """This machine cannot mount XFS. The message says why."""


def require_namespace() -> None:
    """Raises unless a mount namespace can be made."""
    try:
        done = subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False)
    except OSError as error:
        raise CannotMount(f"cannot make a mount namespace: {error}") from error
    if done.returncode != 0:
        raise CannotMount("a mount namespace of its own takes root, and this is not root")


def make(packages: Packages, image: Path, size: int) -> None:
    """Creates an empty file system of `size` bytes in a sparse file."""
    image.unlink(missing_ok=True)  # an earlier one may still be mounted
    with open(image, "wb") as file:
        file.truncate(size)
    leveldb_packages.make_xfs(packages, image)


@contextmanager
def mounted(image: Path, folder: Path) -> Iterator[None]:
    """Mounts the image on the folder, in the mount namespace of this process."""
    done = subprocess.run([*_MOUNT, str(image), str(folder)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CannotMount(f"cannot mount an XFS image: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def prefix(image: Path, folder: Path) -> list[str]:
    """Prefix of a command that sees the image mounted on the folder. Other processes do not see the mount, which ends
    with the command.
    """
    script = f'{shlex.join(_MOUNT)} "$1" "$2" && shift 2 && exec "$@"'
    return [*NAMESPACE, "sh", "-c", script, "sh", str(image), str(folder)]


def require_mount(packages: Packages, scratch: Path) -> None:
    """Raises CannotMount unless an image can be created in the folder and mounted."""
    image, folder = scratch / "try.xfs", scratch / "try"
    folder.mkdir(exist_ok=True)
    try:
        make(packages, image, LEAST_BYTES)
        done = subprocess.run([*prefix(image, folder), "true"], capture_output=True, text=True, check=False)
    finally:
        image.unlink(missing_ok=True)
    if done.returncode != 0:
        raise CannotMount(f"cannot mount an XFS image: {' '.join(done.stderr.split())}")
