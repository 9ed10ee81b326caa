# SPDX-License-Identifier: Apache-2.0
"""A mapped ECP5 netlist as a graph: from where signals start, how many levels of logic they pass, and where they end.

The netlist is what Yosys writes with `write_json`. A level is a LUT, the operand side of a carry cell, or the read of a
distributed RAM. The multiplexers PFUMX and L6MUX21 join LUTs of one slice over fixed wires and are no level.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

FLIP_FLOP = "TRELLIS_FF"
BLOCK_RAMS = frozenset({"DP16KD", "PDPW16KD"})
LUT_RAM = "TRELLIS_DPR16X4"
CARRY = "CCU2C"
_FIXED = {"PFUMX": {"ALUT", "BLUT"}, "L6MUX21": {"D0", "D1"}}  # inputs that fixed wires of a slice reach
_CLOCKED_INPUTS = {
    FLIP_FLOP: ("DI", "CE", "LSR", "M"),
    LUT_RAM: ("DI", "WAD", "WRE"),
}

# Estimated delays in ns, of speed grade 8. A wire to a cell of few loads takes WIRE; each doubling of the loads above
# eight adds WIRE_PER_DOUBLING, up to WIRE_MOST.
WIRE, WIRE_PER_DOUBLING, WIRE_MOST = 0.62, 0.125, 0.9
_DELAY = {"LUT4": 0.24, "PFUMX": 0.18, "L6MUX21": 0.17, LUT_RAM: 0.24, CARRY: 0.45}
CARRY_STEP = 0.07
_START_DELAY = {FLIP_FLOP: 0.52}
BLOCK_RAM_DELAY = 3.9  # without the output register
BLOCK_RAM_REGISTERED_DELAY = 0.9


class NetlistError(Exception):
    """The file is no netlist of one mapped module."""


class Start(Enum):
    """What a path starts at. The limits of levels differ."""

    register = "register"
    block_ram = "block RAM"
    port = "input port"


class End(Enum):
    """What a path ends at."""

    register = "register"
    port = "output port"


@dataclass
class Cell:
    """A cell of the netlist. `ports`: the nets at each port, constants left out; `outputs`: which of them it drives."""

    name: str
    kind: str
    ports: dict[str, list[int]]
    outputs: frozenset[str]
    parameters: dict[str, str]


@dataclass
class Endpoint:
    """The end of paths: a net, and what it ends at, by name."""

    net: int
    kind: End
    name: str


@dataclass
class Edge:
    """One step of a path: from a net through a cell."""

    source: int
    level: int  # 1 if the cell counts as a level of logic
    ns: float
    memory: bool  # the step reads a distributed RAM


@dataclass
class Netlist:
    """The graph. Nets are numbered; `order` has the driven nets, each after those that it depends on."""

    cells: dict[str, Cell]
    names: dict[int, str]
    driver: dict[int, tuple[str, str]]
    starts: dict[int, Start]
    edges: dict[int, list[Edge]]
    order: list[int]
    ends: list[Endpoint]
    start_ns: dict[int, float] = field(default_factory=dict)

    def block_of(self, net: int, depth: int) -> str:
        """The instance that drives a net: the first `depth` parts of its path; "" for the module itself."""
        found = self.driver.get(net)
        return _path(found[0], depth) if found else ""

    def name(self, net: int) -> str:
        """The shortest name in the sources of a net."""
        return self.names.get(net, f"net {net}")


def _path(cell: str, depth: int) -> str:
    parts = cell.replace("\\", "").split(".")
    return ".".join(parts[:depth]) if len(parts) > depth else ""


def read(path: Path, top: str) -> Netlist:
    """Reads a netlist. `top`: the flat module; the others in the file are Yosys's models of cells."""
    try:
        module = json.loads(path.read_text())["modules"][top]
        cells = {name: _cell(name, entry) for name, entry in module["cells"].items() if entry["type"] != "$scopeinfo"}
        netnames, ports = module["netnames"], module["ports"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise NetlistError(f"{path} is no netlist of Yosys: {error!r}") from error
    return _graph(cells, _names(netnames), ports)


def _cell(name: str, entry: dict[str, Any]) -> Cell:
    # Constants are texts ("0", "x"), nets are numbers.
    wires = {port: [bit for bit in bits if isinstance(bit, int)] for port, bits in entry["connections"].items()}
    outputs = frozenset(port for port, direction in entry["port_directions"].items() if direction == "output")
    return Cell(name, entry["type"], wires, outputs, entry.get("parameters", {}))


def _names(netnames: dict[str, Any]) -> dict[int, str]:
    best: dict[int, tuple[int, int, str]] = {}
    for name, entry in netnames.items():
        for i, bit in enumerate(entry["bits"]):
            if isinstance(bit, int):
                text = name.replace("\\", "") + (f"[{i}]" if len(entry["bits"]) > 1 else "")
                key = (entry.get("hide_name", 0), len(text), text)
                best[bit] = min(best.get(bit, key), key)
    return {bit: key[2] for bit, key in best.items()}


def _graph(cells: dict[str, Cell], names: dict[int, str], ports: dict[str, Any]) -> Netlist:
    driver: dict[int, tuple[str, str]] = {}
    loads: dict[int, int] = defaultdict(int)
    for cell in cells.values():
        for port, bits in cell.ports.items():
            for bit in bits:
                if port in cell.outputs:
                    driver[bit] = (cell.name, port)
                else:
                    loads[bit] += 1
    net = Netlist(cells, names, driver, {}, {}, [], [])
    for name, entry in ports.items():
        for i, bit in enumerate(entry["bits"]):
            if not isinstance(bit, int):
                continue
            if entry["direction"] == "input":
                net.starts[bit] = Start.port
                net.start_ns[bit] = 0.0
            else:
                net.ends.append(Endpoint(bit, End.port, f"{name}[{i}]" if len(entry["bits"]) > 1 else name))
    for bit, (cell_name, port) in driver.items():
        cell = cells[cell_name]
        start = _start(cell)
        if start is not None:
            net.starts[bit] = start[0]
            net.start_ns[bit] = start[1]
        else:
            net.edges[bit] = list(_edges(cell, port, loads))
    for cell in cells.values():
        for port in _ending_ports(cell):
            net.ends += [Endpoint(bit, End.register, f"{cell.name}.{port}") for bit in cell.ports.get(port, [])]
    net.order = _ordered(net.edges)
    return net


def _start(cell: Cell) -> tuple[Start, float] | None:
    if cell.kind == FLIP_FLOP:
        return Start.register, _START_DELAY[FLIP_FLOP]
    if cell.kind in BLOCK_RAMS:
        # With the output register on both ports the read counts as one from a register.
        modes = {value for key, value in cell.parameters.items() if key.startswith("REGMODE")}
        if modes and all(mode.strip() == "OUTREG" for mode in modes):
            return Start.register, BLOCK_RAM_REGISTERED_DELAY
        return Start.block_ram, BLOCK_RAM_DELAY
    return None


def _ending_ports(cell: Cell) -> Iterable[str]:
    if cell.kind in _CLOCKED_INPUTS:
        return _CLOCKED_INPUTS[cell.kind]
    if cell.kind in BLOCK_RAMS:
        return [port for port in cell.ports if port not in cell.outputs and not port.startswith("CLK")]
    return []


def _edges(cell: Cell, output: str, loads: dict[int, int]) -> Iterator[Edge]:
    for port in _inputs(cell, output):
        for bit in cell.ports.get(port, []):
            wire = WIRE + min(WIRE_MOST, WIRE_PER_DOUBLING * max(0, loads[bit].bit_length() - 3))
            if port in _FIXED.get(cell.kind, set()):
                yield Edge(bit, 0, _DELAY[cell.kind], False)
            elif cell.kind == CARRY and port == "CIN":
                yield Edge(bit, 0, CARRY_STEP if output == "COUT" else _DELAY[CARRY], False)
            elif cell.kind in ("PFUMX", "L6MUX21"):
                # The select input comes by a wire, but costs no LUT.
                yield Edge(bit, 1, wire + _DELAY[cell.kind], False)
            else:
                yield Edge(bit, 1, wire + _DELAY.get(cell.kind, 0.3), cell.kind == LUT_RAM)


def _inputs(cell: Cell, output: str) -> list[str]:
    if cell.kind == LUT_RAM:
        return ["RAD"]
    if cell.kind == CARRY:
        low = ["A0", "B0", "C0", "D0", "CIN"]
        return low if output == "S0" else [*low, "A1", "B1", "C1", "D1"]
    return [port for port in cell.ports if port not in cell.outputs]


def _ordered(edges: dict[int, list[Edge]]) -> list[int]:
    """Depth-first order without recursion, as chains of carries are long. Raises for a combinational loop."""
    done: set[int] = set()
    order: list[int] = []
    for root in edges:
        if root in done:
            continue
        stack: list[tuple[int, Iterator[Edge]]] = [(root, iter(edges[root]))]
        open_nets = {root}
        while stack:
            bit, rest = stack[-1]
            for edge in rest:
                if edge.source in edges and edge.source not in done:
                    if edge.source in open_nets:
                        raise NetlistError(f"combinational loop through net {edge.source}")
                    open_nets.add(edge.source)
                    stack.append((edge.source, iter(edges[edge.source])))
                    break
            else:
                stack.pop()
                open_nets.discard(bit)
                done.add(bit)
                order.append(bit)
    return order
