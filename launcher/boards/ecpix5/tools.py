# SPDX-License-Identifier: Apache-2.0
"""Scripts for the tools that make the ECPIX-5's bitstream, and what their reports say. Runs no tool itself."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from launcher.hw.synth_tools import ECP5, FAMILIES, ReportError

# Delay of the LUTs between two registers that the mapper may use: half of 20 ns, as routing takes the other half.
LOGIC_PS = 10000
# Memories with one reader, of which nobody looks at a word that was read while it was written, as an assertion beside
# each or its states say. firtool's Verilog gives the new word, for which Yosys would add a register and a multiplexer.
APART = (
    "*.late_ext.Memory",  # LateQueue
    "*.flash_*.registers.data_ext.Memory",  # FlashRegisters
    "*.flash_*.registers.spares_ext.Memory",
    "*.counters.high_ext.Memory",  # Counters
    "*.remap.cursor.ranges_ext.Memory",  # RemapCursor
    "*.trim.ranges_ext.Memory",  # TrimEngine: written and read in different states
)
# Of these, memories that are block RAM although distributed RAM is cheaper for Yosys: those of more words than the 16
# of a distributed RAM. Smaller ones stay: their words would have far to go, and more block RAMs cost more wire than
# their LUTs are worth.
BLOCKS = ("c:*.late_ext.Memory r:SIZE>16 %i", "c:*.counters.high_ext.Memory")
# A carry chain takes two LUTs for two bits, and its cells are tied to each other. Sums of a few bits take no more LUTs
# without one, and are not slower.
SHORT = "techmap -map +/techmap.v t:$alu r:Y_WIDTH<=5 %i"
NAMES = {"lut": "LUT4", "ff": "flip-flops", "ram": "block RAMs"}


@dataclass(frozen=True)
class Clock:
    """A clock's frequency in MHz: what the paths allow, and what is needed."""

    name: str
    achieved: float
    needed: float

    @property
    def met(self) -> bool:
        return self.achieved >= self.needed


@dataclass(frozen=True)
class Routed:
    """What nextpnr reports: its clocks, and of each kind of cell how many are used of how many."""

    clocks: tuple[Clock, ...]
    used: dict[str, tuple[int, int]]

    @property
    def met(self) -> bool:
        return all(clock.met for clock in self.clocks)


def script(top: str, controller: str, soc: str) -> str:
    """Yosys's script, to be run in the folder of the emitted controller. `soc`: the folder of the SoC's Verilog, from
    there. Everything becomes one flat module, whose netlist and statistics go to that folder."""
    family = FAMILIES[ECP5]
    # Multiplexers that join LUTs of a slice save few LUTs and tie them to each other: the device is too full for that.
    command = f"{family.synthesis} -nowidelut -top {top}"
    # Steps of the family, with one between them.
    *first, last = family.steps
    assert last == "@ -run map_ram:"
    apart = [f"select -assert-min 1 c:{name}" for name in APART]
    apart += [f"setparam -set RD_TRANSPARENCY_MASK 1'0 -set RD_COLLISION_X_MASK 1'1 c:{name}" for name in APART]
    apart += [f'setattr -set ram_style "block" {which}' for which in BLOCKS]
    steps = [*first, *apart, "@ -run map_ram:map_gates", SHORT, "@ -run map_gates:"]
    return "\n".join(
        [
            f"read_slang --threads 1 -D SYNTHESIS --top {controller} -f filelist.f",
            "chformal -remove",
            f"read_verilog {soc}/{top}.v {soc}/VexRiscv.v",
            f"scratchpad -set abc9.D {LOGIC_PS}",
            *(step.replace("@", command) for step in steps),
            f"tee -q -o {soc}/area.json stat -json",
            f"write_json {soc}/netlist.json",
            "",
        ]
    )


def area(statistics: str) -> dict[str, float]:
    """What the netlist takes: LUT4, flip-flops and block RAMs by their names in `NAMES`. Raises ReportError."""
    family = FAMILIES[ECP5]
    try:
        cells: dict[str, int] = json.loads(statistics[statistics.index("{") :])["design"]["num_cells_by_type"]
        return {
            "lut": sum(family.lut[cell] * count for cell, count in cells.items() if cell in family.lut),
            "ff": sum(count for cell, count in cells.items() if cell in family.ff),
            "ram": sum(family.ram[cell] * count for cell, count in cells.items() if cell in family.ram),
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ReportError(f"Yosys printed no statistics: {error!r}") from error


def overfull(found: dict[str, float]) -> list[str]:
    """What the device has too little of, in words."""
    capacity = FAMILIES[ECP5].capacity
    return [f"{found[k]:,.0f} {NAMES[k]} of {capacity[k]:,.0f}" for k in NAMES if found[k] > capacity[k]]


def routed(report: str) -> Routed:
    """From nextpnr's report. Raises ReportError."""
    try:
        read: dict[str, Any] = json.loads(report)
        clocks = tuple(
            Clock(_clock(name), float(entry["achieved"]), float(entry["constraint"]))
            for name, entry in sorted(read["fmax"].items())
        )
        used = {name: (entry["used"], entry["available"]) for name, entry in read["utilization"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ReportError(f"nextpnr's report is invalid: {error!r}") from error
    if not clocks:
        raise ReportError("nextpnr timed no clock")
    return Routed(clocks, {name: entry for name, entry in used.items() if entry[0]})


def _clock(net: str) -> str:
    """The clock's name in the sources, from that of its net."""
    return re.sub(r"\$TRELLIS_IO_IN$", "", net.removeprefix("$glbnet$"))
