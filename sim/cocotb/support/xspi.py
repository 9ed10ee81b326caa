# SPDX-License-Identifier: Apache-2.0
"""An xSPI MRAM at the pins of XspiMram: Everspin's EM064LX, as its data sheet (EMxxLX, revision 3.2) has it.

It is strict: whatever the data sheet does not allow fails the test, and so does whatever would have no effect without
notice. Times are in ns. CK comes a quarter of a cycle late, as the board makes it, so its edges are in the middle of
the halves of a cycle.
"""

from __future__ import annotations

from collections import deque

from sim.cocotb.support.bench import Bench, to_int
from sim.cocotb.support.geometry import SLOTS_PER_PAGE

CYCLE = 10.0 if SLOTS_PER_PAGE == 1 else 5.0  # ns, as Emit.scala has it
SIZE = 8 << 20

# Section 8, table 21.
WREN, RDSR, WRVCR, READ, WRITE = 0x06, 0x05, 0x81, 0x0C, 0x12
STATUS_LATENCY = 8
# Section 22.9 and 18.2.
T_SLCH, T_CHSH, T_SHSL, T_RESET, T_AFTER_RESET, T_BEFORE_RESET = 4, 4.5, 75, 100, 200, 60
T_SERIAL_HALF = 0.45 * 1000 / 133
# Section 5.10, table 17: the least latency for a frequency.
LATENCIES = {33: 3, 50: 4, 66: 5, 83: 6, 100: 7, 116: 8, 133: 9, 150: 10, 166: 11, 183: 12, 200: 13}
OCTAL = 0xE7
BUSY, LATCH = 0x01, 0x02  # bits of the status register


def least_latency(megahertz: float) -> int:
    return next(clocks for most, clocks in LATENCIES.items() if megahertz <= most)


