# SPDX-License-Identifier: Apache-2.0
"""Tests of ClockedController: the controller and its firmware, with two clocks that drift. Bits that cross
come late at random.
"""

from __future__ import annotations

from typing import Any

import pytest

from launcher.env.paths import BUILD, ROOT
from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.crossing.support.device import BusDevice, on_bus
from sim.cocotb.pcie.support import controller
from sim.cocotb.support.geometry import CHANNELS
from sim.cocotb.support.nand import NandPortModel
from sim.cocotb.top.open_remap_top import native_firmware


class NandDevice(BusDevice):
    """NAND models stand at the ports, which have the controller's clock."""

    def __init__(self, dut: Any, periods: tuple[int, int]) -> None:
        super().__init__(dut, periods)
        for i in range(CHANNELS):
            NandPortModel(self.controller, f"nand_{i}", read_cycles=40, program_cycles=200, erase_cycles=2000)


near_ratios = on_bus(controller.works, NandDevice, (10_000, 10_007), "near_ratios")
a_slow_bus = on_bus(controller.works, NandDevice, (5_000, 13_000), "a_slow_bus")
a_slow_controller = on_bus(controller.works, NandDevice, (20_000, 7_000), "a_slow_controller")


@pytest.mark.long
def test_clocked_controller(cocotb_unit: CocotbUnit) -> None:
    library = native_firmware.build(ROOT, BUILD / "cocotb" / "firmware")
    cocotb_unit("ClockedController", env={"OPENREMAP_FIRMWARE_LIBRARY": str(library)}, skew=True)
