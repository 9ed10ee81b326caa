# SPDX-License-Identifier: Apache-2.0
"""The simulated LSM tree: it loses no key, and each way to compact writes and reads what it says."""

import random
from itertools import pairwise

import pytest

from launcher.experiment.kvssd.tree import (
    Append,
    Compaction,
    Merge,
    Remap,
    Sizes,
    Table,
    Tree,
    Virtual,
    cut_evenly,
    parts,
)

SIZES = Sizes(memtable=20, table=20, level1=60, page=5)
WAYS: list[Compaction] = [Merge(), Remap(2), Remap(4), Virtual(2), Virtual(4), Append(4)]


def lower(*tables: list[list[int]]) -> list[Table]:
    return [Table(runs) for runs in tables]


def runs(tables: list[Table]) -> list[list[list[int]]]:
    return [table.runs for table in tables]


@pytest.mark.parametrize("how", WAYS, ids=lambda how: f"{type(how).__name__}{getattr(how, 'most', '')}")
def test_no_key_is_lost_and_levels_are_in_order(how: Compaction) -> None:
    tree, dice, known = Tree(SIZES, how), random.Random(1), set()
    for step in range(6000):
        key = dice.randrange(1500)
        tree.put(key)
        known.add(key)
        if step % 500:
            continue
        for level in tree.levels[1:]:
            assert all(a.high < b.low for a, b in pairwise(level))
        assert all(run == sorted(set(run)) for level in tree.levels for table in level for run in table.runs)
    assert len(tree.levels) == 4
    assert all(tree.pages_of_get(key)[1] for key in known)
    assert not tree.pages_of_get(1501)[1]
    assert tree.written > 6000


def test_parts_go_up_to_the_last_keys_and_the_rest_to_the_last_table() -> None:
    assert parts([1, 5, 9, 12, 99], lower([[2, 9]], [[11, 20]], [[30, 40]])) == [[1, 5, 9], [12], [99]]


def test_equal_tables() -> None:
    assert [table.entries for table in cut_evenly(list(range(25)), 20)] == [25]
    assert [table.entries for table in cut_evenly(list(range(31)), 20)] == [15, 16]


def test_remapping_writes_no_entry_up_to_the_threshold() -> None:
    made = Remap(2).compact([Table([[5, 15]])], lower([[1, 9]], [[10, 12, 19]]), SIZES)
    assert (runs(made.tables), made.entries, made.pages) == ([[[5], [1, 9]], [[15], [10, 12, 19]]], 0, 2)
    made = Remap(2).compact([Table([[5]])], [Table([[3], [1, 9]]), Table([[20, 30]])], SIZES)
    assert (runs(made.tables), made.entries) == ([[[1, 3, 5, 9]], [[20, 30]]], 4), "the first has two runs already"
    made = Remap(3).compact([Table([[5], [6]])], lower([[1, 9]]), SIZES)
    assert (runs(made.tables), made.entries) == ([[[5, 6], [1, 9]]], 2), "runs above become one"


def test_virtual_tables_are_written_together_when_one_is_full() -> None:
    made = Virtual(2).compact([Table([[5, 15]])], lower([[1, 9]], [[10, 19]]), SIZES)
    assert (len(made.tables), made.entries, made.pages) == (2, 0, 2)
    made = Virtual(2).compact([Table([[5, 25]])], [Table([[3], [1, 9]]), Table([[20, 30]])], SIZES)
    assert (runs(made.tables), made.entries) == ([[[1, 3, 5, 9, 20, 25, 30]]], 7)


def test_appending_writes_what_comes_from_above() -> None:
    made = Append(3).compact([Table([[5, 15]])], lower([[1, 9]], [[10, 19]]), SIZES)
    assert (runs(made.tables), made.entries) == ([[[5], [1, 9]], [[15], [10, 19]]], 2)
    made = Append(2).compact([Table([[5]])], [Table([[3], [1, 9]])], SIZES)
    assert (runs(made.tables), made.entries) == ([[[1, 3, 5, 9]]], 4), "one run too many"


def test_every_put_fills_the_memtable_and_goes_to_level_0() -> None:
    tree = Tree(SIZES, Merge())
    for _ in range(19):
        tree.put(7)
    assert (tree.written, tree.levels[0]) == (0, [])
    tree.put(7)
    assert (tree.written, runs(tree.levels[0])) == (20, [[[7]]])


def test_a_get_looks_at_pages_whose_keys_are_around_its_own() -> None:
    tree = Tree(SIZES, Merge())
    tree.levels = [[], [Table([[7], list(range(0, 40, 2))])]]
    assert tree.pages_of_get(8) == (1, True), "the newer run ends before"
    assert tree.pages_of_get(7) == (1, True)
    assert tree.pages_of_get(5) == (1, False), "between two keys of one page"
    assert tree.pages_of_get(9) == (0, False), "between two pages"
    tree.memtable.add(9)
    assert tree.pages_of_get(9) == (0, True)
