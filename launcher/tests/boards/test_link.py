# SPDX-License-Identifier: Apache-2.0
"""soc.boards.link, in migen's simulator: the link's way to the bus, and the registers that start a board."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest
from litex.gen.sim import passive, run_simulation
from litex.soc.interconnect import wishbone
from migen import Module

from soc.boards.link import BoardControl, LinkPort

PATIENCE = 20


class Bench(Module):  # type: ignore[misc]
    """A master and a port; `answers`: of each address, the cycles until an answer, and whether it is an error."""

    def __init__(self, answers: dict[int, tuple[int, bool]]) -> None:
        self.inside = wishbone.Interface(data_width=32, adr_width=30)
        self.submodules.port = LinkPort(self.inside, PATIENCE)
        self.answers = answers
        self.written: list[tuple[int, int, int]] = []
        self.faults = 0

    @passive  # type: ignore[untyped-decorator]
    def slave(self) -> Generator[Any, Any, Any]:
        bus = self.port.bus
        while True:
            if (yield bus.cyc) and (yield bus.stb):
                address = yield bus.adr
                delay, fails = self.answers.get(address, (10 * PATIENCE, False))
                for _ in range(delay):
                    yield
                    if not (yield bus.cyc):
                        break
                else:
                    if (yield bus.we):
                        self.written.append((address, (yield bus.dat_w), (yield bus.sel)))
                    yield bus.dat_r.eq(address + 1000)
                    yield (bus.err if fails else bus.ack).eq(1)
                    yield
                    yield bus.ack.eq(0)
                    yield bus.err.eq(0)
            yield

    @passive  # type: ignore[untyped-decorator]
    def watch(self) -> Generator[Any, Any, Any]:
        while True:
            self.faults += yield self.port.fault
            yield

    def access(self, address: int, data: int | None = None) -> Generator[Any, Any, Any]:
        """Returns what was read, and the cycles that it took."""
        bus = self.inside
        yield bus.adr.eq(address)
        yield bus.we.eq(int(data is not None))
        yield bus.dat_w.eq(data or 0)
        yield bus.sel.eq(0xF)
        yield bus.cyc.eq(1)
        yield bus.stb.eq(1)
        for cycles in range(100):
            yield
            if (yield bus.ack):
                found = yield bus.dat_r
                # The next access is offered in the cycle after the answer, as the link does.
                return found, cycles
        raise AssertionError("no answer")


def test_accesses_arrive_once_and_each_ends() -> None:
    bench = Bench({1: (1, False), 2: (5, False), 3: (2, True)})
    found: list[tuple[int, int]] = []

    def host() -> Generator[Any, Any, Any]:
        found.append((yield from bench.access(1)))
        yield from bench.access(2, 77)
        yield from bench.access(3)
        found.append((yield from bench.access(9)))  # nobody is there
        found.append((yield from bench.access(2)))

    run_simulation(bench, [host(), bench.slave(), bench.watch()])
    assert [data for data, _ in (found[0], found[2])] == [1001, 1002]
    assert bench.written == [(2, 77, 0xF)]
    assert PATIENCE <= found[1][1] <= PATIENCE + 4
    assert bench.faults == 2


@pytest.mark.parametrize("vectors", [1, 3])
def test_messages_stay_until_they_are_taken(vectors: int) -> None:
    board = BoardControl(vectors)
    last = vectors - 1
    seen: list[int] = []

    def host() -> Generator[Any, Any, Any]:
        yield board.message.eq(last)
        yield board.sent.eq(1)
        yield
        yield board.sent.eq(0)
        yield
        yield
        seen.append((yield board._messages.status))
        yield board._taken.storage.eq(1 << last)
        yield board._taken.re.eq(1)
        yield
        yield board._taken.re.eq(0)
        yield
        yield
        seen.append((yield board._messages.status))

    board.finalize()
    run_simulation(board, host())
    assert seen == [1 << last, 0]
