# SPDX-License-Identifier: Apache-2.0
"""The watch on the controller's buses finds what it is there for; handles and clock are made up."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pytest

from sim.cocotb.open_remap_top.buses import StableChannel, Stalls


class Handle:
    """A signal as far as lib/bench.py's to_int looks at it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.value = 0
        self._handle = self

    def get_signal_val_binstr(self) -> str:
        return f"{self.value:b}"


class Dut:
    def __init__(self) -> None:
        self.reset = Handle("reset")
        self.signals = {
            name: Handle(f"m_axi_host_{name}") for name in ("wvalid", "wready", "wdata", "wlast", "arvalid")
        }

    def __iter__(self) -> Any:
        return iter([self.reset, *self.signals.values()])


class Clock:
    """As much of a Bench as agents need."""

    def __init__(self) -> None:
        self.dut = Dut()
        self.cycle = 0
        self.rng = random.Random(1)

    def add(self, agent: Any) -> None:
        pass


def show(channel: StableChannel, dut: Dut, **values: int) -> None:
    for name, value in values.items():
        dut.signals[name].value = value
    channel.sample()


def test_a_channel_that_holds_passes() -> None:
    clock = Clock()
    channel = StableChannel(clock, "m_axi_host_w")  # type: ignore[arg-type]
    show(channel, clock.dut, wvalid=1, wready=0, wdata=7)
    show(channel, clock.dut, wready=0)
    show(channel, clock.dut, wready=1)
    show(channel, clock.dut, wdata=8)  # the next beat
    show(channel, clock.dut, wvalid=0)
    assert channel.waits == 2


def test_valid_that_falls_is_found() -> None:
    clock = Clock()
    channel = StableChannel(clock, "m_axi_host_w")  # type: ignore[arg-type]
    show(channel, clock.dut, wvalid=1, wready=0)
    with pytest.raises(AssertionError, match="valid fell"):
        show(channel, clock.dut, wvalid=0)


def test_reset_takes_back_what_was_offered() -> None:
    clock = Clock()
    channel = StableChannel(clock, "m_axi_host_w")  # type: ignore[arg-type]
    show(channel, clock.dut, wvalid=1, wready=0, wdata=7)
    clock.dut.reset.value = 1
    show(channel, clock.dut, wvalid=0)
    clock.dut.reset.value = 0
    show(channel, clock.dut, wvalid=1, wdata=9)
    assert channel.waits == 2


def test_a_payload_that_changes_is_found_also_in_the_cycle_that_takes_it() -> None:
    for ready in (0, 1):
        clock = Clock()
        channel = StableChannel(clock, "m_axi_host_w")  # type: ignore[arg-type]
        show(channel, clock.dut, wvalid=1, wready=0, wdata=7)
        with pytest.raises(AssertionError, match="changed"):
            show(channel, clock.dut, wready=ready, wdata=6)


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