class XspiMemory:
    """The memory. `early`: the first byte of a pair comes with the falling edge of CK before the pair's clock, so that
    a further byte waits whenever CK rests; otherwise with the rising edge. `delay`: halves of a cycle from an edge of
    CK to what comes of it. `power_up`: tPU, as short as that of the unit's bench.

    `protected`, `deaf` and `mute` are faults: the status register has a protection bit; write enable has no effect in
    the octal mode; DS and DQ are never driven.
    """

    def __init__(self, bench: Bench, early: bool = False, delay: int = 0, power_up: float = 1500) -> None:
        self.bench = bench
        self.early = early
        self.delay = delay
        self.power_up = power_up
        self.array = bytearray(bench.rng.randbytes(4096) * (SIZE // 4096))
        self.protected = self.deaf = self.mute = False
        self.resetting = False  # the unit is reset: what it does may end anywhere
        self.commands: list[tuple[int, int, int]] = []  # opcode, address, bytes of each transaction in octal mode
        self._undo: list[tuple[int, bytes]] = []  # what the last pairs have overwritten, oldest first
        self._durable_at = 0.0
        self._pins = {name: bench.signal(f"io_pins_{name}") for name in ("resetN", "csN", "ck", "dqOut", "dqOe")}
        self._dq, self._ds = bench.input("io_pins_dqIn"), bench.input("io_pins_ds")
        self._coming: deque[tuple[int, int]] = deque()
        self.off = False
        self.power_on()
        bench.add(self)

    # ---------------------------------------------------------------- power and reset

    def power_cut(self) -> None:
        """The power goes. Of the pairs that are not durable, the last ones are as they were before."""
        self._settle(self._now())
        keeps = self.bench.rng.randint(0, len(self._undo))
        for addr, before in reversed(self._undo[keeps:]):
            self.array[addr : addr + 2] = before
        self._undo.clear()
        self.off = True

    def power_on(self) -> None:
        self.off = False
        self._ready_at = self._now() + self.power_up
        self._reset_began: float | None = None
        self._deselected_at = self._now()
        self._ck = 0
        self._default_state()

    def _default_state(self) -> None:
        self.octal = False
        self.latency = 16
        self.enabled = False  # the write enable latch
        self._selected = False
        self._out: tuple[int, int] = (0, 0)
        self._driving = False
        self._coming = deque([(0, 0)] * self.delay)

    def _now(self) -> float:
        return self.bench.cycle * CYCLE

    def _settle(self, now: float) -> None:
        if not self._selected and now >= self._durable_at:
            self._undo.clear()

    # ---------------------------------------------------------------- pins

    def drive(self) -> None:
        halves = [self._coming.popleft() if self._coming else (0, 0) for _ in range(2)]
        self._dq.set(halves[0][0] | halves[1][0] << 8)
        self._ds.set(halves[0][1] | halves[1][1] << 1)

    def sample(self) -> None:
        if self.off:
            self._coming.clear()
            return
        now = self._now()
        pins = {name: to_int(handle) for name, handle in self._pins.items()}
        self._reset(now, pins)
        self._select(now, pins)
        for half in range(2):
            ck = pins["ck"] >> half & 1
            if ck != self._ck:
                self._ck = ck
                assert self._selected or self.resetting, "CK moves while CS# is high"
                if self._selected:
                    dq = pins["dqOut"] >> 8 * half & 0xFF
                    self._edge(now + CYCLE * (half / 2 + 0.25), ck, dq, pins["dqOe"])
            self._coming.append((0, 0) if self.mute else self._out)
        if self._driving:
            assert pins["dqOe"] == 0, "both sides drive DQ"

    def _reset(self, now: float, pins: dict[str, int]) -> None:
        low = not pins["resetN"]
        if low and self._reset_began is None:
            assert pins["csN"] and now >= self._ready_at, "RESET# while CS# is low, or before tPU"
            assert now - self._deselected_at >= T_BEFORE_RESET, "tSHRL"
            self._reset_began = now
        if not low and self._reset_began is not None:
            whole = now - self._reset_began >= T_RESET
            assert whole or self.resetting, "tRLRH"
            self._reset_began = None
            self._ready_at = now + T_AFTER_RESET
            if whole or self.bench.rng.random() < 0.5:
                self._default_state()

    def _select(self, now: float, pins: dict[str, int]) -> None:
        if not pins["csN"] and not self._selected:
            assert self._reset_began is None and now >= self._ready_at, "CS# before tPU or tSHSL3"
            assert now - self._deselected_at >= T_SHSL, "tSHSL: CS# was not high for long enough"
            assert not self._ck, "CK is high when CS# falls"
            self._settle(now)
            self._selected = True
            self._selected_at, self._edge_at = now, now
            self._edges = 0
            self._bits: list[int] = []
            self._bytes: list[int] = []
            self._pairs = 0  # of data
            self._rest = 0
        elif pins["csN"] and self._selected:
            self._selected = False
            self._deselected_at = now
            self._durable_at = now + T_SHSL
            self._driving = False
            self._out = (0, 0)
            if self.resetting:
                return
            assert now - self._edge_at >= T_CHSH, "tCHSH: CS# too soon behind CK"
            assert not pins["ck"], "CK is high when CS# rises"
            if self.octal:
                self._end_octal()
            else:
                self._end_serial()

    def _edge(self, at: float, rises: int, dq: int, driven: int) -> None:
        if self._edges == 0:
            assert rises and at - self._selected_at >= T_SLCH, "tSLCH: CK too soon behind CS#"
        self._edges += 1
        if self.octal:
            self._octal(rises, dq, driven)
        else:
            assert at - self._edge_at >= T_SERIAL_HALF or self._edges == 1, "tCH, tCL with one data line"
            assert driven & 1 and not driven & 2, "IO0 is an input of the memory, IO1 an output"
            assert driven & 4 and dq & 4, "WP# is high"
            if rises:
                self._bits.append(dq & 1)
        self._edge_at = at

    # ---------------------------------------------------------------- one data line

    def _end_serial(self) -> None:
        assert self._bits and len(self._bits) % 8 == 0, f"{len(self._bits)} bits"
        value = int("".join(map(str, self._bits)), 2).to_bytes(len(self._bits) // 8, "big")
        if value[0] == WREN:
            assert len(value) == 1
            self.enabled = True
            return
        assert value[0] == WRVCR and len(value) == 5, f"unexpected command {value.hex()}"
        assert self.enabled, "a configuration register without write enable"
        register, setting = int.from_bytes(value[1:4], "big"), value[4]
        assert (register, setting) == (0, OCTAL) or register == 1, f"register {register:#x} := {setting:#x}"
        if register == 1:
            assert least_latency(1000 / CYCLE) <= setting <= 31, f"{setting} clocks of latency"
            self.latency = setting
        else:
            self.octal = True

    # ---------------------------------------------------------------- eight data lines, both edges

    def _octal(self, rises: int, dq: int, driven: int) -> None:
        clock, second = divmod(self._edges - 1, 2)
        assert bool(rises) != bool(second), "edges of CK"
        head = 1 if self._bytes and self._bytes[0] in (WREN, RDSR) else 3
        if clock < head:
            assert driven == 0xFF, "an opcode or address that nobody drives"
            self._bytes.append(dq)
            if self._edges == 2:
                assert self._bytes[0] == self._bytes[1], "the opcode comes twice"
                assert self._bytes[0] in (WREN, RDSR, READ, WRITE), f"opcode {self._bytes[0]:#x}"
            if len(self._bytes) == 6:
                self._address = int.from_bytes(bytes(self._bytes[2:]), "big")
                assert self._address % 2 == 0 and self._address < SIZE, f"address {self._address:#x}"
            return
        opcode = self._bytes[0]
        assert opcode != WREN, "data behind a write enable"
        if opcode == WRITE:
            assert driven == 0xFF, "data that nobody drives"
            self._data(dq, second)
            return
        latency = STATUS_LATENCY if opcode == RDSR else self.latency
        assert driven == 0, "DQ is driven while the memory is to answer"
        done = clock - head - latency  # pairs whose clock has begun, less one
        begins = 2 * (clock - head) + second + (1 if self.early else 0) - 2 * latency
        if begins >= 0:
            self._driving = True
            self._out = (self._read(opcode, begins), 1 - begins % 2)
        self._pairs = max(self._pairs, done + 1)

    def _read(self, opcode: int, byte: int) -> int:
        if opcode == RDSR:
            return (LATCH if self.enabled else 0) | (0x04 if self.protected else 0)
        return self.array[(self._address + byte) % SIZE]

    def _data(self, dq: int, second: int) -> None:
        assert self.enabled and not self.protected, "a write that the memory ignores"
        if not second:
            self._first = dq
            return
        at = self._address + 2 * self._pairs
        assert at < SIZE, "a write goes on behind the last byte"
        self._undo.append((at, bytes(self.array[at : at + 2])))
        self.array[at : at + 2] = bytes((self._first, dq))
        self._pairs += 1

    def _end_octal(self) -> None:
        assert self._edges >= 2 and self._edges % 2 == 0, "half a clock"
        opcode = self._bytes[0]
        if opcode == WREN:
            self.enabled = not self.deaf
        else:
            assert self._pairs > 0, "a command that ends before its data"
        self.commands.append((opcode, self._address if opcode in (READ, WRITE) else 0, 2 * self._pairs))
