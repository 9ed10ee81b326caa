# SPDX-License-Identifier: Apache-2.0
"""The workload of the simulated trees: the mix of `db_bench`, of records instead of values."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import accumulate, count

THETA = 0.99
_KEYS = 1 << 48
_SCATTER = 0x79B97F4A7C15  # odd: records and keys are one to one


def key_of(record: int) -> int:
    """Scattered, so that neighbours in popularity or age are not neighbours in the tree."""
    return record * _SCATTER % _KEYS


class Zipfian:
    """Ranks from 0 by the approximation of Gray and others (SIGMOD 1994), as YCSB has it, over a growing number."""

    def __init__(self, items: int) -> None:
        self._zeta = sum(1 / rank**THETA for rank in range(1, items + 1))
        self._items = items

    def grow(self) -> None:
        self._items += 1
        self._zeta += 1 / self._items**THETA

    def rank(self, dice: float) -> int:
        """`dice` is from 0 up to 1."""
        share = dice * self._zeta
        if share < 1:
            return 0
        if share < 1 + 0.5**THETA:
            return 1
        eta = (1 - (2 / self._items) ** (1 - THETA)) / (1 - (1 + 0.5**THETA) / self._zeta)
        return min(self._items - 1, int(self._items * (eta * dice - eta + 1) ** (1 / (1 - THETA))))


def operations(
    distribution: str, records: int, operations: int, insert: int, update: int, seed: int
) -> Iterator[tuple[bool, int]]:
    """Whether it is a put, and the key; `insert` and `update` in percent, the rest are gets."""
    dice = random.Random(seed)
    zipfian = None if distribution == "uniform" else Zipfian(records)
    bounds = list(accumulate((insert, update)))
    fresh = count(records)
    there = records
    for _ in range(operations):
        kind = dice.randrange(100)
        if kind < bounds[0]:
            yield True, key_of(next(fresh))
            there += 1
            if zipfian:
                zipfian.grow()
            continue
        if zipfian is None:
            record = dice.randrange(there)
        else:
            rank = zipfian.rank(dice.random())
            record = there - 1 - rank if distribution == "latest" else rank
        yield kind < bounds[1], key_of(record)
