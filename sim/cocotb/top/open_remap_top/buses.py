# SPDX-License-Identifier: Apache-2.0
"""Stalling buses: the far ends of the controller's buses hold back at random, and the controller's waits are counted.

The memories of cocotbext-axi answer as soon as they can; these agents slow them down.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

from cocotbext.axi import AxiLiteMaster, AxiRam

from sim.cocotb.support.bench import Bench, to_int

# Of the controller's masters and of its AXI4-Lite slaves, the channels that it drives.
MASTER_CHANNELS = ("ar", "aw", "w")
SLAVE_CHANNELS = ("r", "b")
SPELL = 12  # maximum of cycles for which channels are held back
MOST_HELD = 5  # channels that are held back at a time
MOST_INTERRUPT_WAIT = 60  # cycles


def memory_channels(ram: AxiRam) -> list[Any]:
    """The five channels of a memory."""
    return [
        ram.read_if.ar_channel,
        ram.read_if.r_channel,
        ram.write_if.aw_channel,
        ram.write_if.w_channel,
        ram.write_if.b_channel,
    ]


def register_channels(master: AxiLiteMaster) -> list[Any]:
    """The five channels of an AXI4-Lite master: it may be slow to request and to take the answer."""
    return [
        master.read_if.ar_channel,
        master.read_if.r_channel,
        master.write_if.aw_channel,
        master.write_if.w_channel,
        master.write_if.b_channel,
    ]


class Stalls:
    """Holds random channels back for some cycles: sometimes the source of the data, sometimes its destination.

    One agent serves all channels. A pause generator of cocotbext-axi for each would dominate the time of a cycle.
    """

    def __init__(self, bench: Bench, channels: Iterable[Any]) -> None:
        self.bench = bench
        self.spells = 0
        self._channels = list(channels)
        self._held: list[Any] = []
        self._until = 0
        bench.add(self)

    def drive(self) -> None:
        if self.bench.cycle < self._until:
            return
        for channel in self._held:
            channel.pause = False
        rng = self.bench.rng
        self._held = rng.sample(self._channels, rng.randrange(MOST_HELD + 1))
        for channel in self._held:
            channel.pause = True
        self._until = self.bench.cycle + rng.randint(1, SPELL)
        self.spells += 1

    def sample(self) -> None:
        pass


class Interrupts:
    """The far end of `msix`, which is slow to take interrupts if it `stalls`."""

    def __init__(self, bench: Bench, stalls: bool) -> None:
        self.bench = bench
        self._stalls = stalls
        self._until = 0
        bench.write("msix_ready", 1)
        bench.add(self)

    def drive(self) -> None:
        if not self._stalls or self.bench.cycle < self._until:
            return
        self.bench.write("msix_ready", self.bench.rng.getrandbits(1))
        self._until = self.bench.cycle + self.bench.rng.randint(1, MOST_INTERRUPT_WAIT)

    def sample(self) -> None:
        pass


class Faults:
    """Accesses to a memory that are answered with SLVERR, and have no effect."""

    def __init__(self, ram: AxiRam) -> None:
        self._ranges: dict[bool, range] = {False: range(0), True: range(0)}
        self.hits = 0
        read, write = ram.read_if._read, ram.write_if._write

        async def _read(address: int, length: int) -> Any:
            self._check(False, address, length)
            return await read(address, length)

        async def _write(address: int, data: bytes) -> None:
            self._check(True, address, len(data))
            await write(address, data)

        ram.read_if._read, ram.write_if._write = _read, _write

    def fail(self, write: bool, addr: int, end: int) -> None:
        """From now on writes, or reads, of these bytes fail."""
        self._ranges[write] = range(addr, end)

    def heal(self) -> None:
        """From now on no access fails."""
        self._ranges = {False: range(0), True: range(0)}

    def _check(self, write: bool, addr: int, length: int) -> None:
        bad = self._ranges[write]
        if addr < bad.stop and bad.start < addr + length:
            self.hits += 1
            raise ValueError("an access that fails")


class Waits:
    """Counts the cycles in which a channel that the controller drives must hold what it offers.

    hw/checks, which is bound to the controller in every simulation, checks that it does hold it.
    """

    def __init__(self, bench: Bench, prefix: str) -> None:
        self.prefix = prefix
        self.count = 0
        self._valid = getattr(bench.dut, prefix + "valid")
        self._ready = getattr(bench.dut, prefix + "ready")
        bench.add(self)

    def drive(self) -> None:
        pass

    def sample(self) -> None:
        self.count += to_int(self._valid) and not to_int(self._ready)


def count_waits(bench: Bench, masters: Iterable[str], slaves: Iterable[str]) -> list[Waits]:
    """Counts the waits on all channels that the controller drives."""
    prefixes = itertools.chain(
        (f"{port}_{channel}" for port in masters for channel in MASTER_CHANNELS),
        (f"{port}_{channel}" for port in slaves for channel in SLAVE_CHANNELS),
    )
    return [Waits(bench, prefix) for prefix in prefixes]
