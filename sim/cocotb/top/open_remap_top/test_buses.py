# SPDX-License-Identifier: Apache-2.0
"""Tests of the stalling buses (buses.py) with artificial handles and clock: they stall, and the waits are counted."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

from sim.cocotb.top.open_remap_top.buses import Stalls, Waits


class Handle:
    """A signal as far as to_int of support/bench.py reads it."""

    def __init__(self) -> None:
        self.value = 0
        self._handle = self

    def get_signal_val_binstr(self) -> str:
        return f"{self.value:b}"


class Dut:
    def __init__(self) -> None:
        self.m_axi_host_wvalid = Handle()
        self.m_axi_host_wready = Handle()


class Clock:
    """The part of a Bench that agents need."""

    def __init__(self) -> None:
        self.dut = Dut()
        self.cycle = 0
        self.rng = random.Random(1)

    def add(self, agent: Any) -> None:
        pass


def test_waits_are_counted() -> None:
    clock = Clock()
    channel = Waits(clock, "m_axi_host_w")  # type: ignore[arg-type]
    for valid, ready in ((0, 0), (1, 0), (1, 0), (1, 1), (0, 1), (1, 1), (1, 0)):
        clock.dut.m_axi_host_wvalid.value = valid
        clock.dut.m_axi_host_wready.value = ready
        channel.sample()
    assert channel.count == 3


def test_stalls_hold_every_channel_back_and_let_it_go() -> None:
    clock = Clock()
    channels = [SimpleNamespace(pause=False) for _ in range(6)]
    stalls = Stalls(clock, channels)  # type: ignore[arg-type]
    held = [0] * len(channels)
    for clock.cycle in range(2000):
        stalls.drive()
        for i, channel in enumerate(channels):
            held[i] += channel.pause
    assert all(200 < cycles < 1800 for cycles in held), held
