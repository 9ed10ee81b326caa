# SPDX-License-Identifier: Apache-2.0
"""Tests of NandInDram: it answers as flash does, in no less time, and a power cut leaves what it leaves of flash.

The commands are random and legal. FlashReference says what may be answered (sim/cocotb/support/flash.py). Illegal
commands must end the simulation; in a build without assertions they must change nothing.
"""

from __future__ import annotations

import os
from typing import Any

import cocotb
import pytest
from cocotb.task import Task

from launcher.env.paths import COCOTB, RTL_PARAMS_VARIABLE
from launcher.hw import rtl
from launcher.suites.cocotb_unit import CocotbUnit, read_results, simulate
from sim.cocotb.support.axi import AxiMemory, Memory
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.codes import NandOp, NandStatus
from sim.cocotb.support.flash import FlashReference, NandHost, Times, Was, random_page
from sim.cocotb.support.geometry import (
    DIES_PER_CHANNEL,
    OOB_WORDS,
    PAGES_PER_BLOCK,
    SLOTS_PER_PAGE,
    SUPERBLOCKS,
    WORDS_PER_SLOT,
)
from sim.cocotb.support.params import flash

MARKED = {(0, 3), (DIES_PER_CHANNEL - 1, 0)}  # FlashLayout.ofBench
BLOCKS = (0, 1, SUPERBLOCKS - 1)  # that are used


class TB:
    """NandHost -> NandInDram -> AxiMemory. The memory begins with whatever it holds at power-on."""

    def __init__(self, dut: Any, stalls: float = 0.0, latency: int = 4, times: Times | None = None) -> None:
        self.bench = Bench(dut)
        self.times = times or Times()
        self.memory = Memory()
        self.axi = AxiMemory(self.bench, "io_axi", self.memory, stalls, stalls, latency)
        self.reference = FlashReference()
        for block in MARKED:
            self.reference.block(*block).marked = True
        self.host = NandHost(self.bench, self.reference, self.times, stalls, stalls)
        self.tasks: list[Task[None]] = []
        self.bench.write("io_forget", 0)
        self.times.drive(self.bench)
        cocotb.log.info("seed %d", self.bench.seed)

    async def start(self, garbage: bool = True) -> None:
        if garbage:  # what the records are at power-on
            records = flash("blockBase"), flash("spareBase") - flash("blockBase")
            self.memory.write(records[0], self.bench.rng.randbytes(records[1]))
        await self.bench.start()
        await self.ready()

    async def ready(self) -> None:
        await self.bench.until(lambda: bool(self.bench.read("io_ready")), "the flash to be ready", 100_000)

    async def power_cut(self, forget: bool = False) -> None:
        """The power goes and comes. DRAM holds what it has, or the board says that it does not."""
        for task in self.tasks:
            task.cancel()
        self.tasks.clear()
        self.host.power_cut()
        self.bench.dut.reset.value = 1
        for _ in range(2):  # the outputs end with the next clock edge
            await self.bench.clock(1)
            self.axi.power_cut()
            self.host.power_cut()
        if forget:
            self.reference.lost()
        self.bench.write("io_forget", int(forget))
        self.bench.dut.reset.value = 0
        await self.bench.clock(1)
        await self.ready()
        self.bench.write("io_forget", 0)

    def spawn(self, *coroutines: Any) -> None:
        self.tasks += [cocotb.start_soon(c) for c in coroutines]

    async def all_done(self) -> None:
        for task in self.tasks:
            await task
        self.tasks.clear()

    async def fill(self, die: int, block: int, pages: int) -> None:
        for page in range(pages):
            assert await self.host.program((die, block, page), random_page(self.bench.rng)) == NandStatus.OK

    async def probe_all(self, die: int, transfer: float = 0.3) -> None:
        """As recovery does, block by block until a page is erased; and one page more."""
        rng = self.bench.rng
        for block in BLOCKS:
            for page in range(PAGES_PER_BLOCK):
                sub = rng.randrange(SLOTS_PER_PAGE)
                status = await self.host.sense(NandOp.PROBE, (die, block, page), sub, transfer=rng.random() < transfer)
                if (die, block) in MARKED or (status == NandStatus.ERASED and not self.written(die, block, page)):
                    break

    def written(self, die: int, block: int, page: int) -> bool:
        """A page behind this one may hold something."""
        return any(p.may != {Was.ERASED} for p in self.reference.block(die, block).pages[page + 1 :])

    async def traffic(self, die: int, operations: int) -> None:
        """Random operations that are legal."""
        rng, host = self.bench.rng, self.host
        for _ in range(operations):
            block = rng.choice(BLOCKS)
            at = die, block, rng.randrange(PAGES_PER_BLOCK)
            sub = rng.randrange(SLOTS_PER_PAGE)
            following = self.reference.next_page(die, block)
            what = rng.random()
            if (die, block) in MARKED:
                await host.sense(NandOp.PROBE, at, sub)
            elif what < 0.45 and following is not None:
                await host.program((die, block, following), random_page(rng))
            elif what < 0.75:
                known = [
                    (die, block, n)
                    for n, p in enumerate(self.reference.block(die, block).pages)
                    if p.may in ({Was.GOOD}, {Was.TORN})
                ]
                if known:
                    await host.sense(NandOp.READ, rng.choice(known), sub, rng.choice((0, 0, 1, 3)), rng.random() < 0.8)
            elif what < 0.93 or (following is not None and following < 3):
                reach = min(PAGES_PER_BLOCK, (PAGES_PER_BLOCK if following is None else following) + 2)
                await host.sense(NandOp.PROBE, (die, block, rng.randrange(reach)), sub)
            else:
                await host.erase(die, block)


