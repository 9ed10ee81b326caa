# SPDX-License-Identifier: Apache-2.0
"""Tests of ClockedPcieController: what PcieController's bench does, with three clocks that drift. Bits that cross come
late at random.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from launcher.env.paths import BUILD, ROOT
from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.pcie.support import controller
from sim.cocotb.pcie.support.controller import Device, on_device
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.clocks import Domain, start
from sim.cocotb.top.open_remap_top import native_firmware


class ClockedDevice(Device):
    """`periods`: of the clocks of core, controller and bus, in ps."""

    def __init__(self, dut: Any, stalls: float, periods: tuple[int, int, int]) -> None:
        names = ("core", "controller", "bus")
        self.domains = [Domain(dut, name, period, own_reset=False) for name, period in zip(names, periods, strict=True)]
        super().__init__(dut, stalls)

    def benches(self) -> tuple[Bench, Bench]:
        return self.domains[0], self.domains[1]

    def bus_clock(self) -> tuple[Any, Any]:
        return self.dut.bus_clock, self.dut.bus_reset

    async def begin(self) -> None:
        self.dut.reset.value = 1
        await start(*self.domains)
        self.dut.reset.value = 0
        await self.domains[1].clock(8)


def clocks(*periods: int) -> Callable[[Any, float], ClockedDevice]:
    core, own, bus = periods
    return lambda dut, stalls: ClockedDevice(dut, stalls, (core, own, bus))


NEAR, FAST, SLOW = clocks(10_000, 10_007, 9_996), clocks(4_000, 10_000, 5_000), clocks(12_000, 4_000, 7_000)
RESET = controller.a_function_reset_ends_commands_and_keeps_data

near_ratios = on_device(controller.works, NEAR, name="near_ratios")
a_fast_core = on_device(controller.works, FAST, name="a_fast_core", stalls=0.5)
a_slow_core = on_device(controller.works, SLOW, name="a_slow_core")
several_queues = on_device(controller.several_queues, FAST)
a_function_reset = on_device(RESET, NEAR, name="a_function_reset", allowed=controller.LATE)
a_function_reset_with_a_fast_core = on_device(
    RESET, FAST, name="a_function_reset_with_a_fast_core", allowed=controller.LATE
)
a_function_reset_with_a_slow_core = on_device(
    RESET, SLOW, name="a_function_reset_with_a_slow_core", allowed=controller.LATE
)


@pytest.mark.long
def test_clocked_pcie_controller(cocotb_unit: CocotbUnit) -> None:
    library = native_firmware.build(ROOT, BUILD / "cocotb" / "firmware")
    cocotb_unit("ClockedPcieController", env={"OPENREMAP_FIRMWARE_LIBRARY": str(library)}, skew=True)
