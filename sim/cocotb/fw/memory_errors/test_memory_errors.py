# SPDX-License-Identifier: Apache-2.0
"""Tests of MemoryErrors: the first error is kept, with whose access it was, and it stops the controller for good."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import DECERR, SLVERR
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.orm_regs import MemoryUser

USERS = {
    "dramRead": (MemoryUser.L2P, MemoryUser.REFS, MemoryUser.REMAP_LIST, MemoryUser.FIRMWARE_DMA),
    "dramWrite": (MemoryUser.L2P, MemoryUser.REFS, MemoryUser.FIRMWARE_DMA, MemoryUser.SLOT_LOG),
    "nvramRead": (MemoryUser.REMAP_TABLE,),
    "nvramWrite": (MemoryUser.JOURNAL, MemoryUser.REMAP_TABLE),
}
PORTS = list(USERS)


class TB:
    """Failures -> MemoryErrors -> error, stop"""

    def __init__(self, dut: Any) -> None:
        self.bench = Bench(dut)
        for port in PORTS:
            self.fail(port, 0, 0, 0, valid=0)

    def fail(self, port: str, who: int, resp: int, addr: int, valid: int = 1) -> None:
        for name, value in (("valid", valid), ("bits_resp", resp), ("bits_who", 1 << who), ("bits_addr", addr)):
            self.bench.write(f"io_{port}_{name}", value)

    def shown(self) -> tuple[int, ...]:
        names = ("user", "nvram", "write", "resp", "addr")
        return tuple(self.bench.read(f"io_error_bits_{name}") for name in names)


@cocotb.test()
async def each_user_is_named(dut: Any) -> None:
    for port, users in USERS.items():
        for who, user in enumerate(users):
            for resp in (SLVERR, DECERR):
                tb = TB(dut)
                await tb.bench.start()
                assert tb.bench.read("io_stop") == 0 == tb.bench.read("io_error_valid")
                addr = tb.bench.rng.randrange(1 << 18) * 16
                tb.fail(port, who, resp, addr)
                await tb.bench.clock()
                assert tb.bench.read("io_stop") == 1 == tb.bench.read("io_error_valid")
                assert tb.shown() == (user, port.startswith("nvram"), port.endswith("Write"), resp, addr)


@cocotb.test()
async def the_first_is_kept(dut: Any) -> None:
    for first in PORTS:
        tb = TB(dut)
        await tb.bench.start()
        tb.fail(first, 0, SLVERR, 0x100)
        await tb.bench.clock()
        before = tb.shown()
        for port in PORTS:
            if port != first:
                tb.fail(port, 0, DECERR, 0x200)
        await tb.bench.clock(3)
        assert tb.shown() == before and tb.bench.read("io_stop") == 1 and tb.bench.read("io_quiet") == 1


@cocotb.test()
async def of_several_at_once_one_is_kept(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    for i, port in enumerate(PORTS):
        tb.fail(port, 0, SLVERR, 0x100 * i)
    await tb.bench.clock()
    assert tb.shown() == (MemoryUser.L2P, 0, 0, SLVERR, 0)


def test_memory_errors(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("MemoryErrors")
