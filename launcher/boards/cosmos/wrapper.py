# SPDX-License-Identifier: Apache-2.0
"""The Verilog module that the block design instantiates: CosmosTop with the ports that Vivado and the PCIe core expect.

A module reference must be Verilog, not SystemVerilog, and its buses are known by attributes. The ports come from the
emitted CosmosTop; one that is not known here is an error, so the two cannot drift apart.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

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


# The PCIe core's pins that are wired, as (pin, bits, port of CosmosTop): what the core says,
_FROM_CORE = (
    ("m_axis_rx_tdata", 128, "pcie_rx_bits_data"),
    ("m_axis_rx_tkeep", 16, "pcie_rx_bits_keep"),
    ("m_axis_rx_tlast", 1, "pcie_rx_bits_last"),
    ("m_axis_rx_tuser", 22, "pcie_rx_bits_user"),
    ("m_axis_rx_tvalid", 1, "pcie_rx_valid"),
    ("s_axis_tx_tready", 1, "pcie_tx_ready"),
    ("cfg_interrupt_msixenable", 1, "pcie_config_msixEnable"),
    ("cfg_interrupt_msixfm", 1, "pcie_config_msixMask"),
    ("user_lnk_up", 1, "pcie_linkUp"),
)
# parts of what it says, as (port of CosmosTop, expression of such pins),
_FROM_CORE_PARTS = (
    ("pcie_config_id", "{cfg_bus_number, cfg_device_number, cfg_function_number}"),
    ("pcie_config_busMaster", "cfg_command[2]"),
    ("pcie_config_payload", "cfg_dcommand[7:5]"),
    ("pcie_config_request", "cfg_dcommand[14:12]"),
    # The core offers no function-level reset: its pin for it is not used.
    ("pcie_functionReset", "1'b0"),
)
_PARTS = (
    ("cfg_bus_number", 8),
    ("cfg_device_number", 5),
    ("cfg_function_number", 3),
    ("cfg_command", 16),
    ("cfg_dcommand", 16),
    ("cfg_to_turnoff", 1),
)
# and what it is told.
_TO_CORE = (
    ("m_axis_rx_tready", 1, "pcie_rx_ready"),
    ("s_axis_tx_tdata", 128, "pcie_tx_bits_data"),
    ("s_axis_tx_tkeep", 16, "pcie_tx_bits_keep"),
    ("s_axis_tx_tlast", 1, "pcie_tx_bits_last"),
    ("s_axis_tx_tvalid", 1, "pcie_tx_valid"),
    ("rx_np_ok", 1, "pcie_npOk"),
    ("cfg_err_malformed", 1, "pcie_errors_malformed"),
    ("cfg_err_poisoned", 1, "pcie_errors_poisoned"),
    ("cfg_err_ur", 1, "pcie_errors_unsupported"),
    ("cfg_err_cpl_unexpect", 1, "pcie_errors_unexpected"),
    ("cfg_err_cpl_timeout", 1, "pcie_errors_timeout"),
)
# Constants for the core, as (pin, bits, value), with the reason for each that is not zero.
_CONSTANTS = (
    ("s_axis_tx_tuser", 4, "4'b0"),
    ("tx_cfg_gnt", 1, "1'b1"),  # its own completions may go out at any time
    ("rx_np_req", 1, "1'b1"),  # requests come as they are; rx_np_ok holds them back
    ("cfg_err_posted", 1, "1'b1"),  # errors are answered by the endpoint: the core shall only record them
    ("cfg_turnoff_ok", 1, "cfg_to_turnoff"),  # nothing has to be done before power goes
    ("cfg_err_ecrc", 1, "1'b0"),
    ("cfg_err_cpl_abort", 1, "1'b0"),
    ("cfg_err_cor", 1, "1'b0"),
    ("cfg_err_atomic_egress_blocked", 1, "1'b0"),
    ("cfg_err_internal_cor", 1, "1'b0"),
    ("cfg_err_mc_blocked", 1, "1'b0"),
    ("cfg_err_norecovery", 1, "1'b0"),
    ("cfg_err_tlp_cpl_header", 48, "48'b0"),
    ("cfg_err_locked", 1, "1'b0"),
    ("cfg_err_acs", 1, "1'b0"),
    ("cfg_err_internal_uncor", 1, "1'b0"),
    ("cfg_err_aer_headerlog", 128, "128'b0"),
    ("cfg_trn_pending", 1, "1'b0"),
    ("cfg_pm_halt_aspm_l0s", 1, "1'b0"),
    ("cfg_pm_halt_aspm_l1", 1, "1'b0"),
    ("cfg_pm_force_state_en", 1, "1'b0"),
    ("cfg_pm_force_state", 2, "2'b0"),
    ("cfg_pm_wake", 1, "1'b0"),
    ("cfg_pm_send_pme_to", 1, "1'b0"),
    ("cfg_dsn", 64, "64'b0"),
    ("cfg_ds_bus_number", 8, "8'b0"),
    ("cfg_ds_device_number", 5, "5'b0"),
    ("cfg_ds_function_number", 3, "3'b0"),
    ("cfg_interrupt", 1, "1'b0"),
    ("cfg_interrupt_assert", 1, "1'b0"),
    ("cfg_interrupt_di", 8, "8'b0"),
    ("cfg_interrupt_stat", 1, "1'b0"),
    ("cfg_pciecap_interrupt_msgnum", 5, "5'b0"),
    ("cfg_aer_interrupt_msgnum", 5, "5'b0"),
)


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
    for pin, bits, name in _FROM_CORE:
        take(name, False, bits)
        wires.append((name, pin))
        ports.append(Port(pin, False, bits, "user_clk_out"))
    for pin, bits in _PARTS:
        ports.append(Port(pin, False, bits, "user_clk_out"))
    for name, expression in _FROM_CORE_PARTS:
        bits = {"pcie_config_id": 16, "pcie_config_payload": 3, "pcie_config_request": 3}.get(name, 1)
        take(name, False, bits)
        wires.append((name, expression))
    for pin, bits, name in _TO_CORE:
        take(name, True, bits)
        wires.append((name, pin))
        ports.append(Port(pin, True, bits, "user_clk_out"))
    for pin, bits, value in _CONSTANTS:
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
