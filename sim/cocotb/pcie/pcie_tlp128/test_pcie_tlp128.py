# SPDX-License-Identifier: Apache-2.0
"""PcieTlp128 is PcieTlp with the streams of a core of eight lanes: the same tests, with TLPs that straddle."""

from __future__ import annotations

import pytest

from launcher.suites.cocotb_unit import CocotbUnit


@pytest.mark.long
def test_pcie_tlp128(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("PcieTlp128", module="sim.cocotb.pcie.pcie_tlp.test_pcie_tlp")
