# SPDX-License-Identifier: Apache-2.0
"""SuperblockTable's read ports, for the benches of the units that ask it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from sim.cocotb.support.bench import Bench

Record = dict[str, int]


class _Answers:
    """Drives a Valid input `prefix` with records that are due."""

    def __init__(self, bench: Bench, prefix: str) -> None:
        self.bench = bench
        self._valid = bench.input(f"{prefix}_valid")
        self._bits = {name: bench.input(handle._name) for name, handle in bench.fields(f"{prefix}_bits").items()}
        self._due: deque[tuple[int, Record]] = deque()

    def at(self, cycle: int, record: Record) -> None:
        self._due.append((cycle, record))

    def drive(self) -> None:
        now = bool(self._due) and self._due[0][0] <= self.bench.cycle
        self._valid.set(int(now))
        if now:
            record = self._due.popleft()[1]
            for name, port in self._bits.items():
                port.set(record.get(name, 0))


class SbReadPeer:
    """A port that is answered three cycles after the question was accepted, or later.

    `record` gives gen, epoch, valid, state and marks of a superblock; what it leaves out is 0.
    """

    def __init__(self, bench: Bench, prefix: str, record: Callable[[int], Record], stalls: float = 0.0) -> None:
        self.bench = bench
        self.stalls = stalls
        self.asked: list[int] = []  # superblocks, in the order of the questions
        self._record = record
        self._ask, self._sb = bench.signal(f"{prefix}_ask_valid"), bench.signal(f"{prefix}_ask_bits")
        self._ready = bench.input(f"{prefix}_ask_ready")
        self._takes = False
        self._answers = _Answers(bench, f"{prefix}_answer")
        bench.add(self)

    def drive(self) -> None:
        self._takes = not self.stalls or self.bench.rng.random() >= self.stalls
        self._ready.set(int(self._takes))
        self._answers.drive()

    def sample(self) -> None:
        if self._takes and self._ask.value == 1:
            sb = int(self._sb.value.to_unsigned())
            self.asked.append(sb)
            late = self.bench.rng.randrange(3) if self.stalls else 0
            self._answers.at(self.bench.cycle + 3 + late, self._record(sb))


class SbSaltPeer:
    """RemapTable's port: each question is accepted at once and answered two cycles later."""

    def __init__(self, bench: Bench, prefix: str, record: Callable[[int], Record]) -> None:
        self.bench = bench
        self._record = record
        self._ask, self._sb = bench.signal(f"{prefix}_ask_valid"), bench.signal(f"{prefix}_ask_bits")
        self._answers = _Answers(bench, f"{prefix}_answer")
        bench.add(self)

    def drive(self) -> None:
        self._answers.drive()

    def sample(self) -> None:
        if self._ask.value == 1:
            self._answers.at(self.bench.cycle + 2, self._record(int(self._sb.value.to_unsigned())))
