# SPDX-License-Identifier: Apache-2.0
"""The product firmware, compiled for this machine, run beside the RTL under cocotb.

The firmware is synchronous C. fw_poll() runs in a bridged thread, and each of its register accesses resumes the
simulation until the AXI4-Lite transaction is over. Only one of the two runs at a time, so a test is reproducible.
"""

from __future__ import annotations

import ctypes
import mmap
import re
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cocotb
from cocotb.task import bridge, resume
from cocotb.triggers import Event, First, RisingEdge, Timer
from cocotb.utils import get_sim_time

POLL_IDLE = 2**64 - 1
RUNNING, FATAL = 1, 2

_READ = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p, ctypes.c_uint32)
_WRITE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32)
_CACHE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_size_t)
_COPY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_size_t)
_BARRIER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_TIME = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p)
_LOG = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p)


class _Options(ctypes.Structure):
    _fields_ = (
        ("superblocks", ctypes.c_uint32),
        ("over_provision_pct", ctypes.c_uint32),
        ("placement_handles", ctypes.c_uint32),
        ("remap_segments", ctypes.c_uint32),
    )


class _Identity(ctypes.Structure):
    _fields_ = (
        ("serial", ctypes.c_char_p),
        ("eui64", ctypes.c_uint8 * 8),
    )


class _Platform(ctypes.Structure):
    """struct platform of firmware/include/platform.h."""

    _fields_ = (
        ("ctx", ctypes.c_void_p),
        ("mmio_read", _READ),
        ("mmio_write", _WRITE),
        ("dram", ctypes.c_void_p),
        ("dram_fill", ctypes.c_void_p),
        ("cache_clean", _CACHE),
        ("cache_invalidate", _CACHE),
        ("nvram_read", _COPY),
        ("nvram_write", _COPY),
        ("barrier", _BARRIER),
        ("settle", _BARRIER),
        ("time_ns", _TIME),
        ("temperature_k", ctypes.c_void_p),
        ("watchdog_pet", ctypes.c_void_p),
        ("log", _LOG),
        ("log_level", ctypes.c_int),
        ("work", ctypes.c_void_p),
        ("options", _Options),
        ("identity", _Identity),
        ("board", ctypes.c_uint8),
    )


def check_platform(header: Path) -> None:
    """Raises if a struct of this file differs from the one of the header.

    A call through a wrong member would crash without a reason.
    """
    text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.DOTALL)
    mirrored: dict[str, type[ctypes.Structure]] = {
        "platform": _Platform,
        "platform_options": _Options,
        "platform_identity": _Identity,
    }
    for struct, mine in mirrored.items():
        body = re.search(rf"struct {struct} \{{(.*?)\n\}};", text, re.DOTALL)
        assert body, f"{header}: no struct {struct}"
        lines = [line.strip() for line in body[1].split(";") if line.strip()]
        members = [re.search(r"\(\*(\w+)\)|(\w+)(?:\[\w+\])?$", line) for line in lines]
        names = [found[1] or found[2] for found in members if found]
        own = [field[0] for field in mine._fields_]
        assert names == own, f"struct {struct} has {names}, native_firmware.py {own}"


def build(root: Path, out: Path) -> Path:
    """Compiles the firmware into a shared library below `out`; compiles again only what a C compiler's clock would."""
    check_platform(root / "firmware" / "include" / "platform.h")
    library = out / "libfirmware.so"
    sources = sorted((root / "firmware" / "src").rglob("*.c"))
    headers = [*(root / "firmware").rglob("*.h"), *(root / "interfaces").rglob("*.h")]
    newest = max(f.stat().st_mtime for f in [*sources, *headers])
    if not library.exists() or library.stat().st_mtime < newest:
        out.mkdir(parents=True, exist_ok=True)
        includes = [
            f"-I{root / d}" for d in ("firmware/include", "firmware/src", "interfaces/gen/c", "interfaces/include")
        ]
        command = ["cc", "-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", *includes]
        # Benches run side by side: none may load a library that another one is still writing.
        with tempfile.TemporaryDirectory(dir=out) as own:
            built = Path(own) / library.name
            subprocess.run([*command, "-o", str(built), *map(str, sources)], check=True)
            built.replace(library)
    return library


