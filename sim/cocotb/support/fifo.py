# SPDX-License-Identifier: Apache-2.0
"""What holds of every FIFO, by a source and a sink at its ports."""

from __future__ import annotations

from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Sink, Source


def bits(sink: Sink) -> list[int]:
    """The words that it has taken."""
    return [t["bits"] for t in sink.taken]


async def takes_as_many_as_it_says(bench: Bench, source: Source, sink: Sink, entries: int) -> None:
    """Fills it, which `io_count` tells, while nobody takes anything. Three more words wait."""
    sink.hold = True
    await bench.start()
    for i in range(entries + 3):
        source.send(bits=i)
    await bench.clock(entries + 10)
    assert source.sent == entries and bench.read("io_count") == entries


async def gives_one_a_cycle(bench: Bench, source: Source, sink: Sink, entries: int) -> None:
    """Empties it after that."""
    sink.hold = False
    start = bench.cycle
    await source.drained()
    await bench.until(lambda: len(sink.taken) == entries + 3, "all of them")
    assert bits(sink) == list(range(entries + 3))
    assert bench.cycle - start <= entries + 3 + 6, "about one a cycle"


async def keeps_the_order(bench: Bench, source: Source, sink: Sink, entries: int) -> None:
    """Random words, from empty to full and back: the reader stops now and then, the writer goes on."""
    await bench.start()
    sent = [bench.rng.getrandbits(16) for _ in range(600)]
    for word in sent:
        source.send(bits=word)
    while source.pending:
        sink.hold = bench.rng.random() < 0.3
        await bench.clock(bench.rng.randrange(1, 3 * entries))
        assert bench.read("io_count") <= entries
    sink.hold = False
    await bench.until(lambda: len(sink.taken) == len(sent), "all of them")
    assert bits(sink) == sent
    assert bench.read("io_count") == 0
