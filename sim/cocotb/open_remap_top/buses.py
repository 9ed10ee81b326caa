# SPDX-License-Identifier: Apache-2.0
"""What a well-behaved bus never shows: far ends that hold back at random, and a watch on what the controller promises.

cocotbext-axi's memories answer as soon as they can and check nothing; these make them slow, and look at each channel that
the controller drives.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

from cocotbext.axi import AxiLiteMaster, AxiRam

from sim.cocotb.lib.bench import Bench, to_int

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


class StableChannel:
    """Fails when, on a channel that the controller drives, valid falls or the payload changes before ready (AXI4 A3.2.1)."""

    def __init__(self, bench: Bench, prefix: str) -> None:
        signals = {handle._name.removeprefix(prefix): handle for handle in bench.dut if handle._name.startswith(prefix)}
        self.prefix = prefix
        self._reset = bench.dut.reset
        self._valid = signals.pop("valid")
        self._ready = signals.pop("ready")
        self._payload = signals
        self._held: dict[str, int] | None = None
        self.waits = 0
        bench.add(self)

    def drive(self) -> None:
        pass

    def sample(self) -> None:
        if not to_int(self._valid):
            if self._held is not None and not to_int(self._reset):
                raise AssertionError(f"{self.prefix}: valid fell before ready")
            self._held = None
            return
        ready = to_int(self._ready)
        if ready and self._held is None:
            return
        now = {name: to_int(handle) for name, handle in self._payload.items()}
        if self._held is not None:
            assert now == self._held, f"{self.prefix}: changed from {self._held} to {now} before ready"
        self._held = None if ready else now
        self.waits += not ready


def watch(bench: Bench, masters: Iterable[str], slaves: Iterable[str]) -> list[StableChannel]:
    """A watch on all channels that the controller drives."""
    prefixes = itertools.chain(
        (f"{port}_{channel}" for port in masters for channel in MASTER_CHANNELS),
        (f"{port}_{channel}" for port in slaves for channel in SLAVE_CHANNELS),
    )
    return [StableChannel(bench, prefix) for prefix in prefixes]
