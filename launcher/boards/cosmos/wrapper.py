# SPDX-License-Identifier: Apache-2.0
"""The Verilog module that the block design instantiates: CosmosTop with the ports that Vivado and the PCIe core expect.

A module reference must be Verilog, not SystemVerilog, and its buses are known by attributes. The ports come from the
emitted CosmosTop; one that is not known here is an error, so the two cannot drift apart.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from launcher.boards import pcie7
from launcher.boards.board import BoardFailed
from launcher.boards.cosmos import names

TOP = "CosmosTop"
_PORT = re.compile(r"^\s*(?:(input|output)\s+)?(?:\[(\d+):0\]\s+)?(\w+)\s*(?:,|\);)?\s*(?://.*)?$")
_BUS = re.compile(r"(s_axil_fw|m_axi_dram|m_axi_nvram|m_axil_tiger_\d+|s_axi_tiger_\d+)_(\w+)")
# Tiger4's data port has neither identifiers nor locks nor qualities.
_TIGER_LACKS = re.compile(r"(aw|ar|b|r)id|a[wr](lock|qos)")


@dataclass(frozen=True)
class Port:
    """A port of a module."""

    name: str
    output: bool
    bits: int
    clock: str = ""  # of the wrapper, which it is in step with; empty: it is a clock, or in step with none
    bus: str = ""  # the bus that it is a signal of


@dataclass(frozen=True)
class Wrapper:
    """The module's text, its ports, and its buses: name to (slave or master, protocol)."""

    text: str
    ports: tuple[Port, ...]
    buses: dict[str, tuple[str, str]]


_STREAM_BITS = 128  # CosmosTop.coreBits


def emitted_ports(folder: Path) -> list[Port]:
    """The ports of the emitted CosmosTop. Raises BoardFailed when it cannot be read."""
    path = folder / f"{TOP}.sv"
    try:
        text = path.read_text()
    except OSError as error:
        raise BoardFailed(f"{path}: {error.strerror}") from None
    head = re.search(rf"^module {TOP}\((.*?)\);", re.sub(r"//.*", "", text), re.S | re.M)
    if head is None:
        raise BoardFailed(f"{path}: has no module {TOP}")
    found = []
    output, bits = False, 1
    for line in head[1].splitlines():
        if not line.strip():
            continue
        match = _PORT.match(line)
        if match is None:
            raise BoardFailed(f"{path}: '{line.strip()}' is no port")
        if match[1]:  # a line without a direction has that of the one before, and its width
            output, bits = match[1] == "output", int(match[2] or 0) + 1
        found.append(Port(match[3], output, bits))
    return found


def make(top: list[Port]) -> Wrapper:
    """The wrapper of a CosmosTop with these ports. Raises BoardFailed for a port that it does not know, or lacks."""
    left = {port.name: port for port in top}
    wires: list[tuple[str, str]] = []  # port of CosmosTop, expression
    ports: list[Port] = []
    assigns: list[tuple[str, str]] = []

    def take(name: str, output: bool, bits: int) -> None:
        port = left.pop(name, None)
        if port is None or port.output != output or port.bits != bits:
            raise BoardFailed(f"{TOP} has no {'output' if output else 'input'} {name} of {bits} bits")

    for name, expression in (("controller_clock", "clk"), ("core_clock", "user_clk_out"), ("reset", "reset")):
        take(name, False, 1)
        wires.append((name, expression))
    # Each clock has a reset of its own, made from the one that comes. What stands beside the controller shares its.
    for name, expression in (("controller_reset", "controller_reset"), ("core_reset", "")):
        take(name, True, 1)
        wires.append((name, expression))
    ports += [Port("clk", False, 1), Port("reset", False, 1), Port("controller_reset", True, 1, "clk")]
    ports += [Port("user_clk_out", False, 1)]
    for pin, bits, name in pcie7.from_core(_STREAM_BITS):
        take(name, False, bits)
        wires.append((name, pin))
        ports.append(Port(pin, False, bits, "user_clk_out"))
    for pin, bits in pcie7.PARTS:
        ports.append(Port(pin, False, bits, "user_clk_out"))
    for name, expression in pcie7.FROM_CORE_PARTS:
        bits = pcie7.PART_BITS.get(name, 1)
        take(name, False, bits)
        wires.append((name, expression))
    for pin, bits, name in pcie7.to_core(_STREAM_BITS):
        take(name, True, bits)
        wires.append((name, pin))
        ports.append(Port(pin, True, bits, "user_clk_out"))
    for pin, bits, value in pcie7.CONSTANTS:
        ports.append(Port(pin, True, bits, "user_clk_out"))
        assigns.append((pin, value))
    take("fw_irq", True, 1)
    wires.append(("fw_irq", "fw_irq"))
    ports.append(Port("fw_irq", True, 1, "clk"))
    buses = _buses(left, wires, ports, assigns)
    if left:
        raise BoardFailed(f"{TOP} has ports that are not wired: {', '.join(left)}")
    return Wrapper(_text(ports, wires, assigns, buses), tuple(ports), buses)


