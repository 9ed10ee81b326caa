# SPDX-License-Identifier: Apache-2.0
"""Tests of RemapTable against a Python reference of its chains: bytes in NVRAM, walks, capacity, free list."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import AxiMemory, Memory
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.geometry import SLOTS_PER_SB, SUPERBLOCKS
from sim.cocotb.support.nvram_layout import (
    CHAIN_ENTRIES,
    ENTRIES_PER_SEG,
    GC_RESERVE_SEGMENTS,
    RECORD_BYTES,
    SEGMENTS,
    SEGMENTS_PER_CHAIN,
    segment_addr,
)
from sim.cocotb.support.orm_formats import RemapEntry, SegmentHeader
from sim.cocotb.support.stream import Pulse, Sink, Source, Transaction, Watch
from sim.cocotb.support.superblock_peers import SbSaltPeer

ENGINE, GC = range(2)  # append and capacity ports
ANSWERS_AFTER = 5  # RemapTable.answersAfter
LOOKS_AFTER = 2  # cycles from a change of the superblock to its chain's length
Entry = tuple[int, int, int]  # offset, lpn, seq


class GenerationPeer:
    """SuperblockTable's read port: generation and epoch of the superblock that the unit names."""

    def __init__(self, bench: Bench) -> None:
        self.gen = [bench.rng.getrandbits(32) for _ in range(SUPERBLOCKS)]
        self.epoch = [bench.rng.getrandbits(8) for _ in range(SUPERBLOCKS)]
        SbSaltPeer(bench, "io_sbRead", lambda sb: {"gen": self.gen[sb], "epoch": self.epoch[sb]})


