# SPDX-License-Identifier: Apache-2.0
"""The ECPIX-5's SoC for a simulation: its DRAM controller and its link end at ports, and so does its console. All else
is that of the board, cycle by cycle."""

from __future__ import annotations

from pathlib import Path

from litedram.frontend.axi import LiteDRAMAXIPort
from litex.build.generic_platform import Pins, Subsignal
from litex.soc.cores.uart import RS232PHYModel
from litex.soc.interconnect import wishbone
from migen import Module

from interfaces.ormgen.soc import Soc
from soc.boards import ecpix5
from soc.boards.dram_soc import DramSoc
from soc.boards.pins import Port
from soc.cpu_soc import FROM_SLAVE
from soc.openremap_soc import Clock, Platform

TOP = "OpenRemapEcpix5Simulation"
_LINK = {"cyc": 1, "stb": 1, "we": 1, "adr": 30, "dat_w": 32, "dat_r": 32, "ack": 1}
_ADDRESS = {"valid": 1, "ready": 1, "addr": 30, "len": 8}
_AXI = {
    "aw": _ADDRESS,
    "w": {"valid": 1, "ready": 1, "data": 128, "strb": 16, "last": 1},
    "b": {"valid": 1, "ready": 1, "resp": 2},
    "ar": _ADDRESS,
    "r": {"valid": 1, "ready": 1, "data": 128, "resp": 2, "last": 1},
}
_FROM_MEMORY = {"aw": ("ready",), "w": ("ready",), "b": ("valid", "resp"), "ar": ("ready",),
                "r": ("valid", "data", "resp", "last")}  # fmt: skip


class SimulatedSoc(DramSoc):
    """The SoC around the controller in folder `rtl`."""

    def __init__(self, rtl: Path, described: Soc) -> None:
        io: list[tuple[object, ...]] = [("clock", 0, Pins(1)), ("reset", 0, Pins(1)), ("held", 0, Pins(1))]
        io += [(f"leds_{colour}", 0, Pins(4)) for colour in ("red", "green", "blue")]
        io.append(("uart", 0, *(Subsignal(f"{end}_{n}", Pins(w)) for end in ("source", "sink")
                                for n, w in (("valid", 1), ("ready", 1), ("data", 8)))))  # fmt: skip
        io.append(("link", 0, *(Subsignal(n, Pins(w)) for n, w in _LINK.items())))
        io += [(c, 0, *(Subsignal(n, Pins(w)) for n, w in names.items())) for c, names in _AXI.items()]
        board = Platform(io, TOP)
        self.submodules.crg = Clock(board)
        super().__init__(rtl, described, board, ecpix5.CLOCK_HZ, ecpix5.CONFIG)
        # The memory drops what it has been asked, as the board's DRAM controller does.
        self.comb += board.request("held").eq(~self.board.run)

    def console(self) -> Module:
        return RS232PHYModel(self.platform.request("uart"))

    def connect_dram(self, axi: LiteDRAMAXIPort) -> None:
        for channel, names in _AXI.items():
            pads, ours = self.platform.request(channel), getattr(axi, channel)
            for name in names:
                pad, signal = getattr(pads, name), getattr(ours, name)
                self.comb += signal.eq(pad) if name in _FROM_MEMORY[channel] else pad.eq(signal)

    def link_master(self) -> wishbone.Interface:
        pads = self.platform.request("link")
        bus = wishbone.Interface(data_width=32, adr_width=30)
        self.comb += [getattr(bus, n).eq(getattr(pads, n)) for n in _LINK if n not in FROM_SLAVE]
        self.comb += [getattr(pads, n).eq(getattr(bus, n)) for n in _LINK if n in FROM_SLAVE]
        self.comb += bus.sel.eq(0xF)
        return bus


def build(rtl: Path, described: Soc) -> tuple[SimulatedSoc, list[Port] | None]:
    """The SoC, not yet finalized. It has no pins."""
    return SimulatedSoc(rtl, described), None
