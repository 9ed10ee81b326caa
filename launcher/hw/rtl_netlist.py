# SPDX-License-Identifier: Apache-2.0
"""A flat netlist of RTL before mapping: registers, memories, ports, and what each net depends on.

Yosys writes it with `write_json` behind its SystemVerilog front end. Its cells have whole words, so a bit of a cell's
output is taken to depend on all bits of the cell's inputs.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from launcher.hw.netlist import NetlistError

_ASYNCHRONOUS = frozenset({"ARST", "ALOAD", "SET", "CLR"})  # inputs of a register that act without its clock
_REGISTER = "$driver$"
_UNKNOWN = ("$dlatch", "$adlatch", "$sr", "$ff", "$fsm", "$mem", "$meminit")


class Kind(Enum):
    """What a path starts at."""

    register = "register"
    memory = "memory"
    port = "port"


@dataclass(frozen=True)
class Source:
    """The start of paths, by name. A memory is one for its content."""

    kind: Kind
    name: str


@dataclass(frozen=True)
class Register:
    """A register of one or more bits. All fields but the name are nets. The clocked output of a memory is one with the
    `content` of that memory."""

    name: str
    clock: int
    inputs: tuple[int, ...]
    asynchronous: tuple[int, ...]
    outputs: tuple[int, ...]
    content: Source | None = None


@dataclass(frozen=True)
class Write:
    """A write port of the memory `memory`. `inputs`: nets of its address, data and enables."""

    memory: str
    clock: int
    inputs: tuple[int, ...]


@dataclass
class Graph:
    """The netlist.

    `sources`: the nets that paths start at. `behind`: what the other driven nets depend on, and the content of which
    memory. `loads`: the names of the cells that a net goes to, with those of output ports. `marked`: registers by
    attribute.
    """

    inputs: dict[str, list[int]]
    outputs: dict[str, list[int]]
    registers: dict[str, Register]
    writes: list[Write]
    sources: dict[int, Source]
    behind: dict[int, tuple[tuple[int, ...], Source | None]]
    loads: dict[int, set[str]]
    marked: dict[str, set[str]]

    def sources_of(self, nets: Iterable[int]) -> set[Source]:
        """All that the paths to these nets start at."""
        found: set[Source] = set()
        seen: set[int] = set()
        waiting = list(nets)
        while waiting:
            net = waiting.pop()
            if net in seen:
                continue
            seen.add(net)
            if net in self.sources:
                found.add(self.sources[net])
            elif net in self.behind:
                before, content = self.behind[net]
                waiting += before
                found |= {content} if content else set()
        return found

    def masks(self, bits: Callable[[Source], int]) -> dict[int, int]:
        """For each net, the bits of all that the paths to it start at."""
        found = {net: bits(source) for net, source in self.sources.items()}
        for net in self._ordered():
            before, content = self.behind[net]
            mask = bits(content) if content else 0
            for other in before:
                mask |= found.get(other, 0)
            found[net] = mask
        return found

    def _ordered(self) -> Iterator[int]:
        """The nets of `behind`, each after those that it depends on. Depth first without recursion."""
        done: set[int] = set()
        for root in self.behind:
            if root in done:
                continue
            stack = [(root, iter(self.behind[root][0]))]
            open_nets = {root}
            while stack:
                net, rest = stack[-1]
                for before in rest:
                    if before in self.behind and before not in done:
                        if before in open_nets:
                            raise NetlistError(f"combinational loop through net {before}")
                        open_nets.add(before)
                        stack.append((before, iter(self.behind[before][0])))
                        break
                else:
                    stack.pop()
                    open_nets.discard(net)
                    done.add(net)
                    yield net


def read(path: Path, top: str) -> Graph:
    """Reads the flat module `top`. Raises NetlistError for a file that is none, and for cells of unknown timing."""
    try:
        module = json.loads(path.read_text())["modules"][top]
        return _graph(module["cells"], module["ports"], module["netnames"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise NetlistError(f"{path} is no netlist of Yosys: {error!r}") from error


def _plain(name: str) -> str:
    return name.replace("\\", "")


def _nets(connection: list[Any]) -> tuple[int, ...]:
    return tuple(bit for bit in connection if isinstance(bit, int))  # constants are texts


def _graph(cells: dict[str, Any], ports: dict[str, Any], netnames: dict[str, Any]) -> Graph:
    graph = Graph({}, {}, {}, [], {}, {}, defaultdict(set), defaultdict(set))
    named: dict[int, str] = {}
    for name, entry in netnames.items():
        for net in _nets(entry["bits"]):
            if not entry.get("hide_name", 0):
                named.setdefault(net, _plain(name))
    for name, entry in ports.items():
        (graph.inputs if entry["direction"] == "input" else graph.outputs)[_plain(name)] = list(_nets(entry["bits"]))
        for net in _nets(entry["bits"]):
            if entry["direction"] == "input":
                graph.sources[net] = Source(Kind.port, _plain(name))
            else:
                graph.loads[net].add(_plain(name))
    for name, entry in cells.items():
        _add(graph, _plain(name), entry, named)
    for name, entry in netnames.items():
        for attribute in entry.get("attributes", {}):
            graph.marked[attribute].add(_plain(name))
    return graph


def _add(graph: Graph, name: str, cell: dict[str, Any], named: dict[int, str]) -> None:
    kind = cell["type"]
    ends = {port: _nets(bits) for port, bits in cell["connections"].items()}
    outputs = {port for port, direction in cell["port_directions"].items() if direction == "output"}
    out = tuple(net for port in outputs for net in ends[port])
    inputs = {port: nets for port, nets in ends.items() if port not in outputs}
    content: Source | None = None
    if kind in ("$memrd", "$memrd_v2"):
        content = Source(Kind.memory, _plain(cell["parameters"]["MEMID"]))
        if int(cell["parameters"]["CLK_ENABLE"], 2):
            name = f"{content.name} (read)"
        else:
            address = tuple(net for port in ("ADDR", "EN") for net in inputs[port])
            for net in out:
                graph.behind[net] = (address, content)
            return
    elif kind in ("$memwr", "$memwr_v2"):
        name = _plain(cell["parameters"]["MEMID"])
        others = tuple(net for port, nets in inputs.items() if port != "CLK" for net in nets)
        graph.writes.append(Write(name, _clock(name, inputs), others))
        _load(graph, name, inputs)
        return
    elif kind.startswith(_UNKNOWN) or kind.startswith("$_"):
        raise NetlistError(f"{name}: a cell {kind}, of which this reader does not know when it changes")
    if "CLK" in inputs and out:
        # The front end names a register's cell after it.
        name = name.removeprefix(_REGISTER) if name.startswith(_REGISTER) else named.get(out[0], name)
        graph.registers[name] = Register(
            name,
            _clock(name, inputs),
            tuple(net for port, nets in inputs.items() if port not in {"CLK"} | _ASYNCHRONOUS for net in nets),
            tuple(net for port, nets in inputs.items() if port in _ASYNCHRONOUS for net in nets),
            out,
            content,
        )
        for net in out:
            graph.sources[net] = Source(Kind.register, name)
    else:
        before = tuple(net for nets in inputs.values() for net in nets)
        for net in out:
            graph.behind[net] = (before, None)
    _load(graph, name, inputs)


def _load(graph: Graph, name: str, inputs: dict[str, tuple[int, ...]]) -> None:
    for nets in inputs.values():
        for net in nets:
            graph.loads[net].add(name)


def _clock(name: str, inputs: dict[str, tuple[int, ...]]) -> int:
    if len(inputs["CLK"]) != 1:
        raise NetlistError(f"{name}: its clock is constant")
    return inputs["CLK"][0]
