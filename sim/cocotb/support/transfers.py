# SPDX-License-Identifier: Apache-2.0
"""Checks that both directions of host DMA share: any alignment, any size, a word a cycle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sim.cocotb.support.axi import PAGE
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.geometry import WORD_BYTES


class TransferBench(Protocol):
    """A test bench of HostReader or HostWriter."""

    bench: Bench

    @property
    def client(self) -> Sequence[object]:
        """The unit's clients."""

    async def transfer(self, size: int, offset: int = 0, list_offset: int = 0, client: int = 0) -> None:
        """Moves `size` random bytes through a new scattered buffer (support.prp.build) and compares every byte."""

    async def check_idle(self) -> None:
        """Checks that the unit reports quiet, and that nothing is left on the bus."""


async def every_size_at(tb: TransferBench, offset: int) -> None:
    """One word, some words, more than a burst; at the start of a page and across its end."""
    await tb.bench.start()
    for size in (WORD_BYTES, 5 * WORD_BYTES, 33 * WORD_BYTES):
        for base in (0, PAGE - 32):
            await tb.transfer(size, base + offset)
    await tb.check_idle()


async def random_transfers(tb: TransferBench) -> None:
    """Random sizes, alignments, places in the PRP list, and clients."""
    await tb.bench.start()
    rng = tb.bench.rng
    for _ in range(8):
        size = rng.choice([WORD_BYTES * rng.randrange(1, 600), 2 * PAGE, 512])
        await tb.transfer(size, 4 * rng.randrange(PAGE // 4), 8 * rng.randrange(512), rng.randrange(len(tb.client)))
    await tb.check_idle()


async def streams_at_a_word_a_cycle(tb: TransferBench, latency: int) -> None:
    """Bus latency is hidden: an aligned transfer takes little more than its words and a few latencies."""
    await tb.bench.start()
    begin = tb.bench.cycle
    await tb.transfer(8 * PAGE)
    took, words = tb.bench.cycle - begin, 8 * PAGE // WORD_BYTES
    assert took < words + 4 * latency, f"{took} cycles for {words} words"
