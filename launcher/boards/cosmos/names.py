# SPDX-License-Identifier: Apache-2.0
"""Names in the block design that its Tcl and the constraints share."""

from __future__ import annotations

DESIGN = "cosmos"  # the block design; Vivado calls its wrapper cosmos_wrapper, and the instance in it cosmos_i
INSTANCE = f"{DESIGN}_i"
CORE = "core"  # our part: the Verilog wrapper around CosmosTop
CORE_MODULE = "cosmos_core"
PS = "ps"
RESET = "reset"
NAND_CLOCK = "nand_clock"
PCIE = "pcie"
PCIE_BUFFER = "pcie_refclk"
FW_BUS = "fw_bus"
DRAM_BUS = "dram_bus"
NVRAM_BUS = "nvram_bus"
CONTROLLER_CLOCK = "clk_fpga_0"  # as the constraints of the processing system call FCLK_CLK0


def nsc(channel: int) -> str:
    """The NAND controller of a channel."""
    return f"nsc_{channel}"


def nfc(channel: int) -> str:
    """What drives the pins of a channel."""
    return f"nfc_{channel}"


def microcode(channel: int) -> str:
    """The memory with a channel's microcode."""
    return f"microcode_{channel}"


def kes(group: int) -> str:
    """The key-equation solver of some channels."""
    return f"kes_{group}"


# Pins of V2NFC100DDR that lead out of the FPGA, with direction and bits; the port of channel N has the same name with
# CHN_ behind NAND_.
NAND_PINS: dict[str, tuple[str, int]] = {
    "IO_NAND_DQ": ("IO", 8),
    "IO_NAND_DQS_P": ("IO", 1),
    "IO_NAND_DQS_N": ("IO", 1),
    "O_NAND_CE": ("O", 8),
    "O_NAND_WE": ("O", 1),
    "O_NAND_RE_P": ("O", 1),
    "O_NAND_RE_N": ("O", 1),
    "O_NAND_ALE": ("O", 1),
    "O_NAND_CLE": ("O", 1),
    "O_NAND_WP": ("O", 1),
    "I_NAND_RB": ("I", 8),
}


def nand_port(pin: str, channel: int) -> str:
    """The design's port for such a pin."""
    return pin.replace("NAND_", f"NAND_CH{channel}_", 1)


def nand_ports(channel: int) -> dict[str, int]:
    """All of a channel, with their bits."""
    return {nand_port(pin, channel): bits for pin, (_, bits) in NAND_PINS.items()}


def pcie_ports(lanes: int) -> dict[str, int]:
    """The ports of the PCIe connector, with their bits."""
    pairs = {f"pcie_{direction}x_{sign}": lanes for direction in "rt" for sign in "pn"}
    return {"pcie_ref_clk_p": 1, "pcie_ref_clk_n": 1, "pcie_perst_n": 1, **pairs}


def ports(channels: int, lanes: int) -> dict[str, int]:
    """All ports of the design that have pins of their own; those of the processing system have fixed ones."""
    found = pcie_ports(lanes)
    for channel in range(channels):
        found |= nand_ports(channel)
    return found
