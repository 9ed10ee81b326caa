# SPDX-License-Identifier: Apache-2.0
"""The endpoint on a link: the fixture of PcieTlp's bench.

RootComplex (cocotbext-pcie) -- Core7 ==streams== PcieTlp == AXI master, registers, interrupts
"""

from __future__ import annotations

from typing import Any

from cocotb.triggers import Event
from cocotbext.axi import MemoryRegion
from cocotbext.pcie.core import RootComplex

from sim.cocotb.pcie.support.core7 import TABLE, Core7
from sim.cocotb.pcie.support.ports import BarRegisters, HostMaster, Pending
from sim.cocotb.support.axi import OKAY, SLVERR
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Source

VECTORS = 9
PAGE = 4096
BEAT = 16
HIGH = 0x12_3456_0000  # host memory above 4 GiB
ROOM = 0x10000
PATIENCE = 60_000  # ns


class Endpoint:
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

    def fill(self) -> dict[int, bytearray]:
        """Random contents of host memory, and a copy."""
        model = {self.base: bytearray(self.bench.rng.randbytes(ROOM)), HIGH: bytearray(self.bench.rng.randbytes(ROOM))}
        self.low[0:ROOM] = bytes(model[self.base])
        self.high[0:ROOM] = bytes(model[HIGH])
        return model

    @staticmethod
    def check_read(read: Pending, want: bytes | bytearray, failed: range = range(0)) -> None:
        """`failed`: the beats that have an error, and only those."""
        assert read.resps == [SLVERR if i in failed else OKAY for i in range(read.beats)]
        for i in range(read.beats):
            if i not in failed:
                assert read.data[BEAT * i : BEAT * (i + 1)] == want[BEAT * i : BEAT * (i + 1)], f"beat {i}"

    async def check_alive(self) -> None:
        """The endpoint does what it should."""
        rng = self.bench.rng
        data = rng.randbytes(300)
        assert (await self.host.write_bytes(HIGH + 0x345, data).wait()).resps == [OKAY]
        read = await self.host.read(HIGH + 0x340, 20).wait()
        assert read.resps == [OKAY] * 20 and read.data[5:305] == data
        word = rng.randbytes(4)
        await self.window.write(0x40, word)
        assert await self.read(0x40, 4) == word

    @property
    def base(self) -> int:
        return int(self.low.get_absolute_address(0))

    async def read_masks(self) -> list[int]:
        await self.device.enable_device()
        return [(await self.read(TABLE + 16 * vector + 12, 1))[0] for vector in range(VECTORS)]

    async def read(self, addr: int, length: int) -> bytes:
        return bytes(await self.window.read(addr, length, timeout=PATIENCE, timeout_unit="ns"))
