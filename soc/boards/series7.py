# SPDX-License-Identifier: Apache-2.0
"""What SoCs on a Xilinx FPGA of the 7 series share: the clocks that its DDR3 pins need, and its PCIe core."""

from __future__ import annotations

import re

from litex.soc.cores.clock import S7IDELAYCTRL, S7PLL
from migen import Cat, ClockDomain, Constant, Instance, Module, Signal

from launcher.boards import pcie7

IDELAY_HZ = 200_000_000  # the delay lines of the DDR3 pins are made for it


class Ddr3Clocks(Module):  # type: ignore[misc]
    """Clock domains from an oscillator: `sys`; `sys4x`, with four times its frequency, for the DDR3 pins, and
    `sys4x_dqs`, a quarter of a period later, for DDR3's strobes; and `idelay`. All are of one PLL."""

    def __init__(self, oscillator: Signal, oscillator_hz: float, sys_hz: int) -> None:
        self.clock_domains.cd_sys = ClockDomain()
        self.clock_domains.cd_sys4x = ClockDomain()
        self.clock_domains.cd_sys4x_dqs = ClockDomain()
        self.clock_domains.cd_idelay = ClockDomain()
        self.submodules.pll = pll = S7PLL(speedgrade=-2)
        pll.register_clkin(oscillator, oscillator_hz)
        pll.create_clkout(self.cd_sys, sys_hz)
        pll.create_clkout(self.cd_sys4x, 4 * sys_hz, with_reset=False)
        pll.create_clkout(self.cd_sys4x_dqs, 4 * sys_hz, phase=90, with_reset=False)
        pll.create_clkout(self.cd_idelay, IDELAY_HZ)
        self.submodules.idelayctrl = S7IDELAYCTRL(self.cd_idelay)


class PcieCore(Module):  # type: ignore[misc]
    """The core as a black box `module`, which Vivado makes (pcie_7x). Its pins are those of launcher/boards/pcie7.py.

    `clock`: of its streams. `wires`: what an Instance of a top with PcieCorePorts `pcie` is connected to. `pads` has
    the fields clk_p, clk_n, rst_n, rx_p, rx_n, tx_p, tx_n.
    """

    def __init__(self, module: str, pads: object, stream_bits: int) -> None:
        self.clock = Signal()
        self.link_up = Signal()
        self.wires: dict[str, object] = {}
        reference = Signal()
        self.specials += Instance(
            "IBUFDS_GTE2",
            i_CEB=0,
            i_I=pads.clk_p,  # type: ignore[attr-defined]
            i_IB=pads.clk_n,  # type: ignore[attr-defined]
            o_O=reference,
        )
        pins: dict[str, Signal] = {}
        core: dict[str, object] = {
            "i_sys_clk": reference,
            "i_sys_rst_n": pads.rst_n,  # type: ignore[attr-defined]
            "o_user_clk_out": self.clock,
        }
        for pin in ("rx_p", "rx_n", "tx_p", "tx_n"):
            direction, side = pin.split("_")
            core[f"{'i' if direction == 'rx' else 'o'}_pci_exp_{direction}{side}"] = getattr(pads, pin)
        for pin, bits in pcie7.PARTS:
            pins[pin] = core[f"o_{pin}"] = Signal(bits)
        for pin, bits, port in pcie7.from_core(stream_bits):
            self.wires[f"i_{port}"] = core[f"o_{pin}"] = pins[pin] = Signal(bits)
        for pin, bits, port in pcie7.to_core(stream_bits):
            self.wires[f"o_{port}"] = core[f"i_{pin}"] = Signal(bits)
        for pin, bits, value in pcie7.CONSTANTS:
            core[f"i_{pin}"] = _value(value, bits, pins)
        for port, expression in pcie7.FROM_CORE_PARTS:
            self.wires[f"i_{port}"] = _value(expression, pcie7.PART_BITS.get(port, 1), pins)
        self.comb += self.link_up.eq(pins["user_lnk_up"])
        self.specials += Instance(module, name="pcie", **core)


def _value(text: str, bits: int, pins: dict[str, Signal]) -> object:
    """What an expression of pcie7.py stands for: a constant, a pin, bits of one, or several pins. Raises ValueError."""
    if match := re.fullmatch(r"(\d+)'b([01]+)", text):
        return Constant(int(match[2], 2), bits)
    if match := re.fullmatch(r"\{(.*)\}", text):
        return Cat(*(pins[name.strip()] for name in reversed(match[1].split(","))))
    if match := re.fullmatch(r"(\w+)\[(\d+)(?::(\d+))?\]", text):
        return pins[match[1]][int(match[3] or match[2]) : int(match[2]) + 1]
    if text in pins:
        return pins[text]
    raise ValueError(f"{text}: no expression of the core's pins")
