# SPDX-License-Identifier: Apache-2.0
"""NandScheduler: requests reach the right channel in the order of each client, answers the right client, nobody blocks."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.cocotb_unit import CocotbUnit
from sim.cocotb.lib.bench import Bench
from sim.cocotb.lib.geometry import CHANNELS, SLOTS
from sim.cocotb.lib.nand import NandClient, RequestOp
from sim.cocotb.lib.stream import Sink, Source

CLIENTS = len(NandClient)


class TB:
    def __init__(self, dut: Any, stalls: float = 0.0) -> None:
        self.bench = Bench(dut)
        self.req = [Source(self.bench, f"io_req_{i}", gaps=stalls) for i in range(CLIENTS)]
        self.done = [Sink(self.bench, f"io_done_{i}", stalls=stalls) for i in range(CLIENTS)]
        self.channel = [Sink(self.bench, f"io_channel_{i}", stalls=stalls) for i in range(CHANNELS)]
        self.channel_done = [Source(self.bench, f"io_channelDone_{i}", gaps=stalls) for i in range(CHANNELS)]

    def ask(self, client: int, slot: int, tag: int = 0) -> None:
        self.req[client].send(op=RequestOp.READ, client=client, slot=slot, buf=tag % 28, oob=tag)


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5])
async def routes_both_ways_and_keeps_the_order(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls)
    await tb.bench.start()
    asked: dict[tuple[int, int], list[int]] = {}
    count = 40
    for client in range(CLIENTS):
        for i in range(count):
            slot = tb.bench.rng.randrange(SLOTS)
            tag = client * 1000 + i
            tb.ask(client, slot, tag)
            asked.setdefault((client, slot % CHANNELS), []).append(tag)
    total = CLIENTS * count
    await tb.bench.until(lambda: sum(c.count for c in tb.channel) == total, "all requests")
    for channel, sink in enumerate(tb.channel):
        got: dict[tuple[int, int], list[int]] = {}
        for t in sink.taken:
            assert t["slot"] % CHANNELS == channel
            got.setdefault((t["client"], channel), []).append(t["oob"])
        assert got == {key: tags for key, tags in asked.items() if key[1] == channel}
        for t in sink.taken:
            tb.channel_done[channel].send(**t)
    await tb.bench.until(lambda: sum(d.count for d in tb.done) == total, "all answers")
    for client, sink in enumerate(tb.done):
        for channel in range(CHANNELS):
            tags = [t["oob"] for t in sink.taken if t["slot"] % CHANNELS == channel]
            assert tags == asked.get((client, channel), [])


@cocotb.test()
async def full_channel_does_not_hold_the_other(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.channel[0].hold = True
    tb.ask(NandClient.HOST_WRITE, slot=0)
    tb.ask(NandClient.HOST_READ, slot=1)
    await tb.bench.until(lambda: bool(tb.channel[1].taken), "the other channel", timeout=10)


@cocotb.test()
async def busy_die_does_not_hold_other_clients(dut: Any) -> None:
    """The channel accepts only requests for its second die, whoever is first in line."""
    tb = TB(dut)
    await tb.bench.start()
    sink = tb.channel[0]
    sink.hold = True
    tb.ask(NandClient.HOST_WRITE, slot=0)
    tb.ask(NandClient.GC, slot=0)
    tb.ask(NandClient.HOST_READ, slot=2)
    seen = set()
    for _ in range(12):
        await tb.bench.clock()
        assert tb.bench.read("io_channel_0_valid")
        seen.add(tb.bench.read("io_channel_0_bits_slot"))
    assert seen == {0, 2}, "each waiting client is offered in turn"


@cocotb.test()
async def client_that_takes_no_answer_holds_nobody_else(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.done[NandClient.FIRMWARE].hold = True
    tb.channel_done[0].send(client=NandClient.FIRMWARE, slot=0)
    tb.channel_done[1].send(client=NandClient.HOST_READ, slot=1)
    await tb.bench.until(lambda: bool(tb.done[NandClient.HOST_READ].taken), "the other answer", timeout=10)


def test_nand_scheduler(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("NandScheduler")
