# SPDX-License-Identifier: Apache-2.0
"""The SoC of the ECPIX-5: DDR3 is its memory, and its host is a PC on the Ethernet, by Etherbone."""

from __future__ import annotations

from pathlib import Path

from litedram.core import LiteDRAMCore
from litedram.core.controller import ControllerSettings
from litedram.frontend.axi import LiteDRAMAXI2Native, LiteDRAMAXIPort
from litedram.modules import MT41K256M16
from litedram.phy import ECP5DDRPHY
from liteeth.core import LiteEthUDPIPCore
from liteeth.frontend.etherbone import LiteEthEtherbone
from liteeth.phy.ecp5rgmii import LiteEthPHYRGMII
from litex.soc.cores.uart import RS232PHY
from litex.soc.interconnect import wishbone
from migen import Module, ResetInserter

from interfaces.ormgen.soc import Soc
from soc.boards import pins
from soc.boards.dram_soc import DramSoc
from soc.boards.dram_start import facts_of, start_of
from soc.boards.ecp5 import Ddr3Clocks, platform
from soc.boards.pins import Port

CONFIG = "ecpix5"  # hw/src/top/Presets.scala
TOP = "OpenRemapEcpix5"
DEVICE = "LFE5UM5G-85F-8BG554I"
CLOCK_HZ = 50_000_000  # of everything but Ethernet; DDR3 runs at twice of it
GROUPS = ("ddram", "eth", "eth_clocks", "serial")  # ports that LiteX's cores take as records
BAUD = 115_200

# By how much the FPGA delays the clock to the PHY, and data from it, in seconds. The PHY delays its own clock.
TX_DELAY, RX_DELAY = 2e-9, 0

# The host's end of the link. A record of Etherbone must fit into the link's buffers: an address and words to write, or
# the addresses to read.
MAC = 0x02_00_00_45_43_58  # locally administered
IP = "192.168.1.50"
UDP_PORT = 1234
LINK_WORDS = 128


class Ecpix5Soc(DramSoc):
    """The SoC around the controller in folder `rtl`, with the ports of constraints/ecpix5."""

    csr_map = {**DramSoc.csr_map, "ddrphy": 3, "sdram": 4, "ethphy": 5}  # noqa: RUF012

    def __init__(self, rtl: Path, described: Soc, ports: list[Port]) -> None:
        board = platform(DEVICE, TOP, ports, GROUPS)
        self.submodules.crg = Ddr3Clocks(board.request("clk100"), board.request("rst_n"), CLOCK_HZ)
        super().__init__(rtl, described, board, CLOCK_HZ, CONFIG)

    def console(self) -> Module:
        return RS232PHY(self.platform.request("serial"), CLOCK_HZ, BAUD)

    def connect_dram(self, axi: LiteDRAMAXIPort) -> None:
        module = MT41K256M16(CLOCK_HZ, "1:2")
        self.submodules.ddrphy = ECP5DDRPHY(self.platform.request("ddram"), sys_clk_freq=CLOCK_HZ)
        self.comb += [self.crg.stop.eq(self.ddrphy.init.stop), self.crg.reset.eq(self.ddrphy.init.reset)]
        self.submodules.sdram = LiteDRAMCore(
            phy=self.ddrphy,
            geom_settings=module.geom_settings,
            timing_settings=module.timing_settings,
            clk_freq=CLOCK_HZ,
            controller_settings=ControllerSettings(cmd_buffer_depth=4),
        )
        port = self.sdram.crossbar.get_port()
        self.submodules.axi = ResetInserter()(LiteDRAMAXI2Native(axi, port))
        self.comb += self.axi.reset.eq(~self.board.run)

    def link_master(self) -> wishbone.Interface:
        clocks, pads = (self.platform.request(name) for name in ("eth_clocks", "eth"))
        self.submodules.ethphy = LiteEthPHYRGMII(clocks, pads, tx_delay=TX_DELAY, rx_delay=RX_DELAY)
        # 32 bits wide, in `sys`: with 8 bits the logic at 125 MHz would be too much. No ICMP: the device is full.
        self.submodules.ethcore = LiteEthUDPIPCore(
            phy=self.ethphy,
            mac_address=MAC,
            ip_address=IP,
            clk_freq=CLOCK_HZ,
            dw=32,
            with_sys_datapath=True,
            with_icmp=False,
            with_ip_broadcast=False,
        )
        self.submodules.etherbone = LiteEthEtherbone(self.ethcore.udp, UDP_PORT, buffer_depth=LINK_WORDS)
        return self.etherbone.wishbone.bus

    def for_the_host(self) -> dict[str, object]:
        """Also: `link`: words that a record may have, the UDP port, and the clock. `dram`, `start`: dram_start.py."""
        phy = self.ddrphy.settings
        return super().for_the_host() | {
            "link": {"words": LINK_WORDS, "port": UDP_PORT, "clock_hz": CLOCK_HZ},
            "dram": facts_of(phy),
            "start": start_of(phy, self.sdram.controller.settings.timing),
        }


def build(rtl: Path, described: Soc) -> tuple[Ecpix5Soc, list[Port]]:
    """The SoC, not yet finalized, and its pins."""
    ports = pins.load("ecpix5")
    return Ecpix5Soc(rtl, described, ports), ports


__all__ = ["CLOCK_HZ", "DEVICE", "TOP", "Ecpix5Soc", "build"]
