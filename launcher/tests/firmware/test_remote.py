# SPDX-License-Identifier: Apache-2.0
"""The Zynq's firmware with a controller elsewhere: the image that a board runs, unchanged, in QEMU.

It reaches registers and NVRAM through a RemoteMailbox in memory that QEMU shares with this test, which plays the
controller's side (firmware/ports/zynq/remote.c, interfaces/formats/formats.yaml).
"""

from __future__ import annotations

import importlib.util
import mmap
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from launcher.env.paths import ROOT
from launcher.firmware import images, self_test

MEMORY = self_test.MEMORY
SECONDS = 60.0  # the whole takes two
WAIT_FOREVER = (1 << 64) - 1


def generated(name: str) -> ModuleType:
    """A module that interfaces/generate.py writes for the test benches."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "sim" / "cocotb" / "support" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


formats: Any = generated("orm_formats")
Fw: Any = generated("orm_regs").Fw


DATA = 4096  # bytes of RemoteMailbox.data


def region(name: str) -> int:
    """The address of a region of the memory map."""
    header = (ROOT / "interfaces" / "gen" / "c" / "orm_zynq.h").read_text()
    found = re.search(rf"#define ORM_ZYNQ_{name}_BASE 0x([0-9A-F]+)u", header)
    assert found is not None
    return int(found[1], 16)


class Controller:
    """Answers the firmware's requests, and notes them."""

    def __init__(self, memory: mmap.mmap, registers: dict[int, int], nvram: bytearray) -> None:
        self.memory = memory
        self.at = region("MAILBOX")
        self.registers = registers
        self.nvram = nvram
        self.requests: list[tuple[int, int, int]] = []  # request, address, value or bytes
        self.now = 0

    def serve(self) -> Any:
        """Until a poll ends with the firmware started or failed, or until it waits for nothing but an interrupt."""
        end = time.monotonic() + SECONDS
        while True:
            turn = int.from_bytes(self.memory[self.at : self.at + 4], "little")
            if turn != formats.REMOTE_CONTROLLER:
                assert time.monotonic() < end, f"no request for {SECONDS:.0f} s; the last ones: {self.requests[-5:]}"
                time.sleep(0)
                continue
            box = formats.RemoteMailbox.unpack(self.memory[self.at : self.at + formats.RemoteMailbox.BYTES])
            if box.request == formats.REMOTE_WAIT and (box.phase != 0 or box.wait_ns == WAIT_FOREVER):
                return box
            self.answer(box)

    def answer(self, box: Any) -> None:
        at, size = box.address, box.length
        if box.request == formats.REMOTE_READ:
            self.requests.append((box.request, at, 0))
            box.value = self.registers.get(at, 0)
        elif box.request == formats.REMOTE_WRITE:
            self.requests.append((box.request, at, box.value))
            self.registers[at] = box.value
        elif box.request == formats.REMOTE_NV_READ:
            self.requests.append((box.request, at, size))
            box.data = bytes(self.nvram[at : at + size])
            box.length = len(box.data)
            box.data = box.data.ljust(DATA, b"\0")
        elif box.request == formats.REMOTE_NV_WRITE:
            self.requests.append((box.request, at, size))
            self.nvram[at : at + size] = box.data[:size]
        else:
            assert box.request == formats.REMOTE_WAIT, f"no such request: {box.request}"
        self.now += 10
        box.time_ns, box.kelvin, box.turn = self.now, 300, formats.REMOTE_FIRMWARE
        packed = box.pack()
        self.memory[self.at + 4 : self.at + len(packed)] = packed[4:]
        self.memory[self.at : self.at + 4] = packed[:4]  # last


@contextmanager
def machine(folder: Path, registers: dict[int, int], nvram: bytearray) -> Iterator[tuple[Controller, Path]]:
    """QEMU with the firmware in it; also the file with what it says on its UART."""
    images.build((images.ZYNQ,))
    ddr, said = folder / "ddr", folder / "uart"
    with open(ddr, "w+b") as file:
        file.truncate(MEMORY)  # sparse
        with mmap.mmap(file.fileno(), MEMORY) as memory:
            board = formats.SocBoard(
                mark=formats.SOC_BOARD_MARK,
                version=formats.SOC_BOARD_VERSION,
                log_level=1,
                serial=b"REMOTE0001",
                eui64=0x0201020304050607,
                mailbox=region("MAILBOX"),
                timer_hz=100_000_000,
            ).pack()
            memory[region("BOARD") : region("BOARD") + len(board)] = board
            command = [self_test.QEMU, *self_test.MACHINE, *self_test.shared_memory(ddr)]
            command += ["-serial", "null", "-serial", f"file:{said}"]
            command += ["-device", f"loader,file={images.ZYNQ.elf(images.ZYNQ_FIRMWARE)},cpu-num=0"]
            with subprocess.Popen(command, stdin=subprocess.DEVNULL) as qemu:
                try:
                    yield Controller(memory, registers, nvram), said
                finally:
                    qemu.kill()


