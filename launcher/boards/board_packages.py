# SPDX-License-Identifier: Apache-2.0
"""Programs that boards need: those of the machine, or of Debian packages that are unpacked into the cache."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from launcher.env import unpacked_packages
from launcher.env.unpacked_packages import Apt, Packages

PINS = Path(__file__).with_name("board_packages.toml")
NAME = "board"  # prefix of the cache folder's name
# Names on the machine, and files of the packages.
_FILES = {"openocd": "usr/bin/openocd", "bootgen": "usr/bin/bootgen", "tclsh": "usr/bin/tclsh8.6"}
_TCL_LIBRARY = "usr/share/tcltk/tcl8.6"


@dataclass(frozen=True)
class Program:
    """How a program is started: its path, and variables for its environment."""

    path: str
    variables: dict[str, str]

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, **self.variables}


def find(name: str) -> Program:
    """One of openocd, bootgen and tclsh. Raises SetupError, or StepFailed, when it can neither be found nor fetched."""
    installed = shutil.which(name)
    if installed is not None:
        return Program(installed, {})
    packages = ensure()
    variables = {"LD_LIBRARY_PATH": str(packages.libraries), "TCL_LIBRARY": str(packages.root / _TCL_LIBRARY)}
    return Program(str(packages.root / _FILES[name]), variables)


def ensure() -> Packages:
    """Fetches and unpacks the packages unless that is done already."""
    packages = Packages(unpacked_packages.folder(NAME, PINS))
    unpacked_packages.ensure(packages, PINS, lambda apt, pins: _fetch(packages, apt, pins))
    return packages


def _fetch(packages: Packages, apt: Apt, pins: dict[str, Any]) -> list[Path]:
    names = [*pins["packages"]]
    return apt.download(names, f"board: {', '.join(names)}", packages.logs / "fetch.log")
