# SPDX-License-Identifier: Apache-2.0
"""An ext4 image in a file, made by the machine's own mkfs.ext4. Mounted by xfs_image.mounted()."""

from __future__ import annotations

import subprocess
from pathlib import Path

from launcher.guest.xfs_image import CannotMount

# Tables and journal are written at once and not beside a test, where they would be counted.
MKFS = ("mkfs.ext4", "-q", "-F", "-b", "4096", "-E", "lazy_itable_init=0,lazy_journal_init=0")


def make(image: Path, size: int) -> None:
    """Creates an empty file system of `size` bytes in a sparse file. Raises CannotMount without mkfs.ext4."""
    image.unlink(missing_ok=True)  # an earlier one may still be mounted
    with open(image, "wb") as file:
        file.truncate(size)
    try:
        done = subprocess.run([*MKFS, str(image)], capture_output=True, text=True, check=False)
    except OSError as error:
        raise CannotMount(f"cannot make an ext4 image: {error}") from error
    if done.returncode != 0:
        raise CannotMount(f"cannot make an ext4 image: {done.stderr.strip()}")
