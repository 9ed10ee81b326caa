# SPDX-License-Identifier: Apache-2.0
"""The Acorn's project folder for Vivado: Verilog, Tcl, constraints, and what the block RAMs of its CPU hold."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from launcher.boards import deploy, identity, litex_soc, sidecar
from launcher.boards.acorn import design, firmware
from launcher.boards.board import BoardFailed
from launcher.boards.litex_soc import LitexSoc
from launcher.env.paths import BUILD, ROOT
from launcher.firmware import images
from launcher.hw import facts, rtl
from launcher.suites import verified
from launcher.suites.verified import Digests
from soc.boards import pins

MARK = ".openremap-project"  # a folder that has it may be written again
WORK = BUILD / "boards" / "acorn-soc"  # what LiteX writes
_PINS = ROOT / "constraints" / design.NAME


def _cells() -> list[Path]:
    """What the device has, as Yosys knows it, and the PCIe core as a black box."""
    share = litex_soc.yosys_share() / "xilinx"
    WORK.mkdir(parents=True, exist_ok=True)
    black_box = WORK / "black_boxes.v"
    black_box.write_text(pcie_black_box((WORK / f"{design.TOP}.v").read_text()))
    return [black_box, share / "cells_sim.v", share / "cells_xtra.v"]


def pcie_black_box(verilog: str) -> str:
    """The core's module with the pins that the SoC wires. Whether the core has them is for checks.py."""
    from launcher.boards.acorn.checks import pcie_pins, wired_pins

    known = pcie_pins()
    ports = []
    for pin in wired_pins(verilog):
        if pin not in known:
            raise BoardFailed(f"the PCIe core has no pin {pin}")
        ports.append(f"  {known[pin].direction}put [{known[pin].bits - 1}:0] {pin}")
    return f"(* blackbox *)\nmodule {design.PCIE_CORE} (\n" + ",\n".join(ports) + "\n);\nendmodule\n"


def constraints() -> list[str]:
    """Names of the XDC files, in the order in which they are read: pins, then what looks into the design."""
    found = sorted(path.with_suffix(".xdc").name for path in _PINS.glob("*.toml"))
    return [*found, design.CROSSINGS, design.CONFIGURATION]


SOC = LitexSoc(design.CONFIG, design.CONTROLLER, design.TOP, ("clocks.xdc", "host.json"), _cells)


def prepare() -> Path:
    """Emits the controller, generates the SoC into WORK and lints the whole. Returns the controller's folder."""
    emitted = SOC.emit()
    WORK.mkdir(parents=True, exist_ok=True)
    SOC.generate(emitted, WORK)
    SOC.lint(emitted, WORK)
    return emitted


def host() -> dict[str, Any]:
    """host.json of the SoC."""
    found: dict[str, Any] = json.loads((WORK / "host.json").read_text())
    return found


def user_id(built: Digests) -> int:
    """Of the bitstream, which has the firmware in it, too."""
    return sidecar.user_id(design.NAME, built.rtl, built.firmware)


def write_scripts(out: Path) -> None:
    """Tcl and constraints. What was there of them before is replaced."""
    shutil.rmtree(out / "constraints", ignore_errors=True)
    (out / "constraints").mkdir(parents=True)
    texts = {design.CROSSINGS: design.crossings_xdc(), design.CONFIGURATION: design.configuration_xdc()}
    ports = pins.load(design.NAME)
    texts |= {Path(file).with_suffix(".xdc").name: pins.xdc(ports, file) for file in {port.file for port in ports}}
    for name in constraints():
        (out / "constraints" / name).write_text(texts[name])
    (out / "project.tcl").write_text(design.project_tcl(constraints()))
    (out / "build.tcl").write_text(design.build_tcl(user_id(verified.digests())))


def build(out: Path) -> list[str]:
    """Fills the project folder. Returns what to tell the user. Raises BoardFailed, SetupError."""
    out = out.resolve()
    if out.exists() and any(out.iterdir()) and not (out / MARK).is_file():
        raise BoardFailed(f"--out: {out} is not empty, and no project of this command")
    built = verified.digests()
    emitted = prepare()
    out.mkdir(parents=True, exist_ok=True)
    (out / MARK).write_text(f"{design.CONFIG}\n")
    write_scripts(out)
    shutil.rmtree(out / "verilog", ignore_errors=True)
    (out / "verilog").mkdir()
    for name in (WORK / "filelist.f").read_text().split():
        shutil.copyfile(WORK / name, out / "verilog" / name)
    for source in rtl.verilog_sources(emitted):
        shutil.copyfile(source, out / "verilog" / source.name)
    places = host()["places"]
    images.build((images.LITEX,))
    shutil.rmtree(out / "firmware", ignore_errors=True)
    (out / "firmware").mkdir()
    program = firmware.start_program(host(), out / "firmware")
    image = images.LITEX_IMAGE.read_bytes()
    serial = identity.serial_of(out / "serial.txt")
    unverified = bool(deploy.judge_sources(out / design.BITSTREAM, built).why)
    rom = firmware.rom(image, serial, places, unverified)
    (out / "verilog" / firmware.ROM).write_text(firmware.contents(rom, places["rom_bytes"]))
    (out / "verilog" / firmware.START).write_text(firmware.contents(program, places["start_bytes"]))
    shutil.copyfile(images.LITEX.elf(images.LITEX.images[0]), out / "firmware" / "firmware.elf")
    (out / "README.md").write_text(_readme(len(image), len(program)))
    deploy.require_unchanged_project(out, built)
    told = []
    if (out / design.BITSTREAM).is_file():
        told = [deploy.note_bitstream(out / design.BITSTREAM, design.NAME, design.CONFIG, built, user_id(built))]
    missing = [] if shutil.which("vivado") else ["Vivado"]
    missing += [] if (out / design.BITSTREAM).is_file() else [design.BITSTREAM]
    last = f"missing here: {', '.join(missing)}" if missing else "nothing is missing here"
    return [f"built: {out}", *told, last]


def _readme(image: int, program: int) -> str:
    params = facts.params(design.CONFIG)
    return f"""# OpenRemap on an SQRL Acorn CLE-215+

{params["slots"] * params["slotBytes"] >> 20} MiB of flash in DDR3, as an NVMe disk. docs/boards/acorn.md of \
OpenRemap says what was checked of this project, what was not, and how to bring a board up.

| file | what |
|---|---|
| `project.tcl` | makes the Vivado project with the PCIe core (IP pcie_7x) |
| `build.tcl` | makes the project, then `{design.BITSTREAM}`, `acorn.bin` for the SPI flash, and reports |
| `verilog/` | the SoC, its CPU and the controller; `*.init`: what the CPU's memories hold |
| `constraints/` | pins, clocks, crossings, configuration |
| `firmware/` | the firmware ({image} bytes) and the program that starts DDR3 ({program} bytes), as ELF files |
| `serial.txt` | the serial number of this device, which is in `verilog/{firmware.ROM}` |

1. For a board with an FPGA of another speed, a CLE-215, change `-part` in `project.tcl`.
2. `vivado -mode batch -source build.tcl`.
3. Look into `timing.txt`: no path may fail. Look into `cdc.txt`: between the clocks of controller and PCIe core there
   may only be paths of synchronisers and of their memories.
4. `./openremap board build acorn --out THIS_FOLDER` once more: it says whether the tests were green on the sources
   that the bitstream is of, and writes that into `{design.BITSTREAM}.json`.
5. Load `{design.BITSTREAM}` over JTAG for a trial, or write `acorn.bin` to the SPI flash.
"""
