# SPDX-License-Identifier: Apache-2.0
"""QEMU, a guest kernel and the guest's programs: Debian packages of another release than the machine's."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from launcher.env import setup, steps, unpacked_packages
from launcher.env.unpacked_packages import LIBRARIES, Apt

PINS = Path(__file__).with_name("guest_packages.toml")
NAME = "guest"  # of the folders


@dataclass(frozen=True)
class Packages(unpacked_packages.Packages):
    """The folder of one set of packages."""

    @property
    def kernel(self) -> Path:
        return self.folder / "vmlinuz"

    def start(self, program: str) -> list[str]:
        """The command that starts an unpacked program: its own loader with its own libraries."""
        paths = f"{self.libraries}:{self.libraries / 'ceph'}"
        loader = str(self.root / LIBRARIES / "ld-linux-x86-64.so.2")
        return [loader, "--library-path", paths, str(self.root / program)]


def ensure() -> Packages:
    """Downloads and unpacks the packages that are missing."""
    packages = Packages(unpacked_packages.folder(NAME, PINS))
    unpacked_packages.ensure(
        packages, PINS, lambda apt, pins: _fetch(packages, apt, pins), lambda: _take_kernel(packages)
    )
    return packages


def _fetch(packages: Packages, apt: Apt, pins: dict[str, Any]) -> list[Path]:
    title = f"guest: packages of Debian {pins['release']}"
    install = ["apt-get", "install", "--download-only", "--yes", "--no-install-recommends", "-t", pins["backports"]]
    names = [*pins["packages"]]
    steps.must(f"{title}: {', '.join(names)}", [*install, *names], packages.logs / "fetch.log", env=apt.environment)
    kernel = choose_kernel(apt.names("linux-binary-"), pins["kernel"]["package"], pins["kernel"]["version"])
    modules = pins["kernel"]["modules"] + kernel.removeprefix("linux-binary-")
    kernels = apt.download([kernel, modules], f"{title}: {kernel}, {modules}", packages.logs / "kernel.log")
    return [*sorted(apt.archives.glob("*.deb")), *kernels]


def _take_kernel(packages: Packages) -> None:
    images = [*packages.root.glob("usr/lib/modules/*/vmlinuz"), *packages.root.glob("boot/vmlinuz-*")]
    if len(images) != 1:
        raise setup.SetupError(f"the guest's packages have {len(images)} kernel images, expected one")
    shutil.copyfile(images[0], packages.kernel)


def choose_kernel(names: Iterable[str], pattern: str, least: str) -> str:
    """The kernel package with the lowest version that is at least `least`."""

    def number(version: str) -> tuple[int, ...]:
        return tuple(map(int, version.split(".")))

    found = {number(match[1]): name for name in names if (match := re.fullmatch(pattern, name))}
    enough = [version for version in sorted(found) if version >= number(least)]
    if not enough:
        raise setup.SetupError(f"the mirror has no kernel package {pattern} of version {least} or later")
    return found[enough[0]]
