# SPDX-License-Identifier: Apache-2.0
"""The block design that recorded Tcl makes: cells, parameters, nets, interfaces, ports, addresses."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from launcher.boards.board import BoardFailed
from launcher.boards.cosmos import names
from launcher.boards.cosmos.tcl_record import InterfaceOf, Ip, PinOf
from launcher.boards.cosmos.wrapper import Wrapper

_SIZES = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@dataclass(frozen=True)
class Segment:
    """A slave's place in a master's address space. `space` and `slave`: CELL/INTERFACE."""

    space: str
    slave: str
    offset: int
    bytes: int


@dataclass
class BlockDesign:
    """`nets`: sets of ends, each CELL/PIN or, for a port of the design, its name. `buses`: pairs of CELL/INTERFACE."""

    ips: dict[str, Ip] = field(default_factory=dict)  # by cell
    parameters: dict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    nets: list[set[str]] = field(default_factory=list)
    buses: list[tuple[str, str]] = field(default_factory=list)
    ports: dict[str, tuple[str, int]] = field(default_factory=dict)  # direction (I, O or IO) and bits
    segments: list[Segment] = field(default_factory=list)

    def cells_of(self, vlnv: str) -> list[str]:
        return [cell for cell, ip in self.ips.items() if ip.vlnv == vlnv]

    def pin(self, end: str) -> PinOf | None:
        """The pin of a net's end; None for a port of the design."""
        if "/" not in end:
            return None
        cell, name = end.split("/")
        return self.ips[cell].pins[name]

    def interface(self, end: str) -> InterfaceOf:
        cell, name = end.split("/")
        return self.ips[cell].interfaces[name]

    def net_of(self, end: str) -> set[str]:
        """The net with this end; empty if there is none."""
        return next((net for net in self.nets if end in net), set())

    def drives(self, end: str) -> bool:
        """Whether an end drives its net. What leads to a pad and back does not count."""
        pin = self.pin(end)
        return pin.direction == "out" if pin else self.ports[end][0] == "I"

    def driver(self, end: str) -> str | None:
        """What drives the net of this end."""
        return next((other for other in self.net_of(end) if self.drives(other)), None)

    def other_side(self, interface: str) -> str | None:
        """The interface that this one is connected to."""
        for one, other in self.buses:
            if interface in (one, other):
                return other if interface == one else one
        return None


def core_of(wrapper: Wrapper) -> Ip:
    """Our core, as the block design sees it."""
    clocks = {port.clock for port in wrapper.ports if port.clock}
    pins = {
        port.name: PinOf(
            "out" if port.output else "in", port.bits, port.clock or ("clock" if port.name in clocks else "async")
        )
        for port in wrapper.ports
        if not port.bus
    }
    interfaces = {bus: InterfaceOf(mode, "aximm", "clk") for bus, (mode, _) in wrapper.buses.items()}
    return Ip(names.CORE_MODULE, pins, interfaces)


def build(calls: Iterable[list[str]], ips: Mapping[str, Ip], modules: Mapping[str, Ip]) -> BlockDesign:
    """The design that the calls make. Raises BoardFailed for a call that makes no sense."""
    design = BlockDesign()
    for call in calls:
        try:
            _apply(design, call, ips, modules)
        except (KeyError, ValueError, IndexError) as error:
            raise BoardFailed(f"{' '.join(call)}: {type(error).__name__}: {error}") from None
    return design


def _apply(design: BlockDesign, call: list[str], ips: Mapping[str, Ip], modules: Mapping[str, Ip]) -> None:
    command, words = call[0], call[1:]
    if command == "create_bd_cell":
        design.ips[words[0]] = ips[words[1]] if words[1] in ips else modules[words[1]]
    elif command == "set_property" and words[-1].startswith("cell:") and words[0].startswith("CONFIG."):
        design.parameters[_name(words[-1])][words[0].removeprefix("CONFIG.")] = words[1]
    elif command == "create_bd_port":
        given = dict(zip(words[:-1:2], words[1::2], strict=True))
        design.ports[words[-1]] = (given["-dir"], int(given.get("-from", "0")) + 1)
    elif command == "connect_bd_net":
        ends = {_name(word) for word in words}
        for net in [net for net in design.nets if net & ends]:
            ends |= net
            design.nets.remove(net)
        design.nets.append(ends)
    elif command == "connect_bd_intf_net" and not words[0].startswith("interface port:"):
        design.buses.append((_name(words[0]), _name(words[1])))
    elif command == "create_bd_addr_seg":
        given = dict(zip(words[0:4:2], words[1:4:2], strict=True))
        segment = Segment(_name(words[4]), _name(words[5]), int(given["-offset"], 0), _size(given["-range"]))
        design.segments.append(segment)


def _name(word: str) -> str:
    return word.split(":", 1)[1]


def _size(text: str) -> int:
    match = re.fullmatch(r"(\d+)([KMG])", text)
    return int(match[1]) * _SIZES[match[2]] if match else int(text, 0)
