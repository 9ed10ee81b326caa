# SPDX-License-Identifier: Apache-2.0
"""Tests of ChainCrc against the formats: entries of a chain, one a cycle, with a segment's header in between."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.orm_formats import RemapEntry, SegmentHeader


async def choose(bench: Bench) -> tuple[int, int, int]:
    """Sets superblock, generation and epoch of the following entries. Their CRCs are right after three cycles."""
    sb, gen, epoch = bench.rng.randrange(64), bench.rng.getrandbits(32), bench.rng.getrandbits(16)
    for name, value in (("sb", sb), ("gen", gen), ("epoch", epoch)):
        bench.write(f"io_salt_bits_{name}", value)
    bench.write("io_salt_valid", 1)
    await bench.clock()
    bench.write("io_salt_valid", 0)
    await bench.clock(2)
    return sb, gen, epoch


async def check_entry(bench: Bench, salt: tuple[int, int, int]) -> None:
    entry = RemapEntry(bench.rng.getrandbits(32), bench.rng.randrange(128), bench.rng.getrandbits(48))
    for name in ("lpn", "offset", "seq"):
        bench.write(f"io_entry_{name}", getattr(entry, name))
    await bench.clock()
    for name in ("lpn", "offset", "seq"):  # the next one is there already
        bench.write(f"io_entry_{name}", 0)
    assert bench.read("io_entryCrc") == int.from_bytes(entry.pack(*salt)[12:16], "little"), entry


async def check_header(bench: Bench) -> None:
    """Checks a header: three words, one a cycle, and a cycle for the last one's network."""
    rng = bench.rng
    header = SegmentHeader(
        sb=rng.randrange(64), index=rng.getrandbits(8), gen=rng.getrandbits(32), prev=rng.getrandbits(16)
    )
    header.epoch = rng.getrandbits(16)
    for name in ("sb", "index", "gen", "prev", "epoch"):
        bench.write(f"io_header_{name}", getattr(header, name))
    bench.write("io_makes", 1)
    for _ in range(2):
        await bench.clock()
        assert not bench.read("io_made")
    await bench.clock()
    for _ in range(rng.randint(1, 3)):  # it stays
        assert bench.read("io_made")
        assert bench.read("io_headerCrc") == int.from_bytes(header.pack()[12:16], "little"), header
        await bench.clock()
    bench.write("io_makes", 0)
    await bench.clock()


@cocotb.test()
async def entries_and_headers(dut: Any) -> None:
    bench = Bench(dut)
    await bench.start()
    for _ in range(40):
        salt = await choose(bench)
        for _ in range(bench.rng.randint(1, 8)):
            await check_entry(bench, salt)
            if bench.rng.random() < 0.3:
                await check_header(bench)


def test_chain_crc(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("ChainCrc")
