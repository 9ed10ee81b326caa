# SPDX-License-Identifier: Apache-2.0
"""The NAND controller of the Cosmos+ board at the two ports of Tiger4Port: AXI4-Lite slave, and AXI4 master of the data
port. What it does is Tiger4Model's (sim/models/tiger4_c.h), with a flash behind it that is as strict as that of whole
devices.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
from collections import deque
from pathlib import Path

from launcher.env.paths import COCOTB, ROOT
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Sink, Source, Transaction

CYCLE_NS = 10
BEAT = 4  # bytes of the data port's words
GOOD, LOST, MISCORRECTED = range(3)  # EccResult of a slot's part
ERASED, PROGRAMMED, TORN, TORN_BUT_SPARE = range(4)  # NandStore::PageState
WEAK = 30  # NandEcc::kWeak

_LIBRARY = COCOTB / "tiger4_model" / "libtiger4.so"
_SOURCES = ("nand_faults", "nand_model", "nand_store", "image", "image_guard", "file_space", "tiger4_model", "tiger4_c")
_INCLUDES = ("sim/models", "interfaces/gen/c", "interfaces/include", "common")


def build_model() -> Path:
    """Compiles the model's library if its sources have changed."""
    digest = hashlib.sha256()
    for folder in _INCLUDES:
        for path in sorted((ROOT / folder).glob("*")):
            if path.is_file():
                digest.update(path.name.encode() + path.read_bytes())
    stamp = _LIBRARY.with_suffix(".digest")
    if _LIBRARY.is_file() and stamp.is_file() and stamp.read_text() == digest.hexdigest():
        return _LIBRARY
    _LIBRARY.parent.mkdir(parents=True, exist_ok=True)
    compiler = ["ccache", "c++"] if shutil.which("ccache") else ["c++"]
    options = ["-std=c++17", "-O1", "-fPIC", *(f"-I{ROOT / folder}" for folder in _INCLUDES)]
    objects = []
    for name in _SOURCES:
        made = _LIBRARY.parent / f"{name}.o"
        source = ROOT / "sim" / "models" / f"{name}.cc"
        subprocess.run([*compiler, *options, "-c", str(source), "-o", str(made)], check=True)
        objects.append(str(made))
    fresh = _LIBRARY.with_suffix(f".{os.getpid()}")
    subprocess.run(["c++", "-shared", "-o", str(fresh), *objects], check=True)
    fresh.rename(_LIBRARY)
    stamp.write_text(digest.hexdigest())
    return _LIBRARY


class _Options(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_uint32) for name in ("dies", "blocks", "pages", "stray_zeros")),
        *(
            (name, ctypes.c_uint64)
            for name in ("read_ns", "program_ns", "erase_ns", "reset_ns", "command_ns", "word_ns", "seed")
        ),
    ]


class _Burst(ctypes.Structure):
    _fields_ = [
        ("write", ctypes.c_uint32),
        ("address", ctypes.c_uint32),
        ("beats", ctypes.c_uint32),
        ("words", ctypes.c_uint32 * 32),
    ]


class Model:
    """The calls of tiger4_c.h. A rule that was broken fails the test."""

    def __init__(self, options: dict[str, int], faults: str = "") -> None:
        lib = ctypes.CDLL(str(_LIBRARY))
        lib.orm_tiger4_open.restype = ctypes.c_void_p
        lib.orm_tiger4_error.restype = ctypes.c_char_p
        lib.orm_tiger4_count.restype = ctypes.c_uint64
        self._lib = lib
        self._now = ctypes.c_uint64(0)
        self._value = ctypes.c_uint32(0)
        self._burst = _Burst()
        opened = lib.orm_tiger4_open(ctypes.byref(_Options(**options)), faults.encode())
        assert opened, f"no model with {options} and {faults!r}"
        self._t = ctypes.c_void_p(opened)

    def __del__(self) -> None:
        if hasattr(self, "_t"):
            self._lib.orm_tiger4_close(self._t)

    def at(self, now_ns: int) -> None:
        """The time of the calls that follow."""
        self._now.value = now_ns

    def _checked(self, answer: int) -> int:
        assert answer >= 0, self._lib.orm_tiger4_error(self._t).decode()
        return answer

    def write(self, offset: int, value: int) -> bool:
        answer = self._lib.orm_tiger4_write(self._t, ctypes.c_uint32(offset), ctypes.c_uint32(value), self._now)
        return bool(self._checked(answer))

    def read(self, offset: int) -> int:
        found = ctypes.byref(self._value)
        self._checked(self._lib.orm_tiger4_read(self._t, ctypes.c_uint32(offset), found, self._now))
        return self._value.value

    def next_burst(self) -> _Burst | None:
        burst = self._burst
        return (
            burst if self._checked(self._lib.orm_tiger4_next_burst(self._t, ctypes.byref(burst), self._now)) else None
        )

    def burst_done(self, words: list[int]) -> None:
        array = (ctypes.c_uint32 * 32)(*words)
        self._checked(self._lib.orm_tiger4_burst_done(self._t, array, self._now))

    def reset(self) -> None:
        self._checked(self._lib.orm_tiger4_reset(self._t, self._now))

    def power_cut(self) -> None:
        self._checked(self._lib.orm_tiger4_power_cut(self._t, self._now))

    def count(self, command: int) -> int:
        return int(self._lib.orm_tiger4_count(self._t, command))

    @property
    def most_busy(self) -> int:
        return int(self._lib.orm_tiger4_most_busy(self._t))

    # ---- the flash
    def spoil(self, die: int, block: int, page: int, sub: int, data: int = GOOD, spare: int = GOOD) -> None:
        self._lib.orm_tiger4_spoil(self._t, die, block, page, sub, data, spare)

    def fail_program(self, nth: int = 1) -> None:
        self._lib.orm_tiger4_fail_program(self._t, ctypes.c_uint64(nth))

    def fail_erase(self, die: int, block: int) -> None:
        self._lib.orm_tiger4_fail_erase(self._t, die, block)

    def is_bad(self, die: int, block: int) -> bool:
        return bool(self._lib.orm_tiger4_is_bad(self._t, die, block))

    def frontier(self, die: int, block: int) -> int:
        return int(self._lib.orm_tiger4_frontier(self._t, die, block))

    def page_state(self, die: int, block: int, page: int) -> int:
        return int(self._lib.orm_tiger4_page_state(self._t, die, block, page))

    def sense(self, die: int, block: int, page: int, sub: int) -> int:
        """Corrected bits of 40; -1, -2: data lost, miscorrected; -3, -4: spare lost, miscorrected."""
        return int(self._lib.orm_tiger4_sense(self._t, die, block, page, sub))


