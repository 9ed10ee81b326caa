# SPDX-License-Identifier: Apache-2.0
"""The build: interfaces, SystemVerilog, the firmware of the SoC, then C and C++, which includes Verilation.

Each part rebuilds what changed.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from launcher.env import steps
from launcher.env.paths import BUILD, RELEASE, ROOT, RTL, RTL_BOARDS, RTL_SOC, RTL_WIDE, SANITIZED, SOC, THREADS
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


def verilog() -> None:
    """Emits the controller's SystemVerilog, and generates the SoC around it, if their sources have changed."""
    title = "RTL: Chisel to SystemVerilog"
    begun = time.monotonic()
    if not rtl.controller_is_current():
        # The first time, fetching the Scala compiler and Chisel takes longer than everything else.
        with steps.Ticker(f"{title} (the first time also fetches Scala and Chisel from Maven Central)"):
            rtl.emit_controller()
        steps.done(title, time.monotonic() - begun)
    else:
        steps.done(title, 0, "unchanged")
    title = "SoC: CPU, memories and peripherals around it"
    begun = time.monotonic()
    if not soc.is_current():
        with steps.Ticker(title):
            soc.generate()
        steps.done(title, time.monotonic() - begun)
    else:
        steps.done(title, 0, "unchanged")


def native(folder: Path = RELEASE, targets: tuple[str, ...] = (), soc_waveforms: bool = False) -> None:
    """Configures and compiles C and C++ in `folder`: RELEASE, or a sanitizer's `paths.SANITIZED` or `paths.THREADS`.

    `soc_waveforms`: with the soc's model that writes them (.fst), which stays a part of this build.
    """
    name = folder.name
    if folder == RELEASE:
        images.build()  # what the CPU of the device `soc` runs, and what QEMU does
    sanitize = {SANITIZED: "ON", THREADS: "THREADS"}.get(folder, "OFF")
    log = BUILD / "logs"
    configure = ["cmake", "-S", str(ROOT), "-B", str(folder), "-G", "Ninja"]
    configure += [
        f"-DOPENREMAP_SANITIZE={sanitize}",
        f"-DOPENREMAP_RTL_DIR={RTL}",
        f"-DOPENREMAP_RTL_WIDE_DIR={RTL_WIDE}",
        f"-DOPENREMAP_RTL_BOARDS_DIR={RTL_BOARDS}",
        f"-DOPENREMAP_RTL_SOC_DIR={RTL_SOC}",
        f"-DOPENREMAP_SOC_DIR={SOC}",
        f"-DOPENREMAP_SOC_IMAGE={images.LITEX_IMAGE}",
        f"-DOPENREMAP_ZYNQ_IMAGE={images.ZYNQ.elf(images.ZYNQ_FIRMWARE)}",
        *(["-DOPENREMAP_SOC_TRACE=fst"] if soc_waveforms else []),
    ]
    steps.must(f"configure C and C++ ({name})", configure, log / f"configure-{name}.log")
    compile_all = ["ninja", "-C", str(folder), "-j", str(JOBS), *targets]
    steps.must(f"compile C and C++, Verilate ({name})", compile_all, log / f"compile-{name}.log")


def everything(targets: tuple[str, ...] = (), soc_waveforms: bool = False) -> None:
    """`./openremap build`. With `targets`, only these programs and what they need; `soc_waveforms` as native()."""
    interfaces()
    verilog()
    native(targets=targets, soc_waveforms=soc_waveforms)
