# SPDX-License-Identifier: Apache-2.0
"""Tests of ClockedDramFlash: the controller with its flash in DRAM and its firmware, with two clocks that drift. Bits
that cross come late at random.
"""

from __future__ import annotations

from typing import Any

import pytest

from launcher.env.paths import BUILD, ROOT
from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.crossing.support.device import BusDevice, on_bus
from sim.cocotb.pcie.support import controller
from sim.cocotb.support.geometry import CHANNELS
from sim.cocotb.top.open_remap_top import native_firmware

FLASH = 1 << 27  # bytes of DRAM for the flash of a channel
TIMES = {"read": 40, "retry": 60, "program": 200, "erase": 2000, "word": 0}  # cycles of the controller


class FlashDevice(BusDevice):
    """Each channel's flash has a memory of its own, whose content is no flash at first."""

    def __init__(self, dut: Any, periods: tuple[int, int]) -> None:
        super().__init__(dut, periods)
        for i in range(CHANNELS):
            self.ram(f"m_axi_flash_{i}", size=FLASH)
        for name, cycles in TIMES.items():
            self.bus.write(f"flash_times_{name}", cycles)
        self.bus.write("flash_forget", 1)


near_ratios = on_bus(controller.works, FlashDevice, (10_000, 10_007), "near_ratios")
a_slow_bus = on_bus(controller.works, FlashDevice, (5_000, 13_000), "a_slow_bus")
a_slow_controller = on_bus(controller.works, FlashDevice, (20_000, 7_000), "a_slow_controller")


@pytest.mark.long
def test_clocked_dram_flash(cocotb_unit: CocotbUnit) -> None:
    library = native_firmware.build(ROOT, BUILD / "cocotb" / "firmware")
    cocotb_unit("ClockedDramFlash", env={"OPENREMAP_FIRMWARE_LIBRARY": str(library)}, skew=True)
