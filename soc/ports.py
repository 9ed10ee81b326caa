# SPDX-License-Identifier: Apache-2.0
"""The ports of an emitted Verilog module."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sized
from dataclasses import dataclass
from pathlib import Path

_ITEM = re.compile(r"(?:(input|output)\s+)?(?:\[(\d+):0\]\s*)?(\w+)")


class PortError(Exception):
    """The module is not in the file, or its ports are not as firtool writes them."""


@dataclass(frozen=True)
class Port:
    name: str
    is_input: bool
    width: int


def check_wires(wires: Mapping[str, object], wanted: Iterable[Port]) -> None:
    """Whether the wires of a migen Instance (`i_NAME`, `o_NAME`) fit a module's ports: each input is driven, and no
    signal has another width. Raises PortError."""
    known = {f"{'i' if port.is_input else 'o'}_{port.name}": port for port in wanted}
    for name, wire in wires.items():
        if name not in known:
            raise PortError(f"{name}: no such port")
        width = len(wire) if isinstance(wire, Sized) else 1
        if width != known[name].width:
            raise PortError(f"{known[name].name}: {known[name].width} bits, connected to {width}")
    open_inputs = [port.name for name, port in known.items() if port.is_input and name not in wires]
    if open_inputs:
        raise PortError(f"{open_inputs[0]}: an input that nothing drives")


def ports(file: Path, module: str) -> list[Port]:
    """The ports of `module`, which `file` defines. In firtool's lists a port without direction or width has those of
    the port before it; one with a direction and no width has one bit. Raises PortError."""
    text = re.sub(r"//[^\n]*", "", file.read_text())
    head = re.search(rf"\bmodule {re.escape(module)}\s*\((.*?)\)\s*;", text, re.DOTALL)
    if head is None:
        raise PortError(f"{file}: no module {module}")
    found: list[Port] = []
    is_input, width = True, 1
    for item in head[1].split(","):
        parsed = _ITEM.fullmatch(item.strip())
        if parsed is None:
            raise PortError(f"{file}: a port that is not understood: {item.strip()}")
        if parsed[1]:
            is_input, width = parsed[1] == "input", 1
        if parsed[2]:
            width = int(parsed[2]) + 1
        found.append(Port(parsed[3], is_input, width))
    return found
