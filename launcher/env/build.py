# SPDX-License-Identifier: Apache-2.0
"""The build: interfaces, SystemVerilog, the firmware's images, then C and C++, which includes Verilation.

Each part rebuilds what changed. The device `soc` is compiled when something first asks for it, because its Verilated
model takes long; from then on it is a part of every build.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from launcher.env import steps
from launcher.env.paths import (
    BUILD,
    RELEASE,
    ROOT,
    RTL,
    RTL_BOARDS,
    RTL_SIMULATED,
    RTL_SOC,
    RTL_SOC_SIMULATED,
    RTL_WIDE,
    SANITIZED,
    SOC,
    THREADS,
)
from launcher.firmware import images
from launcher.hw import rtl, soc

# The sources of a Verilated model are large: more than two compilers at a time need too much memory.
JOBS = max(1, min(4, os.cpu_count() or 1))
GENERATE = (sys.executable, str(ROOT / "interfaces" / "generate.py"))


def interfaces() -> None:
    """Generates register maps, opcodes and layouts. A file whose content stays the same keeps its time stamp."""
    steps.must(
        "generate interfaces",
        [sys.executable, str(ROOT / "interfaces" / "generate.py")],
        BUILD / "logs" / "interfaces.log",
    )


def verilog(with_soc: bool = False) -> None:
    """Emits the controller's SystemVerilog, and generates the SoC around it if the build has or gets the device `soc`,
    if their sources have changed."""
    # The first time, fetching the Scala compiler and Chisel takes longer than everything else.
    _unless(
        rtl.controller_is_current,
        "RTL: Chisel to SystemVerilog",
        " (the first time also fetches Scala and Chisel from Maven Central)",
        rtl.emit_controller,
    )
    if with_soc and not soc.is_there():
        steps.say(
            "the device soc is used for the first time; it is compiled now, and belongs to this build from now on"
        )
    if with_soc or soc.is_there():
        _unless(
            lambda: rtl.soc_controller_is_current() and soc.is_current(),
            "SoC: CPU, memories and peripherals around it",
            "",
            _soc,
        )


def _soc() -> None:
    rtl.emit_soc_controller()
    soc.generate()


def _unless(current: Callable[[], bool], title: str, note: str, make: Callable[[], object]) -> None:
    begun = time.monotonic()
    if current():
        steps.done(title, 0, "unchanged")
        return
    with steps.Ticker(title + note):
        make()
    steps.done(title, time.monotonic() - begun)


def native(folder: Path = RELEASE, targets: tuple[str, ...] = (), soc_waveforms: bool = False) -> None:
    """Configures and compiles C and C++ in `folder`: RELEASE, or a sanitizer's `paths.SANITIZED` or `paths.THREADS`.

    RELEASE has the device `soc` if verilog() has made its Verilog. `soc_waveforms`: with the soc's model that writes
    them (.fst), which stays a part of this build.
    """
    name = folder.name
    if folder == RELEASE:
        # What QEMU runs, and the CPU of the device `soc`.
        images.build(images.ALL if soc.is_there() else (images.ZYNQ,))
    sanitize = {SANITIZED: "ON", THREADS: "THREADS"}.get(folder, "OFF")
    log = BUILD / "logs"
    configure = ["cmake", "-S", str(ROOT), "-B", str(folder), "-G", "Ninja"]
    configure += [
        f"-DOPENREMAP_SANITIZE={sanitize}",
        f"-DOPENREMAP_RTL_DIR={RTL}",
        f"-DOPENREMAP_RTL_SIMULATED_DIR={RTL_SIMULATED}",
        f"-DOPENREMAP_RTL_WIDE_DIR={RTL_WIDE}",
        f"-DOPENREMAP_RTL_BOARDS_DIR={RTL_BOARDS}",
        f"-DOPENREMAP_RTL_SOC_DIR={RTL_SOC}",
        f"-DOPENREMAP_RTL_SOC_SIMULATED_DIR={RTL_SOC_SIMULATED}",
        f"-DOPENREMAP_SOC_DIR={SOC}",
        f"-DOPENREMAP_SOC_IMAGE={images.LITEX_IMAGE}",
        f"-DOPENREMAP_ZYNQ_IMAGE={images.ZYNQ.elf(images.ZYNQ_FIRMWARE)}",
        *(["-DOPENREMAP_SOC_TRACE=fst"] if soc_waveforms else []),
    ]
    steps.must(f"configure C and C++ ({name})", configure, log / f"configure-{name}.log")
    compile_all = ["ninja", "-C", str(folder), "-j", str(JOBS), *targets]
    steps.must(f"compile C and C++, Verilate ({name})", compile_all, log / f"compile-{name}.log")


def everything(targets: tuple[str, ...] = (), with_soc: bool = False, soc_waveforms: bool = False) -> None:
    """`./openremap build`. With `targets`, only these programs and what they need. `with_soc`: with the device `soc`;
    `soc_waveforms`: as native()."""
    interfaces()
    verilog(with_soc or soc_waveforms)
    native(targets=targets, soc_waveforms=soc_waveforms)
