# SPDX-License-Identifier: Apache-2.0
"""The order of works, and the places that have slots and memory for them."""

import random
from dataclasses import dataclass

import pytest

from launcher.spread.places import Place, Places


@dataclass(frozen=True)
class Named:
    name: str
    bytes: int


LARGE, MIDDLE, SMALL = Named("large", 10), Named("middle", 6), Named("small", 3)


def places(*memory: int, slots: int = 4) -> Places:
    found = Places()
    for number, amount in enumerate(memory):
        found.add(Place(f"p{number}", slots, amount))
    return found


def take_all(there: Places, left: list[Named]) -> list[tuple[Named, str]]:
    """What is taken until nothing fits; it is removed from `left`."""
    taken = []
    while (one := there.take(left)) is not None:
        left.remove(one[0])
        taken.append(one)
    return taken


def test_in_order_where_all_fit() -> None:
    assert take_all(places(100), [LARGE, MIDDLE, SMALL]) == [(LARGE, "p0"), (MIDDLE, "p0"), (SMALL, "p0")]
    assert places(100).take([]) is None and places().take([SMALL]) is None


def test_what_fits_beside_a_large_one_comes_before_what_does_not() -> None:
    there, left = places(13), [LARGE, MIDDLE, SMALL]
    assert take_all(there, left) == [(LARGE, "p0"), (SMALL, "p0")]
    there.give_back(SMALL, "p0")
    assert there.take(left) is None, "10 of 13 are taken, 6 are wanted"
    there.give_back(LARGE, "p0")
    assert there.take(left) == (MIDDLE, "p0")


@pytest.mark.parametrize("memory", [0, 5])
def test_what_fits_nowhere_goes_alone(memory: int) -> None:
    there, left = places(memory), [LARGE, MIDDLE]
    for expected in (LARGE, MIDDLE):
        assert take_all(there, left) == [(expected, "p0")]
        there.give_back(expected, "p0")


def test_a_place_does_as_much_as_it_has_slots() -> None:
    there, left = places(100, 100, slots=1), [LARGE, MIDDLE, SMALL]
    assert there.slots == 2 and take_all(there, left) == [(LARGE, "p0"), (MIDDLE, "p1")]
    there.give_back(MIDDLE, "p1")
    assert there.take(left) == (SMALL, "p1")


def test_the_emptiest_place_comes_first() -> None:
    there = places(100, 100)
    assert [name for _, name in take_all(there, [LARGE, MIDDLE, SMALL])] == ["p0", "p1", "p0"]


def test_a_place_that_went_takes_nothing() -> None:
    there = places(100, 100)
    assert there.take([LARGE]) == (LARGE, "p0")
    there.remove("p0")
    there.give_back(LARGE, "p0")
    assert there.names == {"p1"} and there.take([MIDDLE]) == (MIDDLE, "p1")
    there.remove("p9")


def test_each_is_taken_once_and_all_keep_within_memory() -> None:
    seed = 1
    print(f"seed {seed}")
    chance = random.Random(seed)
    needs = [Named(str(index), chance.randrange(0, 12)) for index in range(200)]
    there, left = places(20, 30, slots=3), list(needs)
    going: list[tuple[Named, str]] = []
    done: list[Named] = []
    while left or going:
        going += take_all(there, left)
        for name, memory in (("p0", 20), ("p1", 30)):
            here = [need.bytes for need, place in going if place == name]
            assert sum(here) <= memory and len(here) <= 3
        ended = going.pop(chance.randrange(len(going)))
        there.give_back(*ended)
        done.append(ended[0])
    assert sorted(done, key=lambda need: int(need.name)) == needs
