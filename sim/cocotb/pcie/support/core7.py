# SPDX-License-Identifier: Apache-2.0
"""The AXI-Stream side of a 7-series PCIe core, between a unit under test and cocotbext-pcie's root complex.

The core answers configuration requests by itself. Requests that hit its BAR0 and completions go to the unit's receive
stream: 64 bits wide, or 128 bits where a TLP may begin in the middle of a beat. What the unit sends is checked as the
host would, and goes to the root complex. `npOk` holds back requests that want an answer; others pass them.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import cocotb
from cocotb.queue import Queue
from cocotbext.pcie.core import Device, Endpoint
from cocotbext.pcie.core.caps import MsixCapability
from cocotbext.pcie.core.tlp import Tlp, TlpType
from cocotbext.pcie.core.utils import PcieId

from sim.cocotb.support.bench import Bench, to_int

BAR_BYTES = 0x4000
TABLE = 0x2000
PBA = 0x3000
READS = {TlpType.MEM_READ, TlpType.MEM_READ_64}
WRITES = {TlpType.MEM_WRITE, TlpType.MEM_WRITE_64}
CONFIG = {TlpType.CFG_READ_0, TlpType.CFG_WRITE_0}
LATE = 2  # requests that may still come when npOk has fallen
ON_THEIR_WAY = 4  # requests of the unit that may still come when the host has forbidden them
STRANGER = PcieId(0xEE, 0, 0)  # a requester that is not the root complex; its answers stay here


def to_dwords(data: bytes) -> list[int]:
    """Bytes of a TLP as the core's dwords: byte 0 in the upper bits."""
    assert len(data) % 4 == 0
    return [int.from_bytes(data[i : i + 4], "big") for i in range(0, len(data), 4)]


def to_bytes(dwords: Iterable[int]) -> bytes:
    return b"".join(dword.to_bytes(4, "big") for dword in dwords)


@dataclass
class Frame:
    """A TLP for the unit. `answers`: it wants an answer, so npOk may hold it back."""

    dwords: list[int]
    bar: int = 0
    answers: bool = False


class CoreFunction(Endpoint):  # type: ignore[misc]
    """The configuration space, and the way to the streams."""

    def __init__(self, core: Core7, vectors: int) -> None:
        super().__init__()
        self.core = core
        self.vendor_id, self.device_id, self.class_code = 0x1209, 0x0001, 0x010802
        self.msix_cap = MsixCapability()
        self.msix_cap.msix_table_size = vectors - 1
        self.msix_cap.msix_table_offset = TABLE
        self.msix_cap.msix_pba_offset = PBA
        self.register_capability(self.msix_cap)
        self.configure_bar(0, BAR_BYTES)
        self.pcie_cap.function_level_reset_capability = True
        self.pcie_cap.initiate_function_level_reset = self._reset

    async def _reset(self) -> None:
        self.bus_master_enable = False
        self.memory_space_enable = False
        self.msix_cap.msix_enable = False
        self.msix_cap.msix_function_mask = False
        self.pcie_cap.max_payload_size = 0
        self.pcie_cap.max_read_request_size = 2
        self.core.pulse_reset()

    async def handle_tlp(self, tlp: Tlp) -> None:
        if tlp.fmt_type in CONFIG:
            await super().handle_tlp(tlp)
        else:
            tlp.release_fc()
            self.core.receive(tlp)


