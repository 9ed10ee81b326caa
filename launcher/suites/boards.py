# SPDX-License-Identifier: Apache-2.0
"""The parts of the suite `long` that are of boards' controllers and projects, and of flash in DRAM."""

from __future__ import annotations

from pathlib import Path

from launcher.env import build
from launcher.env.paths import RELEASE, REPORTS, ROOT, RTL_BOARDS, RTL_TOP
from launcher.hw import facts, rtl
from launcher.hw.synth import BUDGETS
from launcher.suites.checks import LINT_WAIVERS

BOARDS = ("cosmos2", "cosmos8", "ecpix5")  # hw/src/top/Presets.scala
PROJECTS = ("cosmos2", "cosmos8")  # of which there is a project for the vendor's tools (launcher/boards/cosmos)
DRAM_FLASH = rtl.DRAM_FLASH  # no board: the usual controller with its flash in DRAM, in the same library
COMPARED = "cosmos2"  # in lockstep with the fast model
LIBRARY = "orm_device_boards"  # CMake target of the device library that has their controllers
FOLDER = RELEASE / "sim" / "boards"
LONG_CHAIN = ROOT / "verify" / "tests" / "lockstep" / "long-chain.txt"
# Below a chain of this number of segments once lay where the controller did not become Verilog.
LEAST_CHAIN = 265


def make() -> None:
    """Emits these controllers for simulations, and compiles the device library."""
    for name in BOARDS:
        rtl.emit_board(name)
    rtl.emit_dram_flash()
    build.native(targets=(LIBRARY,))


def parts(programs: Path) -> dict[str, list[str]]:
    """Name and command of each part; they need make()."""
    with_boards = ["env", f"LD_LIBRARY_PATH={FOLDER}"]
    lockstep = [*with_boards, str(programs / "lockstep"), "--reproducer", str(REPORTS / "board.txt")]
    commands = {}
    for name in BOARDS:
        lint = ["verilator", "--lint-only", "-Wall", "--top-module", RTL_TOP, str(LINT_WAIVERS)]
        commands[f"board-lint-{name}"] = [*lint, *map(str, [*_sources(name), *rtl.bus_rules()])]
        commands[f"board-start-{name}"] = [
            *[*with_boards, str(programs / "fuzz"), "--device", "rtl", "--geometry", facts.geometry(name)],
            *["--entries", "500"],
        ]
        (family,) = BUDGETS[name]
        commands[f"board-area-{name}"] = [
            *[str(ROOT / "openremap"), "synth", "--config", name, "--family", family, "--area-only"],
            *["--json", str(REPORTS / f"area-{name}.json")],
        ]
    for name in PROJECTS:
        commands[f"board-project-{name}"] = [str(ROOT / "openremap"), "board", "check", "cosmos", "--config", name]
    commands["board-project-acorn"] = [str(ROOT / "openremap"), "board", "check", "acorn"]
    commands["board-lockstep"] = [
        *[*lockstep, "--geometry", facts.geometry(COMPARED), "--superblocks", "16", "--commands", "10000"],
        *["--power-cycles", "1", "--least-remapped", "500"],
    ]
    # Each command and answer of its NAND ports is compared with the NAND model, too.
    in_dram = [*lockstep, "--geometry", facts.geometry(DRAM_FLASH), "--superblocks", "8", "--power-cycles", "1"]
    commands["dram-flash-lockstep"] = [*in_dram, "--commands", "400", "--least-moved", "100"]
    commands["dram-flash-stalls"] = [*in_dram, "--commands", "200", "--stalls"]
    commands["board-chain"] = [*lockstep, "--replay", str(LONG_CHAIN), "--least-collected", str(LEAST_CHAIN)]
    return commands


def _sources(name: str) -> list[Path]:
    """None before make()."""
    folder = RTL_BOARDS / name
    return rtl.verilog_sources(folder) if (folder / "filelist.f").is_file() else []
