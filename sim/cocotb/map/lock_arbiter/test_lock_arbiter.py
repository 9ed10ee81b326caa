# SPDX-License-Identifier: Apache-2.0
"""Tests of LockArbiter.

There is one owner, until it releases. A waiting client gets the lock after at most one turn of each other client.
"""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench

CLIENTS = 4


class TB:
    def __init__(self, dut: Any) -> None:
        self.bench = Bench(dut)
        self.want = [False] * CLIENTS
        self.owner: int | None = None
        self.bench.add(self)

    def drive(self) -> None:
        for i, want in enumerate(self.want):
            self.bench.write(f"io_client_{i}_want", int(want))

    def sample(self) -> None:
        owners = [i for i in range(CLIENTS) if self.want[i] and self.bench.read(f"io_client_{i}_granted")]
        assert len(owners) <= 1, f"{owners} own the lock"
        if self.owner is not None and self.want[self.owner]:
            assert owners == [self.owner], "the lock was taken from its owner"
        self.owner = owners[0] if owners else None

    async def owned_by(self, client: int, timeout: int = 5) -> None:
        await self.bench.until(lambda: self.owner == client, f"client {client} to own the lock", timeout)


@cocotb.test()
async def turns_go_round(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.want = [False, True, True, False]
    await tb.owned_by(1)
    tb.want[0] = True
    await tb.bench.clock(20)
    assert tb.owner == 1
    assert tb.bench.read("io_client_1_contended")
    tb.want[1] = False
    await tb.owned_by(2)
    tb.want[1] = True
    tb.want[2] = False
    await tb.owned_by(0)
    tb.want[0] = False
    await tb.owned_by(1)
    assert not tb.bench.read("io_client_1_contended")


@cocotb.test()
@cocotb.parametrize(victim=range(CLIENTS))
async def nobody_starves(dut: Any, victim: int) -> None:
    """All others request the lock again as soon as they may. Each has at most one turn while `victim` waits."""
    tb = TB(dut)
    await tb.bench.start()
    rng = tb.bench.rng
    turns = 0
    longest = 0
    for _ in range(3000):
        before = tb.owner
        await tb.bench.clock()
        for i in range(CLIENTS):
            tb.want[i] = tb.owner != i or rng.random() < 0.7 if i != victim else tb.want[i]
        if tb.owner == victim:
            assert turns < CLIENTS
            longest, turns = max(longest, turns), 0
            tb.want[victim] = False
        elif not tb.want[victim]:
            tb.want[victim] = rng.random() < 0.3
            turns = 0
        elif tb.owner is not None and tb.owner != before:
            turns += 1
            assert turns < CLIENTS, "more than a turn of each other one"
    assert longest == CLIENTS - 1, "the bound was never reached"


@cocotb.test()
@cocotb.parametrize(last=range(CLIENTS))
async def all_at_once_go_round_from_the_last_owner(dut: Any, last: int) -> None:
    """The longest possible wait: the last owner comes after all others."""
    tb = TB(dut)
    await tb.bench.start()
    tb.want[last] = True
    await tb.owned_by(last)
    tb.want[last] = False
    await tb.bench.clock(5)
    tb.want = [True] * CLIENTS
    for step in range(1, CLIENTS + 1):
        client = (last + step) % CLIENTS
        await tb.owned_by(client)
        await tb.bench.clock(3)
        tb.want[client] = False


@cocotb.test()
async def no_owner_comes_back_before_who_waits(dut: Any) -> None:
    """Client 0 requests the lock again a cycle after its release. Client 2 gets its turn first."""
    tb = TB(dut)
    await tb.bench.start()
    tb.want[0] = True
    await tb.owned_by(0)
    tb.want[2] = True
    await tb.bench.clock(3)
    tb.want[0] = False
    await tb.bench.clock(1)
    tb.want[0] = True
    await tb.owned_by(2, timeout=3)


@cocotb.test()
async def random_clients(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    turns = [0] * CLIENTS
    rng = tb.bench.rng
    for _ in range(2000):
        before = tb.owner
        await tb.bench.clock()
        if tb.owner is not None and tb.owner != before:
            turns[tb.owner] += 1
        for i in range(CLIENTS):
            if tb.want[i] and tb.owner == i:
                tb.want[i] = rng.random() < 0.8
            elif not tb.want[i]:
                tb.want[i] = rng.random() < 0.5
    assert all(turn > 20 for turn in turns), f"turns {turns}"


def test_lock_arbiter(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("LockArbiter")
