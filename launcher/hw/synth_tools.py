# SPDX-License-Identifier: Apache-2.0
"""Scripts for the synthesis tools and parsers of their reports. Runs no tool itself; launcher/hw/synth.py does."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from typing import Any

HARNESS = "PinHarness"  # hw/src/top/PinHarness.scala: the top; the unit is its instance `unit`
OWN = "(itself)"  # the unit's logic outside its blocks

ECP5 = "ecp5"
XC7 = "xc7"

# LUT delay between two registers that Yosys's mapper may use: half of 10 ns, as routing takes the other half. Without
# this bound the mapper minimises the delay of every path, and uses a third of the LUTs on paths that are not critical.
LOGIC_PS = 5000
LOGIC_LUTS = 10  # the same in levels of LUTs, for the mapper without a delay model


class ReportError(Exception):
    """A tool's report is not as expected."""


@dataclass(frozen=True)
class Family:
    """An FPGA family: how Yosys maps to it, and what resources each mapped cell takes."""

    title: str
    part: str
    synthesis: str  # Yosys command
    steps: tuple[str, ...]  # the script; `@` stands for that command with --top
    lut: dict[str, int]  # LUTs by cell
    ff: frozenset[str]
    ram: dict[str, float]  # block RAMs by cell
    dsp: frozenset[str]
    lutram: frozenset[str]  # the cells in `lut` that are memory
    capacity: dict[str, float]  # of `part`
    free: frozenset[str]  # cells that take none of the above


