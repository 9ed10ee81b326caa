# SPDX-License-Identifier: Apache-2.0
"""Python stand-ins for the neighbours of the engines: page buffers, mapping, locks, seqs, fences, host transfers, NAND.

Each stands behind one port of the unit under test, which is the client. It answers after a random delay where the
hardware may, and records what a test needs. Peers can share one `log`, which shows the order of events on different
ports.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from sim.cocotb.support.bench import Bench
from sim.cocotb.support.geometry import BUFFERS, WORD_BYTES
from sim.cocotb.support.nand import NandStatus
from sim.cocotb.support.orm_formats import SLOT_BYTES
from sim.cocotb.support.stream import Pulse, Sink, Source, Transaction

Log = list[tuple[str, Transaction]]


class Buffers:
    """Contents of the page buffers, shared by the agents on both sides of a unit."""

    def __init__(self) -> None:
        self.pages = [bytearray(SLOT_BYTES) for _ in range(BUFFERS)]


class BufferReadPeer:
    """The memory behind a BufferReadPort."""

    def __init__(self, bench: Bench, prefix: str, buffers: Buffers, stalls: float = 0.0, gaps: float = 0.0) -> None:
        self.buffers = buffers
        Sink(bench, prefix + "_addr", stalls=stalls, on_take=self._asked)
        self._data = Source(bench, prefix + "_data", gaps=gaps)

    def _asked(self, t: Transaction) -> None:
        at = t["word"] * WORD_BYTES
        self._data.send(bits=int.from_bytes(self.buffers.pages[t["buf"]][at : at + WORD_BYTES], "little"))


class BufferWritePeer:
    """The memory behind a BufferWritePort."""

    def __init__(self, bench: Bench, prefix: str, buffers: Buffers, stalls: float = 0.0) -> None:
        self.buffers = buffers
        Sink(bench, prefix + "_write", stalls=stalls, on_take=self._written)

    def _written(self, t: Transaction) -> None:
        at = t["at_word"] * WORD_BYTES
        self.buffers.pages[t["at_buf"]][at : at + WORD_BYTES] = t["data"].to_bytes(WORD_BYTES, "little")


class PoolPeer:
    """A BufferPool: offers free buffers and takes them back. A buffer that is freed twice fails the test."""

    def __init__(self, bench: Bench, base: int, count: int) -> None:
        self.bench = bench
        self.base, self.count = base, count
        self.free = deque(range(base, base + count))
        self.hold = False
        self._valid = bench.input("io_bufAlloc_valid")
        self._bits = bench.input("io_bufAlloc_bits")
        bench.add(self)

    def drive(self) -> None:
        self._offer = bool(self.free) and not self.hold
        self._valid.set(int(self._offer))
        self._bits.set(self.free[0] if self._offer else 0)

    def sample(self) -> None:
        if self._offer and self.bench.read("io_bufAlloc_ready"):
            self.free.popleft()
        if self.bench.read("io_bufFree_valid"):
            buf = self.bench.read("io_bufFree_bits")
            assert self.base <= buf < self.base + self.count, f"buffer {buf} is of another pool"
            assert buf not in self.free, f"buffer {buf} was freed twice"
            self.free.append(buf)

    @property
    def all_free(self) -> bool:
        return len(self.free) == self.count


class LockPeer:
    """A LockArbiter as one client sees it. `busy = True` means that another client has the lock."""

    def __init__(self, bench: Bench, prefix: str = "io_mapLock", log: Log | None = None) -> None:
        self.bench = bench
        self.prefix = prefix
        self.busy = False
        self.owned = False
        self.log = [] if log is None else log
        bench.add(self)

    def drive(self) -> None:
        self.bench.write(self.prefix + "_granted", int(self.owned))

    def sample(self) -> None:
        want = bool(self.bench.read(self.prefix + "_want"))
        if self.owned and not want:
            self.log.append(("unlock", {}))
            self.owned = False
        elif want and not self.owned and not self.busy:
            self.log.append(("lock", {}))
            self.owned = True


class SeqPeer:
    """A SeqCounter. Drawing a seq without the lock fails the test."""

    def __init__(self, bench: Bench, lock: LockPeer, first: int = 1000) -> None:
        self.bench = bench
        self.lock = lock
        self.next = first
        bench.add(self)

    def drive(self) -> None:
        self.bench.write("io_seq_next", self.next)

    def sample(self) -> None:
        if self.bench.read("io_seq_take"):
            assert self.lock.owned, "a seq was drawn without the mapLock"
            self.lock.log.append(("seq", {"seq": self.next}))
            self.next += 1


class MapPeer:
    """A MapUnit client port. It answers with the result of `answer`."""

    def __init__(
        self,
        bench: Bench,
        answer: Callable[[Transaction], Transaction],
        stalls: float = 0.0,
        gaps: float = 0.0,
        log: Log | None = None,
    ) -> None:
        self.log = [] if log is None else log
        self.answer = answer
        self.req = Sink(bench, "io_map_req", stalls=stalls, on_take=self._asked)
        self.resp = Source(bench, "io_map_resp", gaps=gaps)
        self.hold = False

    def _asked(self, t: Transaction) -> None:
        self.log.append(("map", t))
        fields = self.resp._bits
        self.resp.send(**{name: value for name, value in self.answer(t).items() if name in fields})


class FencePeer:
    """A ProgramTracker's fence port. A fence ends when `open` is set."""

    def __init__(self, bench: Bench, prefix: str = "io_fence", log: Log | None = None) -> None:
        self.bench = bench
        self.prefix = prefix
        self.open = True
        self.log = [] if log is None else log
        self._done = False
        bench.add(self)

    def drive(self) -> None:
        self.bench.write(self.prefix + "_done", int(self._done))

    def sample(self) -> None:
        req = bool(self.bench.read(self.prefix + "_req"))
        if self._done:
            self._done = False
            self.log.append(("fence", {}))
        elif req and self.open:
            self._done = True


