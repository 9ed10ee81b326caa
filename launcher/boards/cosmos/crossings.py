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
