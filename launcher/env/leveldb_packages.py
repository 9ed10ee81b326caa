# SPDX-License-Identifier: Apache-2.0
"""Debian packages for tests of the LevelDB fork: stock LevelDB, a program that uses it (plyvel), and mkfs.xfs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from launcher.env import steps, unpacked_packages
from launcher.env.unpacked_packages import Apt, Packages

PINS = Path(__file__).with_name("leveldb_packages.toml")
NAME = "leveldb"  # prefix of the cache folder's name


def ensure() -> Packages:
    """Fetches and unpacks the packages unless that is done already."""
    packages = Packages(unpacked_packages.folder(NAME, PINS))
    unpacked_packages.ensure(packages, PINS, lambda apt, pins: _fetch(packages, apt, pins))
    return packages


def _fetch(packages: Packages, apt: Apt, pins: dict[str, Any]) -> list[Path]:
    names = [*pins["packages"]]
    return apt.download(names, f"leveldb: {', '.join(names)}", packages.logs / "fetch.log")


def python_folder(packages: Packages) -> Path:
    """The folder of Debian's Python modules."""
    return packages.root / "usr" / "lib" / "python3" / "dist-packages"


def stock_library(packages: Packages) -> Path:
    """A folder that holds only stock LevelDB's library, for LD_LIBRARY_PATH."""
    folder = packages.folder / "stock"
    folder.mkdir(exist_ok=True)
    for library in packages.libraries.glob("libleveldb.so*"):
        link = folder / library.name
        if not link.is_symlink():
            link.symlink_to(library)
    return folder


def make_xfs(packages: Packages, image: Path, *options: str) -> None:
    """Makes an XFS file system in `image`, a file of at least 300 MB. `options` go to mkfs.xfs."""
    environment = {**os.environ, "LD_LIBRARY_PATH": str(packages.libraries)}
    command = [str(packages.root / "sbin" / "mkfs.xfs"), "-q", *options, str(image.absolute())]  # steps run elsewhere
    steps.must("mkfs.xfs", command, packages.logs / "mkfs.log", env=environment)
