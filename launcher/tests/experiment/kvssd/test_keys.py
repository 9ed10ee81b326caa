# SPDX-License-Identifier: Apache-2.0
"""The workload of the simulated trees."""

from collections import Counter
from itertools import pairwise

import pytest

from launcher.experiment.kvssd.keys import Zipfian, key_of, operations


def test_records_have_keys_of_their_own_that_are_scattered() -> None:
    keys = [key_of(record) for record in range(10_000)]
    assert len(set(keys)) == len(keys)
    ups = sum(a < b for a, b in pairwise(keys))
    assert 0.2 * len(keys) < ups < 0.8 * len(keys)


def test_the_first_ranks_have_their_share() -> None:
    zipfian = Zipfian(1000)
    steps = 100_000
    found = Counter(zipfian.rank(step / steps) for step in range(steps))
    zeta = sum(1 / rank**0.99 for rank in range(1, 1001))
    assert found[0] / steps == pytest.approx(1 / zeta, rel=0.01)
    assert found[1] / steps == pytest.approx(0.5**0.99 / zeta, rel=0.01)
    assert max(found) <= 999 and min(found) == 0
    for _ in range(1000):
        zipfian.grow()
    assert zipfian.rank(0.999999) > 1900, "later ranks are there, too"


@pytest.mark.parametrize("distribution", ["uniform", "zipfian", "latest"])
def test_the_mix_has_its_shares_and_only_records_that_exist(distribution: str) -> None:
    there = {key_of(record) for record in range(500)}
    new = puts = 0
    for is_put, key in operations(distribution, 500, 4000, 25, 65, 1):
        if key not in there:
            assert is_put and key == key_of(500 + new)
            there.add(key)
            new += 1
        puts += is_put
    assert new == pytest.approx(1000, rel=0.1) and puts == pytest.approx(3600, rel=0.05)


def test_a_seed_repeats_and_latest_keys_are_new_ones() -> None:
    def of(distribution: str, seed: int) -> list[tuple[bool, int]]:
        return list(operations(distribution, 500, 1000, 0, 100, seed))

    assert of("zipfian", 1) == of("zipfian", 1) != of("zipfian", 2)
    assert Counter(key for _, key in of("latest", 1)).most_common(1)[0][0] == key_of(499)
    assert Counter(key for _, key in of("zipfian", 1)).most_common(1)[0][0] == key_of(0)
