# SPDX-License-Identifier: Apache-2.0
"""`python -m launcher.guest.on_xfs MIB COMMAND...`: runs a command beside an empty XFS. Takes root and loop devices.

MOUNT in the command's words is the folder on which the file system is mounted. It is gone when the command ends.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from launcher.env import leveldb_packages
from launcher.guest import xfs_image

USAGE = "usage: python -m launcher.guest.on_xfs MIB COMMAND...   (MOUNT in COMMAND: the folder of the file system)"


def run(size: int, command: list[str]) -> int:
    """Runs the command on a file system of `size` bytes; returns its exit code."""
    with tempfile.TemporaryDirectory(prefix="on-xfs-") as scratch:
        image, folder = Path(scratch) / "xfs", Path(scratch) / "mounted"
        folder.mkdir()
        xfs_image.require_namespace()
        xfs_image.make(leveldb_packages.ensure(), image, size)
        words = [word.replace("MOUNT", str(folder)) for word in command]
        return subprocess.run([*xfs_image.prefix(image, folder), *words], check=False).returncode


def main(arguments: list[str]) -> int:
    if len(arguments) < 2 or not arguments[0].isdigit():
        print(USAGE, file=sys.stderr)
        return 2
    try:
        return run(int(arguments[0]) << 20, arguments[1:])
    except xfs_image.CannotMount as error:
        print(f"on_xfs: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
