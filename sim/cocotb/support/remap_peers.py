# SPDX-License-Identifier: Apache-2.0
"""Python stand-ins for RemapTable's append and capacity ports and for the Journal.

As those of support.peers they record events in a shared `log`, so that a test can check orders across ports.
"""

from __future__ import annotations

from collections import Counter

from sim.cocotb.support.bench import Bench
from sim.cocotb.support.codes import JournalOp
from sim.cocotb.support.nvram_layout import ENTRIES_PER_SEG, SEGMENTS_PER_CHAIN
from sim.cocotb.support.peers import Log
from sim.cocotb.support.stream import Pulse, Sink, Transaction


class AppendPeer:
    """RemapTable's append port.

    Entries become durable `latency` cycles after acceptance, and are then logged as `durable`.
    """

    def __init__(self, bench: Bench, stalls: float = 0.0, latency: int = 20, log: Log | None = None) -> None:
        self.bench = bench
        self.latency = latency
        self.log = [] if log is None else log
        self.entries: list[Transaction] = []
        self.hold = False  # while set, nothing becomes durable
        self.segments: CapacityPeer | None = None  # provides the free segments for appends; each append must find one
        self._due: list[tuple[int, Transaction]] = []
        Sink(bench, "io_append_entry", stalls=stalls, stable=True, on_take=self._taken)
        bench.add(self)

    def _taken(self, t: Transaction) -> None:
        if self.segments is not None:
            self.segments.free -= self.segments.extra(t["sb"], 1)
            assert self.segments.free >= 0, "an append without a free segment"
        self.entries.append(t)
        self.log.append(("append", t))
        self._due.append((self.bench.cycle + self.latency, t))

    def drive(self) -> None:
        while self._due and not self.hold and self._due[0][0] <= self.bench.cycle:
            self.log.append(("durable", self._due.pop(0)[1]))
        self.bench.write("io_append_drained", int(not self._due))

    def sample(self) -> None:
        pass


class CapacityPeer:
    """RemapTable's capacity port: `used` entries by superblock, `free` segments.

    Answers come `ANSWERS_AFTER` cycles after their questions and are of the chains at that time. In other cycles they
    are of other chains, as those of the other asker would be.
    """

    ANSWERS_AFTER = 5  # RemapTable.answersAfter

    def __init__(self, bench: Bench, free: int = 400) -> None:
        self.bench = bench
        self.used: Counter[int] = Counter()
        self.free = free
        self._answers: dict[int, dict[str, int]] = {}  # by cycle
        bench.add(self)

    @staticmethod
    def _segments(entries: int) -> int:
        return -(-entries // ENTRIES_PER_SEG)

    def extra(self, sb: int, entries: int) -> int:
        """Number of new segments that `entries` more entries take."""
        return self._segments(self.used[sb] + entries) - self._segments(self.used[sb])

    def fits(self, sb: int, entries: int) -> bool:
        return self._segments(self.used[sb] + entries) <= SEGMENTS_PER_CHAIN

    def drive(self) -> None:
        others = {name: self.bench.rng.randrange(2) for name in ("segments", "begins", "fits")}
        answer = self._answers.pop(self.bench.cycle, others)
        for name, value in (answer | {"free": self.free}).items():
            if self.bench.has(f"io_capacity_{name}"):
                self.bench.write(f"io_capacity_{name}", value)

    def sample(self) -> None:
        if not self.bench.read("io_capacity_ask_valid"):
            return
        sb, entries = self.bench.read("io_capacity_ask_bits_sb"), self.bench.read("io_capacity_ask_bits_entries")
        self._answers[self.bench.cycle + self.ANSWERS_AFTER] = {
            "segments": self.extra(sb, entries),
            "begins": self.extra(sb, entries) - self.extra(sb, entries - 1) if entries else 0,
            "fits": int(self.fits(sb, entries)),
        }


class JournalPeer:
    """A Journal client port.

    Logs `journal` when it takes a request, and `recorded` when it answers `latency` cycles later.
    """

    TRIM, COMMIT, BLOCK = JournalOp.TRIM, JournalOp.COMMIT, JournalOp.BLOCK

    def __init__(self, bench: Bench, stalls: float = 0.0, latency: int = 20, log: Log | None = None) -> None:
        self.bench = bench
        self.latency = latency
        self.log = [] if log is None else log
        self.requests: list[Transaction] = []
        self._due: tuple[int, Transaction] | None = None
        self._req = Sink(bench, "io_journal_req", stalls=stalls, stable=True, on_take=self._taken)
        self._done = Pulse(bench, "io_journal_done")
        bench.add(self)

    def _taken(self, t: Transaction) -> None:
        assert self._due is None, "a second request before the answer"
        t = {"op": self.TRIM, "lpn": 0, "pages": 0, "seq": 0, "gen": 0, "epoch": 0, "set": 0} | t
        self.requests.append(t)
        self.log.append(("journal", t))
        self._due = (self.bench.cycle + self.latency, t)

    def drive(self) -> None:
        if self._due and self._due[0] <= self.bench.cycle:
            self.log.append(("recorded", self._due[1]))
            self._due = None
            self._done.send()

    def sample(self) -> None:
        pass
