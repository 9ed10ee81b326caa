# SPDX-License-Identifier: Apache-2.0
"""As much of an NVMe driver as a test needs, over a link to the controller's registers and to the memory it shares."""

from __future__ import annotations

import time
from collections.abc import Sequence

from launcher.boards.ecpix5.link import Bus, store
from launcher.boards.ecpix5.start import words

_CC, _CSTS, _AQA, _ASQ, _ACQ, _DOORBELLS = 0x14, 0x1C, 0x24, 0x28, 0x30, 0x1000
_ENABLE = 1 | 6 << 16 | 4 << 20  # entries of 64 and 16 bytes
_ENTRIES = 8
_PAGE = 4096


class Queues:
    """A pair of queues, at `place` in host memory."""

    def __init__(self, number: int, place: int) -> None:
        self.number, self.submissions, self.completions = number, place, place + _PAGE
        self.tail = self.head = 0
        self.phase = 1


class Nvme:
    """A controller at `bar`, with host memory from `memory` on. It is enabled here."""

    def __init__(self, bus: Bus, bar: int, memory: int, patience: float) -> None:
        self.bus, self.bar, self.memory, self.patience = bus, bar, memory, patience
        self.admin = Queues(0, memory)
        store(bus, memory, [0] * (4 * _PAGE // 4))
        bus.write(bar + _AQA, [(_ENTRIES - 1) << 16 | (_ENTRIES - 1)])
        bus.write(bar + _ASQ, _qword(self.admin.submissions))
        bus.write(bar + _ACQ, _qword(self.admin.completions))
        bus.write(bar + _CC, [_ENABLE])
        self._until(lambda: bus.read(bar + _CSTS)[0] & 1 == 1, "the controller to be ready")

    def io_queues(self) -> Queues:
        """Creates the first pair."""
        made = Queues(1, self.memory + 2 * _PAGE)
        size = (_ENTRIES - 1) << 16 | 1
        assert self.command(self.admin, 5, data=made.completions, cdw10=size, cdw11=1 << 16 | 3) == 0
        assert self.command(self.admin, 1, data=made.submissions, cdw10=size, cdw11=1 << 16 | 1) == 0
        return made

    def command(
        self,
        queues: Queues,
        opcode: int,
        *,
        nsid: int = 0,
        data: int = 0,
        cdw10: int = 0,
        cdw11: int = 0,
        cdw12: int = 0,
    ) -> int:
        """Carries out a command of one page of data, and returns its status field."""
        entry = [opcode | (queues.tail + 1) << 16, nsid, 0, 0, 0, 0, *_qword(data), 0, 0, cdw10, cdw11, cdw12, 0, 0, 0]
        store(self.bus, queues.submissions + 64 * queues.tail, entry)
        queues.tail = (queues.tail + 1) % _ENTRIES
        doorbell = self.bar + _DOORBELLS + 8 * queues.number
        self.bus.write(doorbell, [queues.tail])
        place = queues.completions + 16 * queues.head
        self._until(lambda: self.bus.read(place + 12)[0] >> 16 & 1 == queues.phase, f"command {opcode:#x}")
        status = self.bus.read(place + 12)[0] >> 17
        queues.head = (queues.head + 1) % _ENTRIES
        queues.phase ^= queues.head == 0
        self.bus.write(doorbell + 4, [queues.head])
        return status

    def put(self, place: int, data: bytes) -> None:
        store(self.bus, place, words(data))

    def get(self, place: int, length: int) -> bytes:
        return b"".join(word.to_bytes(4, "little") for word in self.bus.read(place, length // 4))

    def _until(self, done: object, what: str) -> None:
        assert callable(done)
        end = time.monotonic() + self.patience
        while not done():
            assert time.monotonic() < end, f"waited for {what}"
            time.sleep(0.02)


def _qword(value: int) -> Sequence[int]:
    return [value & 0xFFFF_FFFF, value >> 32]
