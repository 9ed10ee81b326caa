# SPDX-License-Identifier: Apache-2.0
"""What the SoCs of a simulation and of boards share: LiteX's CPU (VexRiscv), its buses and how their errors end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from operator import or_

from litex.soc.integration.soc import SoCRegion
from litex.soc.integration.soc_core import SoCCore
from litex.soc.interconnect import wishbone
from migen import Module, Signal

from interfaces.ormgen.soc import Soc

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
OWN_REGISTERS = 0x10000  # SocRegs in region csr; LiteX's registers lie before it
OWN_REGISTERS_SIZE = 0x1000


class MapError(Exception):
    """LiteX gave a register another address than soc.rdl says."""


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


class CpuSoc(SoCCore):  # type: ignore[misc]
    """A SoC with the CPU that runs the firmware, before it has memories and peripherals."""

    csr_map = {"uart": 0, "timer0": 1}  # noqa: RUF012 - LiteX's name for it

    def __init__(self, platform: object, described: Soc, clock_hz: int, start: int | None = None) -> None:
        """`start`: the address of the CPU's first instruction, if it is not the firmware's."""
        self.described = described
        self.numbers = {i.name: i.value for i in described.interrupts}
        self.interrupt_map = {name: self.numbers[block] for name, block in (("uart", "uart"), ("timer0", "timer"))}
        super().__init__(
            platform,
            clk_freq=clock_hz,
            cpu_type="vexriscv",
            cpu_variant="standard",
            cpu_reset_address=described.region("rom").address if start is None else start,
            bus_standard="wishbone",
            bus_interconnect="crossbar",  # a CPU that waits for a register does not keep another master out
            bus_timeout=None,  # a read of WAIT takes as long as it takes
            integrated_rom_size=0,
            integrated_sram_size=0,
            with_uart=False,
            with_timer=False,
            with_ctrl=False,
        )
        self.submodules.nobody = Nobody()

    def places(self) -> dict[str, tuple[int, int, bool]]:
        """Of each region, SocRegs' too: address, bytes, and whether the CPU's cache keeps it."""
        found = {r.name: (r.address, r.bytes, r.cached) for r in self.described.regions}
        return found | {"regs": (found["csr"][0] + OWN_REGISTERS, OWN_REGISTERS_SIZE, False)}

    def watch_cpu(self, ports: Iterable[str]) -> dict[str, object]:
        """Ends the CPU's accesses that go wrong. Returns the wires of the controller's `ports` for that."""
        wires: dict[str, object] = {}
        for prefix, (master, bit) in WATCHED.items():
            expired = Signal()
            wires[f"o_cpu_expired_{bit}"] = expired
            bus = self.end_accesses(master, expired)
            wires |= {f"i_{p}": getattr(bus, p.removeprefix(f"{prefix}_")) for p in ports if p.startswith(f"{prefix}_")}
        fault = Signal()
        wires["o_cpu_fault"] = fault
        self.comb += self.cpu.interrupt[self.numbers["fault"]].eq(fault)
        return wires

    def add_csr_bridge(self, *args: object, **kwargs: object) -> None:
        """LiteX adds its last slave by this when it finalizes; then it is known what no slave has."""
        super().add_csr_bridge(*args, **kwargs)
        # Not by add_slave(), which takes regions that do not overlap.
        self.bus.regions["nobody"] = Elsewhere([self.bus.regions[name] for name in self.bus.slaves])
        self.bus.slaves["nobody"] = self.nobody.bus

    def end_accesses(self, master: str, expired: Signal) -> wishbone.Interface:
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

    def add_slave_region(
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


__all__ = ["BUSES", "FROM_SLAVE", "SIGNALS", "WATCHED", "WORD", "CpuSoc", "MapError"]