def capabilities() -> dict[int, int]:
    """Registers of a small controller: 2 x 2 dies, 12 superblocks of 16 slots."""
    slots, superblocks, destage = 16, 12, 2
    lpns = superblocks * slots
    header = (ROOT / "interfaces" / "gen" / "c" / "orm_regs.h").read_text()

    def reset(name: str) -> int:
        found = re.search(rf"#define ORM_FW_{name}_RESET 0x([0-9A-F]+)u", header)
        assert found is not None
        return int(found[1], 16)

    return {
        Fw.ID: reset("ID"),
        Fw.VERSION: reset("VERSION"),
        Fw.CAP_FLASH: Fw.CAP_FLASH_CHANNELS.put(2)
        | Fw.CAP_FLASH_DIES_PER_CHANNEL.put(2)
        | Fw.CAP_FLASH_PAGES_PER_BLOCK.put(4),
        Fw.CAP_SUPERBLOCKS: superblocks,
        Fw.CAP_SLOTS_PER_SB: slots,
        Fw.CAP_LPNS: lpns,
        Fw.CAP_QUEUES: Fw.CAP_QUEUES_IO_PAIRS.put(4) | Fw.CAP_QUEUES_ENTRIES.put(64),
        Fw.CAP_SEGMENTS: Fw.CAP_SEGMENTS_SEGMENTS.put(32) | Fw.CAP_SEGMENTS_PER_CHAIN.put(8),
        Fw.CAP_SEG_RESERVE: Fw.CAP_SEG_RESERVE_COUNT.put(4) | Fw.CAP_SEG_RESERVE_SEG_BYTES.put(64),
        Fw.CAP_LIMITS: Fw.CAP_LIMITS_SHARERS.put(31)
        | Fw.CAP_LIMITS_MDTS_PAGES.put(8)
        | Fw.CAP_LIMITS_JOURNAL_RECORDS.put(16),
        Fw.CAP_PLACEMENT: 4,
        Fw.CAP_BUFFERS: 4,
        Fw.CAP_DESTAGE: destage,
        Fw.CAP_DESTAGE_LPN: lpns - 2 * destage * superblocks,
        Fw.CAP_COPY: Fw.CAP_COPY_RANGES.put(8) | Fw.CAP_COPY_PAGES.put(8),
        Fw.DRAM_REF: 0x2000,
        Fw.DRAM_LOG: 0x3000,
        Fw.DRAM_FW: 0xB000,
        Fw.DRAM_BYTES: 0x1B000,
        Fw.NAND_STATUS: Fw.NAND_STATUS_READY.put(1),
        Fw.NV_COMMIT: 0x100,
        Fw.NV_CHECKPOINT: 0x108,
        Fw.NV_COUNTERS: 0x200,
        Fw.NV_BLOCKS: 0x1000,
        Fw.NV_JOURNAL: 0x1400,
        Fw.NV_BITMAP: 0x1500,
        Fw.NV_BITMAP_BYTES: 0x100,
        Fw.NV_SEGMENTS: 0x1800,
        Fw.NV_BYTES: 0x2000,
    }


def stopped(requests: list[tuple[int, int, int]]) -> bool:
    """The last two writes of a start-up that fails: no interrupts, CSTS.CFS."""
    last = [(at, value) for request, at, value in requests if request == formats.REMOTE_WRITE][-2:]
    return [at for at, _ in last] == [Fw.IRQ_ENABLE, Fw.NVME_CSTS] and last[0][1] == 0 and last[1][1] != 0


def test_registers_are_reached_through_the_mailbox(tmp_path: Path) -> None:
    with machine(tmp_path, {}, bytearray()) as (controller, said):
        box = controller.serve()
        assert controller.requests[0] == (formats.REMOTE_READ, Fw.ID, 0)
        header = (ROOT / "interfaces" / "gen" / "c" / "orm_interface.h").read_text()
        assert f"#define ORM_INTERFACE_DIGEST 0x{box.interface:08X}u" in header
        assert box.phase == 2 and stopped(controller.requests)
        assert box.step.rstrip(b"\0") == b"no OpenRemap controller behind the window"
        assert "<0>start-up failed in step 'check hardware'" in said.read_text()


def test_nvram_is_reached_through_the_mailbox(tmp_path: Path) -> None:
    header = formats.NvHeader(magic=formats.NV_MAGIC, version=formats.FORMAT_VERSION + 1).pack()
    nvram = bytearray(header.ljust(0x2000, b"\0"))
    with machine(tmp_path, capabilities(), nvram) as (controller, said):
        box = controller.serve()
        # One request brings what follows, too: nothing else reads NVRAM.
        assert [one for one in controller.requests if one[0] == formats.REMOTE_NV_READ] == [
            (formats.REMOTE_NV_READ, 0, DATA)
        ]
        assert box.nv_read == len(header)
        assert box.phase == 2 and stopped(controller.requests), said.read_text()
        assert box.step.rstrip(b"\0") == b"media format version unknown"
        assert nvram[: len(header)] == header, "a header of another version stays"


def test_a_new_device_is_formatted_until_flash_is_asked(tmp_path: Path) -> None:
    """Blank NVRAM: the firmware looks for data, which NAND operations would answer."""
    with machine(tmp_path, capabilities(), bytearray(0x2000)) as (controller, said):
        box = controller.serve()
        assert box.phase == 0 and box.wait_ns == WAIT_FOREVER, said.read_text()
        assert box.step.rstrip(b"\0") == b"look for data"
        assert any(request == formats.REMOTE_WRITE and at == Fw.NAND_GO for request, at, _ in controller.requests)


@pytest.mark.parametrize("name", ["BOARD", "MAILBOX"])
def test_the_addresses_lie_in_the_machine_s_memory(name: str) -> None:
    assert region(name) < MEMORY
