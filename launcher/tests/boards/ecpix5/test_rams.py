# SPDX-License-Identifier: Apache-2.0
"""launcher.boards.ecpix5.rams: the cheapest assignment, and block RAMs that go where their nets are."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from launcher.boards.ecpix5 import rams
from launcher.hw.synth_tools import ReportError


def test_the_sites_are_all_and_different() -> None:
    found = rams.sites()
    assert len({site.name for site in found}) == len({(site.x, site.y) for site in found}) == 208
    assert rams.Site("X64/Y46/EBR3", 64, 46) in found and rams.Site("X69/Y82/EBR0", 69, 82) in found


def test_the_assignment_is_the_cheapest() -> None:
    rng = random.Random(1)
    for rows, columns in [(1, 1), (3, 3), (4, 6), (5, 5)]:
        for _ in range(20):
            costs = [[rng.randrange(20) for _ in range(columns)] for _ in range(rows)]
            found = rams.assign(costs)
            assert len(set(found)) == rows
            least = min(
                sum(costs[r][c] for r, c in enumerate(at)) for at in itertools.permutations(range(columns), rows)
            )
            assert sum(costs[r][c] for r, c in enumerate(found)) == least
    assert rams.assign([]) == []


def cell(kind: str, bel: str = "", **ports: list[Any]) -> dict[str, Any]:
    return {"type": kind, "attributes": {"NEXTPNR_BEL": bel} if bel else {}, "connections": ports}


def test_each_goes_where_its_nets_are() -> None:
    netlist = {
        "modules": {
            "Top": {
                "cells": {
                    "west": cell("DP16KD", DIA0=[7], DOB0=["x"]),
                    "east": cell("DP16KD", DIA0=[8], CLKA=["0"]),
                    "lut": cell("LUT4", Z=[7]),
                },
                "netnames": {"w": {"bits": [7]}, "e": {"bits": [1, 8]}, "other": {"bits": [8], "offset": 3}},
            }
        }
    }
    placed = {
        "modules": {
            "top": {
                "cells": {
                    "a": cell("TRELLIS_COMB", "X5/Y45/SLICEA.LUT0", F=[70]),
                    "b": cell("TRELLIS_COMB", "X119/Y71/SLICEA.LUT0", A=[80]),
                    "io": cell("TRELLIS_IO", B=[80]),
                },
                "netnames": {"w": {"bits": [70]}, "e[1]": {"bits": [80]}},
            }
        }
    }
    places = rams.choose(netlist, placed, "Top")
    assert {ram: (site.x, site.y) for ram, site in places.items()} in (
        {"west": (4, 46), "east": (118, 70)},
        {"west": (6, 46), "east": (118, 70)},
        {"west": (4, 46), "east": (120, 70)},
        {"west": (6, 46), "east": (120, 70)},
    )
    rams.fix(netlist, "Top", places)
    cells: Any = netlist["modules"]["Top"]["cells"]
    assert cells["west"]["attributes"]["BEL"] == places["west"].name and cells["lut"]["attributes"] == {}
    rams.remove(netlist, "Top")
    assert list(cells) == ["lut"]


def test_more_than_there_are_is_an_error() -> None:
    many = {"modules": {"Top": {"cells": {str(i): cell("DP16KD") for i in range(209)}, "netnames": {}}}}
    none: dict[str, Any] = {"modules": {"top": {"cells": {}, "netnames": {}}}}
    with pytest.raises(ReportError, match="209 block RAMs, and 208 sites"):
        rams.choose(many, none, "Top")
    with pytest.raises(ReportError, match="no module Bottom"):
        rams.remove(many, "Bottom")
