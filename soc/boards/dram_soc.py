# SPDX-License-Identifier: Apache-2.0
"""The SoC of boards whose only memory is one DRAM: the CPU around the controller (Chisel's DramBoard or
DramPcieBoard), without what touches pins. A board's class adds its clocks, DRAM and link to the host.

The host of DramSoc is a master of the CPU's bus. There it has the controller's registers (region `bar`), the DRAM with
the memory that it shares with the controller, and the registers by which it starts controller and CPU.
"""

from __future__ import annotations

from pathlib import Path

from litedram.frontend.axi import LiteDRAMAXIPort
from litex.soc.cores.timer import Timer
from litex.soc.cores.uart import UART
from litex.soc.integration.soc import SoCRegion
from litex.soc.interconnect import wishbone
from migen import Case, ClockSignal, Instance, Module, Mux, ResetSignal, Signal

from interfaces.ormgen.soc import Soc
from launcher.hw import facts
from soc.boards.link import BoardControl, LinkPort
from soc.cpu_soc import BUSES, SIGNALS, WORD, CpuSoc
from soc.ports import check_wires, ports

CONTROLLER = "DramBoard"
LINK_PATIENCE = 1 << 18  # cycles: 5 ms at 50 MHz; a read of WAIT, which takes longer, is the CPU's

# The host's registers on the bus.
BAR = 0xD000_0000
BAR_BYTES = 0x4000


class DramPlace(SoCRegion):  # type: ignore[misc]
    """Regions of the CPU that are all in DRAM: decoded one by one, and one slave."""

    def __init__(self, regions: list[SoCRegion]) -> None:
        super().__init__(origin=regions[-1].origin, size=regions[-1].size)
        self.regions = regions

    def decoder(self, bus: object) -> object:
        decoders = [region.decoder(bus) for region in self.regions]
        return lambda address: sum((decode(address) for decode in decoders[1:]), decoders[0](address)) != 0


class DramCpuSoc(CpuSoc):
    """The CPU around the controller in folder `rtl`, and one DRAM behind it.

    A board's class names the controller's module and the CPU's buses into it (`BUSES_OF`), and says which of the CPU's
    memories are parts of DRAM (`IN_DRAM`: region of the memory map, and its name in facts.dram_board()). It has
    `connect_dram`, which connects a LiteDRAMAXIPort, and `console`, which returns the serial line.
    """

    CONTROLLER: str
    BUSES_OF = BUSES
    IN_DRAM: tuple[tuple[str, str], ...] = ()
    START: int | None = None  # address of the CPU's first instruction; None: the firmware's

    def __init__(self, rtl: Path, described: Soc, platform: object, clock_hz: int) -> None:
        super().__init__(platform, described, clock_hz, self.START)
        self.controller = {p.name: p for p in ports(rtl / f"{self.CONTROLLER}.sv", self.CONTROLLER)}
        self.submodules.uart_phy = self.console()
        self.submodules.uart = UART(self.uart_phy)
        self.submodules.timer0 = Timer()
        for name in ("uart", "timer0"):
            self.irq.add(name, use_loc_if_exists=True)

    def console(self) -> Module:
        raise NotImplementedError

    def connect_dram(self, axi: LiteDRAMAXIPort) -> None:
        raise NotImplementedError

    def add_controller(self, run: Signal, others: dict[str, object]) -> Signal:
        """Adds the controller, with what `others` connects to it. It is in reset but for `run`, and refuses then what
        the bus asks. Returns what the firmware says of itself (register STATE)."""
        state = Signal(2)
        wires = {**others, "i_reset": ResetSignal() | ~run, "o_fw_state": state}
        wires |= self._buses(run)
        wires |= self.watch_cpu(self.controller)
        wires |= self._dram()
        check_wires(wires, self.controller.values())
        self.specials += Instance(self.CONTROLLER, name="controller", **wires)
        return state

    def _buses(self, run: Signal) -> dict[str, object]:
        """The controller's slaves on the bus. While it is held in reset they refuse."""
        wires: dict[str, object] = {}
        places = self.places() | {"bar": (BAR, BAR_BYTES, False)}
        for prefix, region in self.BUSES_OF.items():
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
                if name in self.controller:
                    signal = {"adr": address, "err": refused}.get(ours, getattr(bus, ours))
                    wires[f"{'i' if self.controller[name].is_input else 'o'}_{name}"] = signal
            self.comb += [
                error.eq(bus.cyc & bus.stb & ~run),
                bus.err.eq(refused | error),
            ]
        return wires

    def _in_dram(self, bus: wishbone.Interface) -> Signal:
        """Puts DRAM, and the memories of the CPU that are parts of it, on one slave. Returns the address of a word in
        DRAM."""
        layout = facts.dram_board()
        places = self.places()
        regions, address = [], Signal(30)
        cases: dict[object, object] = {}
        for name, region in (*self.IN_DRAM, ("dram", None)):
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

    def _dram(self) -> dict[str, object]:
        """What is behind the controller's AXI master. What has been asked before a reset must not be answered after
        it: a board resets its side with `run`, too."""
        axi = LiteDRAMAXIPort(data_width=128, address_width=self.controller["m_axi_araddr"].width, id_width=1)
        self.connect_dram(axi)
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
                if pin in self.controller:
                    signal = getattr(getattr(axi, channel), name)
                    wires[f"{'i' if self.controller[pin].is_input else 'o'}_{pin}"] = signal
        return wires


class DramSoc(DramCpuSoc):
    """The SoC around the controller in folder `rtl`, which is of the configuration `config`.

    A board's class also has `link_master`, which returns the link's bus.
    """

    CONTROLLER = CONTROLLER
    BUSES_OF = {**BUSES, "wb_bar": "bar"}  # noqa: RUF012
    IN_DRAM = (("rom", "image"), ("ram", "ram"))
    csr_map = {**CpuSoc.csr_map, "board": 2}  # noqa: RUF012

    def __init__(self, rtl: Path, described: Soc, platform: object, clock_hz: int, config: str) -> None:
        super().__init__(rtl, described, platform, clock_hz)
        self.submodules.board = BoardControl(facts.params(config)["queues"])
        state = self.add_controller(
            self.board.run,
            {
                "i_clock": ClockSignal(),
                "i_function_reset": self.board.function_reset,
                "i_flash_forget": self.board.forget,
                "o_msix_valid": self.board.sent,
                "o_msix_bits": self.board.message,
                "i_msix_ready": 1,
            },
        )
        self.comb += self.cpu.reset.eq(~self.board.cpu)
        self._link()
        self._leds(state)

    def link_master(self) -> wishbone.Interface:
        raise NotImplementedError

    def _link(self) -> None:
        self.submodules.link_port = LinkPort(self.link_master(), LINK_PATIENCE)
        self.bus.add_master("link", self.link_port.bus)
        self.comb += self.board.fault.eq(self.link_port.fault)

    def for_the_host(self) -> dict[str, object]:
        """What the program that starts the board must know, apart from the addresses of LiteX's registers. `places`:
        what else is on the bus, addresses and bytes."""
        layout = facts.dram_board()
        places = self.places()
        state = next(r.address for r in self.described.map.registers if r.name == "STATE")
        return {
            "places": {
                "bar": BAR,
                "image": places["rom"][0],
                "board": places["board"][0],
                "state": places["csr"][0] + state,
                "dram": places["dram"][0],
                "dram_bytes": layout["dramBytes"],
                "host_memory": layout["hostAddress"],
                "host_memory_bytes": layout["hostRegionBytes"],
            }
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
