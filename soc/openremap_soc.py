# SPDX-License-Identifier: Apache-2.0
"""The SoC: LiteX's CPU (VexRiscv), memories, UART and timer around the controller (Chisel's SocController).

LiteX is a generator here and nothing else: it makes the bus, its arbiters and the CSRs. Addresses come from
interfaces/registers/soc.yaml and soc.rdl; where LiteX numbers registers itself, the result is compared with them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import or_
from pathlib import Path

from litex.build.generic_platform import GenericPlatform, Pins, Subsignal
from litex.soc.cores.timer import Timer
from litex.soc.cores.uart import UART, RS232PHYModel
from litex.soc.integration.soc import SoCRegion
from litex.soc.integration.soc_core import SoCCore
from litex.soc.interconnect import wishbone
from migen import ClockDomain, ClockSignal, Instance, Memory, Module, ResetSignal, Signal

from interfaces.ormgen.soc import Soc
from soc.ports import Port, ports

CONTROLLER = "SocController"
TOP = "OpenRemapSoc"
WORD = 4  # bytes
# What LiteX calls the blocks whose registers soc.rdl describes as UART_... and TIMER_...
BLOCKS = {"uart": "UART", "timer0": "TIMER"}
# The CPU's buses into the controller: prefix of the ports, region of the memory map.
BUSES = {"wb_dram": "dram", "wb_nvram": "nvram", "wb_fw": "fw", "wb_regs": "regs"}
# Wishbone signals: name here, name of the controller's port.
SIGNALS = {"cyc": "cyc", "stb": "stb", "we": "we", "adr": "adr", "dat_w": "datW", "sel": "sel", "cti": "cti",
           "dat_r": "datR", "ack": "ack", "err": "err"}  # fmt: skip
FROM_SLAVE = ("dat_r", "ack", "err")
# The CPU's buses as BusFaults watches them: prefix of its ports, LiteX's name of the master, bit of `cpu_expired`.
WATCHED = {"cpu_fetch": ("cpu_bus0", 0), "cpu_data": ("cpu_bus1", 1)}
OWN_PORTS = ("clock", "reset", "cpu_expired_0", "cpu_expired_1", "cpu_fault")  # which nothing outside is connected to
OWN_REGISTERS = 0x10000  # SocRegs in region csr; LiteX's registers lie before it
OWN_REGISTERS_SIZE = 0x1000


class MapError(Exception):
    """LiteX gave a register another address than soc.rdl says."""


class Platform(GenericPlatform):  # type: ignore[misc]
    """No board: the ports of the SoC are the ports of its Verilog module."""

    def __init__(self, io: list[tuple[object, ...]]) -> None:
        super().__init__("none", io, name=TOP)


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


class Elsewhere(SoCRegion):  # type: ignore[misc]
    """What no other region has."""

    def __init__(self, others: list[SoCRegion]) -> None:
        super().__init__(origin=0, size=1 << 32)
        self.others = others

    def decoder(self, bus: object) -> Callable[[Signal], object]:
        decoders = [other.decoder(bus) for other in self.others]
        return lambda address: ~reduce(or_, [decode(address) for decode in decoders])


class Nobody(Module):  # type: ignore[misc]
    """A slave that refuses each access. Data are 0, which is no instruction."""

    def __init__(self) -> None:
        self.bus = wishbone.Interface(data_width=32, adr_width=30)
        self.sync += self.bus.err.eq(self.bus.cyc & self.bus.stb & ~self.bus.err)


def through(port: Port) -> bool:
    """Whether a port of the controller is a port of the SoC."""
    return port.name not in OWN_PORTS and not port.name.startswith(tuple(f"{bus}_" for bus in (*BUSES, *WATCHED)))


class OpenRemapSoc(SoCCore):  # type: ignore[misc]
    """The SoC around the controller in folder `rtl`."""

    csr_map = {"uart": 0, "timer0": 1}  # noqa: RUF012 - LiteX's name for it

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
        platform = Platform(io)
        self.submodules.crg = Clock(platform)
        numbers = {i.name: i.value for i in described.interrupts}
        self.interrupt_map = {name: numbers[block] for name, block in (("uart", "uart"), ("timer0", "timer"))}
        super().__init__(
            platform,
            clk_freq=described.clock_hz.value,
            cpu_type="vexriscv",
            cpu_variant="standard",
            cpu_reset_address=regions["rom"].address,
            bus_standard="wishbone",
            bus_interconnect="crossbar",  # a CPU that waits for a register does not keep the debugger out
            bus_timeout=None,  # a read of WAIT takes as long as it takes
            integrated_rom_size=0,
            integrated_sram_size=0,
            with_uart=False,
            with_timer=False,
            with_ctrl=False,
        )

        rom = LoadedRom(regions["rom"].bytes, platform.request("load"))
        self.submodules.rom = rom
        self._add_slave("rom", rom.bus, regions["rom"].address, regions["rom"].bytes, cached=True, mode="rx")
        ram = wishbone.SRAM(Memory(32, regions["ram"].bytes // WORD, name="ram"), bus=bursting_bus())
        self.submodules.ram = ram
        self._add_slave("ram", ram.bus, regions["ram"].address, regions["ram"].bytes, cached=True)

        self.submodules.uart_phy = RS232PHYModel(platform.request("uart"))
        self.submodules.uart = UART(self.uart_phy)
        self.submodules.timer0 = Timer()
        for name in ("uart", "timer0"):
            self.irq.add(name, use_loc_if_exists=True)

        csr = regions["csr"].address
        places = {r.name: (r.address, r.bytes, r.cached) for r in described.regions}
        places["regs"] = (csr + OWN_REGISTERS, OWN_REGISTERS_SIZE, False)
        wires: dict[str, object] = {"i_clock": ClockSignal(), "i_reset": ResetSignal()}
        directions = {p.name: "i" if p.is_input else "o" for p in controller}
        for port in filter(through, controller):
            wires[f"{directions[port.name]}_{port.name}"] = platform.request(port.name)
        for prefix, region in BUSES.items():
            bus = wishbone.Interface(data_width=32, adr_width=30)
            address, size, cached = places[region]
            self._add_slave(region, bus, address, size, cached)
            for ours, theirs in SIGNALS.items():
                name = f"{prefix}_{theirs}"
                if name in directions:  # a port that the controller does not use is not in its Verilog
                    wires[f"{directions[name]}_{name}"] = getattr(bus, ours)
        for prefix, (master, bit) in WATCHED.items():
            expired = Signal()
            wires[f"o_cpu_expired_{bit}"] = expired
            bus = self._end_accesses(master, expired)
            wires |= {f"i_{p}": getattr(bus, p.removeprefix(f"{prefix}_")) for p in directions
                      if p.startswith(f"{prefix}_")}  # fmt: skip
        fault = Signal()
        wires["o_cpu_fault"] = fault
        self.comb += self.cpu.interrupt[numbers["fault"]].eq(fault)
        self.specials += Instance(CONTROLLER, name="controller", **wires)

        pads = platform.request("debug")
        debug = wishbone.Interface(data_width=32, adr_width=30)
        self.bus.add_master("debug", debug)
        self.comb += [getattr(debug, n).eq(getattr(pads, n)) for n in ("cyc", "stb", "we", "adr", "dat_w")]
        self.comb += [getattr(pads, n).eq(getattr(debug, n)) for n in FROM_SLAVE]
        self.comb += debug.sel.eq(0xF)

        self.submodules.nobody = Nobody()

    def add_csr_bridge(self, *args: object, **kwargs: object) -> None:
        """LiteX adds its last slave by this when it finalizes; then it is known what no slave has."""
        super().add_csr_bridge(*args, **kwargs)
        # Not by add_slave(), which takes regions that do not overlap.
        self.bus.regions["nobody"] = Elsewhere([self.bus.regions[name] for name in self.bus.slaves])
        self.bus.slaves["nobody"] = self.nobody.bus

    def _end_accesses(self, master: str, expired: Signal) -> wishbone.Interface:
        """Puts between a master and the bus what turns errors into answers, and ends an access that has `expired`.
        Returns the bus's side."""
        inside = self.bus.masters[master]
        bus = wishbone.Interface(data_width=32, adr_width=30)
        self.bus.masters[master] = bus
        forward = ("stb", "we", "adr", "dat_w", "sel", "cti", "bte")
        self.comb += [getattr(bus, name).eq(getattr(inside, name)) for name in forward]
        self.comb += [
            bus.cyc.eq(inside.cyc & ~expired),
            inside.ack.eq(bus.ack | bus.err | expired),
            inside.dat_r.eq(bus.dat_r),
        ]
        return bus

    def _add_slave(
        self, name: str, bus: wishbone.Interface, address: int, size: int, cached: bool, mode: str = "rw"
    ) -> None:
        self.bus.add_slave(name, bus, SoCRegion(origin=address, size=size, cached=cached, mode=mode))

    def check_map(self, described: Soc) -> None:
        """Compares LiteX's addresses, after finalize(), with soc.rdl. Raises MapError."""
        base = described.region("csr").address
        given = {}
        for block, prefix in BLOCKS.items():
            region = self.csr_regions[block]
            for i, register in enumerate(region.obj):
                if register.size > 32:
                    raise MapError(f"{block}_{register.name}: {register.size} bits")
                given[f"{prefix}_{register.name.upper()}"] = region.origin - base + WORD * i
        wanted = {r.name: r.address for r in described.map.registers if r.address < OWN_REGISTERS}
        if given != wanted:
            differing = sorted(given.items() ^ wanted.items())
            raise MapError(f"LiteX's registers are not those of soc.rdl: {differing}")


__all__ = ["CONTROLLER", "TOP", "MapError", "OpenRemapSoc"]
