# SPDX-License-Identifier: Apache-2.0
"""The facts of the board: constraints/cosmos/board.toml, pins.csv and package.csv."""

from __future__ import annotations

import csv
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from launcher.boards.board import BoardFailed
from launcher.env.paths import ROOT

FOLDER = ROOT / "constraints" / "cosmos"
_INDEX = re.compile(r"(.*)\[(\d+)\]")


@dataclass(frozen=True)
class Bank:
    """An I/O bank. `volts` is its supply; None of a GTX quad, which has no I/O standards."""

    number: int
    kind: str  # HR, HP or GTX
    volts: float | None
    column: int | None
    row: int | None


@dataclass(frozen=True)
class Standard:
    """An I/O standard: its supply, the kinds of bank that have it, and whether it is of a pair of pins."""

    name: str
    volts: float
    kinds: tuple[str, ...]
    pair: bool


@dataclass(frozen=True)
class Place:
    """A pin of the package."""

    pin: str
    bank: int
    function: str  # as the data sheet names it, for example IO_L11P_T1_SRCC_13


@dataclass(frozen=True)
class Pin:
    """A signal of the board, one bit, and the pin that it is on. `standard`, `slew` and `pull` may be empty."""

    signal: str
    pin: str
    standard: str
    slew: str
    pull: str

    @property
    def port(self) -> str:
        """The signal without an index."""
        match = _INDEX.fullmatch(self.signal)
        return match[1] if match else self.signal

    @property
    def index(self) -> int | None:
        match = _INDEX.fullmatch(self.signal)
        return int(match[2]) if match else None


@dataclass(frozen=True)
class Tap:
    """A device of the JTAG chain. Its IDCODE without the version (bits 31:28)."""

    name: str
    ir_bits: int
    idcode: int


@dataclass(frozen=True)
class Facts:
    """All of them. `ps7`, `pcie_parameters`: parameters of Xilinx's IPs. `nand`, `mio`: as board.toml has them."""

    part: str
    memory: int  # bytes
    bitstream: int  # bytes of one
    banks: dict[int, Bank]
    standards: dict[str, Standard]
    clocks: dict[str, float]  # MHz
    ps7: dict[str, str]
    mio: dict[str, Any]
    lanes: int
    stream_bits: int
    pcie_parameters: dict[str, str]
    nand: dict[str, Any]
    jtag: tuple[Tap, ...]  # from TDI to TDO
    places: dict[str, Place]
    pins: tuple[Pin, ...]

    def pins_of(self, ports: set[str]) -> list[Pin]:
        """The pins of these ports, in the order of pins.csv."""
        return [pin for pin in self.pins if pin.port in ports]

    def idelay(self, channel: int) -> int:
        """Taps of delay of a channel's strobe from NAND."""
        return int(self.nand["idelay_of"].get(str(channel), self.nand["idelay"]))


def load(folder: Path = FOLDER) -> Facts:
    """Raises BoardFailed for a file that is missing or is not as it should be."""
    try:
        board = tomllib.loads((folder / "board.toml").read_text())
        return _facts(board, _rows(folder / "pins.csv"), _rows(folder / "package.csv"))
    except OSError as error:
        raise BoardFailed(f"{error.filename}: {error.strerror}") from None
    except tomllib.TOMLDecodeError as error:
        raise BoardFailed(f"{folder / 'board.toml'}: {error}") from None
    except (KeyError, TypeError, ValueError) as error:
        raise BoardFailed(f"{folder}: {type(error).__name__}: {error}") from None


def _rows(path: Path) -> list[dict[str, str]]:
    with open(path, newline="") as handle:
        return list(csv.DictReader(handle, strict=True))


def _facts(board: dict[str, Any], pins: list[dict[str, str]], package: list[dict[str, str]]) -> Facts:
    return Facts(
        part=board["board"]["part"],
        memory=board["board"]["memory"],
        bitstream=board["board"]["bitstream"],
        banks={
            int(number): Bank(int(number), b["kind"], b.get("volts"), b.get("column"), b.get("row"))
            for number, b in board["banks"].items()
        },
        standards={
            name: Standard(name, s["volts"], tuple(s["kinds"]), s["pair"]) for name, s in board["standards"].items()
        },
        clocks=board["clocks"],
        ps7=board["ps7"],
        mio=board["mio"],
        lanes=board["pcie"]["lanes"],
        stream_bits=board["pcie"]["stream_bits"],
        pcie_parameters=board["pcie"]["parameters"],
        nand=board["nand"],
        jtag=tuple(Tap(t["name"], t["ir_bits"], t["idcode"]) for t in board["jtag"]),
        places={row["pin"]: Place(row["pin"], int(row["bank"]), row["function"]) for row in package},
        pins=tuple(Pin(r["signal"], r["pin"], r["standard"], r["slew"], r["pull"]) for r in pins),
    )
