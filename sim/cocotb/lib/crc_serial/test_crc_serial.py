# SPDX-License-Identifier: Apache-2.0
"""Tests of CrcSerial against the CRC of the formats: records of any length, in sequence, and an abandoned one."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.orm_formats import crc32c

MOST_WORDS = 7  # as in Emit.scala: an OobRecord without its CRC


def show(bench: Bench, words: list[int]) -> None:
    """Sets a record on the inputs. Bits beyond its words must have no effect."""
    bench.write("io_want", 1)
    bench.write("io_count", len(words))
    for i in range(MOST_WORDS):
        bench.write(f"io_words_{i}", words[i] if i < len(words) else bench.rng.getrandbits(32))


def drawn(bench: Bench) -> list[int]:
    return [bench.rng.getrandbits(32) for _ in range(bench.rng.randint(1, MOST_WORDS))]


def expected(words: list[int]) -> int:
    return crc32c(b"".join(word.to_bytes(4, "little") for word in words))


@cocotb.test()
@cocotb.parametrize(pause=[0, 1, 3])
async def records_one_after_the_other(dut: Any, pause: int) -> None:
    """Each takes a cycle a word, and its CRC stays until it is taken."""
    bench = Bench(dut)
    await bench.start()
    for _ in range(60):
        words = drawn(bench)
        show(bench, words)
        for cycle in range(1, len(words)):
            await bench.clock()
            assert not bench.read("io_done"), f"done after {cycle} of {len(words)} words"
        await bench.clock()
        for _ in range(bench.rng.randint(0, 2)):
            assert bench.read("io_done") and bench.read("io_crc") == expected(words)
            await bench.clock()
        assert bench.read("io_done") and bench.read("io_crc") == expected(words)
        bench.write("io_taken", 1)
        await bench.clock()
        bench.write("io_taken", 0)
        if pause:
            bench.write("io_want", 0)
            await bench.clock(pause)


@cocotb.test()
async def a_record_that_is_given_up(dut: Any) -> None:
    """The next record starts afresh."""
    bench = Bench(dut)
    await bench.start()
    for _ in range(40):
        show(bench, drawn(bench))
        await bench.clock(bench.rng.randint(1, 5))
        bench.write("io_want", 0)
        await bench.clock()
        words = drawn(bench)
        show(bench, words)
        await bench.clock(len(words))
        assert bench.read("io_done") and bench.read("io_crc") == expected(words)
        bench.write("io_want", 0)
        await bench.clock()


def test_crc_serial(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("CrcSerial")
