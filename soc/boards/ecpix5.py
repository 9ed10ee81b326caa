# SPDX-License-Identifier: Apache-2.0
"""The SoC of the ECPIX-5: CPU, DDR3 and Ethernet around the controller (Chisel's DramBoard).

DDR3 is the only memory. The host is a PC on the Ethernet: Etherbone makes it a master of the CPU's bus, where it has
the controller's registers (region `bar`), the DRAM with the memory that it shares with the controller, and the
registers by which it starts DRAM, controller and CPU.
"""

from __future__ import annotations

from pathlib import Path

from litedram.core import LiteDRAMCore
from litedram.frontend.axi import LiteDRAMAXI2Native, LiteDRAMAXIPort
from litedram.init import get_sdram_phy_init_sequence
from litedram.modules import MT41K256M16
from litedram.phy import ECP5DDRPHY
from liteeth.phy.ecp5rgmii import LiteEthPHYRGMII
from litex.soc.cores.timer import Timer
from litex.soc.cores.uart import RS232PHY, UART
from litex.soc.integration.soc import SoCRegion
from litex.soc.interconnect import wishbone
from migen import Case, ClockSignal, Instance, Mux, ResetInserter, ResetSignal, Signal

from interfaces.ormgen.soc import Soc
from launcher.hw import facts
from soc.boards.ecp5 import Ddr3Clocks, platform
from soc.boards.link import BoardControl, Patience
from soc.boards.pins import Port
from soc.cpu_soc import BUSES, SIGNALS, WORD, CpuSoc
from soc.ports import Port as ModulePort
from soc.ports import check_wires, ports

CONTROLLER = "DramBoard"
CONFIG = "ecpix5"  # hw/src/top/Presets.scala
TOP = "OpenRemapEcpix5"
DEVICE = "LFE5UM5G-85F-8BG554I"
CLOCK_HZ = 50_000_000  # of everything but Ethernet; DDR3 runs at twice of it
GROUPS = ("ddram", "eth", "eth_clocks", "serial")  # ports that LiteX's cores take as records
BAUD = 115_200
LINK_PATIENCE = 1 << 18  # cycles: 5 ms; a read of WAIT, which takes longer, is the CPU's

# The host's registers on the bus.
BAR = 0xD000_0000
BAR_BYTES = 0x4000

# The link. A record of Etherbone must fit into its buffers: an address and words to write, or the addresses to read.
LINK_WORDS = 128
MAC = 0x02_00_00_45_43_58  # locally administered
IP = "192.168.1.50"
UDP_PORT = 1234


class DramPlace(SoCRegion):  # type: ignore[misc]
    """Regions of the CPU that are all in DRAM: decoded one by one, and one slave."""

    def __init__(self, regions: list[SoCRegion]) -> None:
        super().__init__(origin=regions[-1].origin, size=regions[-1].size)
        self.regions = regions

    def decoder(self, bus: object) -> object:
        decoders = [region.decoder(bus) for region in self.regions]
        return lambda address: sum((decode(address) for decode in decoders[1:]), decoders[0](address)) != 0


