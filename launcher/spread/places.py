# SPDX-License-Identifier: Apache-2.0
"""Chooses what is done next, and where: the first that is left whose memory a place has beside what it does already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar


class Need(Protocol):
    """What needs memory, in bytes."""

    @property
    def bytes(self) -> int: ...


_N = TypeVar("_N", bound=Need)


@dataclass
class Place:
    """A worker: how much it does side by side, and its memory for that."""

    name: str
    slots: int
    memory: int  # bytes; 0: unknown, so what needs memory goes alone
    going: list[Need] = field(default_factory=list)

    def has_room(self, need: Need) -> bool:
        """Whether another one fits. What fits beside nothing goes alone, so that none waits for ever."""
        if len(self.going) >= self.slots:
            return False
        return not self.going or sum(other.bytes for other in self.going) + need.bytes <= self.memory


class Places:
    """All workers. A large need beside which a smaller one of further back fits leaves no slot idle."""

    def __init__(self) -> None:
        self._places: dict[str, Place] = {}

    def add(self, place: Place) -> None:
        self._places[place.name] = place

    def remove(self, name: str) -> None:
        """The place is gone, and what went on there."""
        self._places.pop(name, None)

    @property
    def names(self) -> set[str]:
        return set(self._places)

    @property
    def slots(self) -> int:
        return sum(place.slots for place in self._places.values())

    def take(self, left: Sequence[_N]) -> tuple[_N, str] | None:
        """The next need and the place that has room for it; None if there is none now."""
        # The emptiest first: two at one place would share what another one has idle.
        places = sorted(self._places.values(), key=lambda place: len(place.going) / max(1, place.slots))
        for need in left:
            for place in places:
                if place.has_room(need):
                    place.going.append(need)
                    return need, place.name
        return None

    def give_back(self, need: Need, name: str) -> None:
        """Releases slot and memory. Nothing happens if the place is gone."""
        place = self._places.get(name)
        if place is not None and need in place.going:
            place.going.remove(need)