@cocotb.test()
@cocotb.parametrize(
    stalls=[0.0, 0.3],
)
async def random_traffic_of_all_dies(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls, latency=4 if stalls else 15)
    await tb.start()
    for die in range(DIES_PER_CHANNEL):
        tb.spawn(tb.traffic(die, 70))
    await tb.all_done()
    assert tb.host.most == DIES_PER_CHANNEL
    for die in range(DIES_PER_CHANNEL):
        await tb.probe_all(die)
    cocotb.log.info("%s, late by at most %s", tb.host.counts, tb.host.longest)


@cocotb.test()
@cocotb.parametrize(held=[True, False])
async def power_cuts_in_random_traffic(dut: Any, held: bool) -> None:
    """Cuts at any time; then each die is probed as at a start, and goes on."""
    tb = TB(dut, 0.2 if held else 0.0, latency=6, times=Times(read=40, program=300, erase=500))
    await tb.start()
    rng = tb.bench.rng
    seen: set[Was] = set()
    for _ in range(24 if held else 4):
        for die in range(DIES_PER_CHANNEL):
            tb.spawn(tb.traffic(die, 30))
        await tb.bench.clock(rng.randint(1, 5000))
        await tb.power_cut(forget=not held and rng.random() < 0.5)
        unsure = {
            (die, block, page)
            for die in range(DIES_PER_CHANNEL)
            for block in BLOCKS
            for page, p in enumerate(tb.reference.block(die, block).pages)
            if len(p.may) > 1
        }
        for die in range(DIES_PER_CHANNEL):
            tb.spawn(tb.probe_all(die))
        await tb.all_done()
        for at in unsure:
            (was,) = tb.reference.page(at).may
            seen.add(was)
        for die in range(DIES_PER_CHANNEL):  # it is the same when it is looked at again
            tb.spawn(tb.probe_all(die, 0.1))
        await tb.all_done()
    if held:
        assert Was.TORN in seen


