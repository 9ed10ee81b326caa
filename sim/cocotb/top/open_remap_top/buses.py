# SPDX-License-Identifier: Apache-2.0
"""What a well-behaved bus never shows: far ends that hold back at random, and how long the controller waited for them.

cocotbext-axi's memories answer as soon as they can; these make them slow.
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
SPELL = 12  # cycles that channels are held back at most
MOST_HELD = 5  # channels at a time


def memory_channels(ram: AxiRam) -> list[Any]:
    """All five of a memory."""
    return [
        ram.read_if.ar_channel,
        ram.read_if.r_channel,
        ram.write_if.aw_channel,
        ram.write_if.w_channel,
        ram.write_if.b_channel,
    ]


def register_channels(master: AxiLiteMaster) -> list[Any]:
    """Of an AXI4-Lite master all five, too: it may be slow to ask as well as to take the answer."""
    return [
        master.read_if.ar_channel,
        master.read_if.r_channel,
        master.write_if.aw_channel,
        master.write_if.w_channel,
        master.write_if.b_channel,
    ]


class Stalls:
    """Holds some of the channels back, for some cycles, ever others: now the one that data waits for, now the one it goes to.

    One agent for all of them: a pause generator of cocotbext-axi for each takes longer than all else in a cycle.
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


class Waits:
    """Counts the cycles in which a channel that the controller drives has to hold what it offers.

    That it holds it is the business of hw/checks, bound to the controller in every simulation.
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
    """Of all channels that the controller drives."""
    prefixes = itertools.chain(
        (f"{port}_{channel}" for port in masters for channel in MASTER_CHANNELS),
        (f"{port}_{channel}" for port in slaves for channel in SLAVE_CHANNELS),
    )
    return [Waits(bench, prefix) for prefix in prefixes]
