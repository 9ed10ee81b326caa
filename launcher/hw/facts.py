# SPDX-License-Identifier: Apache-2.0
"""Facts about the hardware: sizes of its configurations, limits, codes and the names of its units.

`hw/facts.json` is a copy of the generator's output (`mill hw.emit --top facts --out hw`; openremap.Facts), so that the
launcher need not start the generator. hw/test/top/ParamsSpec.scala fails if the copy is outdated.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from launcher.env.paths import ROOT

_FILE = ROOT / "hw" / "facts.json"
_GEOMETRY = ("channels", "diesPerChannel", "blocksPerDie", "pagesPerBlock", "slotsPerPage")


@cache
def _facts() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_FILE.read_text())
    return found


def presets() -> dict[str, dict[str, int]]:
    """The configurations with a name: each parameter and each size that follows from them."""
    found: dict[str, dict[str, int]] = _facts()["presets"]
    return found


def params(preset: str | None = None) -> dict[str, int]:
    """One of them; without a name the default. KeyError when there is none of that name."""
    return presets()[preset or _facts()["default"]]


def geometry(preset: str | None = None) -> str:
    """Its flash as the option --geometry of the fast model takes it."""
    return "x".join(str(params(preset)[name]) for name in _GEOMETRY)


def limits() -> dict[str, int]:
    """How large a device the firmware can run."""
    found: dict[str, int] = _facts()["limits"]
    return found


def endpoint() -> dict[str, int]:
    """How BAR0 of the PCIe endpoint is laid out: bits of its addresses, and which of them name parts of it."""
    found: dict[str, int] = _facts()["endpoint"]
    return found


def codes(enum: str) -> dict[str, int]:
    """How the values of a Chisel enumeration are encoded."""
    found: dict[str, int] = _facts()["enums"][enum]
    return found


def dram_board() -> dict[str, int]:
    """The layout of the DRAM of a board that has no other memory (DramBoard), in bytes: base and size of each region,
    the size of the whole, and the address of host memory."""
    found: dict[str, int] = _facts()["dramBoard"]
    return found


def units() -> list[str]:
    """The modules that the generator can emit."""
    found: list[str] = _facts()["units"]
    return found
