# SPDX-License-Identifier: Apache-2.0
"""The SoC: LiteX's CPU (VexRiscv), memories, UART and timer around the controller (Chisel's SocController).

LiteX is a generator here and nothing else: it makes the bus, its arbiters and the CSRs. Addresses come from
interfaces/registers/soc.yaml and soc.rdl; where LiteX numbers registers itself, the result is compared with them.
"""

from __future__ import annotations

from pathlib import Path

from litex.build.generic_platform import GenericPlatform, Pins, Subsignal
from litex.soc.cores.timer import Timer
from litex.soc.cores.uart import UART, RS232PHYModel
from litex.soc.interconnect import wishbone
from migen import ClockDomain, ClockSignal, Instance, Memory, Module, ResetSignal, Signal

from interfaces.ormgen.soc import Soc
from soc.cpu_soc import BUSES, FROM_SLAVE, SIGNALS, WATCHED, WORD, CpuSoc, MapError
from soc.ports import Port, ports

CONTROLLER = "SocController"
TOP = "OpenRemapSoc"
OWN_PORTS = ("clock", "reset", "cpu_expired_0", "cpu_expired_1", "cpu_fault")  # which nothing outside is connected to


class Platform(GenericPlatform):  # type: ignore[misc]
    """No board: the ports of the SoC are the ports of its Verilog module."""

    def __init__(self, io: list[tuple[object, ...]], top: str) -> None:
        super().__init__("none", io, name=top)


class Clock(Module):  # type: ignore[misc]
    """One clock and one reset for everything, from outside."""

    def __init__(self, platform: Platform) -> None:
        self.clock_domains.cd_sys = ClockDomain()
        self.comb += [
            self.cd_sys.clk.eq(platform.request("clock")),
            self.cd_sys.rst.eq(platform.request("reset")),
        ]


class LoadedRom(Module):  # type: ignore[misc]
    """A ROM for the CPU whose contents come through a write port, while reset holds the CPU: from a simulation, or
    from what copies a board's SPI flash. `load` has we, adr (of a word) and data."""

    def __init__(self, size: int, load: Signal) -> None:
        memory = Memory(32, size // WORD, name="rom")
        self.submodules.sram = wishbone.SRAM(memory, read_only=True, bus=bursting_bus())
        self.bus = self.sram.bus
        port = memory.get_port(write_capable=True)
        self.specials += port
        self.comb += [port.we.eq(load.we), port.adr.eq(load.adr), port.dat_w.eq(load.data)]


def bursting_bus() -> wishbone.Interface:
    """A bus on which a cache line is one burst."""
    return wishbone.Interface(data_width=32, adr_width=30, bursting=True)


def through(port: Port) -> bool:
    """Whether a port of the controller is a port of the SoC."""
    return port.name not in OWN_PORTS and not port.name.startswith(tuple(f"{bus}_" for bus in (*BUSES, *WATCHED)))


class OpenRemapSoc(CpuSoc):
    """The SoC around the controller in folder `rtl`."""

    def __init__(self, rtl: Path, described: Soc) -> None:
        controller = ports(rtl / f"{CONTROLLER}.sv", CONTROLLER)
        regions = {r.name: r for r in described.regions}
        rom_words = (regions["rom"].bytes // WORD - 1).bit_length()
        io: list[tuple[object, ...]] = [("clock", 0, Pins(1)), ("reset", 0, Pins(1))]
        io += [(p.name, 0, Pins(p.width)) for p in controller if through(p)]
        io.append(("load", 0, *(Subsignal(n, Pins(w)) for n, w in (("we", 1), ("adr", rom_words), ("data", 32)))))
        io.append(("uart", 0, *(Subsignal(f"{end}_{n}", Pins(w)) for end in ("source", "sink")
                                for n, w in (("valid", 1), ("ready", 1), ("data", 8)))))  # fmt: skip
        # A second master, for a debugger: JTAG on a board, the checkers of a simulation.
        debug_widths = {"cyc": 1, "stb": 1, "we": 1, "adr": 30, "dat_w": 32, "dat_r": 32, "ack": 1, "err": 1}
        io.append(("debug", 0, *(Subsignal(n, Pins(w)) for n, w in debug_widths.items())))
        platform = Platform(io, TOP)
        self.submodules.crg = Clock(platform)
        super().__init__(platform, described, described.clock_hz.value)
        places = self.places()

        self.submodules.rom = LoadedRom(regions["rom"].bytes, platform.request("load"))
        self.add_slave_region("rom", self.rom.bus, *places["rom"], mode="rx")
        self.submodules.ram = wishbone.SRAM(Memory(32, regions["ram"].bytes // WORD, name="ram"), bus=bursting_bus())
        self.add_slave_region("ram", self.ram.bus, *places["ram"])

        self.submodules.uart_phy = RS232PHYModel(platform.request("uart"))
        self.submodules.uart = UART(self.uart_phy)
        self.submodules.timer0 = Timer()
        for name in ("uart", "timer0"):
            self.irq.add(name, use_loc_if_exists=True)

        wires: dict[str, object] = {"i_clock": ClockSignal(), "i_reset": ResetSignal()}
        directions = {p.name: "i" if p.is_input else "o" for p in controller}
        for port in filter(through, controller):
            wires[f"{directions[port.name]}_{port.name}"] = platform.request(port.name)
        for prefix, region in BUSES.items():
            bus = wishbone.Interface(data_width=32, adr_width=30)
            self.add_slave_region(region, bus, *places[region])
            for ours, theirs in SIGNALS.items():
                name = f"{prefix}_{theirs}"
                if name in directions:  # a port that the controller does not use is not in its Verilog
                    wires[f"{directions[name]}_{name}"] = getattr(bus, ours)
        wires |= self.watch_cpu(directions)
        self.specials += Instance(CONTROLLER, name="controller", **wires)

        pads = platform.request("debug")
        debug = wishbone.Interface(data_width=32, adr_width=30)
        self.bus.add_master("debug", debug)
        self.comb += [getattr(debug, n).eq(getattr(pads, n)) for n in ("cyc", "stb", "we", "adr", "dat_w")]
        self.comb += [getattr(pads, n).eq(getattr(debug, n)) for n in FROM_SLAVE]
        self.comb += debug.sel.eq(0xF)


__all__ = ["CONTROLLER", "TOP", "MapError", "OpenRemapSoc"]