@cocotb.test()
async def times_are_kept(dut: Any) -> None:
    """With a DRAM that is fast enough, an operation takes its time and little more."""
    late = 120  # cycles: records, and the data of a read
    tb = TB(dut, latency=2, times=Times(read=1000, retry=1500, program=3000, erase=6000, word=3))
    await tb.start()
    die, block = 0, 1
    await tb.fill(die, block, 2)
    await tb.host.sense(NandOp.READ, (die, block, 0), transfer=False)
    await tb.host.sense(NandOp.READ, (die, block, 1), retry=1)
    await tb.host.sense(NandOp.PROBE, (die, block, 1))
    await tb.host.erase(die, block)
    assert set(tb.host.longest) == {NandOp.READ, NandOp.PROBE, NandOp.PROGRAM, NandOp.ERASE}
    assert max(tb.host.longest.values()) < late, tb.host.longest


@cocotb.test()
async def dies_work_side_by_side(dut: Any) -> None:
    tb = TB(dut, times=Times(read=100, erase=8000, program=4000))
    await tb.start()
    began = tb.bench.cycle
    for die in range(DIES_PER_CHANNEL):
        tb.spawn(tb.host.erase(die, 1))
    await tb.all_done()
    assert tb.bench.cycle - began < 8000 + 500
    began = tb.bench.cycle
    for die in range(DIES_PER_CHANNEL):
        tb.spawn(tb.host.program((die, 1, 0), random_page(tb.bench.rng)))
    await tb.all_done()
    assert tb.bench.cycle - began < 4000 + DIES_PER_CHANNEL * 2500


@cocotb.test()
async def a_cut_leaves_a_page_erased_torn_or_good(dut: Any) -> None:
    """A program that is cut off at each of its stages."""
    tb = TB(dut, times=Times(program=400))
    await tb.start()
    seen: list[Was] = []
    page = 0
    for cycles in (150, 300 * SLOTS_PER_PAGE, 300 * SLOTS_PER_PAGE + 300, 300 * SLOTS_PER_PAGE + 700):
        at = (0, 1, page)
        tb.spawn(tb.host.program(at, random_page(tb.bench.rng)))
        await tb.bench.clock(cycles)
        await tb.power_cut()
        for sub in range(SLOTS_PER_PAGE):
            await tb.host.sense(NandOp.PROBE, at, sub)
        (was,) = tb.reference.page(at).may
        seen.append(was)
        page += was != Was.ERASED
    assert seen[0] == Was.ERASED and Was.TORN in seen and seen[-1] == Was.GOOD, seen