class HostReadPeer:
    """HostReader for one client. `supply` returns the data of a transfer, its first bad word (or None), and its status.

    Transfers may be requested ahead. The words of a transfer follow the `done` of the previous one. `done` comes
    `done_after` cycles after it might.
    """

    AHEAD = 2  # depth of the hardware's queue of transfers

    def __init__(
        self, bench: Bench, supply: Callable[[Transaction], tuple[bytes, int | None, int]], gaps: float = 0.0
    ) -> None:
        self.bench = bench
        self.supply = supply
        self.transfers = 0
        self.done_after = 0
        self._waited = 0
        self._status: int | None = None
        self._ahead: deque[tuple[bytes, int | None, int]] = deque()
        self._req = Sink(bench, "io_hostRead_req", on_take=self._asked)
        self._data = Source(bench, "io_hostRead_data", gaps=gaps)
        self._done = Pulse(bench, "io_hostRead_done")
        bench.add(self)

    def _asked(self, t: Transaction) -> None:
        supplied = self.supply(t)
        assert len(supplied[0]) == t["bytes"]
        self.transfers += 1
        self._ahead.append(supplied)

    def drive(self) -> None:
        self._req.hold = len(self._ahead) >= self.AHEAD
        if self._status is not None or not self._ahead:
            return
        data, bad_from, self._status = self._ahead.popleft()
        for i in range(0, len(data), WORD_BYTES):
            bad = bad_from is not None and i // WORD_BYTES >= bad_from
            word = 0 if bad else int.from_bytes(data[i : i + WORD_BYTES], "little")
            self._data.send(word=word, bad=int(bad))

    def sample(self) -> None:
        if self._status is None or self._data.pending:
            return
        if self._waited < self.done_after:
            self._waited += 1
            return
        self._done.send(bits=self._status)
        self._status = None
        self._waited = 0


class HostWritePeer:
    """HostWriter for one client. `written` collects (prp1, data); `status` is the outcome of the next transfers.

    A transfer may be asked for at any time; it is taken when the one before has all its words. `done` comes `delay`
    cycles after the last word. A second transfer may begin meanwhile, but no third one.
    """

    def __init__(self, bench: Bench, stalls: float = 0.0, delay: int = 0) -> None:
        self.written: list[tuple[int, bytes]] = []
        self.status = 0
        self._bench = bench
        self._current: Transaction | None = None
        self._data = bytearray()
        self.delay = delay
        self.overlaps = 0  # transfers that began before the last one was done
        self._settling: deque[tuple[int, int]] = deque()  # due, status
        self._req = Sink(bench, "io_hostWrite_req", stalls=stalls, on_take=self._asked)
        self.data = Sink(bench, "io_hostWrite_data", stalls=stalls, on_take=self._word)
        self._done = Pulse(bench, "io_hostWrite_done")
        bench.add(self)

    def _asked(self, t: Transaction) -> None:
        assert self._current is None, "two transfers at a time"
        self._current = t
        self.overlaps += bool(self._settling)

    def _word(self, t: Transaction) -> None:
        assert self._current is not None, "data without a transfer"
        self._data += t["bits"].to_bytes(WORD_BYTES, "little")
        if len(self._data) == self._current["bytes"]:
            self.written.append((self._current["prp1"], bytes(self._data)))
            self._current, self._data = None, bytearray()
            self._settling.append((self._bench.cycle + self.delay, self.status))

    def drive(self) -> None:
        self._req.hold = self._current is not None or len(self._settling) >= 2
        if self._settling and self._settling[0][0] <= self._bench.cycle:
            self._done.send(bits=self._settling.popleft()[1])

    def sample(self) -> None:
        pass