class TB:
    """Source append[2], start, freeChain -> RemapTable -> AxiMemory (NVRAM); Sink walk.entry; firmware's load ports.

    `chains` is the reference: per superblock its segments, oldest first, each with its entries.
    """

    def __init__(self, dut: Any, stalls: float = 0.0) -> None:
        self.bench = bench = Bench(dut)
        self.memory = Memory()
        self.nvram = AxiMemory(bench, "io_nvram", self.memory, stalls=stalls, gaps=stalls)
        self.append_ports = [Source(bench, f"io_append_{i}_entry", gaps=stalls) for i in range(2)]
        self.start = Source(bench, "io_walk_start")
        self.walked = Sink(bench, "io_walk_entry", stalls=stalls, stable=True)
        self.free_chain = Source(bench, "io_freeChain")
        self.set_aside = Source(bench, "io_setAside")
        self.drop_old = Source(bench, "io_dropOld")
        self.load_free = Source(bench, "io_fw_free", gaps=stalls)
        self.load_chain = Pulse(bench, "io_fw_chain")
        self.load_link = Pulse(bench, "io_fw_link")
        self.bad = Watch(bench, "io_event_badEntry")
        self.appended = Watch(bench, "io_event_appended")
        self.freed = Watch(bench, "io_event_freedSegment")
        self.generations = GenerationPeer(bench)
        self.free: list[int] = []
        self.chains: dict[int, list[tuple[int, list[Entry]]]] = {}
        self.load_part = Pulse(bench, "io_fw_part")
        self.place_ = Pulse(bench, "io_place")
        self.parts: dict[int, tuple[int, int, int]] = {}  # destaged: set, slots, segments

    async def begin(self, segments: int = SEGMENTS) -> None:
        """Resets the unit, with a free list of `segments` segments in random order."""
        await self.bench.start()
        await self.bench.until(lambda: self.bench.read("io_quiet") == 1, "the table to be cleared")
        self.free = list(range(SEGMENTS))
        self.bench.rng.shuffle(self.free)
        del self.free[segments:]
        for segment in self.free:
            self.load_free.send(bits=segment)
        await self.load_free.drained()
        await self.bench.clock(2)
        assert self.bench.read("io_freeSegments") == segments

    def append(self, sb: int, entry: Entry, port: int = ENGINE) -> None:
        """Appends an entry to the unit and to the reference."""
        offset, lpn, seq = entry
        self.append_ports[port].send(sb=sb, offset=offset, lpn=lpn, seq=seq)
        chain = self.chains.setdefault(sb, [])
        if not chain or len(chain[-1][1]) == ENTRIES_PER_SEG:
            chain.append((self.free.pop(0), []))
        chain[-1][1].append(entry)

    def random_entry(self) -> Entry:
        rng = self.bench.rng
        return rng.randrange(SLOTS_PER_SB), rng.getrandbits(32), rng.getrandbits(48)

    async def drained(self) -> None:
        for port in self.append_ports:
            await port.drained()
        await self.bench.until(lambda: self.bench.read("io_append_0_drained") == 1, "drained")
        assert self.bench.read("io_append_1_drained") == 1

    def check_nvram(self) -> None:
        """Every segment of every chain holds the documented bytes (I4: in one chain or free)."""
        owned = [segment for chain in self.chains.values() for segment, _ in chain]
        assert sorted(owned + self.free) == sorted(set(owned + self.free))
        for sb, chain in self.chains.items():
            gen, epoch = self.generations.gen[sb], self.generations.epoch[sb]
            for index, (segment, entries) in enumerate(chain):
                prev = chain[index - 1][0] if index else segment
                header = SegmentHeader(sb=sb, index=index, gen=gen, prev=prev, epoch=epoch)
                assert self.memory.read(segment_addr(segment), RECORD_BYTES) == header.pack(), (sb, index)
                for i, (offset, lpn, seq) in enumerate(entries):
                    record = RemapEntry(lpn=lpn, offset=offset, seq=seq).pack(sb, gen, epoch)
                    assert self.memory.read(segment_addr(segment, 1 + i), RECORD_BYTES) == record, (sb, index, i)

    async def walk(self, sb: int, pause: int = 0) -> list[Entry]:
        """What a walk finds. `pause`: cycles in which its reader takes nothing, after three entries."""
        self.start.send(bits=sb)
        found: list[Entry] = []
        while True:
            beat: Transaction = await self.walked.get()
            if beat["last"]:
                assert not beat["valid_"]
                return found
            assert beat["valid_"] and beat["e_sb"] == sb
            found.append((beat["e_offset"], beat["e_lpn"], beat["e_seq"]))
            if len(found) == 3:
                self.walked.hold = True
                await self.bench.clock(pause)
                self.walked.hold = False

    def expected_walk(self, sb: int) -> list[Entry]:
        return [entry for _, entries in reversed(self.chains.get(sb, [])) for entry in entries]

    async def give_back(self, sb: int) -> None:
        """The superblock was erased: its chain is freed, newest segment first. Its generation was raised before."""
        self.generations.gen[sb] = (self.generations.gen[sb] + 1) & 0xFFFFFFFF
        self.free_chain.send(bits=sb)
        await self.free_chain.drained()
        await self.bench.until(lambda: self.bench.read("io_quiet") == 1, "quiet")
        self.free += [segment for segment, _ in reversed(self.chains.pop(sb, []))]
        self.parts.pop(sb, None)

    async def place(self, sb: int, part: tuple[int, int, int], load: bool = False) -> None:
        """Part of a chain is destaged, or was at start-up."""
        self.parts[sb] = part
        port = self.load_part if load else self.place_
        port.send(sb=sb, part_set=part[0], part_slots=part[1], part_segments=part[2])
        await port.sent()
        await self.bench.clock(2)

    async def check_parts(self) -> None:
        for sb in range(SUPERBLOCKS):
            for look in range(2):
                self.bench.write(f"io_look_{look}_sb", sb)
            await self.bench.clock(LOOKS_AFTER)
            for look in range(2):
                shown = tuple(self.bench.read(f"io_look_{look}_destaged_{n}") for n in ("set", "slots", "segments"))
                assert shown == self.parts.get(sb, (0, 0, 0)) or shown[0] == 0 == self.parts[sb][0]

    async def compact(self, sb: int, live: list[Entry]) -> None:
        """Sets the chain aside, writes `live` as a new one of the next epoch, drops the old one."""
        self.set_aside.send(bits=sb)
        await self.set_aside.drained()
        old = self.chains.pop(sb, [])
        self.generations.epoch[sb] += 1
        for entry in live:
            self.append(sb, entry, GC)
        await self.drained()
        self.drop_old.send()
        await self.drop_old.drained()
        await self.bench.until(lambda: self.bench.read("io_quiet") == 1, "quiet")
        self.free += [segment for segment, _ in reversed(old)]

    async def capacity(self, sb: int, entries: int, port: int = ENGINE) -> tuple[int, bool, int]:
        """The question is there for one cycle, before and behind others of the same asker."""
        ask = f"io_capacity_{port}_ask"
        for asked in (False, True, False):
            self.bench.write(f"{ask}_valid", 1)
            self.bench.write(f"{ask}_bits_sb", sb if asked else self.bench.rng.randrange(SUPERBLOCKS))
            self.bench.write(f"{ask}_bits_entries", entries if asked else self.bench.rng.randrange(CHAIN_ENTRIES))
            await self.bench.clock()
        self.bench.write(f"{ask}_valid", 0)
        await self.bench.clock(ANSWERS_AFTER - 2)
        read = self.bench.read
        return (
            read(f"io_capacity_{port}_segments"),
            bool(read(f"io_capacity_{port}_fits")),
            read(f"io_capacity_{port}_free"),
        )

    def expected_capacity(self, sb: int, entries: int, port: int = ENGINE) -> tuple[int, bool, int]:
        chain = self.chains.get(sb, [])
        room = ENTRIES_PER_SEG - len(chain[-1][1]) if chain else 0
        segments = -(-max(entries - room, 0) // ENTRIES_PER_SEG)
        reserve = GC_RESERVE_SEGMENTS if port == ENGINE else 0
        length = len(chain) + segments + self.parts.get(sb, (0, 0, 0))[2]
        return segments, length <= SEGMENTS_PER_CHAIN, max(len(self.free) - reserve, 0)


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.4])
async def random_operations_match_the_reference(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls)
    await tb.begin()
    rng = tb.bench.rng
    superblocks = rng.sample(range(SUPERBLOCKS), 6)
    for _ in range(60):
        sb = rng.choice(superblocks)
        action = rng.random()
        if action < 0.6:
            before = ENGINE
            for _ in range(rng.randrange(1, 50)):
                port = rng.choice((before, before, ENGINE, GC))
                if port != before:
                    await tb.drained()  # the engines take turns, and each turn ends with all entries durable
                before = port
                segments, fits, _ = tb.expected_capacity(sb, 1)
                if fits and segments <= len(tb.free):
                    tb.append(sb, tb.random_entry(), port)
                if rng.random() < 0.5:
                    await tb.append_ports[port].drained()
        elif action < 0.8:
            assert await tb.walk(sb) == tb.expected_walk(sb)
        elif action < 0.85:
            await tb.give_back(sb)
        elif action < 0.95:
            chain = tb.expected_walk(sb)
            live = rng.sample(chain, rng.randrange(len(chain) + 1))
            if -(-len(live) // ENTRIES_PER_SEG) <= len(tb.free):
                await tb.drained()
                await tb.compact(sb, live)
        entries, port = rng.randrange(CHAIN_ENTRIES + 1), rng.randrange(2)
        await tb.drained()
        assert await tb.capacity(sb, entries, port) == tb.expected_capacity(sb, entries, port)
        assert tb.bench.read("io_freeSegments") == len(tb.free)
    await tb.drained()
    tb.check_nvram()
    for sb in superblocks:
        assert await tb.walk(sb) == tb.expected_walk(sb)
    assert not tb.bad.seen


@cocotb.test()
async def capacity_at_its_edges(dut: Any) -> None:
    tb = TB(dut)
    await tb.begin()
    for fill in (0, 1, ENTRIES_PER_SEG - 1, ENTRIES_PER_SEG, ENTRIES_PER_SEG + 1):
        sb = fill
        for _ in range(fill):
            tb.append(sb, tb.random_entry())
        await tb.drained()
        for entries in (0, 1, 30, 31, 32, 61, 62, 63, CHAIN_ENTRIES - 1, CHAIN_ENTRIES, CHAIN_ENTRIES + 1):
            assert await tb.capacity(sb, entries) == tb.expected_capacity(sb, entries), (fill, entries)
            assert await tb.capacity(sb, entries, GC) == tb.expected_capacity(sb, entries, GC), (fill, entries)


@cocotb.test()
async def a_full_chain_still_walks(dut: Any) -> None:
    tb = TB(dut)
    await tb.begin()
    for _ in range(CHAIN_ENTRIES):
        tb.append(9, tb.random_entry())
    await tb.drained()
    assert await tb.capacity(9, 1) == (1, False, SEGMENTS - SEGMENTS_PER_CHAIN - GC_RESERVE_SEGMENTS)
    tb.check_nvram()
    assert await tb.walk(9, pause=100) == tb.expected_walk(9)


@cocotb.test()
async def the_remap_engine_may_not_take_the_reserve(dut: Any) -> None:
    tb = TB(dut)
    await tb.begin(segments=GC_RESERVE_SEGMENTS + 2)
    for sb in range(4):
        assert (await tb.capacity(0, 1))[2] == max(2 - sb, 0)
        assert (await tb.capacity(0, 1, GC))[2] == GC_RESERVE_SEGMENTS + 2 - sb
        tb.append(sb, tb.random_entry(), GC)
        await tb.drained()


@cocotb.test()
async def drained_means_durable(dut: Any) -> None:
    tb = TB(dut)
    await tb.begin()
    tb.nvram.wr.hold_resp = True
    for _ in range(10):
        tb.append(3, tb.random_entry())
    await tb.append_ports[ENGINE].drained()
    for _ in range(100):
        await tb.bench.clock()
        assert not tb.bench.read("io_append_0_drained") and not tb.bench.read("io_append_1_drained")
    # A header and ten entries, in lines of 64 bytes.
    assert [beats for _, beats in tb.nvram.wr.bursts] == [4, 4, 3], "appends wait for each other's answer"
    # Only when all is answered does a walk read.
    tb.start.send(bits=3)
    await tb.bench.clock(50)
    assert not tb.nvram.rd.bursts
    tb.nvram.wr.hold_resp = False
    await tb.drained()
    tb.check_nvram()


@cocotb.test()
async def both_engines_append_while_the_bus_waits(dut: Any) -> None:
    tb = TB(dut)
    await tb.begin()
    for port in (ENGINE, GC):  # the reference hands segments out in this order
        tb.append(port, tb.random_entry(), port)
        await tb.drained()
    tb.nvram.wr.aw.hold = tb.nvram.wr.w.hold = True
    for i in range(40):
        tb.append(i % 2, tb.random_entry(), port=i % 2)
    await tb.bench.clock(200)
    assert all(port.pending for port in tb.append_ports)
    tb.nvram.wr.aw.hold = tb.nvram.wr.w.hold = False
    await tb.drained()
    tb.check_nvram()


@cocotb.test()
async def bad_entries_are_left_out_and_counted(dut: Any) -> None:
    tb = TB(dut, stalls=0.3)
    await tb.begin()
    for _ in range(ENTRIES_PER_SEG + 9):
        tb.append(5, tb.random_entry())
    await tb.drained()
    segments = tb.chains[5]
    damage = [(0, 3), (0, 30), (1, 0), (1, 8)]
    for s, i in damage:
        at = segment_addr(segments[s][0], 1 + i) + tb.bench.rng.randrange(RECORD_BYTES)
        tb.memory.write(at, bytes([tb.memory.read(at, 1)[0] ^ 1 << tb.bench.rng.randrange(8)]))
    for s, i in sorted(damage, reverse=True):
        del segments[s][1][i]
    assert await tb.walk(5) == tb.expected_walk(5)
    assert len(tb.bad.seen) == len(damage)


@cocotb.test()
async def an_earlier_owners_entries_do_not_pass(dut: Any) -> None:
    """A segment with room left, reused by another superblock, or by the same one in its next generation."""
    tb = TB(dut)
    await tb.begin(segments=1)
    for _ in range(20):
        tb.append(7, tb.random_entry())
    await tb.drained()
    segment = tb.chains[7][0][0]
    for sb in (8, 7):
        old = tb.memory.read(segment_addr(segment, 11), RECORD_BYTES)
        await tb.give_back(7 if sb == 8 else 8)
        for _ in range(10):
            tb.append(sb, tb.random_entry())
        await tb.drained()
        assert tb.memory.read(segment_addr(segment, 11), RECORD_BYTES) == old, "nothing wipes a segment"
        # If recovery counted too many entries, the old ones must not appear.
        tb.load_chain.send(sb=sb, tail=segment, fill=ENTRIES_PER_SEG, count=1)
        await tb.load_chain.sent()
        assert await tb.walk(sb) == tb.expected_walk(sb)
        tb.load_chain.send(sb=sb, tail=segment, fill=10, count=1)
        await tb.load_chain.sent()


@cocotb.test()
@cocotb.parametrize(live=[0, 1, ENTRIES_PER_SEG, ENTRIES_PER_SEG + 1])
async def a_compacted_chain_takes_the_old_ones_place(dut: Any, live: int) -> None:
    """Old and new chain exist at the same time. Entries of the old epoch do not pass in a segment that is reused."""
    tb = TB(dut)
    await tb.begin(segments=7)
    for _ in range(4 * ENTRIES_PER_SEG + 2):
        tb.append(7, tb.random_entry())
    await tb.drained()
    keep = tb.bench.rng.sample(tb.expected_walk(7), live)
    await tb.compact(7, keep)
    tb.check_nvram()
    assert len(tb.freed.seen) == 5
    assert await tb.walk(7) == tb.expected_walk(7)
    assert tb.bench.read("io_freeSegments") == len(tb.free) == 7 - -(-live // ENTRIES_PER_SEG)
    tb.chains[7] = tb.chains.get(7, [])
    while tb.free:  # until every segment has been the chain's again
        tb.append(7, tb.random_entry())
        await tb.append_ports[ENGINE].drained()
    await tb.drained()
    segment, _ = tb.chains[7][-1]
    tb.load_chain.send(sb=7, tail=segment, fill=ENTRIES_PER_SEG, count=7)
    await tb.load_chain.sent()
    assert await tb.walk(7) == tb.expected_walk(7)


@cocotb.test()
async def start_up_loads_what_a_former_life_wrote(dut: Any) -> None:
    """Chains of an earlier power cycle come back through firmware's load ports.

    One of them has a tail without entries, and every superblock has one.
    """
    tb = TB(dut, stalls=0.2)
    await tb.begin(segments=SEGMENTS - 20 - SUPERBLOCKS)
    segments = iter(sorted(set(range(SEGMENTS)) - set(tb.free)))
    full = ENTRIES_PER_SEG
    for sb in range(5):
        assert await tb.walk(sb) == [], "a chain out of nowhere"
    others = [(sb, [1]) for sb in range(5, SUPERBLOCKS)]
    for sb, fills in ((1, [5]), (2, [full]), (3, [full, full, 4]), (4, [full, 0]), *others):
        chain = tb.chains[sb] = [(next(segments), [tb.random_entry() for _ in range(fill)]) for fill in fills]
        gen, epoch = tb.generations.gen[sb], tb.generations.epoch[sb]
        for index, (segment, entries) in enumerate(chain):
            prev = chain[index - 1][0] if index else segment
            header = SegmentHeader(sb=sb, index=index, gen=gen, prev=prev, epoch=epoch)
            tb.memory.write(segment_addr(segment), header.pack())
            for i, (offset, lpn, seq) in enumerate(entries):
                record = RemapEntry(lpn=lpn, offset=offset, seq=seq).pack(sb, gen, epoch)
                tb.memory.write(segment_addr(segment, 1 + i), record)
            if index:
                tb.load_link.send(seg=segment, prev=prev)
        tb.load_chain.send(sb=sb, tail=chain[-1][0], fill=len(chain[-1][1]), count=len(chain))
    await tb.load_link.sent()
    await tb.load_chain.sent()
    for sb in range(SUPERBLOCKS):
        tb.bench.write("io_look_0_sb", sb)
        tb.bench.write("io_look_1_sb", SUPERBLOCKS - 1 - sb)
        await tb.bench.clock(LOOKS_AFTER)
        assert tb.bench.read("io_look_0_segments") == len(tb.chains.get(sb, []))
        assert tb.bench.read("io_look_1_segments") == len(tb.chains.get(SUPERBLOCKS - 1 - sb, []))
    for sb in tb.chains:
        assert await tb.walk(sb) == tb.expected_walk(sb)
        assert await tb.capacity(sb, 40) == tb.expected_capacity(sb, 40)
    # The chains continue where they ended.
    for sb in range(1, 5):
        for _ in range(ENTRIES_PER_SEG):
            tb.append(sb, tb.random_entry())
    await tb.drained()
    tb.check_nvram()
    for sb in list(tb.chains):
        assert await tb.walk(sb) == tb.expected_walk(sb)
        await tb.give_back(sb)
    assert tb.bench.read("io_freeSegments") == len(tb.free)


@cocotb.test()
async def a_destaged_part_counts_toward_the_length_of_its_chain(dut: Any) -> None:
    tb = TB(dut)
    await tb.begin()
    await tb.check_parts()
    for sb, load in ((0, True), (9, False), (SUPERBLOCKS - 1, False)):
        await tb.place(sb, (1 + sb % 2, 4, SEGMENTS_PER_CHAIN - 2), load)
    await tb.check_parts()
    for _ in range(ENTRIES_PER_SEG):
        tb.append(9, tb.random_entry())
    await tb.drained()
    for port in (ENGINE, GC):
        for entries in (1, ENTRIES_PER_SEG, ENTRIES_PER_SEG + 1):
            for sb in (0, 9, 10):
                assert await tb.capacity(sb, entries, port) == tb.expected_capacity(sb, entries, port)
    assert (await tb.capacity(9, ENTRIES_PER_SEG))[1] and not (await tb.capacity(9, ENTRIES_PER_SEG + 1))[1]
    await tb.compact(9, [])
    await tb.check_parts()
    await tb.place(9, (1, 2, 3))
    await tb.give_back(9)
    await tb.place(0, (0, 0, 0))
    await tb.check_parts()
    assert (await tb.capacity(9, SEGMENTS_PER_CHAIN * ENTRIES_PER_SEG))[1], "forgotten with the chain"


def test_remap_table(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("RemapTable")
