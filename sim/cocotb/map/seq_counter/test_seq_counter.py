# SPDX-License-Identifier: Apache-2.0
"""Tests of SeqCounter: each sequence number once, in order, from the value that the firmware loaded."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Pulse

CLIENTS = 4


@cocotb.test()
async def counts_from_the_loaded_value(dut: Any) -> None:
    bench = Bench(dut)
    load = Pulse(bench, "io_load")
    for i in range(CLIENTS):
        bench.write(f"io_client_{i}_take", 0)
    await bench.start()
    assert bench.read("io_value") > 0, "0 would be a commit pointer that covers nothing"
    expected = (1 << 40) - 5
    load.send(bits=expected)
    await load.sent()
    for _ in range(200):
        assert bench.read("io_value") == expected
        taker = bench.rng.randrange(CLIENTS + 1)
        for i in range(CLIENTS):
            assert bench.read(f"io_client_{i}_next") == expected
            bench.write(f"io_client_{i}_take", int(i == taker))
        await bench.clock()
        expected += taker < CLIENTS


def test_seq_counter(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("SeqCounter")
