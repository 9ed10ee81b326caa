# SPDX-License-Identifier: Apache-2.0
"""QueueCredits against a model: a queue may go on exactly while its completions have room."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.cocotb_unit import CocotbUnit
from sim.cocotb.lib.bench import Bench
from sim.cocotb.lib.stream import Pulse

QUEUES = 5


@cocotb.test()
@cocotb.parametrize(shared=[False, True])
async def follows_the_model(dut: Any, shared: bool) -> None:
    bench = Bench(dut)
    taken = Pulse(bench, "io_taken")
    back = [Pulse(bench, f"io_back_{i}") for i in range(2)]
    await bench.start()
    rng = bench.rng
    cq_of = [0, 1, 1, 2, 2] if shared else list(range(QUEUES))
    room = [rng.randrange(1, 6) for _ in range(QUEUES)]
    for qid in range(QUEUES):
        bench.write(f"io_cqOf_{qid}", cq_of[qid])
        bench.write(f"io_room_{qid}", room[qid])
    inside = [0] * QUEUES
    for _ in range(600):
        await bench.clock()
        load = [sum(n for n, cq in zip(inside, cq_of, strict=True) if cq == q) for q in range(QUEUES)]
        allowed = [qid == 0 or load[cq_of[qid]] < room[cq_of[qid]] for qid in range(QUEUES)]
        # Inputs of the cycle that begins now; the outputs follow the state, so they are looked at first.
        seen = [bool(bench.read(f"io_allowed_{qid}")) for qid in range(QUEUES)]
        assert seen == allowed, (inside, room)
        go = rng.choice([qid for qid in range(QUEUES) if allowed[qid]])
        if rng.random() < 0.6 and inside[go] < 100:
            taken.send(bits=go)
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


@cocotb.test()
async def late_returns_do_not_underflow(dut: Any) -> None:
    bench = Bench(dut)
    taken, back = Pulse(bench, "io_taken"), Pulse(bench, "io_back_0")
    await bench.start()
    bench.write("io_cqOf_1", 1)
    bench.write("io_room_1", 1)
    taken.send(bits=1)
    await taken.sent()
    assert not bench.read("io_allowed_1")
    bench.write("io_forget_1", 1)
    await bench.clock()
    bench.write("io_forget_1", 0)
    await bench.clock()
    assert bench.read("io_allowed_1"), "a new queue starts with nothing inside"
    back.send(bits=1)
    await back.sent()
    assert bench.read("io_allowed_1")
    taken.send(bits=1)
    await taken.sent()
    assert not bench.read("io_allowed_1")


def test_queue_credits(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("QueueCredits")
