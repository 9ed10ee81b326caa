# SPDX-License-Identifier: Apache-2.0
"""Tests of PcieController: the whole controller with its firmware behind a PCIe link, with one clock."""

from __future__ import annotations

import pytest

from launcher.env.paths import BUILD, ROOT
from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.pcie.support import controller
from sim.cocotb.pcie.support.controller import Device, on_device
from sim.cocotb.top.open_remap_top import native_firmware

identifies_writes_remaps_and_reads_back = on_device(
    controller.works, Device, name="identifies_writes_remaps_and_reads_back"
)
# The same with stalls on both streams, and completions in any order.
on_a_slow_link = on_device(controller.works, Device, name="on_a_slow_link", stalls=0.5)
several_queues = on_device(controller.several_queues, Device)
a_function_reset_ends_commands_and_keeps_data = on_device(
    controller.a_function_reset_ends_commands_and_keeps_data, Device, allowed=controller.LATE
)


@pytest.mark.long
def test_pcie_controller(cocotb_unit: CocotbUnit) -> None:
    library = native_firmware.build(ROOT, BUILD / "cocotb" / "firmware")
    cocotb_unit("PcieController", env={"OPENREMAP_FIRMWARE_LIBRARY": str(library)})
