# SPDX-License-Identifier: Apache-2.0
"""Tests of QueueCredits against a model: a queue may continue exactly while its completion queue has room.

Fetches begin some cycles apart, and what the unit says follows its inputs some cycles later.
"""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.geometry import QUEUES
from sim.cocotb.support.stream import Pulse

APART = 4  # cycles from one fetch to the next
SETTLED = 5  # cycles after which the outputs are of what came


@cocotb.test()
@cocotb.parametrize(shared=[False, True])
async def follows_the_model(dut: Any, shared: bool) -> None:
    bench = Bench(dut)
    taken = Pulse(bench, "io_taken", apart=APART)
    back = [Pulse(bench, f"io_back_{i}") for i in range(2)]
    await bench.start()
    rng = bench.rng
    cq_of = [(qid + 1) // 2 for qid in range(QUEUES)] if shared else list(range(QUEUES))
    room = [rng.randrange(1, 6) for _ in range(QUEUES)]
    for qid in range(QUEUES):
        bench.write(f"io_cqOf_{qid}", cq_of[qid])
        bench.write(f"io_room_{qid}", room[qid])
    inside = [0] * QUEUES
    await bench.clock(SETTLED)
    for _ in range(600):
        await bench.clock()
        load = [sum(n for n, cq in zip(inside, cq_of, strict=True) if cq == q) for q in range(QUEUES)]
        allowed = [load[cq_of[qid]] < room[cq_of[qid]] for qid in range(QUEUES)]
        # Inputs of the next cycle. The outputs follow the state, so they are read first.
        seen = [bool(bench.read(f"io_allowed_{qid}")) for qid in range(QUEUES)]
        assert seen == allowed, (inside, room)
        assert [bench.read(f"io_inside_{qid}") for qid in range(QUEUES)] == inside
        go = rng.choice([qid for qid in range(QUEUES) if allowed[qid]] or [None])
        if go is not None and rng.random() < 0.6:
            taken.send(qid=go, cqid=cq_of[go])
            inside[go] += 1
        busy = [qid for qid in range(QUEUES) if inside[qid] > (qid == go)]
        for pulse in back:
            if busy and rng.random() < 0.3:
                qid = busy.pop(rng.randrange(len(busy)))
                pulse.send(bits=qid)
                inside[qid] -= 1
        cq = rng.randrange(QUEUES)
        room[cq] = rng.randrange(0, 7)
        await bench.clock()
        bench.write(f"io_room_{cq}", room[cq])
        await bench.clock(SETTLED)


@cocotb.test()
async def held_admin_commands_reserve_nothing(dut: Any) -> None:
    bench = Bench(dut)
    taken, back = Pulse(bench, "io_taken", apart=APART), Pulse(bench, "io_back_0")
    await bench.start()
    for qid in range(QUEUES):
        bench.write(f"io_cqOf_{qid}", qid)
    bench.write("io_room_0", 2)
    for _ in range(2):
        taken.send(qid=0, cqid=0)
    await taken.sent()
    await bench.clock(SETTLED)
    assert bench.read("io_inside_0") == 2
    assert not bench.read("io_allowed_0") and bench.read("io_adminRoom"), "each has its entry"
    bench.write("io_held", 1)
    await bench.clock(SETTLED)
    assert bench.read("io_allowed_0")
    taken.send(qid=0, cqid=0)
    await taken.sent()
    await bench.clock(SETTLED)
    assert not bench.read("io_allowed_0")
    # Firmware wants to complete a held command: there is no entry until the host makes room, or another command leaves.
    bench.write("io_held", 0)
    await bench.clock()
    assert not bench.read("io_adminRoom"), "which firmware reads right after"
    await bench.clock(SETTLED)
    assert not bench.read("io_adminRoom") and not bench.read("io_allowed_0")
    bench.write("io_room_0", 3)
    await bench.clock()
    assert bench.read("io_adminRoom")
    bench.write("io_room_0", 2)
    back.send(bits=0)
    await back.sent()
    await bench.clock(SETTLED)
    assert bench.read("io_adminRoom") and not bench.read("io_allowed_0")


@cocotb.test()
async def both_ways_in_one_cycle(dut: Any) -> None:
    """A fetch, a completion and a dropped entry of one queue at once."""
    bench = Bench(dut)
    taken, back = Pulse(bench, "io_taken", apart=APART), [Pulse(bench, f"io_back_{i}") for i in range(2)]
    await bench.start()
    bench.write("io_cqOf_3", 3)
    bench.write("io_room_3", 9)
    for _ in range(4):
        taken.send(qid=3, cqid=3)
    await taken.sent()
    await bench.clock(APART)
    taken.send(qid=3, cqid=3)
    for pulse in back:
        pulse.send(bits=3)
    await taken.sent()
    await bench.clock(SETTLED)
    assert bench.read("io_inside_3") == 3
    assert [bench.read(f"io_inside_{qid}") for qid in (0, 1, 2, 4)] == [0] * 4


def test_queue_credits(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("QueueCredits")
