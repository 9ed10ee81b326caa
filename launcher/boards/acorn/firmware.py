# SPDX-License-Identifier: Apache-2.0
"""What the Acorn's CPU executes: the program that starts DDR3, and the firmware, as contents of block RAMs.

Both are in the bitstream. The program is compiled for its bitstream: LiteX numbers registers anew in each build.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from launcher.boards import litex_soc
from launcher.boards.acorn import design
from launcher.boards.board import BoardFailed
from launcher.boards.identity import soc_board
from launcher.env.paths import ROOT
from launcher.firmware import images

PORT = ROOT / "firmware" / "ports" / "acorn"
FACTS_HEADER = "start_facts.h"
ROM = f"{design.TOP}_rom.init"  # as the SoC's Verilog names it
START = f"{design.TOP}_start.init"
_FLAGS = [
    "-march=rv32im",
    "-misa-spec=2.2",
    "-mabi=ilp32",
    "-std=c11",
    "-O2",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wshadow",
]
_FLAGS += ["-Wconversion", "-ffreestanding", "-nostdlib", "-nostartfiles", "-Wl,--fatal-warnings"]


def facts_header(host: dict[str, Any]) -> str:
    """start_facts.h from host.json."""
    registers, dram, places = host["registers"], host["dram"], host["places"]
    words = dram["phase_bytes"] // 4

    def phase(number: int) -> str:
        names = ("command", "command_issue", "address", "baddress", "wrdata", "rddata")
        return ", ".join(f"{registers[f'sdram_dfii_pi{number}_{name}']:#x}u" for name in names)

    steps = []
    for step in host["start"]:
        bits = step.get("command", step.get("control"))
        steps.append(f"{int('command' in step)}, {bits:#x}u, {step['address']:#x}u, {step['bank']}u, {step['cycles']}u")
    fields = {
        "phases": dram["phases"],
        "bytes": dram["bytes"],
        "phase_words": words,
        "delays": dram["delays"],
        "slips": dram["slips"],
        "read_phase": dram["read"],
        "write_phase": dram["write"],
        "control": registers["sdram_dfii_control"],
        "select": registers["ddrphy_dly_sel"],
        "delay_reset": registers["ddrphy_rdly_dq_rst"],
        "delay_step": registers["ddrphy_rdly_dq_inc"],
        "slip_reset": registers["ddrphy_rdly_dq_bitslip_rst"],
        "slip_step": registers["ddrphy_rdly_dq_bitslip"],
        "step_count": len(steps),
    }
    return "\n".join(
        [
            "/* SPDX-License-Identifier: Apache-2.0 */",
            "/* Written by `./openremap board build acorn` from host.json. */",
            f"#define START_CONTROL {registers['boot_control']:#x}u",
            f"#define START_FIRMWARE {places['rom']:#x}u",
            f"#define START_NVRAM {places['nvram']:#x}u",
            f"#define START_NVRAM_BYTES {places['nvram_bytes']:#x}u",
            f"#define START_DRAM_BYTES {dram['bytes']}u",
            "static const struct dram_phase start_phases[] = {",
            *(f"    {{{phase(number)}}}," for number in range(dram["phases"])),
            "};",
            "static const struct dram_step start_steps[] = {",
            *(f"    {{{step}}}," for step in steps),
            "};",
            "static const struct dram_facts start_dram = {",
            *(f"    .{name} = {value:#x}u," for name, value in fields.items()),
            "    .phase = start_phases,",
            "    .steps = start_steps,",
            "};",
            "",
        ]
    )


def start_program(host: dict[str, Any], out: Path) -> bytes:
    """Compiles the program that starts the board into `out`. Raises SetupError, BoardFailed."""
    images.check_tools(images.LITEX)
    places = host["places"]
    (out / FACTS_HEADER).write_text(facts_header(host))
    elf, binary = out / "start.elf", out / "start.bin"
    symbols = {
        "START": places["start"],
        "START_BYTES": places["start_bytes"],
        "STACK_TOP": places["ram"] + places["ram_bytes"],
    }
    includes = [
        f"-I{PORT}",
        f"-I{out}",
        f"-I{ROOT / 'interfaces' / 'gen' / 'c'}",
        f"-I{ROOT / 'interfaces' / 'include'}",
    ]
    sources = [str(PORT / name) for name in ("start.S", "start.c", "dram_start.c")]
    command = [f"{images.LITEX.prefix}gcc", *_FLAGS, *includes, "-T", str(PORT / "start.ld")]
    command += [f"-Wl,--defsym={name}={value:#x}" for name, value in symbols.items()]
    log = litex_soc.LOGS / "board-acorn-start.log"
    litex_soc.run("the program that starts DDR3", [*command, *sources, "-o", str(elf)], log, cwd=out)
    copy = [f"{images.LITEX.prefix}objcopy", "-O", "binary", str(elf), str(binary)]
    litex_soc.run("the bytes of that program", copy, log, cwd=out)
    return binary.read_bytes()


def rom(image: bytes, serial: str, places: dict[str, int], unverified: bool = False) -> bytes:
    """The content of the CPU's ROM: the firmware and the record of this device. `unverified`: their sources have no
    green record. Raises BoardFailed."""
    room = places["board"] - places["rom"]
    if len(image) > room:
        raise BoardFailed(f"the firmware's image has {len(image)} bytes, and there is room for {room}")
    return image.ljust(room, b"\0") + soc_board(serial, unverified=unverified)


def contents(data: bytes, size: int) -> str:
    """For $readmemh: a memory of 32-bit words and `size` bytes. Raises BoardFailed."""
    if len(data) > size:
        raise BoardFailed(f"{len(data)} bytes do not fit into a memory of {size}")
    data = data.ljust(size, b"\0")
    return "".join(f"{int.from_bytes(data[at : at + 4], 'little'):08x}\n" for at in range(0, size, 4))
