# SPDX-License-Identifier: Apache-2.0
"""The pins of a board: reads constraints/BOARD/*.toml, and writes the tool's constraints."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

CONSTRAINTS = Path(__file__).resolve().parents[2] / "constraints"
DIRECTIONS = ("in", "out", "both")
_KEYS = {"balls", "standard", "direction", "megahertz", "options", "unused"}
# Supply of a bank, in volts, that an I/O standard needs. SSTL15D_I and DIFF_SSTL15 are pairs, Lattice's and Xilinx's.
# GTP: a pin of a transceiver, which has no I/O standard.
GTP = "GTP"
VOLTS = {"LVCMOS33": 3.3, "LVCMOS15": 1.5, "SSTL15_I": 1.5, "SSTL15D_I": 1.5, "SSTL15": 1.5, "DIFF_SSTL15": 1.5,
         GTP: 0.0}  # fmt: skip


class PinError(Exception):
    """A description of pins is wrong; the message names the file and the port."""


@dataclass(frozen=True)
class Port:
    """A port of the top. `balls`: bit 0 first. `megahertz`: of a clock that comes in, else 0. `unused`: the board has
    these pins, and the top has no such port."""

    name: str
    file: str
    balls: tuple[str, ...]
    standard: str
    direction: str
    megahertz: float = 0
    options: dict[str, str] = field(default_factory=dict)
    unused: bool = False

    def bit(self, index: int) -> str:
        """The name of a bit, as Verilog's tools have it."""
        return f"{self.name}[{index}]" if len(self.balls) > 1 else self.name


def load(board: str, folder: Path = CONSTRAINTS) -> list[Port]:
    """All ports of a board. Raises PinError, for a name or a ball that stands there twice, too."""
    files = sorted((folder / board).glob("*.toml"))
    if not files:
        raise PinError(f"{folder / board}: no descriptions of pins")
    found: dict[str, Port] = {}
    owners: dict[str, str] = {}
    for path in files:
        try:
            tables = tomllib.loads(path.read_text())
        except tomllib.TOMLDecodeError as error:
            raise PinError(f"{path}: {error}") from error
        for name, entry in tables.items():
            where = f"{path}: {name}"
            if name in found:
                raise PinError(f"{where}: is in {found[name].file}, too")
            found[name] = _port(where, name, path.name, entry)
            for ball in found[name].balls:
                if ball in owners:
                    raise PinError(f"{where}: ball {ball} is that of {owners[ball]}, too")
                owners[ball] = name
    return list(found.values())


def _port(where: str, name: str, file: str, entry: object) -> Port:
    if not isinstance(entry, dict) or not {"balls", "standard", "direction"} <= entry.keys():
        raise PinError(f"{where}: a port has balls, a standard and a direction")
    if unknown := entry.keys() - _KEYS:
        raise PinError(f"{where}: unknown key '{min(unknown)}'; there are {', '.join(sorted(_KEYS))}")
    if entry["standard"] not in VOLTS:
        raise PinError(f"{where}: unknown standard '{entry['standard']}'; there are {', '.join(sorted(VOLTS))}")
    if entry["direction"] not in DIRECTIONS:
        raise PinError(f"{where}: direction '{entry['direction']}' is none of {', '.join(DIRECTIONS)}")
    if not entry["balls"]:
        raise PinError(f"{where}: no balls")
    return Port(
        name=name,
        file=file,
        balls=tuple(entry["balls"]),
        standard=entry["standard"],
        direction=entry["direction"],
        megahertz=float(entry.get("megahertz", 0)),
        options=dict(entry.get("options", {})),
        unused=bool(entry.get("unused", False)),
    )


def lpf(ports: list[Port]) -> str:
    """The constraints of the ports in the form that nextpnr-ecp5 reads: places, I/O standards, clocks."""
    lines = ["# Generated from constraints/.", "BLOCK RESETPATHS;", "BLOCK ASYNCPATHS;"]
    for port in ports:
        if port.unused:
            continue
        options = "".join(f" {key}={value}" for key, value in port.options.items())
        for i, ball in enumerate(port.balls):
            lines.append(f'LOCATE COMP "{port.bit(i)}" SITE "{ball}";')
            lines.append(f'IOBUF PORT "{port.bit(i)}" IO_TYPE={port.standard}{options};')
        if port.megahertz:
            lines.append(f'FREQUENCY PORT "{port.name}" {port.megahertz} MHZ;')
    return "\n".join(lines) + "\n"


def xdc(ports: list[Port], file: str) -> str:
    """The constraints of the ports of one description, in the form that Vivado reads: places, I/O standards, clocks."""
    lines = ["# SPDX-License-Identifier: Apache-2.0", f"# Written from {file}."]
    for port in ports:
        if port.file != file or port.unused:
            continue
        for i, ball in enumerate(port.balls):
            properties = [f"PACKAGE_PIN {ball}"]
            properties += [f"IOSTANDARD {port.standard}"] if port.standard != GTP else []
            properties += [f"{key} {value}" for key, value in port.options.items()]
            lines.append(f"set_property -dict {{{' '.join(properties)}}} [get_ports {{{port.bit(i)}}}]")
        if port.megahertz:
            period = f"{1000 / port.megahertz:.3f}"
            lines.append(f"create_clock -name {port.name} -period {period} [get_ports {{{port.name}}}]")
    return "\n".join(lines) + "\n"


def unpaired(ports: list[Port]) -> list[str]:
    """Names of ports that are one side of a pair, and whose other side is missing or has other properties."""
    by_name = {port.name: port for port in ports}
    found = []
    for port in ports:
        if port.standard != "DIFF_SSTL15" and not (port.standard == GTP and port.name[-2:] in ("_p", "_n")):
            continue
        other = by_name.get(port.name[:-1] + ("n" if port.name.endswith("_p") else "p"))
        same = ("standard", "direction", "options")
        if (
            other is None
            or len(other.balls) != len(port.balls)
            or any(getattr(other, s) != getattr(port, s) for s in same)
        ):
            found.append(port.name)
    return found
