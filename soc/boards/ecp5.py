# SPDX-License-Identifier: Apache-2.0
"""What SoCs on an ECP5 share: the clocks that its DDR3 pins need, and LiteX's platform without a board."""

from __future__ import annotations

from litex.build.lattice import LatticeECP5Platform
from litex.soc.cores.clock import ECP5PLL
from migen import ClockDomain, Instance, Module, Signal
from migen.genlib.resetsync import AsyncResetSynchronizer

from soc.boards.pins import Port
from soc.boards.records import records

INIT_HZ = 25_000_000  # clock of the sequence that starts the DDR3 pins' delay lines
_POR_BITS = 16  # power-on reset: 655 us at 100 MHz


def platform(device: str, top: str, ports: list[Port], groups: tuple[str, ...]) -> LatticeECP5Platform:
    """LiteX's view of the ports."""
    return LatticeECP5Platform(device, records(ports, groups), name=top, toolchain="trellis")


class Ddr3Clocks(Module):  # type: ignore[misc]
    """Clock domains from a 100 MHz oscillator: `sys`; `sys2x`, with twice its frequency, for the DDR3 pins, on the
    FPGA's edge clocks; and `init`. `sys` is divided from `sys2x`, so both have one phase.

    `stop` and `reset`: from the DDR3 PHY, which halts the edge clock while it starts.
    """

    def __init__(self, clk100: Signal, rst_n: Signal, sys_hz: int) -> None:
        self.stop = Signal()
        self.reset = Signal()
        self.clock_domains.cd_por = ClockDomain(reset_less=True)
        self.clock_domains.cd_init = ClockDomain()
        self.clock_domains.cd_sys = ClockDomain()
        self.clock_domains.cd_sys2x = ClockDomain()
        self.clock_domains.cd_edge = ClockDomain(reset_less=True)

        waiting = Signal(_POR_BITS, reset=2**_POR_BITS - 1)
        self.comb += self.cd_por.clk.eq(clk100)
        self.sync.por += waiting.eq(waiting - (waiting != 0))

        self.submodules.pll = pll = ECP5PLL()
        self.comb += pll.reset.eq((waiting != 0) | ~rst_n)
        pll.register_clkin(clk100, 100e6)
        pll.create_clkout(self.cd_edge, 2 * sys_hz, with_reset=False)
        pll.create_clkout(self.cd_init, INIT_HZ)
        self.specials += [
            Instance("ECLKSYNCB", i_ECLKI=self.cd_edge.clk, i_STOP=self.stop, o_ECLKO=self.cd_sys2x.clk),
            Instance(
                "CLKDIVF",
                p_DIV="2.0",
                i_ALIGNWD=0,
                i_CLKI=self.cd_sys2x.clk,
                i_RST=self.reset,
                o_CDIVX=self.cd_sys.clk,
            ),
            AsyncResetSynchronizer(self.cd_sys, ~pll.locked | self.reset),
            AsyncResetSynchronizer(self.cd_sys2x, ~pll.locked | self.reset),
        ]
