# SPDX-License-Identifier: Apache-2.0
"""Tests of PcieTlp, the endpoint as a whole, against a root complex:

    RootComplex (cocotbext-pcie) -- Core7 ==streams== PcieTlp == AXI master, registers, interrupts
"""

from __future__ import annotations

from typing import Any

import cocotb
from cocotb.triggers import Event
from cocotbext.axi import MemoryRegion
from cocotbext.pcie.core import RootComplex

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.pcie.support.core7 import PBA, TABLE, Core7
from sim.cocotb.pcie.support.ports import BarRegisters, HostMaster
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Source

VECTORS = 9
PAGE = 4096
BEAT = 16
HIGH = 0x12_3456_0000  # host memory above 4 GiB
ROOM = 0x10000
PATIENCE = 60_000  # ns


class TB:
    def __init__(self, dut: Any, stalls: float = 0.0, gaps: float = 0.0) -> None:
        self.bench = Bench(dut)
        self.core = Core7(self.bench, gaps, stalls, VECTORS)
        self.host = HostMaster(self.bench, "io_host", stalls, gaps)
        self.bar = BarRegisters(self.bench, "io_bar", stalls, gaps)
        self.irq = Source(self.bench, "io_msix", gaps)
        self.rc = RootComplex()
        self.rc.make_port().connect(self.core.device)
        self.low = self.rc.mem_pool.alloc_region(ROOM)
        self.high = MemoryRegion(ROOM)
        self.rc.mem_address_space.register_region(self.high, HIGH)
        self.raised: list[tuple[int, bytes]] = []  # vector, what the first bytes of memory were
        self.interrupt = Event()

    async def start(self, payload: int = 0, request: int = 2) -> None:
        """The host finds the function and sets it up."""
        await self.bench.start()
        self.rc.max_payload_size = payload
        await self.rc.enumerate()
        self.device = self.rc.find_device(self.core.function.pcie_id)
        await self.device.enable_device()
        await self.device.set_master()
        assert await self.device.alloc_irq_vectors(VECTORS, VECTORS) == VECTORS
        for vector in range(VECTORS):
            self.device.request_irq(vector, self._handler(vector))
        self.core.function.pcie_cap.max_payload_size = payload
        self.core.function.pcie_cap.max_read_request_size = request
        self.window = self.device.bar_window[0]

    def _handler(self, vector: int) -> Any:
        async def handle() -> None:
            self.raised.append((vector, bytes(self.low[0:64])))
            self.interrupt.set()

        return handle

    @property
    def base(self) -> int:
        return self.low.get_absolute_address(0)

    async def read(self, addr: int, length: int) -> bytes:
        return await self.window.read(addr, length, timeout=PATIENCE, timeout_unit="ns")


@cocotb.test()
async def is_found(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    assert tb.device.class_code == 0x010802
    assert tb.core.function.msix_cap.msix_enable and tb.core.function.bus_master_enable
    # The host has written the table through BAR0 and reads the same.
    for vector in range(VECTORS):
        addr, data = tb.device.msi_vectors[vector].addr, tb.device.msi_vectors[vector].data
        entry = await tb.read(TABLE + 16 * vector, 16)
        assert entry == addr.to_bytes(8, "little") + data.to_bytes(4, "little") + bytes(4)
    assert tb.bar.writes == []


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5])
async def registers_are_read_and_written(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls, stalls)
    await tb.start()
    rng = tb.bench.rng
    model = bytearray(0x2000)
    for _ in range(60):
        length = rng.choice([1, 2, 3, 4, 5, 7, 8, 12, 16, 64, 127, 200])
        addr = rng.randrange(0x2000 - length)
        if rng.random() < 0.5:
            data = rng.randbytes(length)
            await tb.window.write(addr, data)
            model[addr : addr + length] = data
        else:
            assert await tb.read(addr, length) == model[addr : addr + length], f"{length} at {addr:#x}"


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5], payload=[0, 1, 2, 3], request=[0, 5])
async def host_memory_is_written_and_read(dut: Any, stalls: float, payload: int, request: int) -> None:
    tb = TB(dut, stalls, stalls)
    await tb.start(payload, request)
    tb.core.shuffles = request == 0
    rng = tb.bench.rng
    model = {tb.base: bytearray(rng.randbytes(ROOM)), HIGH: bytearray(rng.randbytes(ROOM))}
    for base, region in ((tb.base, tb.low), (HIGH, tb.high)):
        region[0:ROOM] = bytes(model[base])
    for _ in range(6):
        base = rng.choice([tb.base, HIGH])
        writes = []
        for _ in range(6):
            length = rng.choice([1, 2, 3, 4, 5, 8, 15, 16, 17, 100, 128, 511, 512, 1000, PAGE])
            addr = rng.randrange(ROOM // PAGE) * PAGE + rng.randrange(PAGE - length + 1)
            data = rng.randbytes(length)
            model[base][addr : addr + length] = data
            writes.append(tb.host.write_bytes(base + addr, data))
        for write in writes:
            assert (await write.wait()).resps == [0]
        reads = []
        for _ in range(8):
            beats = rng.choice([1, 2, 3, 4, 7, 8, 31, 32, 33, 100, 256])
            addr = rng.randrange(ROOM // PAGE) * PAGE + BEAT * rng.randrange(256 - beats + 1)
            reads.append((addr, tb.host.read(base + addr, beats)))
        for addr, read in reads:
            await read.wait()
            assert read.resps == [0] * read.beats
            want = model[base][addr : addr + BEAT * read.beats]
            wrong = [i for i in range(read.beats) if read.data[BEAT * i : BEAT * i + BEAT] != want[BEAT * i : BEAT * i + BEAT]]
            assert not wrong, f"beats {wrong} of {read.beats} at {base + addr:#x}"
    assert bytes(tb.low[0:ROOM]) == model[tb.base] and bytes(tb.high[0:ROOM]) == model[HIGH]


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.6])
async def an_interrupt_is_behind_its_data(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls, stalls)
    await tb.start()
    rng = tb.bench.rng
    for _ in range(20):
        vector = rng.randrange(VECTORS)
        tb.raised.clear()
        tb.interrupt.clear()
        tb.host.write(tb.base + 0x800, rng.randbytes(512))
        data = rng.randbytes(64)
        await tb.host.write(tb.base, data).wait()
        tb.irq.send(bits=vector)
        await tb.interrupt.wait()
        assert tb.raised == [(vector, data)]


def test_pcie_tlp(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("PcieTlp")
