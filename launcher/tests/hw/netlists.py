# SPDX-License-Identifier: Apache-2.0
"""Builds small mapped netlists in the format of Yosys's `write_json`, for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


class Design:
    """One module. Each method adds a cell or a port and returns the net that it drives."""

    TOP = "Unit"

    def __init__(self) -> None:
        self.cells: dict[str, dict[str, Any]] = {}
        self.ports: dict[str, dict[str, Any]] = {}
        self.names: dict[str, dict[str, Any]] = {}
        self._nets = 1

    def input(self, name: str) -> int:
        bit = self._net(name)
        self.ports[name] = {"direction": "input", "bits": [bit]}
        return bit

    def output(self, name: str, bit: int) -> None:
        self.ports[name] = {"direction": "output", "bits": [bit]}

    def flip_flop(self, name: str, data: int) -> int:
        return self._cell(name, "TRELLIS_FF", {"DI": data}, "Q")

    def lut(self, name: str, *inputs: int) -> int:
        return self._cell(name, "LUT4", dict(zip("ABCD", inputs, strict=False)), "Z")

    def mux(self, name: str, low: int, high: int, select: int) -> int:
        """Joins two LUTs of one slice."""
        return self._cell(name, "PFUMX", {"ALUT": low, "BLUT": high, "C0": select}, "Z")

    def lut_ram(self, name: str, address: int) -> int:
        return self._cell(name, "TRELLIS_DPR16X4", {"RAD": address}, "DO")

    def block_ram(self, name: str, address: int, modes: dict[str, str] | None = None) -> int:
        return self._cell(name, "DP16KD", {"ADA0": address}, "DOB0", modes or {})

    def carry(self, name: str, operand: int, carry: int | None = None) -> tuple[int, int]:
        """A carry cell: the net of its sum and of its carry."""
        inputs = {"A0": operand} | ({} if carry is None else {"CIN": carry})
        total = self._cell(name, "CCU2C", inputs, "S0")
        out = self._net(f"{name}_cout")
        self.cells[name]["connections"]["COUT"] = [out]
        self.cells[name]["port_directions"]["COUT"] = "output"
        return total, out

    def write(self, folder: Path) -> Path:
        path = folder / "design.netlist"
        models: dict[str, Any] = {"LUT4": {"cells": {}, "ports": {}, "netnames": {}}}  # as Yosys adds them
        own = {"cells": self.cells, "ports": self.ports, "netnames": self.names}
        path.write_text(json.dumps({"modules": {**models, self.TOP: own}}))
        return path

    def _net(self, name: str) -> int:
        self._nets += 1
        self.names[name] = {"hide_name": 0, "bits": [self._nets]}
        return self._nets

    def _cell(
        self, name: str, kind: str, inputs: dict[str, int], output: str, modes: dict[str, str] | None = None
    ) -> int:
        bit = self._net(f"{name}_q")
        self.cells[name] = {
            "type": kind,
            "parameters": modes or {},
            "port_directions": {**dict.fromkeys(inputs, "input"), output: "output"},
            "connections": {**{port: [net] for port, net in inputs.items()}, output: [bit]},
        }
        return bit
