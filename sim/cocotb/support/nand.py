# SPDX-License-Identifier: Apache-2.0
"""Flash behind one NAND port (hw/src/nand/NandPort.scala). Illegal use fails the test, because it is a bug of the
controller.

Illegal are: a command to a busy die; a data phase while another one runs; a read of a page that was never programmed;
pages of a block out of order or programmed twice; a transfer without a good read or probe before it; a read-retry level
that does not follow a loss at the previous one. A page of several slots is programmed as a whole, and transferred slot
by slot.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sim.cocotb.support.bench import Bench
from sim.cocotb.support.codes import NandClient as NandClient
from sim.cocotb.support.codes import NandOp as NandOp
from sim.cocotb.support.codes import NandStatus as NandStatus
from sim.cocotb.support.codes import RequestOp as RequestOp
from sim.cocotb.support.geometry import (
    DIES_PER_CHANNEL,
    OOB_WORDS,
    PAGES_PER_BLOCK,
    SLOTS_PER_PAGE,
    WORD_BYTES,
    WORDS_PER_SLOT,
)
from sim.cocotb.support.stream import Sink, Source, Transaction

Address = tuple[int, int, int]  # die, block, page
Slot = tuple[bytes, bytes]  # data, spare
Page = list[Slot]


@dataclass
class _Die:
    busy_until: int | None = None  # cycle in which the array operation ends
    status: NandStatus = NandStatus.OK
    weak: bool = False
    register: Page | None = None
    probed: bool = False
    lost_at: tuple[Address, int] | None = None  # page and read-retry level of the last sensing, if something was lost
    programming: Address | None = None  # in its data phase
    current: Address | None = None  # in the array
    words: list[bytes] = field(default_factory=list)


class NandPortModel:
    """One channel. `pages` is the flash. Times are in cycles, and short to keep tests fast.

    Programs of the addresses in `fail_program`, and erases of the blocks (die, block) in `fail_erase`, end with FAILED.
    Pages in `uncorrectable` cannot be read; of those in `spare_only` only the spare area can. A page in `cured_by` can
    be read from that read-retry level on. Reads of pages in `weak` are reported as marginal. `operations` is the log of
    array operations in the order of their commands, `retries` that of the repeated ones, with their level.
    """

    def __init__(
        self,
        bench: Bench,
        prefix: str = "io_nand",
        stalls: float = 0.0,
        gaps: float = 0.0,
        read_cycles: int = 60,
        program_cycles: int = 200,
        erase_cycles: int = 400,
    ) -> None:
        self.bench = bench
        self.times = {
            NandOp.READ: read_cycles,
            NandOp.PROBE: read_cycles,
            NandOp.PROGRAM: program_cycles,
            NandOp.ERASE: erase_cycles,
        }
        self.pages: dict[Address, Page] = {}
        self.frontier: dict[tuple[int, int], int] = {}
        self.uncorrectable: set[Address] = set()
        self.spare_only: set[Address] = set()
        self.fail_program: set[Address] = set()
        self.fail_erase: set[tuple[int, int]] = set()
        self.cured_by: dict[Address, int] = {}
        self.weak: set[Address] = set()
        self.operations: list[tuple[NandOp, Address]] = []
        self.retries: list[tuple[NandOp, Address, int]] = []
        self.max_busy = 0  # maximum of dies that worked at the same time
        self._dies = [_Die() for _ in range(DIES_PER_CHANNEL)]
        self._out_left = 0  # words of a transfer not yet taken
        self._program: int | None = None  # die in its program data phase
        Sink(bench, prefix + "_cmd", stalls=stalls, stable=True, on_take=self._command)
        Sink(bench, prefix + "_wdata", stalls=stalls, on_take=self._word)
        bench.add(self)
        self._rdata = Source(bench, prefix + "_rdata", gaps=gaps)
        self._result = Source(bench, prefix + "_result", gaps=gaps)

    # ---- for tests
    def preload(self, die: int, block: int, page: int, slots: Page) -> None:
        """Fills a page as if it had been programmed."""
        assert len(slots) == SLOTS_PER_PAGE
        for data, spare in slots:
            assert len(data) == WORDS_PER_SLOT * WORD_BYTES and len(spare) == OOB_WORDS * WORD_BYTES
        self.pages[die, block, page] = slots
        self.frontier[die, block] = max(self.frontier.get((die, block), 0), page + 1)

    def power_cut(self) -> None:
        """Cuts the power: a page being programmed is torn, a block being erased is erased."""
        for die in self._dies:
            if die.current is not None:
                self.uncorrectable.add(die.current)
            if die.programming is not None:  # only its data phase was under way: the array is unchanged
                die.programming = None
        self._dies = [_Die() for _ in self._dies]
        self._program = None
        self._rdata.clear()
        self._result.clear()

    @property
    def idle(self) -> bool:
        return all(d.busy_until is None for d in self._dies) and self._program is None and not self._rdata.pending

    # ---- the port
    def _command(self, t: Transaction) -> None:
        op = NandOp(t.get("op", 0))
        number = t.get("die", 0)
        at = (number, t.get("block", 0), t.get("page", 0))
        die = self._dies[number]
        assert die.busy_until is None and die.programming is None, f"{op.name} to die {number}, which is busy"
        if op == NandOp.TRANSFER:
            assert self._program is None and not self._rdata.pending, "a data phase while another one runs"
            assert die.register is not None, f"transfer from die {number}, which has nothing to give"
            data, spare = die.register[t.get("sub", 0)]
            words = spare if die.probed else data + spare
            die.register = None
            for i in range(0, len(words), WORD_BYTES):
                word = int.from_bytes(words[i : i + WORD_BYTES], "little")
                self._rdata.send(data=word, last=int(i + WORD_BYTES == len(words)))
            return
        senses = op in (NandOp.READ, NandOp.PROBE)
        level = t["retry"]
        assert senses or (t.get("sub", 0), level) == (0, 0), f"{op.name} of a slot, or at a level"
        if level == 0:
            self.operations.append((op, at))
        else:
            assert die.lost_at == (at, level - 1), f"{op.name} at level {level} after {die.lost_at}"
            self.retries.append((op, at, level))
        die.register = die.lost_at = None
        die.weak = op == NandOp.READ and at in self.weak
        if op == NandOp.PROGRAM:
            assert self._program is None and not self._rdata.pending, "a data phase while another one runs"
            expected = self.frontier.get(at[:2], 0)
            assert at[2] == expected, f"program of page {at[2]} in block {at[:2]}, whose next page is {expected}"
            die.programming = at
            die.words = []
            self._program = number
            return
        if op == NandOp.ERASE:
            if at[:2] in self.fail_erase:
                die.status = NandStatus.FAILED
            else:
                die.status = NandStatus.OK
                for page in range(PAGES_PER_BLOCK):
                    self.pages.pop((at[0], at[1], page), None)
                self.frontier[at[:2]] = 0
        else:
            die.probed = op == NandOp.PROBE
            cured = level >= self.cured_by.get(at, level + 1)
            if not cured and (at in self.uncorrectable or (at in self.spare_only and not die.probed)):
                die.lost_at = (at, level)
            if cured and at in self.pages:
                die.status = NandStatus.OK
                die.register = self.pages[at]
            elif at in self.uncorrectable:
                die.status = NandStatus.UNCORRECTABLE
            elif at in self.spare_only:
                die.status = NandStatus.FAILED if die.probed else NandStatus.UNCORRECTABLE
                die.register = self.pages[at] if die.probed else None
            elif at in self.pages:
                die.status = NandStatus.OK
                die.register = self.pages[at]
            else:
                assert die.probed, f"read of page {at}, which was never programmed"
                die.status = NandStatus.ERASED
        self._start(number, op)

    def _word(self, t: Transaction) -> None:
        assert self._program is not None, "program data without a program"
        die = self._dies[self._program]
        die.words.append(t["data"].to_bytes(WORD_BYTES, "little"))
        total = SLOTS_PER_PAGE * (WORDS_PER_SLOT + OOB_WORDS)
        assert bool(t["last"]) == (len(die.words) == total), f"last at word {len(die.words)} of {total}"
        if not t["last"]:
            return
        at = die.programming
        assert at is not None
        self.frontier[at[:2]] = at[2] + 1
        if at in self.fail_program:
            die.status = NandStatus.FAILED
            self.uncorrectable.add(at)
        else:
            die.status = NandStatus.OK
        self.pages[at] = [self._slot(die.words, i) for i in range(SLOTS_PER_PAGE)]
        die.current, die.programming = at, None
        number, self._program = self._program, None
        self._start(number, NandOp.PROGRAM)

    @staticmethod
    def _slot(words: list[bytes], sub: int) -> Slot:
        first = sub * (WORDS_PER_SLOT + OOB_WORDS)
        spare = first + WORDS_PER_SLOT
        return b"".join(words[first:spare]), b"".join(words[spare : spare + OOB_WORDS])

    def _start(self, number: int, op: NandOp) -> None:
        self._dies[number].busy_until = self.bench.cycle + self.times[op]
        self.max_busy = max(self.max_busy, sum(d.busy_until is not None for d in self._dies))

    def drive(self) -> None:
        for number, die in enumerate(self._dies):
            if die.busy_until is not None and die.busy_until <= self.bench.cycle:
                die.busy_until = die.current = None
                weak = die.weak and die.status == NandStatus.OK
                self._result.send(die=number, status=die.status, weak=int(weak))

    def sample(self) -> None:
        pass
