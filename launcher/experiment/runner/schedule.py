# SPDX-License-Identifier: Apache-2.0
"""Chooses the next run of an experiment: the first one left whose flash fits memory beside that of the current runs."""

from __future__ import annotations

import threading
from dataclasses import dataclass


@dataclass(frozen=True)
class Need:
    """Memory that a run needs, in bytes."""

    name: str
    bytes: int


class Schedule:
    """Hands out runs to threads, in order as far as memory allows.

    A large run beside which a smaller one of further back fits does not keep the other cores idle. One that fits beside
    nothing goes alone, so that none waits for ever.
    """

    def __init__(self, needs: list[Need], memory: int) -> None:
        self._left = list(needs)
        self._memory = memory  # bytes for all parallel runs; 0: unknown, so runs that need memory run alone
        self._going: list[Need] = []
        self._changed = threading.Condition()

    def take(self) -> Need | None:
        """Waits for memory and returns the next run, or None at the end. Call `give_back` after the run."""
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
        """Releases the memory of a run."""
        with self._changed:
            self._going.remove(need)
            self._changed.notify_all()

    def end(self) -> None:
        """Makes all further calls of `take` return None."""
        with self._changed:
            self._left.clear()
            self._changed.notify_all()
