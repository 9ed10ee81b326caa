# SPDX-License-Identifier: Apache-2.0
"""Reads the memory map of the SoC (`interfaces/registers/soc.yaml`) and checks it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from . import registers
from .formats import NAME, Constant, FormatError
from .registers import RegisterMap

ADDRESS_END = 1 << 32
UNCACHED_FROM = 1 << 31  # the CPU's data cache keeps nothing from here on


@dataclass(frozen=True)
class Region:
    """`bytes` bytes from `address` on."""

    name: str
    address: int
    bytes: int
    cached: bool
    text: str
    inside: str | None = None  # the region that it is a part of

    @property
    def end(self) -> int:
        return self.address + self.bytes


@dataclass(frozen=True)
class Soc:
    clock_hz: Constant
    regions: tuple[Region, ...]
    interrupts: tuple[Constant, ...]
    map: RegisterMap

    def region(self, name: str) -> Region:
        return next(r for r in self.regions if r.name == name)


def _region(name: str, entry: dict[str, Any]) -> Region:
    if not NAME.match(name):
        raise FormatError(f"regions.{name}: name must be snake_case")
    if set(entry) - {"inside"} != {"address", "bytes", "cached", "text"}:
        raise FormatError(f"regions.{name}: expected the keys address, bytes, cached, text, and inside for a part")
    r = Region(name, int(entry["address"]), int(entry["bytes"]), bool(entry["cached"]), str(entry["text"]),
               entry.get("inside"))  # fmt: skip
    if r.bytes <= 0 or r.bytes & (r.bytes - 1) or r.address % r.bytes or r.end > ADDRESS_END:
        raise FormatError(f"regions.{name}: the size must be a power of two, and the address a multiple of it")
    if r.cached != (r.address < UNCACHED_FROM):
        raise FormatError(f"regions.{name}: the CPU caches what is below 80000000h, and nothing else")
    return r


def parse(text: str) -> tuple[Constant, tuple[Region, ...], tuple[Constant, ...]]:
    """Parses the memory map. Returns clock, regions and interrupts; raises FormatError."""
    data = yaml.safe_load(text)
    regions = tuple(_region(str(n), e) for n, e in data["regions"].items())
    whole: list[Region] = []
    for r in regions:
        outer = next((o for o in whole if o.name == r.inside), None)
        if r.inside is not None and (outer is None or r.address < outer.address or r.end > outer.end):
            raise FormatError(f"regions.{r.name}: does not lie inside a region {r.inside} before it")
        if r.inside is None:
            for o in whole:
                if r.address < o.end and o.address < r.end:
                    raise FormatError(f"regions.{r.name}: overlaps {o.name}")
            whole.append(r)
    interrupts = tuple(Constant(str(n), int(e["value"]), str(e["text"])) for n, e in data["interrupts"].items())
    if len({i.value for i in interrupts}) != len(interrupts):
        raise FormatError("interrupts: two have the same number")
    clock = Constant("clock_hz", int(data["clock_hz"]["value"]), str(data["clock_hz"]["text"]))
    return clock, regions, interrupts


def load(folder: Path) -> Soc:
    """Reads soc.yaml and soc.rdl of this folder. Raises FormatError or RDLCompileError."""
    try:
        clock, regions, interrupts = parse((folder / "soc.yaml").read_text())
    except FormatError as e:
        raise FormatError(f"soc.yaml: {e}") from None
    soc = Soc(clock, regions, interrupts, registers.load(folder / "soc.rdl"))
    csr = soc.region("csr")
    for register in soc.map.registers:
        if register.address + 4 * register.count > csr.bytes:
            raise FormatError(f"soc.rdl: {register.name}: lies outside of region csr")
    return soc
