# SPDX-License-Identifier: Apache-2.0
"""Paths between clocks: the constraints for those in CosmosTop, and which units carry them.

The controller and all that is around it have the clock of the processing system. The PCIe endpoint has that of the PCIe
core. Between them are the units of hw/src/crossing, and nothing else.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from launcher.boards.board import BoardFailed
from launcher.boards.cosmos import names
from launcher.boards.cosmos.board_facts import Facts

# The clocks as CosmosTop names them; a reset comes with any.
CONTROLLER = "controller"
CORE = "core"
ANY = "any"


def constraints(facts: Facts) -> list[str]:
    """Lines of the XDC. The bound is a period of the faster clock: in Gray code one bit changes in a period of its own
    clock, so bits that take no longer than the shorter period are never more than one change apart."""
    bound = f"{1000 / max(facts.clocks['controller'], facts.clocks['pcie_user']):.3f}"
    core = f"[get_clocks -of_objects [get_pins {names.INSTANCE}/{names.PCIE}/user_clk_out]]"
    controller = f"[get_clocks {names.CONTROLLER_CLOCK}]"
    return [
        f"set_max_delay -datapath_only -from {controller} -to {core} {bound}",
        f"set_max_delay -datapath_only -from {core} -to {controller} {bound}",
    ]


def listed(emitted: Path) -> list[dict[str, Any]]:
    """The crossings of an emitted top, each with instance, kind, from, to and width. Raises BoardFailed."""
    path = emitted / "crossings.json"
    try:
        found: list[dict[str, Any]] = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise BoardFailed(f"{path}: {error}") from None
    return found


def shown(emitted: Path) -> list[str]:
    """A line for each crossing that is no part of another one."""
    every = listed(emitted)
    outer = [entry for entry in every if not _inside(entry, every)]
    return [
        f"{entry['instance']}: {entry['kind']}, {entry['width']} bits, from {entry['from']} to {entry['to']}"
        for entry in outer
    ]


def problems(emitted: Path) -> list[str]:
    """What is wrong with the list: a crossing between other clocks than the two, or none at all in a direction."""
    found = []
    ways = set()
    for entry in listed(emitted):
        way = (entry["from"], entry["to"])
        ways.add(way)
        if way not in {(CORE, CONTROLLER), (CONTROLLER, CORE), (ANY, CORE), (ANY, CONTROLLER)}:
            found.append(f"{entry['instance']}: from {way[0]} to {way[1]}, which are no clocks of this top")
    for way in ((ANY, CORE), (ANY, CONTROLLER)):
        if way not in ways:
            found.append(f"no reset is made for the clock {way[1]}")
    return found


def _inside(entry: dict[str, Any], every: list[dict[str, Any]]) -> bool:
    return any(entry["instance"].startswith(f"{other['instance']}.") for other in every)