FAMILIES = {
    ECP5: Family(
        title="ECP5",
        part="LFE5UM5G-85F",
        synthesis="synth_ecp5",
        steps=(
            "@ -run begin:map_ram",
            # Distributed RAM is 16 words deep. A memory of two words takes six LUTs per four bits as distributed RAM,
            # and wires for the constant address bits; as registers it takes four LUTs and some of the spare flip-flops.
            'setattr -set ram_style "logic" t:$mem_v2 r:SIZE<=2 %i',
            "@ -run map_ram:",
        ),
        # A 16 x 4 memory takes four LUTs as memory and the two LUTs of the slice that holds its write port.
        lut={"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 6},
        ff=frozenset({"TRELLIS_FF"}),
        ram={"DP16KD": 1, "PDPW16KD": 1},
        dsp=frozenset({"MULT18X18D", "ALU54B"}),
        lutram=frozenset({"TRELLIS_DPR16X4"}),
        capacity={"lut": 83640, "ff": 83640, "ram": 208, "dsp": 156},
        free=frozenset({"PFUMX", "L6MUX21", "GSR"}),
    ),
    XC7: Family(
        title="7-series",
        part="XC7Z045",
        synthesis="synth_xilinx -family xc7 -flatten -noiopad -noclkbuf",
        # The steps of the label map_luts, with `abc` in place of `abc9`, which does not finish on the whole controller.
        steps=(
            "@ -run begin:map_luts",
            "opt_expr -mux_undef -noclkinv",
            f"abc -luts 2:2,3,6:5,10,20 -D {LOGIC_LUTS}",
            "clean",
            "xilinx_srl -fixed -minlen 3",
            "techmap -map +/xilinx/lut_map.v -map +/xilinx/cells_map.v -D LUT_WIDTH=6",
            "xilinx_dffopt",
            "opt_lut_ins -tech xilinx",
            "@ -run finalize:",
        ),
        lut={f"LUT{n}": 1 for n in range(1, 7)}
        | {"INV": 1, "SRL16E": 1, "SRLC16E": 1, "SRLC32E": 1}
        | {"RAM32X1S": 1, "RAM64X1S": 1, "RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4, "RAM128X1S": 2, "RAM256X1S": 4}
        | {"RAM32M": 4, "RAM64M": 4},
        ff=frozenset({"FDRE", "FDSE", "FDCE", "FDPE"}),
        ram={"RAMB18E1": 0.5, "RAMB36E1": 1},
        dsp=frozenset({"DSP48E1"}),
        lutram=frozenset(
            {"RAM32X1S", "RAM64X1S", "RAM32X1D", "RAM64X1D", "RAM128X1D", "RAM128X1S", "RAM256X1S", "RAM32M", "RAM64M"}
        ),
        capacity={"lut": 218600, "ff": 437200, "ram": 545, "dsp": 900},
        free=frozenset({"MUXF7", "MUXF8", "CARRY4", "BUFG"}),
    ),
}


@dataclass
class Area:
    """Resources of a block. `ram`: block RAMs (ECP5: 18 Kbit each, 7-series: 36 Kbit); `lutram`: included in `lut`."""

    name: str
    module: str
    lut: int = 0
    ff: int = 0
    ram: float = 0
    dsp: int = 0
    lutram: int = 0

    def add(self, other: Area) -> None:
        self.lut += other.lut
        self.ff += other.ff
        self.ram += other.ram
        self.dsp += other.dsp
        self.lutram += other.lutram


# The mapper's bound where levels are counted: about six LUTs with their wires.
LEVELS_PS = 3000


def script(family: str, netlist: str, statistics: str) -> str:
    """Yosys script, to be run in the folder of the emitted Verilog.

    Writes the area per block to `statistics` and the flat netlist for place and route to `netlist`. Blocks of the unit
    keep their hierarchy while they are mapped, so that each cell belongs to one block. Inside a block the design is
    flat: Yosys infers a memory only if the clocks of its ports have the same name.
    """
    bound = LOGIC_PS if family == ECP5 else None
    lines = [*_read(HARNESS, blocks=True), *_map(family, HARNESS, bound), f"tee -q -o {statistics} stat -json"]
    return "\n".join(lines + (_write_flat(netlist) if family == ECP5 else [])) + "\n"


def levels_script(top: str, netlist: str, blocks: bool) -> str:
    """Yosys script that maps a module for ECP5 and writes the flat netlist, in which levels of logic are counted.

    `blocks`: map the blocks of the pin harness's unit one by one, so that each cell belongs to a block.
    """
    return "\n".join([*_read(top, blocks), *_map(ECP5, top, LEVELS_PS), *_write_flat(netlist)]) + "\n"


def crossings_script(top: str, netlist: str) -> str:
    """Yosys script that writes the flat netlist of a module without mapping it."""
    return "\n".join([*_read(top, False), "opt_clean", f"write_json {netlist}"]) + "\n"


def _read(top: str, blocks: bool) -> list[str]:
    # The front end makes one module per instance, named MODULE$PATH. Paths of blocks have two dots; deeper ones more.
    hierarchy = " --keep-hierarchy" if blocks else ""
    keep = ["setattr -mod -set keep_hierarchy 1 *", "setattr -mod -unset keep_hierarchy *.*.*.*"] if blocks else []
    read = f"read_slang --threads 1 -D SYNTHESIS --top {top}{hierarchy} -f filelist.f"
    return [read, "chformal -remove", *keep]


def _map(family: str, top: str, logic_ps: int | None) -> list[str]:
    """`logic_ps`: delay of the LUTs between two registers that the mapper may use, where it has a delay model."""
    known = FAMILIES[family]
    bound = [] if logic_ps is None else [f"scratchpad -set abc9.D {logic_ps}"]
    return bound + [step.replace("@", f"{known.synthesis} -top {top}") for step in known.steps]


def _write_flat(netlist: str) -> list[str]:
    return ["setattr -mod -unset keep_hierarchy *", "flatten", "opt_clean -purge", f"write_json {netlist}"]


def areas(family: str, statistics: str) -> list[Area]:
    """Area of each block, largest first, then of the unit's logic outside its blocks. The harness is left out."""
    try:
        # `tee` may write a progress line before the document.
        modules: dict[str, Any] = json.loads(statistics[statistics.index("{") :])["modules"]
        counts = {name.removeprefix("\\"): dict(entry["num_cells_by_type"]) for name, entry in modules.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ReportError(f"Yosys printed no statistics: {error}") from error
    blocks: list[Area] = []
    own: Area | None = None
    for full, cells in counts.items():
        module, _, path = full.partition("$")
        parts = path.split(".")
        if parts[:2] != [HARNESS, "unit"]:
            continue
        if len(parts) > 3:
            raise ReportError(f"Yosys left {'.'.join(parts[2:])} out of its block")
        name = parts[2] if len(parts) == 3 else OWN
        found = _area(FAMILIES[family], name, module, {c: n for c, n in cells.items() if c not in counts})
        if len(parts) == 3:
            blocks.append(found)
        else:
            own = found
    if own is None:
        raise ReportError(f"Yosys counted no cells of {HARNESS}.unit")
    return [*sorted(blocks, key=lambda block: -block.lut), own]


def _area(family: Family, name: str, module: str, cells: dict[str, int]) -> Area:
    area = Area(name, module)
    for cell, count in cells.items():
        if cell.startswith(("\\", "$paramod")) or "$" in cell:
            if cell.partition("$")[2].startswith(HARNESS):
                continue  # an instance of a block, which is counted separately
            if cell != "$scopeinfo":
                raise ReportError(f"{name}: Yosys left {count} cells {cell} unmapped")
            continue
        if cell in family.lut:
            area.lut += family.lut[cell] * count
            area.lutram += family.lut[cell] * count if cell in family.lutram else 0
        elif cell in family.ff:
            area.ff += count
        elif cell in family.ram:
            area.ram += family.ram[cell] * count
        elif cell in family.dsp:
            area.dsp += count
        elif cell not in family.free:
            raise ReportError(f"{name}: {count} cells of unknown kind {cell}; expected one that the family lists")
    return area


def total(blocks: list[Area], name: str) -> Area:
    """Sum of the blocks."""
    whole = Area("total", name)
    for block in blocks:
        whole.add(block)
    return whole


def as_json(area: Area) -> dict[str, Any]:
    return asdict(area)


# ---------------------------------------------------------------- place and route


def route_report(text: str) -> dict[str, Any]:
    """Fmax, utilization and the critical path, from nextpnr's report."""
    try:
        report = json.loads(text)
        if len(report["fmax"]) != 1:
            raise ReportError(f"nextpnr timed {len(report['fmax'])} clocks; expected one")
        (clock,) = report["fmax"].values()
        used = {name: entry for name, entry in report["utilization"].items() if entry["used"]}
        # Paths between two edges of the clock. Paths from and to pins have no requirement.
        inside = [path for path in report["critical_paths"] if path["from"] == path["to"]]
        return {
            "fmax_mhz": round(float(clock["achieved"]), 2),
            "used": used,
            "critical_path": _critical(inside[0]["path"]) if inside else None,
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ReportError(f"nextpnr's report is invalid: {error!r}") from error


def _critical(path: list[dict[str, Any]]) -> dict[str, Any]:
    steps = [
        {
            "kind": step["type"],
            "ns": round(step["delay"], 3),
            "from": signal(step["from"]["cell"]),
            "to": signal(step["to"]["cell"]),
        }
        | ({"net": signal(step["net"])} if "net" in step else {})
        for step in path
    ]
    routing = sum(step["ns"] for step in steps if step["kind"] == "routing")
    return {
        "from": steps[0]["from"],
        "to": steps[-1]["to"],
        "ns": round(sum(step["ns"] for step in steps), 2),
        "routing_ns": round(routing, 2),
        "levels": sum(step["kind"] == "logic" for step in steps),
        "steps": steps,
    }


_SUFFIX = re.compile(r"(?:_(?:TRELLIS_FF|TRELLIS_DPR16X4|DP16KD|LUT4|PFUMX|L6MUX21|CCU2C)(?=_|$)|\$).*")


def signal(cell: str) -> str:
    """The signal's name in the sources, from a mapped cell's name; the cell's name if the mapper invented it."""
    name = cell.removeprefix("\\").removeprefix("unit.")
    return _SUFFIX.sub("", name) or name


def route_failure(lines: list[str]) -> str:
    """Why nextpnr failed: the first error among its last lines."""
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    return errors[0] if errors else (lines[-1] if lines else "no output")


# ---------------------------------------------------------------- progress

_YOSYS_STEP = re.compile(r"^\d+(?:\.\d+)*\. Executing (\S+)")
_NEXTPNR_STEP = re.compile(
    r"^Info: (Packing|Placing|Promoting|Creating initial|Running|Routing|Setting up|at iteration|"
    r"Checksum|Device ut)(.*)"
)
_NEXTPNR_ITERATION = re.compile(r"^Info:\s+(\d+)\s*\|")


def yosys_progress(line: str) -> str | None:
    found = _YOSYS_STEP.match(line)
    return found[1].lower().rstrip(".") if found else None


def nextpnr_progress(line: str) -> str | None:
    if found := _NEXTPNR_STEP.match(line):
        return (found[1] + found[2])[:50].rstrip(" .:").lower()
    if found := _NEXTPNR_ITERATION.match(line):
        return f"routing, {int(found[1]):,} steps"
    return None