class NativeFirmware:
    """One power cycle of the firmware. `clock`: of its bus, if it is not the unit's only one."""

    def __init__(
        self,
        dut: Any,
        bus: Any,
        dram: mmap.mmap | memoryview,
        nvram: mmap.mmap | memoryview,
        library: str,
        superblocks: int,
        clock: Any = None,
    ) -> None:
        self.dut = dut
        self._clock = dut.clock if clock is None else clock
        self._lib = ctypes.CDLL(library)
        self._lib.fw_size.restype = ctypes.c_size_t
        self._lib.fw_poll.restype = ctypes.c_uint64
        self._lib.fw_describe.restype = ctypes.c_char_p
        self._context = ctypes.create_string_buffer(self._lib.fw_size() + 64)
        self._fw = ctypes.c_void_p((ctypes.addressof(self._context) + 63) & ~63)

        @resume
        async def mmio_read(offset: int) -> int:
            return int(await bus.read_dword(offset))

        @resume
        async def mmio_write(offset: int, value: int) -> None:
            await bus.write_dword(offset, value)

        def nvram_read(_: Any, addr: int, buf: int, size: int) -> None:
            ctypes.memmove(buf, bytes(nvram[addr : addr + size]), size)

        def nvram_write(_: Any, addr: int, buf: int, size: int) -> None:
            nvram[addr : addr + size] = ctypes.string_at(buf, size)

        self._platform = _Platform(
            ctx=None,
            mmio_read=_READ(lambda _, offset: mmio_read(offset)),
            mmio_write=_WRITE(lambda _, offset, value: mmio_write(offset, value)),
            dram=ctypes.addressof(ctypes.c_char.from_buffer(dram)),
            cache_clean=_CACHE(),
            cache_invalidate=_CACHE(),
            nvram_read=_COPY(nvram_read),
            nvram_write=_COPY(nvram_write),
            barrier=_BARRIER(),
            time_ns=_TIME(lambda _: int(get_sim_time("ns"))),
            log=_LOG(lambda _, level, line: dut._log.info("firmware: %s", line.decode())),
            log_level=2,  # PLATFORM_LOG_DEBUG
            options=_Options(superblocks, 0, 0, 0),
            identity=_Identity(b"COCOTB0001", (0x02, 1, 2, 3, 4, 5, 6, 7)),
        )
        self._lib.fw_init(self._fw, ctypes.byref(self._platform))
        self._poll: Callable[[], Any] = bridge(lambda: self._lib.fw_poll(self._fw))
        self._stopping = Event()
        self._task = cocotb.start_soon(self._run())

    async def stop(self) -> None:
        """Lets fw_poll() return, which takes bounded time, and never calls it again."""
        self._stopping.set()
        await self._task

    @property
    def phase(self) -> int:
        return int(self._lib.fw_phase(self._fw))

    def describe(self) -> str:
        return str(self._lib.fw_describe(self._fw).decode())

    async def _run(self) -> None:
        while not self._stopping.is_set():
            wait = await self._poll()
            await RisingEdge(self._clock)
            if wait == 0 or self.dut.fw_irq.value == 1:
                continue
            triggers = [RisingEdge(self.dut.fw_irq), self._stopping.wait()]
            if wait != POLL_IDLE:
                triggers.append(Timer(wait, "ns"))
            await First(*triggers)

    async def until_running(self, limit_us: int) -> None:
        """Waits until the start-up has ended."""
        for _ in range(limit_us):
            if self.phase == RUNNING:
                return
            assert self.phase != FATAL, self.describe()
            await Timer(1, "us")
        raise AssertionError(f"firmware still in start-up: {self.describe()}")
