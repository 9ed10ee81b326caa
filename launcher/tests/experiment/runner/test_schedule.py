# SPDX-License-Identifier: Apache-2.0
"""The order of an experiment's runs, and parallel runs that together fit into memory."""

import random
import threading

import pytest

from launcher.experiment.runner.schedule import Need, Schedule

LARGE, MIDDLE, SMALL = Need("large", 10), Need("middle", 6), Need("small", 3)


def test_in_order_where_all_fit() -> None:
    schedule = Schedule([LARGE, MIDDLE, SMALL], 100)
    assert [schedule.take() for _ in range(4)] == [LARGE, MIDDLE, SMALL, None]


def test_what_fits_beside_a_large_one_comes_before_what_does_not() -> None:
    schedule = Schedule([LARGE, MIDDLE, SMALL], 13)
    assert [schedule.take(), schedule.take()] == [LARGE, SMALL]
    schedule.give_back(SMALL)
    waited: list[Need | None] = []
    waiting = threading.Thread(target=lambda: waited.append(schedule.take()), daemon=True)
    waiting.start()
    waiting.join(0.1)
    assert waiting.is_alive() and not waited, "10 of 13 are taken, 6 are wanted"
    schedule.give_back(LARGE)
    waiting.join(10)
    assert waited == [MIDDLE]


@pytest.mark.parametrize("memory", [0, 5])
def test_what_fits_nowhere_goes_alone(memory: int) -> None:
    schedule = Schedule([LARGE, MIDDLE], memory)
    for expected in (LARGE, MIDDLE):
        taken = schedule.take()
        assert taken == expected
        schedule.give_back(taken)
    assert schedule.take() is None


def test_at_the_end_nobody_waits() -> None:
    schedule = Schedule([LARGE, MIDDLE], 10)
    assert schedule.take() == LARGE
    waited: list[Need | None] = []
    waiting = threading.Thread(target=lambda: waited.append(schedule.take()), daemon=True)
    waiting.start()
    schedule.end()
    waiting.join(10)
    assert waited == [None]
    schedule.give_back(LARGE)
    assert schedule.take() is None


def test_many_threads_take_each_once_and_keep_within_memory() -> None:
    seed = 1
    print(f"seed {seed}")
    chance = random.Random(seed)
    needs = [Need(str(index), chance.randrange(0, 12)) for index in range(200)]
    schedule = Schedule(needs, 20)
    lock = threading.Lock()
    going: list[int] = []
    taken: list[str] = []
    most = 0

    def work() -> None:
        nonlocal most
        while (need := schedule.take()) is not None:
            with lock:
                going.append(need.bytes)
                taken.append(need.name)
                most = max(most, sum(going))
            with lock:
                going.remove(need.bytes)
            schedule.give_back(need)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(taken, key=int) == [need.name for need in needs]
    assert most <= 20