class Tiger4:
    """The controller at ports `control` and `data` of the unit. `stalls` and `gaps` are of both."""

    def __init__(
        self, bench: Bench, model: Model, control: str, data: str, stalls: float = 0.0, gaps: float = 0.0
    ) -> None:
        self.bench = bench
        self.model = model
        self.commands: list[tuple[int, int]] = []  # (register, value) of each write
        self._dead = False  # in reset
        self._aw: deque[int] = deque()
        self._w: deque[int] = deque()
        self._ar: deque[int] = deque()
        self._sinks = [
            Sink(bench, control + "_aw", stalls, stable=True, on_take=lambda t: self._aw.append(t["addr"])),
            Sink(bench, control + "_w", stalls, stable=True, on_take=self._written),
            Sink(bench, control + "_ar", stalls, stable=True, on_take=lambda t: self._ar.append(t["addr"])),
        ]
        bench.add(self)
        self._b = Source(bench, control + "_b", gaps)
        self._r = Source(bench, control + "_r", gaps)
        self._open: deque[bool] = deque()  # whether each burst that is not done is a write
        self._beats: list[int] = []
        self._data_aw = Source(bench, data + "_wr_aw", gaps)
        self._data_w = Source(bench, data + "_wr_w", gaps)
        self._data_ar = Source(bench, data + "_rd_ar", gaps)
        self._sinks += [
            Sink(bench, data + "_wr_b", stalls, stable=True, on_take=self._answered),
            Sink(bench, data + "_rd_r", stalls, stable=True, on_take=self._read),
        ]

    @property
    def sources(self) -> list[Source]:
        return [self._b, self._r, self._data_aw, self._data_w, self._data_ar]

    def cut(self, power: bool) -> None:
        """The controller's reset, or a power cut; the unit's reset begins. What it still offers nobody takes."""
        self._dead = True
        self.model.at(self.bench.cycle * CYCLE_NS)
        if power:
            self.model.power_cut()
        else:
            self.model.reset()
        self._clear()

    def back(self) -> None:
        """The end of the reset, here and in the unit."""
        self._clear()
        self._dead = False

    def _clear(self) -> None:
        for queue in (self._aw, self._w, self._ar, self._open):
            queue.clear()
        self._beats = []
        for source in self.sources:
            source.clear()
        for sink in self._sinks:
            sink.forget()

    def _written(self, t: Transaction) -> None:
        assert t["strb"] == 15, "a register is written as a whole"
        self._w.append(t["data"])

    def _answered(self, t: Transaction) -> None:
        if self._dead:
            return
        assert self._open.popleft() and t.get("resp", 0) == 0
        self.model.at(self.bench.cycle * CYCLE_NS)
        self.model.burst_done([])

    def _read(self, t: Transaction) -> None:
        if self._dead:
            return
        assert t.get("resp", 0) == 0
        self._beats.append(t["data"])
        if t["last"]:
            assert not self._open.popleft()
            self.model.at(self.bench.cycle * CYCLE_NS)
            self.model.burst_done(self._beats)
            self._beats = []

    def drive(self) -> None:
        if self._dead:
            return
        model = self.model
        model.at(self.bench.cycle * CYCLE_NS)
        if self._aw and self._w and model.write(self._aw[0], self._w[0]):
            self.commands.append((self._aw.popleft(), self._w.popleft()))
            self._b.send()
        if self._ar:
            self._r.send(data=model.read(self._ar.popleft()))
        burst = model.next_burst()
        if burst is None:
            return
        self._open.append(bool(burst.write))
        window = (1 << 20) - 1  # the interconnect's address of it is gone
        if not burst.write:
            self._data_ar.send(addr=burst.address & window, len=burst.beats - 1)
            return
        self._data_aw.send(addr=burst.address & window, len=burst.beats - 1)
        for i in range(burst.beats):
            self._data_w.send(data=burst.words[i], strb=15, last=int(i == burst.beats - 1))

    def sample(self) -> None:
        pass
