# SPDX-License-Identifier: Apache-2.0
"""Reads the memory map of the Zynq port (`interfaces/registers/zynq.yaml`) and checks it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from .formats import NAME, Constant, FormatError

ADDRESS_END = 1 << 32
SECTION = 1 << 20  # the unit of the port's page table
MEMORY = ("cached", "uncached", "device")
ACCESS = ("rx", "rw")


@dataclass(frozen=True)
class Region:
    """`bytes` bytes from `address` on. A part of another region has its memory and access."""

    name: str
    address: int
    bytes: int
    memory: str
    access: str
    text: str
    part: bool = False

    @property
    def end(self) -> int:
        return self.address + self.bytes


@dataclass(frozen=True)
class Zynq:
    regions: tuple[Region, ...]
    interrupts: tuple[Constant, ...]
    rates: tuple[Constant, ...]

    @property
    def sections(self) -> tuple[Region, ...]:
        """The regions that the page table maps."""
        return tuple(r for r in self.regions if not r.part)


def _constant(name: str, entry: dict[str, Any]) -> Constant:
    return Constant(name, int(entry["value"]), str(entry["text"]))


def _part(name: str, entry: dict[str, Any], whole: list[Region]) -> Region:
    if set(entry) != {"address", "bytes", "inside", "text"}:
        raise FormatError(f"regions.{name}: a part has the keys address, bytes, inside, text")
    outer = next((r for r in whole if r.name == entry["inside"]), None)
    if outer is None:
        raise FormatError(f"regions.{name}: no region {entry['inside']} before it")
    r = Region(name, int(entry["address"]), int(entry["bytes"]), outer.memory, outer.access, str(entry["text"]), True)
    if r.bytes <= 0 or r.address < outer.address or r.end > outer.end:
        raise FormatError(f"regions.{name}: does not lie inside {outer.name}")
    return r


def _whole(name: str, entry: dict[str, Any], others: list[Region]) -> Region:
    if set(entry) != {"address", "bytes", "memory", "access", "text"}:
        raise FormatError(f"regions.{name}: expected the keys address, bytes, memory, access, text")
    memory, access = str(entry["memory"]), str(entry["access"])
    if memory not in MEMORY or access not in ACCESS:
        raise FormatError(f"regions.{name}: memory is one of {', '.join(MEMORY)}, access of {', '.join(ACCESS)}")
    r = Region(name, int(entry["address"]), int(entry["bytes"]), memory, access, str(entry["text"]))
    if r.bytes <= 0 or r.address % SECTION or r.bytes % SECTION or r.end > ADDRESS_END:
        raise FormatError(f"regions.{name}: address and size must be multiples of 1 MiB")
    for other in others:
        if r.address < other.end and other.address < r.end:
            raise FormatError(f"regions.{name}: overlaps {other.name}")
    return r


def parse(text: str) -> Zynq:
    """Parses the memory map. Raises FormatError."""
    data = yaml.safe_load(text)
    regions: list[Region] = []
    for name, entry in data["regions"].items():
        if not NAME.match(name):
            raise FormatError(f"regions.{name}: name must be snake_case")
        whole = [r for r in regions if not r.part]
        regions.append(_part(name, entry, whole) if "inside" in entry else _whole(name, entry, whole))
    interrupts = tuple(_constant(str(n), e) for n, e in data["interrupts"].items())
    if len({i.value for i in interrupts}) != len(interrupts):
        raise FormatError("interrupts: two have the same number")
    rates = tuple(_constant(name, data[name]) for name in ("timer_hz", "uart_hz"))
    return Zynq(tuple(regions), interrupts, rates)


def load(path: Path) -> Zynq:
    """Reads zynq.yaml. Raises FormatError."""
    try:
        return parse(path.read_text())
    except FormatError as e:
        raise FormatError(f"{path.name}: {e}") from None
