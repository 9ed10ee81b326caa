# SPDX-License-Identifier: Apache-2.0
"""Which run of an experiment comes next: the first of those left whose flash fits into memory beside the others'."""

from __future__ import annotations

import threading
from dataclasses import dataclass


@dataclass(frozen=True)
class Need:
    """What a run takes of memory while it goes on."""

    name: str
    bytes: int


class Schedule:
    """Hands out runs to threads, in order as far as memory allows.

    A large run beside which a smaller one of further back fits does not keep the other cores idle. One that fits beside
    nothing goes alone, so that none waits for ever.
    """

    def __init__(self, needs: list[Need], memory: int) -> None:
        self._left = list(needs)
        self._memory = memory  # bytes for all that go at a time; 0: not known, then those that need some go alone
        self._going: list[Need] = []
        self._changed = threading.Condition()

    def take(self) -> Need | None:
        """The next one, as soon as there is room; `give_back` it. None: there are no more."""
        with self._changed:
            while self._left:
                used = sum(need.bytes for need in self._going)
                for need in self._left:
                    if not self._going or used + need.bytes <= self._memory:
                        self._left.remove(need)
                        self._going.append(need)
                        return need
                self._changed.wait()
            return None

    def give_back(self, need: Need) -> None:
        """Its memory is free again."""
        with self._changed:
            self._going.remove(need)
            self._changed.notify_all()

    def end(self) -> None:
        """None is handed out any more."""
        with self._changed:
            self._left.clear()
            self._changed.notify_all()