class Core7:
    """An agent of the bench. `gaps`: share of idle cycles of the receive stream, `stalls`: of cycles in which the
    transmit stream is not ready. `shuffles`: completions of different reads come in any order. `prefix`: of the
    ports."""

    def __init__(
        self, bench: Bench, gaps: float = 0.0, stalls: float = 0.0, vectors: int = 9, prefix: str = "io"
    ) -> None:
        self.bench = bench
        self._prefix = prefix
        self.gaps = gaps
        self.stalls = stalls
        self.hold_tx = False
        self.shuffles = False
        self.alter: Callable[[Tlp], list[Tlp]] = lambda tlp: [tlp]  # what becomes of a completion
        self.sent: list[Tlp] = []  # what the unit has sent
        self.answers: list[Tlp] = []  # to STRANGER
        self.link_up = True
        self.width = len(bench.signal(f"{prefix}_rx_bits_data"))
        self.function = CoreFunction(self, vectors)
        self.device = Device(eps=[self.function])
        self.under_way: dict[int, int] = {}  # tag -> bytes that are to come
        self.errors: dict[str, int] = {}
        self._reset = False
        self._pool: dict[int, deque[Frame]] = {}
        self._arrivals: deque[Frame] = deque()
        self._now: deque[int] = deque()
        self._late = LATE
        self._forbidden = 0
        self._beat: dict[str, int] | None = None
        self._frame: list[int] = []
        self._to_host: Queue[Tlp] = Queue()
        self._ready_now = False
        self._rx = {name: bench.input(f"{prefix}_rx_bits_{name}") for name in ("data", "keep", "last", "user")
                    if bench.has(f"{prefix}_rx_bits_{name}")}  # fmt: skip
        fields = ("id", "busMaster", "payload", "request", "msixEnable", "msixMask")
        self._config = {name: bench.input(f"{prefix}_config_{name}") for name in fields}
        logging.getLogger("cocotb.pcie").setLevel(logging.ERROR)
        bench.add(self)
        cocotb.start_soon(self._send_to_host())

    # ------------------------------------------------------------------ from the host

    def receive(self, tlp: Tlp) -> None:
        if not tlp.is_completion():
            self.inject(tlp.pack(), bar=1, answers=tlp.is_nonposted())
            return
        for one in self.alter(tlp):
            self.complete(one)

    def complete(self, tlp: Tlp) -> None:
        """Hands a completion to the unit."""
        if tlp.tag in self.under_way and not tlp.ep:
            last = tlp.status != 0 or tlp.byte_count <= len(tlp.data)
            if last:
                del self.under_way[tlp.tag]
        frame = Frame(to_dwords(tlp.pack()))
        if self.shuffles:
            self._pool.setdefault(tlp.tag, deque()).append(frame)
        else:
            self._arrivals.append(frame)

    def inject(self, tlp: bytes, bar: int = 1, answers: bool = False) -> None:
        """Any bytes as a TLP for the unit."""
        self._arrivals.append(Frame(to_dwords(bytes(tlp)), bar, answers))

    def pulse_reset(self) -> None:
        self._reset = True

    @property
    def waiting(self) -> int:
        """TLPs that the unit has not taken."""
        return len(self._arrivals) + bool(self._now) + (self._beat is not None) + sum(map(len, self._pool.values()))

    def _next_frame(self) -> Frame | None:
        held = not self.bench.read(f"{self._prefix}_npOk")
        for i, frame in enumerate(self._arrivals):
            if frame.answers and held:
                if self._late == 0:
                    continue
                self._late -= 1
            if not held:
                self._late = LATE
            del self._arrivals[i]
            return frame
        return None

    def _begin(self) -> bool:
        frame = self._next_frame()
        if frame is None:
            return False
        self._now.extend(frame.dwords)
        self._bar = frame.bar
        return True

    def _next_beat(self) -> dict[str, int] | None:
        rng = self.bench.rng
        if self._now and self.width == 64:
            return self._narrow()
        if self.width == 64:
            return self._narrow() if self._begin() else None
        lanes: list[int | None] = [None] * 4
        user = 0
        at = 0
        if not self._now:
            if not self._begin():
                return None
            at = 2 * (rng.random() < 0.5)
            user |= 1 << 14 | (at // 2) << 13 | self._bar << 2
        while at < 4 and self._now:
            lanes[at] = self._now.popleft()
            at += 1
        if not self._now:
            user |= 1 << 21 | (at - 1) << 19 | 3 << 17
            if at <= 2 and rng.random() < 0.8 and self._begin():
                user |= 1 << 14 | 1 << 13 | self._bar << 2
                lanes[2], lanes[3] = self._now.popleft(), self._now.popleft()
        data = sum((rng.getrandbits(32) if dw is None else dw) << 32 * i for i, dw in enumerate(lanes))
        return {"data": data, "keep": rng.getrandbits(16), "last": rng.getrandbits(1), "user": user}

    def _narrow(self) -> dict[str, int]:
        low = self._now.popleft()
        high = self._now.popleft() if self._now else None
        data = low | (self.bench.rng.getrandbits(32) if high is None else high) << 32
        return {"data": data, "keep": 0x0F if high is None else 0xFF, "last": int(not self._now),
                "user": self._bar << 2}  # fmt: skip

    # ------------------------------------------------------------------ to the host

    async def _send_to_host(self) -> None:
        while True:
            await self.function.upstream_send(await self._to_host.get())

    def _take(self, data: int, keep: int, last: int) -> None:
        count = {0xF: 1, 0xFF: 2, 0xFFF: 3, 0xFFFF: 4}[keep]
        assert last or count * 32 == self.width, f"a gap in a TLP: keep {keep:#x}"
        self._frame += [data >> 32 * i & 0xFFFFFFFF for i in range(count)]
        if last:
            raw, self._frame = to_bytes(self._frame), []
            tlp = Tlp.unpack(bytearray(raw))
            self.check(tlp)
            self.sent.append(tlp)
            if tlp.is_completion() and tlp.requester_id == STRANGER:
                self.answers.append(tlp)
            else:
                self._to_host.put_nowait(tlp)

    def check(self, tlp: Tlp) -> None:
        """What a host expects of a TLP."""
        assert tlp.check(), tlp
        assert not tlp.ep and not tlp.td, tlp
        cap = self.function.pcie_cap
        ours = tlp.completer_id if tlp.is_completion() else tlp.requester_id
        assert ours == self.function.pcie_id, tlp
        assert len(tlp.data) <= 128 << cap.max_payload_size, f"more than the largest payload: {tlp}"
        if tlp.fmt_type in READS | WRITES:
            self._forbidden = 0 if self.function.bus_master_enable else self._forbidden + 1
            assert self._forbidden <= ON_THEIR_WAY, f"the host allows no requests: {tlp}"
            assert (tlp.address >> 32 != 0) == (tlp.fmt_type in {TlpType.MEM_READ_64, TlpType.MEM_WRITE_64}), tlp
            assert tlp.length == 1 or (tlp.first_be in {8, 12, 14, 15} and tlp.last_be in {1, 3, 7, 15}), tlp
            assert tlp.length > 1 or (tlp.last_be == 0 and tlp.first_be), tlp
        if tlp.fmt_type in READS:
            assert tlp.length * 4 <= 128 << cap.max_read_request_size, f"more than the largest read: {tlp}"
            assert tlp.tag < 32 and tlp.tag not in self.under_way, f"tag {tlp.tag} is in use"
            self.under_way[tlp.tag] = tlp.length * 4

    # ------------------------------------------------------------------ the agent

    def drive(self) -> None:
        rng = self.bench.rng
        while self._pool and rng.random() < 0.3:
            tag = rng.choice(sorted(self._pool))
            self._arrivals.append(self._pool[tag].popleft())
            if not self._pool[tag]:
                del self._pool[tag]
        if self._beat is None and rng.random() >= self.gaps:
            self._beat = self._next_beat()
            for name, port in self._rx.items():
                if self._beat is not None:
                    port.set(self._beat[name])
        self.bench.input(f"{self._prefix}_rx_valid").set(int(self._beat is not None))
        self._ready_now = not self.hold_tx and rng.random() >= self.stalls
        self.bench.input(f"{self._prefix}_tx_ready").set(int(self._ready_now))
        f = self.function
        now = {"id": int(f.pcie_id), "busMaster": int(f.bus_master_enable), "payload": f.pcie_cap.max_payload_size,
               "request": f.pcie_cap.max_read_request_size, "msixEnable": int(f.msix_cap.msix_enable),
               "msixMask": int(f.msix_cap.msix_function_mask)}  # fmt: skip
        for name, value in now.items():
            self._config[name].set(value)
        self.bench.input(f"{self._prefix}_linkUp").set(int(self.link_up))
        self.bench.input(f"{self._prefix}_functionReset").set(int(self._reset))
        self._reset = False

    def sample(self) -> None:
        if self._beat is not None and self.bench.read(f"{self._prefix}_rx_ready"):
            self._beat = None
        if self._ready_now and self.bench.read(f"{self._prefix}_tx_valid"):
            self._take(
                *(to_int(self.bench.signal(f"{self._prefix}_tx_bits_{name}")) for name in ("data", "keep", "last"))
            )
        for name in ("malformed", "poisoned", "unsupported", "unexpected", "timeout"):
            if self.bench.read(f"{self._prefix}_errors_{name}"):
                self.errors[name] = self.errors.get(name, 0) + 1


def config_of(bench: Bench, **fields: int) -> None:
    """Sets a PcieConfig input of a unit under test."""
    for name, value in fields.items():
        bench.write(f"io_config_{name}", value)