@cocotb.test()
async def a_cut_erase_leaves_each_page_good_torn_or_erased(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    seen: set[Was] = set()
    blocks = [(die, 1) for die in range(DIES_PER_CHANNEL)]
    for die, block in blocks:
        tb.spawn(tb.fill(die, block, PAGES_PER_BLOCK))
    await tb.all_done()
    for _ in range(3):
        for die, block in blocks:
            tb.spawn(tb.host.erase(die, block))
        await tb.bench.clock(tb.bench.rng.randint(200, tb.times.erase))
        await tb.power_cut()
        for die in range(DIES_PER_CHANNEL):
            await tb.probe_all(die)
        for die, block in blocks:
            for page in tb.reference.block(die, block).pages:
                seen |= page.may
    assert seen == set(Was)
    for die, block in blocks:
        await tb.host.erase(die, block)
        await tb.fill(die, block, 2)
        await tb.probe_all(die, transfer=1.0)


@cocotb.test()
async def errors_of_dram(dut: Any) -> None:
    """What DRAM does not give or take is uncorrectable or failed; afterwards everything goes on."""
    tb = TB(dut)
    await tb.start()
    host, rd, wr = tb.host, tb.axi.rd, tb.axi.wr
    page = host.reference.page
    die, block = 1 % DIES_PER_CHANNEL, 1
    at = die, block, 0
    await tb.fill(die, block, 2)
    blocks = flash("blockBase"), flash("pageBase") - flash("blockBase")
    pages = flash("pageBase"), flash("spareBase") - flash("pageBase")
    spares = flash("spareBase"), flash("dataBase") - flash("spareBase")
    data = flash("dataBase"), flash("end") - flash("dataBase")

    async def senses(op: NandOp, status: NandStatus) -> None:
        may = page(at).may
        page(at).may = {Was.TORN} if status == NandStatus.UNCORRECTABLE else may
        assert await host.sense(op, at) == status
        page(at).may = may

    for region in (blocks, pages, spares):
        rd.fail(*region)
        await senses(NandOp.READ, NandStatus.UNCORRECTABLE)
        await senses(NandOp.PROBE, NandStatus.UNCORRECTABLE)
        rd.heal()
        await senses(NandOp.READ, NandStatus.OK)
    rd.fail(*data)
    await senses(NandOp.READ, NandStatus.UNCORRECTABLE)
    await senses(NandOp.PROBE, NandStatus.OK)
    rd.heal()
    # The page of a program that fails is torn, and the next one may follow.
    for number, region in enumerate((data, spares), start=2):
        wr.fail(*region)
        assert await host.program((die, block, number), random_page(tb.bench.rng)) == NandStatus.FAILED
        wr.heal()
        assert await host.sense(NandOp.PROBE, (die, block, number)) == NandStatus.UNCORRECTABLE
    assert await host.program((die, block, 4), random_page(tb.bench.rng)) == NandStatus.OK
    # Its record cannot be written, or not be read: nobody knows what it is.
    wr.fail(*pages)
    assert await host.program((die, block, 5), random_page(tb.bench.rng)) == NandStatus.FAILED
    wr.heal()
    page((die, block, 5)).may = {Was.ERASED}
    assert await host.sense(NandOp.PROBE, (die, block, 5)) == NandStatus.ERASED
    rd.fail(*pages)
    assert await host.program((die, block, 5), random_page(tb.bench.rng)) == NandStatus.FAILED
    rd.heal()
    assert await host.sense(NandOp.PROBE, (die, block, 5)) == NandStatus.UNCORRECTABLE
    # A block whose erase fails needs another one.
    for failing in (rd, wr):
        failing.fail(*blocks)
        assert await host.erase(die, block) == NandStatus.FAILED
        failing.heal()
    assert await host.erase(die, block) == NandStatus.OK
    await tb.fill(die, block, 2)
    await tb.probe_all(die, transfer=1.0)


@cocotb.test()
async def dram_that_forgets_is_formatted(dut: Any) -> None:
    """The header decides; a reset while DRAM is formatted, or an error of it, begins again."""
    tb = TB(dut)
    await tb.start()
    die, block = 0, 1
    await tb.fill(die, block, 2)
    await tb.power_cut()
    assert await tb.host.sense(NandOp.PROBE, (die, block, 1)) == NandStatus.OK
    tb.memory.write(flash("base"), bytes(16))
    tb.reference.lost()
    await tb.power_cut()
    assert await tb.host.sense(NandOp.PROBE, (die, block, 0)) == NandStatus.ERASED
    await tb.fill(die, block, 1)
    # The power goes a second time in the middle of it.
    tb.bench.write("io_forget", 1)
    tb.bench.dut.reset.value = 1
    await tb.bench.clock(2)
    tb.axi.power_cut()
    tb.bench.dut.reset.value = 0
    await tb.bench.clock(300)
    assert not tb.bench.read("io_ready")
    tb.reference.lost()
    # Now an error.
    tb.axi.wr.fail(flash("pageBase") + 512)
    number = len(tb.axi.wr.bursts)
    cocotb.start_soon(heal_later(tb))
    await tb.power_cut()
    sweep = (flash("spareBase") - flash("blockBase")) // 256
    assert len(tb.axi.wr.bursts) - number >= 2 * sweep
    assert await tb.host.sense(NandOp.PROBE, (die, block, 0)) == NandStatus.ERASED
    for number in range(DIES_PER_CHANNEL):
        await tb.probe_all(number, transfer=1.0)


async def heal_later(tb: TB) -> None:
    await tb.bench.clock(3000)
    tb.axi.wr.heal()


@cocotb.test()
async def a_command_waits_until_it_is_ready(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    assert not tb.bench.read("io_ready")
    assert await tb.host.sense(NandOp.PROBE, (0, 1, 0)) == NandStatus.ERASED
    await tb.bench.clock(10)
    assert tb.bench.read("io_idle")


@cocotb.test()
async def results_wait_for_each_other(dut: Any) -> None:
    """While the controller takes no result, those of all dies wait, and all of them are busy."""
    tb = TB(dut, times=Times(erase=50))
    await tb.start()
    tb.host.result.hold = True
    for die in range(DIES_PER_CHANNEL):
        tb.spawn(tb.host.erase(die, 1))
    await tb.bench.clock(1000)
    assert len(tb.host.running) == DIES_PER_CHANNEL and not tb.bench.read("io_idle")
    tb.host.result.hold = False
    await tb.all_done()


# ---------------------------------------------------------------- what flash does not allow
@cocotb.test()
async def illegal_command(dut: Any) -> None:
    """One of ILLEGAL. With assertions the simulation ends in it."""
    tb = TB(dut)
    await tb.start()
    await PREPARED[os.environ["ILLEGAL"]](tb)
    await tb.bench.clock(3000)


async def _answers(tb: TB, op: NandOp, at: tuple[int, int, int], status: NandStatus) -> None:
    """The flash refuses, and every page is as it was."""
    host = tb.host
    host.cmd.send(op=op, die=at[0], block=at[1], page=at[2])
    await host.cmd.drained()
    if op == NandOp.PROGRAM:
        words = SLOTS_PER_PAGE * (WORDS_PER_SLOT + OOB_WORDS)
        for i in range(words):
            host.wdata.send(data=i, last=int(i + 1 == words))
    results = host._results[at[0]]
    await tb.bench.until(lambda: bool(results), "a result")
    assert results.popleft()[1] == status
    for die in range(DIES_PER_CHANNEL):
        await tb.probe_all(die, transfer=1.0)


async def _read_of_an_unprogrammed_page(tb: TB) -> None:
    await tb.fill(0, 1, 1)
    await _answers(tb, NandOp.READ, (0, 1, 1), NandStatus.UNCORRECTABLE)


async def _read_of_a_marked_block(tb: TB) -> None:
    await _answers(tb, NandOp.READ, (0, 3, 0), NandStatus.UNCORRECTABLE)


async def _program_of_a_marked_block(tb: TB) -> None:
    await _answers(tb, NandOp.PROGRAM, (0, 3, 0), NandStatus.FAILED)


async def _erase_of_a_marked_block(tb: TB) -> None:
    await _answers(tb, NandOp.ERASE, (0, 3, 0), NandStatus.FAILED)


async def _program_twice(tb: TB) -> None:
    await tb.fill(0, 1, 2)
    await _answers(tb, NandOp.PROGRAM, (0, 1, 1), NandStatus.FAILED)


async def _program_out_of_order(tb: TB) -> None:
    await tb.fill(0, 1, 1)
    await _answers(tb, NandOp.PROGRAM, (0, 1, 2), NandStatus.FAILED)


async def _program_after_a_cut_erase(tb: TB) -> None:
    await tb.fill(0, 1, 1)
    tb.spawn(tb.host.erase(0, 1))
    await tb.bench.clock(200)
    await tb.power_cut()
    await tb.probe_all(0)
    await _answers(tb, NandOp.PROGRAM, (0, 1, 1), NandStatus.FAILED)


async def _command_to_a_busy_die(tb: TB) -> None:
    for _ in range(2):
        tb.host.cmd.send(op=NandOp.ERASE, die=0, block=1)


async def _transfer_without_a_read(tb: TB) -> None:
    tb.host.cmd.send(op=NandOp.TRANSFER, die=0)


async def _transfer_after_erased(tb: TB) -> None:
    await tb.host.sense(NandOp.PROBE, (0, 1, 0))
    tb.host.cmd.send(op=NandOp.TRANSFER, die=0)


async def _transfer_beside_a_program(tb: TB) -> None:
    await tb.fill(0, 1, 1)
    await tb.host.sense(NandOp.READ, (0, 1, 0), transfer=False)
    tb.host.cmd.send(op=NandOp.PROGRAM, die=1, block=1)
    tb.host.cmd.send(op=NandOp.TRANSFER, die=0)


async def _words_without_a_program(tb: TB) -> None:
    tb.host.wdata.send(data=1, last=0)


async def _last_too_early(tb: TB) -> None:
    tb.host.cmd.send(op=NandOp.PROGRAM, die=0, block=1)
    await tb.host.cmd.drained()
    for i in range(20):
        tb.host.wdata.send(data=i, last=int(i == 19))


async def _retry_of_an_erase(tb: TB) -> None:
    tb.host.cmd.send(op=NandOp.ERASE, die=0, block=1, retry=1)


# What is done, and what the simulation ends with. Those of the first list are refused in hardware.
CONTENT = {
    "read of an unprogrammed page": (_read_of_an_unprogrammed_page, "read of an unprogrammed page"),
    "read of a marked block": (_read_of_a_marked_block, "read of a block that is marked bad"),
    "program of a marked block": (_program_of_a_marked_block, "program of a block that is marked bad"),
    "erase of a marked block": (_erase_of_a_marked_block, "erase of a block that is marked bad"),
    "program twice": (_program_twice, "program without erase (the page is programmed)"),
    "program out of order": (_program_out_of_order, "program out of order"),
    "program after a cut erase": (_program_after_a_cut_erase, "program without erase (its erase was cut short)"),
}
PORT = {
    "command to a busy die": (_command_to_a_busy_die, "a command to a busy die"),
    "transfer without a read": (_transfer_without_a_read, "a transfer without a read"),
    "transfer after erased": (_transfer_after_erased, "a transfer without a read"),
    "transfer beside a program": (_transfer_beside_a_program, "a data phase while another one runs"),
    "words without a program": (_words_without_a_program, "program data without a program"),
    "last too early": (_last_too_early, "last at the wrong word of a program"),
    "retry of an erase": (_retry_of_an_erase, "a level of read retry without a read"),
}
PREPARED = {name: entry[0] for name, entry in {**CONTENT, **PORT}.items()}
LEGAL = "^(?!.*illegal).*$"  # names of cases


def test_nand_in_dram(
    cocotb_unit: CocotbUnit, capfd: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    # First what must end the simulation: a run leaves the covers of the last one, and there are none in these.
    for name, (_, text) in {**CONTENT, **PORT}.items():
        capfd.readouterr()
        results = simulate(
            "NandInDram",
            folder=COCOTB / f"nand_in_dram-{request.node.name}",
            module="test_nand_in_dram",
            config=None,
            cases="illegal",
            build_args=(),
            env={RTL_PARAMS_VARIABLE: str(rtl.emit_params()), "ILLEGAL": name},
        )
        _, failures = read_results(results)
        out = "".join(capfd.readouterr())
        assert failures, f"{name}: the simulation has gone on"
        assert f"Assertion failed: {text}\n" in out, f"{name}: not refused with '{text}'\n{out[-4000:]}"
    cocotb_unit("NandInDram", cases=LEGAL)


def test_nand_in_dram_refuses(cocotb_unit: CocotbUnit) -> None:
    """Without assertions, as in hardware."""
    for name in CONTENT:
        cocotb_unit(
            "NandInDram",
            cases="illegal",
            env={"ILLEGAL": name},
            build_args=["-DSTOP_COND=0", "-DASSERT_VERBOSE_COND=0"],
        )


def test_nand_in_dram_wide(cocotb_unit: CocotbUnit) -> None:
    """The cases that depend on the page size."""
    cocotb_unit("NandInDram", config="wide", cases="random_traffic|power_cuts|a_cut|errors")