class NandReadPeer:
    """The scheduler's ports of the ReadEngine, and the writes to page buffers that it observes (`io_wrote`).

    A page arrives word by word, from `delay` cycles after its request on, with foreign writes in between. With
    `shuffle` it begins at a random time before that, and several pages arrive at once. `on_request` returns the page,
    or None if flash cannot read it. `spare` is the number of cycles between a page's last word and NAND's answer.
    """

    def __init__(
        self,
        bench: Bench,
        buffers: Buffers,
        on_request: Callable[[Transaction], bytes | None],
        stalls: float = 0.0,
        delay: int = 50,
        shuffle: bool = False,
        log: Log | None = None,
    ) -> None:
        self.bench = bench
        self.buffers = buffers
        self.on_request = on_request
        self.stalls = stalls
        self.delay = delay
        self.shuffle = shuffle
        self.log = [] if log is None else log
        self.requests: list[Transaction] = []
        self.words = 0  # written into buffers of the unit
        self.spare = 3
        self._due: list[tuple[int, Transaction]] = []
        self._coming: list[tuple[Transaction, bytes, int]] = []
        self._ended: list[tuple[int, Transaction]] = []  # all words are there; the spare area is still on the bus
        self.req = Sink(bench, "io_nand", stalls=stalls, on_take=self._asked)
        self._done = Source(bench, "io_nandDone")
        self._wrote = Pulse(bench, "io_wrote")
        bench.add(self)

    def _asked(self, t: Transaction) -> None:
        self.requests.append(t)
        self.log.append(("nand", t))
        delay = self.bench.rng.randrange(1, 2 * self.delay) if self.shuffle else self.delay
        self._due.append((self.bench.cycle + delay, t))

    def _answer(self, t: Transaction, status: NandStatus) -> None:
        self._done.send(op=t["op"], client=t["client"], slot=t["slot"], buf=t["buf"], status=status)

    def drive(self) -> None:
        rng = self.bench.rng
        for entry in [e for e in self._due if e[0] <= self.bench.cycle]:
            self._due.remove(entry)
            page = self.on_request(entry[1])
            if page is None:
                self._answer(entry[1], NandStatus.UNCORRECTABLE)
            else:
                self._coming.append((entry[1], page, 0))
        for ended in [e for e in self._ended if e[0] <= self.bench.cycle]:
            self._ended.remove(ended)
            self._answer(ended[1], NandStatus.OK)
        if rng.random() < self.stalls:
            if rng.random() < 0.5:  # another client's buffer
                self._wrote.send(buf=0, word=rng.randrange(SLOT_BYTES // WORD_BYTES))
        elif self._coming:
            t, page, at = self._coming.pop(rng.randrange(len(self._coming)) if self.shuffle else 0)
            self.buffers.pages[t["buf"]][at : at + WORD_BYTES] = page[at : at + WORD_BYTES]
            self._wrote.send(buf=t["buf"], word=at // WORD_BYTES)
            self.words += 1
            if at + WORD_BYTES == len(page):
                self._ended.append((self.bench.cycle + self.spare, t))
            else:
                self._coming.append((t, page, at + WORD_BYTES))

    def sample(self) -> None:
        pass


class NandRequestPeer:
    """The scheduler's ports of one client. Collects requests and answers them after `delay` cycles.

    With `shuffle` answers come in any order. `spare` returns the spare words of an answer; without it they are those of
    the request.
    """

    def __init__(
        self,
        bench: Bench,
        on_request: Callable[[Transaction], NandStatus],
        stalls: float = 0.0,
        delay: int = 50,
        shuffle: bool = False,
        log: Log | None = None,
        spare: Callable[[Transaction], int] | None = None,
    ) -> None:
        self.bench = bench
        self.on_request = on_request
        self.spare = spare or (lambda t: t.get("oob", 0))
        self.delay = delay
        self.shuffle = shuffle
        self.hold = False  # answers are held back
        self.log = [] if log is None else log
        self.requests: list[Transaction] = []
        self._due: list[tuple[int, Transaction]] = []
        self.req = Sink(bench, "io_nand", stalls=stalls, on_take=self._asked)
        bench.add(self)
        # A client that may not hold answers back has a Valid port.
        self._done = (Source if bench.has("io_nandDone_ready") else Pulse)(bench, "io_nandDone")

    def _asked(self, t: Transaction) -> None:
        self.requests.append(t)
        self.log.append(("nand", t))
        delay = self.bench.rng.randrange(1, 2 * self.delay) if self.shuffle else self.delay
        self._due.append((self.bench.cycle + delay, t))

    def drive(self) -> None:
        if self.hold:
            return
        for entry in [e for e in self._due if e[0] <= self.bench.cycle]:
            self._due.remove(entry)
            t = entry[1]
            fields = self._done._bits
            answer = dict(t) | {"status": self.on_request(t), "oob": self.spare(t)}
            self._done.send(**{name: answer[name] for name in fields if name in answer})

    def sample(self) -> None:
        pass