def _buses(
    left: dict[str, Port],
    wires: list[tuple[str, str]],
    ports: list[Port],
    assigns: list[tuple[str, str]],
) -> dict[str, tuple[str, str]]:
    """Moves the signals of AXI buses from `left` to the others. Returns the buses."""
    buses: dict[str, tuple[str, str]] = {}
    for name in list(left):
        match = _BUS.fullmatch(name)
        if match is None:
            continue
        port = left.pop(name)
        bus, signal = match[1], match[2]
        buses[bus] = ("slave" if bus[0] == "s" else "master", "AXI4LITE" if bus[2:].startswith("axil_") else "AXI4")
        if bus.startswith("s_axi_tiger") and _TIGER_LACKS.fullmatch(signal):
            wires.append((name, "" if port.output else f"{port.bits}'b0"))
        elif bus.startswith("m_axil_tiger") and signal in ("awaddr", "araddr"):
            # Vivado gives a master no segment that is larger than what its address can name.
            wires.append((name, f"{name}[{port.bits - 1}:0]"))
            ports.append(Port(name, True, 32, "clk", bus))
            assigns.append((f"{name}[31:{port.bits}]", f"{32 - port.bits}'b0"))
        else:
            wires.append((name, name))
            ports.append(Port(name, port.output, port.bits, "clk", bus))
    return buses


def _text(
    ports: list[Port],
    wires: list[tuple[str, str]],
    assigns: list[tuple[str, str]],
    buses: dict[str, tuple[str, str]],
) -> str:
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        f"// Written by `./openremap board build cosmos`: {TOP} for a block design. Pins have the PCIe core's names.",
        f"module {names.CORE_MODULE} (",
    ]
    first = {bus: next(port.name for port in ports if port.bus == bus) for bus in buses}
    for i, port in enumerate(ports):
        width = f"[{port.bits - 1}:0] " if port.bits > 1 else ""
        comma = "" if i == len(ports) - 1 else ","
        lines += [f"  (* {attribute} *)" for attribute in _attributes(port, buses, first)]
        lines.append(f"  {'output' if port.output else 'input'} wire {width}{port.name}{comma}")
    lines += [");", *(f"  assign {left} = {right};" for left, right in assigns), "", f"  {TOP} top ("]
    lines += [f"    .{name}({wire}){'' if i == len(wires) - 1 else ','}" for i, (name, wire) in enumerate(wires)]
    return "\n".join([*lines, "  );", "endmodule", ""])


def _attributes(port: Port, buses: dict[str, tuple[str, str]], first: dict[str, str]) -> list[str]:
    if port.name == "clk":
        return [
            'X_INTERFACE_INFO = "xilinx.com:signal:clock:1.0 clk CLK"',
            f'X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF {":".join(buses)}, ASSOCIATED_RESET controller_reset"',
        ]
    if port.name in ("reset", "controller_reset"):
        return [
            f'X_INTERFACE_INFO = "xilinx.com:signal:reset:1.0 {port.name} RST"',
            'X_INTERFACE_PARAMETER = "POLARITY ACTIVE_HIGH"',
        ]
    if port.name == "fw_irq":
        return [
            'X_INTERFACE_INFO = "xilinx.com:signal:interrupt:1.0 fw_irq INTERRUPT"',
            'X_INTERFACE_PARAMETER = "SENSITIVITY LEVEL_HIGH"',
        ]
    if not port.bus:
        # Streams and clocks of the core are wired pin by pin.
        return ['X_INTERFACE_IGNORE = "true"']
    signal = port.name.removeprefix(f"{port.bus}_").upper()
    found = [f'X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 {port.bus} {signal}"']
    if port.name == first[port.bus]:
        mode, protocol = buses[port.bus]
        found.append(f'X_INTERFACE_MODE = "{mode}"')
        found.append(f'X_INTERFACE_PARAMETER = "PROTOCOL {protocol}"')
    return found
