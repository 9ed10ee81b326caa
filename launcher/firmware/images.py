# SPDX-License-Identifier: Apache-2.0
"""Builds the firmware's images: one CMake project for each port, with Debian's compiler for its processor."""

from __future__ import annotations

import fcntl
import shutil
from dataclasses import dataclass
from pathlib import Path

from launcher.env import setup, steps
from launcher.env.paths import BUILD, ROOT

PORTS = ROOT / "firmware" / "ports"


@dataclass(frozen=True)
class Image:
    """An image of a port's project: NAME.elf."""

    name: str
    libraries: tuple[str, ...]  # CMake's object libraries of the project that it is linked from
    mains: tuple[str, ...] = ()  # the sources that hand functions to the firmware
    # What the start code calls, and what its trap entry does, on a stack of its own. None: stacks are not bounded.
    entry: str | None = None
    trap: str | None = None


@dataclass(frozen=True)
class Port:
    """A port for bare metal, and the images that its project makes."""

    name: str
    prefix: str  # of the names of its compiler and binary utilities
    packages: tuple[str, ...]  # Debian's; toolchain.toml says why
    images: tuple[Image, ...]

    @property
    def sources(self) -> Path:
        return PORTS / self.name

    @property
    def folder(self) -> Path:
        """Where it is built: IMAGE.elf, IMAGE.bin and IMAGE.map."""
        return BUILD / "firmware" / self.name

    def elf(self, image: Image) -> Path:
        return self.folder / f"{image.name}.elf"

    def objects(self, image: Image) -> list[Path]:
        """The objects that an image is linked from, its own and those of its libraries."""
        # Only their own folders are searched: others may go while another process configures the project.
        folders = [self.folder / "CMakeFiles" / f"{target}.dir" for target in (image.name, *image.libraries)]
        return [found for folder in folders for found in sorted(folder.rglob("*.obj"))]


_SHARED = ("orm_firmware", "orm_bare")
LITEX = Port(
    "litex",
    "riscv64-unknown-elf-",
    ("gcc-riscv64-unknown-elf", "picolibc-riscv64-unknown-elf"),
    (Image("firmware", _SHARED, ("litex.c", "trial.c"), "litex_main", "litex_trap"),),
)
LITEX_IMAGE = LITEX.folder / "firmware.bin"  # what the CPU of the device `soc` runs
LITEX_STALE_IMAGE = LITEX.folder / "stale.bin"  # a mutant of it, for a test (firmware/ports/litex/CMakeLists.txt)
_ZYNQ = ("orm_zynq",)
ZYNQ_FIRMWARE = Image("firmware", (*_ZYNQ, *_SHARED), ("zynq.c", "remote.c"), "zynq_main", "zynq_trap")
ZYNQ_SELF_TEST = Image("selftest", _ZYNQ)  # one of its tests lets the stack overflow
ZYNQ = Port(
    "zynq",
    "arm-none-eabi-",
    ("gcc-arm-none-eabi", "picolibc-arm-none-eabi"),
    (ZYNQ_FIRMWARE, ZYNQ_SELF_TEST),
)
ALL = (LITEX, ZYNQ)


def find(name: str) -> Port:
    """The port of this name. Raises KeyError."""
    return {port.name: port for port in ALL}[name]


def check_tools(port: Port) -> None:
    """Raises SetupError if the port's compiler or C library is not installed."""
    # The compiler alone shows nothing about its C library, which is a package of its own.
    missing = setup.missing_debian_packages(port.packages)
    if missing or shutil.which(f"{port.prefix}gcc") is None:
        names = " ".join(missing or port.packages)
        raise setup.SetupError(
            f"the image for {port.name} needs Debian packages. Install them as root, then run this again:\n"
            f"  apt-get install -y --no-install-recommends {names}",
            2,
        )


def build(ports: tuple[Port, ...] = ALL) -> None:
    """Configures and compiles what has changed. Raises SetupError, or StepFailed with the end of the log."""
    for port in ports:
        check_tools(port)
        port.folder.mkdir(parents=True, exist_ok=True)
        with open(port.folder / "lock", "w") as handle:  # tests build too, several at a time
            fcntl.flock(handle, fcntl.LOCK_EX)
            toolchain = port.sources / "toolchain.cmake"
            configure = ["cmake", "-S", str(port.sources), "-B", str(port.folder), "-G", "Ninja"]
            log = BUILD / "logs"
            steps.must(
                f"configure the firmware for {port.name}",
                [*configure, "--toolchain", str(toolchain)],
                log / f"configure-firmware-{port.name}.log",
            )
            steps.must(
                f"compile the firmware for {port.name}",
                ["ninja", "-C", str(port.folder)],
                log / f"compile-firmware-{port.name}.log",
            )
