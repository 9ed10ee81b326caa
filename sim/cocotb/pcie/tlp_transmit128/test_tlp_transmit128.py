# SPDX-License-Identifier: Apache-2.0
"""TlpTransmit128 is TlpTransmit64 with beats of four double words: the same tests."""

from __future__ import annotations

from launcher.suites.cocotb_unit import CocotbUnit


def test_tlp_transmit128(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("TlpTransmit128", module="sim.cocotb.pcie.tlp_transmit64.test_tlp_transmit64")
