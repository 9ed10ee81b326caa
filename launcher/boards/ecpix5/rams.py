# SPDX-License-Identifier: Apache-2.0
"""Where the ECPIX-5's block RAMs go: at the sites where they add the least wire to a placement of everything else.

nextpnr's placer `static` places logic with little wire, but gives block RAMs, of which there are only four rows, sites
that are far from it. So the design is placed without them first, and again with them fixed at these sites. The data are
the netlists that Yosys and nextpnr write as JSON. Runs no tool itself.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from launcher.hw.synth_tools import ReportError

RAM = "DP16KD"
WRITTEN = "top"  # the module in what nextpnr writes, whatever its name was
# A net with more ends than this is everywhere already.
MANY = 300
_PLACED = re.compile(r"X(\d+)/Y(\d+)/")


@dataclass(frozen=True)
class Site:
    """A place for a block RAM: nextpnr's name, and the tile."""

    name: str
    x: int
    y: int


@dataclass(frozen=True)
class _Box:
    """What the ends of a net that are placed span, in tiles."""

    left: int
    right: int
    bottom: int
    top: int

    def more(self, site: Site) -> int:
        """By how much it grows with an end at the site."""
        return (
            max(self.left - site.x, 0)
            + max(site.x - self.right, 0)
            + max(self.bottom - site.y, 0)
            + max(site.y - self.top, 0)
        )


def sites() -> list[Site]:
    """Those of the LFE5UM5G-85F: four in each 9 columns, 7 times left and 6 times right of the middle, in four rows."""
    found = []
    for row in (22, 46, 70, 82):
        for first in (*range(4, 59, 9), *range(69, 115, 9)):
            for number in range(4):
                column = first + 2 * number
                found.append(Site(f"X{column}/Y{row}/EBR{number}", column, row))
    return found


def _top(netlist: dict[str, Any], top: str) -> dict[str, Any]:
    try:
        found: dict[str, Any] = netlist["modules"][top]
        return found
    except KeyError as error:
        raise ReportError(f"the netlist has no module {top}") from error


def remove(netlist: dict[str, Any], top: str) -> None:
    """Leaves the block RAMs out. What they drive has no driver then, which nextpnr allows."""
    cells = _top(netlist, top)["cells"]
    for name in [name for name, cell in cells.items() if cell["type"] == RAM]:
        del cells[name]


def fix(netlist: dict[str, Any], top: str, places: dict[str, Site]) -> None:
    """Tells nextpnr the sites of the block RAMs."""
    cells = _top(netlist, top)["cells"]
    for name, site in places.items():
        cells[name].setdefault("attributes", {})["BEL"] = site.name


def choose(netlist: dict[str, Any], placed: dict[str, Any], top: str) -> dict[str, Site]:
    """A site for each block RAM of `netlist`. `placed`: the same without them, as nextpnr has placed it."""
    boxes = _boxes(_top(placed, WRITTEN))
    names = _names(_top(netlist, top))
    rams, costs, free = [], [], sites()
    for ram, cell in _top(netlist, top)["cells"].items():
        if cell["type"] != RAM:
            continue
        bits = [bit for port in cell["connections"].values() for bit in port if not isinstance(bit, str)]
        near = [box for bit in bits if (box := next((boxes[n] for n in names[bit] if n in boxes), None))]
        rams.append(ram)
        costs.append([sum(box.more(site) for box in near) for site in free])
    if len(rams) > len(free):
        raise ReportError(f"{len(rams)} block RAMs, and {len(free)} sites")
    return {ram: free[at] for ram, at in zip(rams, assign(costs), strict=True)}


def _names(module: dict[str, Any]) -> dict[int, list[str]]:
    """All names of each bit, as nextpnr gives them to its nets."""
    found: dict[int, list[str]] = defaultdict(list)
    for name, net in module["netnames"].items():
        bits, offset = net["bits"], net.get("offset", 0)
        for i, bit in enumerate(bits):
            if not isinstance(bit, str):
                found[bit].append(name if len(bits) == 1 else f"{name}[{i + offset}]")
    return found


def _boxes(module: dict[str, Any]) -> dict[str, _Box]:
    """By name the nets of a placed design that are not everywhere."""
    ends: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for cell in module["cells"].values():
        if at := _PLACED.match(cell["attributes"].get("NEXTPNR_BEL", "")):
            for bits in cell["connections"].values():
                for bit in bits:
                    if not isinstance(bit, str):
                        ends[bit].append((int(at[1]), int(at[2])))
    found = {}
    for name, net in module["netnames"].items():
        if len(net["bits"]) == 1 and 0 < len(at_all := ends.get(net["bits"][0], [])) <= MANY:
            found[name] = _box(at_all)
    return found


def _box(ends: Iterable[tuple[int, int]]) -> _Box:
    columns, rows = zip(*ends, strict=True)
    return _Box(min(columns), max(columns), min(rows), max(rows))


def assign(costs: Sequence[Sequence[float]]) -> list[int]:
    """For each row a column of its own, with the least sum of costs. There are at least as many columns as rows."""
    from scipy.optimize import linear_sum_assignment  # the launcher starts without it, to install it

    return [int(column) for column in linear_sum_assignment(costs)[1]] if costs else []
