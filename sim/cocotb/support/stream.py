# SPDX-License-Identifier: Apache-2.0
"""Agents for ready/valid (`Decoupled`) and valid-only (`Valid`) ports.

A transaction is a dict from field name to value. `io_in_bits_slot` is the field `slot`; nested bundles join with `_`. A
port whose `bits` is a plain number has one field, `bits`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from sim.cocotb.support.bench import DEFAULT_TIMEOUT, Bench, Input, to_int

Transaction = dict[str, int]


def bits_of(bench: Bench, prefix: str) -> dict[str, Any]:
    """Handles of the payload of port `prefix`."""
    return {name or "bits": handle for name, handle in bench.fields(prefix + "_bits").items()}


def inputs_of(bench: Bench, prefix: str) -> dict[str, Input]:
    """Payload of port `prefix`, which is an input of the unit."""
    return {name: bench.input(handle._name) for name, handle in bits_of(bench, prefix).items()}


class Source:
    """Drives a Decoupled input of the unit. `gaps`: share of idle cycles."""

    def __init__(self, bench: Bench, prefix: str, gaps: float = 0.0) -> None:
        self.bench = bench
        self.prefix = prefix
        self.gaps = gaps
        self.sent = 0  # transactions that the unit has accepted
        self._queue: deque[Transaction] = deque()
        self._valid = bench.input(prefix + "_valid")
        self._ready = bench.signal(prefix + "_ready")
        self._bits = inputs_of(bench, prefix)
        self._offered: Transaction | None = None
        bench.add(self)

    def send(self, **fields: int) -> None:
        """Queues a transaction. Fields that are not given are 0."""
        unknown = set(fields) - set(self._bits)
        # A field of zero width has no port; its only value is 0.
        bad = [name for name in unknown if fields[name] != 0]
        assert not bad, f"{self.prefix} has no field {bad}; it has {sorted(self._bits)}"
        self._queue.append({name: fields.get(name, 0) for name in self._bits})

    @property
    def offered(self) -> Transaction | None:
        """The transaction that is offered in this cycle."""
        return self._offered

    @property
    def pending(self) -> int:
        """Number of transactions that are not accepted yet."""
        return len(self._queue) + (self._offered is not None)

    async def drained(self, timeout: int = DEFAULT_TIMEOUT) -> None:
        """Waits until every transaction is accepted."""
        await self.bench.until(lambda: self.pending == 0, f"{self.prefix} to take everything", timeout)

    def clear(self) -> None:
        """Drops transactions that are not accepted (power cut)."""
        self._queue.clear()
        self._offered = None

    def drive(self) -> None:
        if self._offered is None and self._queue and self.bench.rng.random() >= self.gaps:
            self._offered = self._queue.popleft()
            for name, port in self._bits.items():
                port.set(self._offered[name])
        self._valid.set(int(self._offered is not None))

    def sample(self) -> None:
        if self._offered is not None and to_int(self._ready):
            self._offered = None
            self.sent += 1


class Sink:
    """Takes transactions from a Decoupled output of the unit. `stalls`: share of cycles in which it is not ready.

    `hold = True` stops it completely. `stable`: the unit must keep valid and payload until they are accepted, as AXI
    demands. `counts` excludes fields without a meaning in the transaction, which may change. `on_take` is called with
    each transaction when it is accepted.
    """

    def __init__(
        self,
        bench: Bench,
        prefix: str,
        stalls: float = 0.0,
        stable: bool = False,
        counts: Callable[[Transaction], Transaction] = lambda t: t,
        on_take: Callable[[Transaction], None] | None = None,
    ) -> None:
        self.bench = bench
        self.prefix = prefix
        self.stalls = stalls
        self.hold = False
        self.stable = stable
        self.counts = counts
        self.on_take = on_take
        self.taken: deque[Transaction] = deque()
        self.count = 0
        self._valid = bench.signal(prefix + "_valid")
        self._ready = bench.input(prefix + "_ready")
        self._bits = bits_of(bench, prefix)
        self._ready_now = False
        self._waiting: Transaction | None = None
        bench.add(self)

    async def get(self, timeout: int = DEFAULT_TIMEOUT) -> Transaction:
        """The next transaction."""
        await self.bench.until(lambda: bool(self.taken), f"a transaction on {self.prefix}", timeout)
        return self.taken.popleft()

    def clear(self) -> None:
        """Forgets what it has taken, and what waits (power cut)."""
        self.taken.clear()
        self.forget()

    def drive(self) -> None:
        self._ready_now = not self.hold and self.bench.rng.random() >= self.stalls
        self._ready.set(int(self._ready_now))

    def forget(self) -> None:
        """The unit is reset: what it offered is gone."""
        self._waiting = None

    def pause(self) -> None:
        """Not ready in this cycle, whatever `drive` said."""
        self._ready_now = False
        self._ready.set(0)

    def sample(self) -> None:
        valid = bool(to_int(self._valid))
        if not valid:
            assert not (self.stable and self._waiting), f"{self.prefix}: valid fell before it was taken"
            return
        if not (self.stable or self._ready_now):
            return
        now = {name: to_int(handle) for name, handle in self._bits.items()}
        if self.stable and self._waiting is not None:
            assert self.counts(now) == self.counts(self._waiting), (
                f"{self.prefix}: changed from {self._waiting} to {now} while waiting"
            )
        self._waiting = None if self._ready_now else now
        if self._ready_now:
            self.count += 1
            if self.on_take:
                self.on_take(now)
            else:
                self.taken.append(now)


class Watch:
    """Collects the transactions of a Valid output. A plain Bool output (a pulse) gives empty transactions."""

    def __init__(self, bench: Bench, prefix: str, on_seen: Callable[[Transaction], None] | None = None) -> None:
        self.bench = bench
        self.prefix = prefix
        self.on_seen = on_seen
        self.seen: deque[Transaction] = deque()
        plain = bench.has(prefix)
        self._valid = bench.signal(prefix if plain else prefix + "_valid")
        self._bits = {} if plain else bits_of(bench, prefix)
        bench.add(self)

    async def get(self, timeout: int = DEFAULT_TIMEOUT) -> Transaction:
        """The next one."""
        await self.bench.until(lambda: bool(self.seen), f"a pulse on {self.prefix}", timeout)
        return self.seen.popleft()

    def drive(self) -> None:
        pass

    def sample(self) -> None:
        if to_int(self._valid):
            now = {name: to_int(handle) for name, handle in self._bits.items()}
            if self.on_seen:
                self.on_seen(now)
            else:
                self.seen.append(now)


class Pulse:
    """Drives a Valid input (`send`), or a plain Bool input, for one cycle a transaction.

    `apart`: cycles from one transaction to the next, where the unit asks for more than one.
    """

    def __init__(self, bench: Bench, prefix: str, apart: int = 1) -> None:
        self.bench = bench
        self.apart = apart
        self._next = 0  # cycle from which on the next transaction may come
        self.prefix = prefix
        plain = bench.has(prefix)
        self._queue: deque[Transaction] = deque()
        self._valid = bench.input(prefix if plain else prefix + "_valid")
        self._bits = {} if plain else inputs_of(bench, prefix)
        self._driven = False
        bench.add(self)

    def send(self, **fields: int) -> None:
        unknown = set(fields) - set(self._bits)
        bad = [name for name in unknown if fields[name] != 0]
        assert not bad, f"{self.prefix} has no field {bad}; it has {sorted(self._bits)}"
        self._queue.append({name: fields.get(name, 0) for name in self._bits})

    async def sent(self) -> None:
        """Waits until the unit has seen the last transaction."""
        await self.bench.until(lambda: not self._queue and not self._driven, f"pulses on {self.prefix}")
        await self.bench.clock()

    def drive(self) -> None:
        self._driven = bool(self._queue) and self.bench.cycle >= self._next
        if self._driven:
            self._next = self.bench.cycle + self.apart
            now = self._queue.popleft()
            for name, port in self._bits.items():
                port.set(now[name])
        self._valid.set(int(self._driven))

    def sample(self) -> None:
        self._driven = False