class Ecpix5Soc(CpuSoc):
    """The SoC around the controller in folder `rtl`, with the ports of constraints/ecpix5."""

    csr_map = {**CpuSoc.csr_map, "board": 2, "ddrphy": 3, "sdram": 4, "ethphy": 5}  # noqa: RUF012

    def __init__(self, rtl: Path, described: Soc, pins: list[Port]) -> None:
        board = platform(DEVICE, TOP, pins, GROUPS)
        self.submodules.crg = Ddr3Clocks(board.request("clk100"), board.request("rst_n"), CLOCK_HZ)
        super().__init__(board, described, CLOCK_HZ)
        controller = {p.name: p for p in ports(rtl / f"{CONTROLLER}.sv", CONTROLLER)}
        self.submodules.uart_phy = RS232PHY(board.request("serial"), CLOCK_HZ, BAUD)
        self.submodules.uart = UART(self.uart_phy)
        self.submodules.timer0 = Timer()
        for name in ("uart", "timer0"):
            self.irq.add(name, use_loc_if_exists=True)
        self.submodules.board = BoardControl(facts.params(CONFIG)["queues"])

        wires: dict[str, object] = {
            "i_clock": ClockSignal(),
            "i_reset": ResetSignal() | ~self.board.run,
            "i_function_reset": self.board.function_reset,
            "i_flash_forget": self.board.forget,
            "o_msix_valid": self.board.sent,
            "o_msix_bits": self.board.message,
            "i_msix_ready": 1,
        }
        state = Signal(2)
        wires["o_fw_state"] = state
        wires |= self._buses(controller)
        wires |= self.watch_cpu(controller)
        wires |= self._dram(controller)
        check_wires(wires, controller.values())
        self.specials += Instance(CONTROLLER, name="controller", **wires)
        self.comb += self.cpu.reset.eq(~self.board.cpu)
        self._ethernet()
        self._leds(state)

    def _buses(self, controller: dict[str, ModulePort]) -> dict[str, object]:
        """The controller's slaves on the bus. While it is held in reset they refuse."""
        wires: dict[str, object] = {}
        places = self.places() | {"bar": (BAR, BAR_BYTES, False)}
        for prefix, region in {**BUSES, "wb_bar": "bar"}.items():
            bus = wishbone.Interface(data_width=32, adr_width=30)
            address: object = bus.adr
            if region == "dram":
                address = self._in_dram(bus)
            else:
                self.add_slave_region(region, bus, *places[region])
            refused = Signal()
            error = Signal()
            for ours, theirs in SIGNALS.items():
                name = f"{prefix}_{theirs}"
                if name in controller:
                    signal = {"adr": address, "err": refused}.get(ours, getattr(bus, ours))
                    wires[f"{'i' if controller[name].is_input else 'o'}_{name}"] = signal
            self.comb += [
                error.eq(bus.cyc & bus.stb & ~self.board.run),
                bus.err.eq(refused | error),
            ]
        return wires

    def _in_dram(self, bus: wishbone.Interface) -> Signal:
        """Puts the CPU's ROM, RAM and DRAM on one slave. Returns the address of a word in DRAM."""
        layout = facts.dram_board()
        places = self.places()
        regions, address = [], Signal(30)
        cases: dict[object, object] = {}
        for name, region in (("rom", "image"), ("ram", "ram"), ("dram", None)):
            origin, size, _ = places[name]
            base = 0
            if region:
                base, size = layout[f"{region}Base"], layout[f"{region}RegionBytes"]
                if size != places[name][1]:
                    raise ValueError(f"{name}: {places[name][1]} bytes for the CPU, {size} in DRAM")
            else:
                size = layout["dramBytes"]
            regions.append(SoCRegion(origin=origin, size=size, cached=True))
            bits = (size // WORD).bit_length() - 1
            cases[origin >> 28] = address.eq((base // WORD) | bus.adr[:bits])
        cases["default"] = cases[places["dram"][0] >> 28]
        self.comb += Case(bus.adr[26:], cases)
        self.bus.regions["dram"] = DramPlace(regions)
        self.bus.slaves["dram"] = bus
        return address

    def _dram(self, controller: dict[str, ModulePort]) -> dict[str, object]:
        """DDR3 behind the controller's AXI master."""
        module = MT41K256M16(CLOCK_HZ, "1:2")
        self.submodules.ddrphy = ECP5DDRPHY(self.platform.request("ddram"), sys_clk_freq=CLOCK_HZ)
        self.comb += [self.crg.stop.eq(self.ddrphy.init.stop), self.crg.reset.eq(self.ddrphy.init.reset)]
        self.submodules.sdram = LiteDRAMCore(
            phy=self.ddrphy,
            geom_settings=module.geom_settings,
            timing_settings=module.timing_settings,
            clk_freq=CLOCK_HZ,
        )
        port = self.sdram.crossbar.get_port()
        bits = controller["m_axi_araddr"].width
        axi = LiteDRAMAXIPort(data_width=port.data_width, address_width=bits, id_width=1)
        # What the controller has asked before its reset must not be answered after it.
        self.submodules.axi = ResetInserter()(LiteDRAMAXI2Native(axi, port))
        self.comb += self.axi.reset.eq(~self.board.run)
        wires: dict[str, object] = {}
        for channel, names in {
            "aw": ("valid", "ready", "addr", "len", "size", "burst", "id"),
            "w": ("valid", "ready", "data", "strb", "last"),
            "b": ("valid", "ready", "resp", "id"),
            "ar": ("valid", "ready", "addr", "len", "size", "burst", "id"),
            "r": ("valid", "ready", "data", "resp", "last", "id"),
        }.items():
            for name in names:
                pin = f"m_axi_{channel}{name}"
                if pin in controller:
                    signal = getattr(getattr(axi, channel), name)
                    wires[f"{'i' if controller[pin].is_input else 'o'}_{pin}"] = signal
        return wires

    def _ethernet(self) -> None:
        self.submodules.ethphy = LiteEthPHYRGMII(self.platform.request("eth_clocks"), self.platform.request("eth"))
        self.add_etherbone(
            phy=self.ethphy,
            data_width=32,
            mac_address=MAC,
            ip_address=IP,
            udp_port=UDP_PORT,
            buffer_depth=LINK_WORDS,
            with_timing_constraints=False,
        )
        inside = self.bus.masters["etherbone"]
        self.submodules.patience = Patience(inside.cyc & inside.stb & ~inside.ack, LINK_PATIENCE)
        bus = self.end_accesses("etherbone", self.patience.expired)
        self.comb += self.board.fault.eq(bus.err | self.patience.expired)

    def for_the_host(self) -> dict[str, object]:
        """What the program that starts the board must know, apart from the addresses of LiteX's registers.

        `places`: what else is on the bus, addresses and bytes. `link`: words that a record may have, the UDP port, and
        the clock. `dram`: a clock cycle of its pins has `phases` parts; a write is given in part `write`, a read in
        part `read`, and each part has `phase_bytes` of data. Of its `bytes`, each has `delays` delays and `slips`
        shifts to choose from. `start`: what DDR3 is told first: bits for the register dfii_control, or a command, and
        the cycles to wait then.
        """
        layout = facts.dram_board()
        places = self.places()
        phy = self.ddrphy.settings
        return {
            "places": {
                "bar": BAR,
                "image": places["rom"][0],
                "image_bytes": places["rom"][1],
                "board": places["board"][0],
                "state": places["csr"][0] + next(r.address for r in self.described.map.registers if r.name == "STATE"),
                "dram": places["dram"][0],
                "dram_bytes": layout["dramBytes"],
                "host_memory": layout["hostAddress"],
                "host_memory_bytes": layout["hostRegionBytes"],
            },
            "link": {"words": LINK_WORDS, "port": UDP_PORT, "clock_hz": CLOCK_HZ},
            "dram": {
                "phases": phy.nphases,
                "read": phy.rdphase,
                "write": phy.wrphase,
                "bytes": phy.databits // 8,
                "phase_bytes": phy.dfi_databits // 8,
                "delays": phy.delays,
                "slips": phy.bitslips,
            },
            "start": start_of(phy, self.sdram.controller.settings.timing),
        }

    def _leds(self, state: Signal) -> None:
        """First LED: what the firmware does. Second: blue, the controller runs; green, the CPU does."""
        red, green, blue = (self.platform.request(f"leds_{colour}") for colour in ("red", "green", "blue"))
        lit = [Signal(3) for _ in range(4)]
        starting, running, failed = 1, 2, 3
        self.comb += [
            lit[0].eq(Mux(state == failed, 0b001, Mux(state == running, 0b010, Mux(state == starting, 0b100, 0)))),
            lit[1][1].eq(self.board.cpu),
            lit[1][2].eq(self.board.run),
        ]
        for i, colours in enumerate(lit):
            self.comb += [pad[i].eq(~colours[bit]) for bit, pad in enumerate((red, green, blue))]


def start_of(phy: object, timing: object) -> list[dict[str, int]]:
    """LiteDRAM's sequence for a DDR3 that has just got its supply, as numbers."""
    control = {"CKE": 2, "ODT": 4, "RESET_N": 8}
    command = {"CS": 1, "WE": 2, "CAS": 4, "RAS": 8}
    steps, _ = get_sdram_phy_init_sequence(phy, timing)
    found = []
    for _, address, bank, text, cycles in steps:
        kind = "control" if "CONTROL" in text else "command"
        known = control if kind == "control" else command
        bits = sum(known[name.removeprefix(f"DFII_{kind.upper()}_")] for name in text.split("|"))
        found.append({kind: bits, "address": address, "bank": bank, "cycles": cycles})
    return found


def build(rtl: Path, described: Soc, pins: list[Port]) -> Ecpix5Soc:
    """The SoC, not yet finalized."""
    return Ecpix5Soc(rtl, described, pins)


__all__ = ["CLOCK_HZ", "CONTROLLER", "DEVICE", "TOP", "Ecpix5Soc", "build"]
