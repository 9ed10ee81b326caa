# SPDX-License-Identifier: Apache-2.0
"""The ports of the Acorn's controller (DramPcieBoard), so that its SoC can be generated without emitting it."""

from __future__ import annotations

from pathlib import Path

from launcher.boards import pcie7
from launcher.tests.boards.ecpix5 import controller as ecpix5

MODULE = "DramPcieBoard"
_STREAM_BITS = 64
_NOT_HERE = ("clock", "function_reset", "flash_forget", "msix_", "wb_bar_")  # what only DramBoard has


def inputs() -> dict[str, int]:
    found = {name: bits for name, bits in ecpix5.inputs().items() if not name.startswith(_NOT_HERE)}
    found |= {"controller_clock": 1, "core_clock": 1}
    found |= {f"flash_times_{name}": 24 for name in ("read", "retry", "program", "erase", "word")}
    found |= {port: bits for _, bits, port in pcie7.from_core(_STREAM_BITS)}
    return found | {port: pcie7.PART_BITS.get(port, 1) for port, _ in pcie7.FROM_CORE_PARTS}


def outputs() -> dict[str, int]:
    found = {name: bits for name, bits in ecpix5.outputs().items() if not name.startswith(_NOT_HERE)}
    found |= {"controller_reset": 1, "core_reset": 1}
    return found | {port: bits for _, bits, port in pcie7.to_core(_STREAM_BITS)}


def write(folder: Path, less: str = "", more: str = "") -> None:
    """Writes DramPcieBoard.sv, with the ports but for `less`, and with the input `more`."""
    ecpix5.write_module(folder, MODULE, inputs(), outputs(), less, more)
