# SPDX-License-Identifier: Apache-2.0
"""A simulated LSM tree: exact keys, LevelDB's levels, and one of four ways to compact. It stores no values.

It is for the systems that are not implemented: dLSM delays compactions by virtual tables (Pan, Yue, Xiong,
"dCompaction", 2016), lLSM appends to the tables below (Yao and others, "A light-weight compaction tree", MSST 2017).
LSM and the rule of rLSM are here, too, to be compared with what LevelDB does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

LEVEL0_TABLES = 4  # that a compaction of level 0 waits for
RATIO = 10  # of a level to the one above it

Run = list[int]  # keys in order


@dataclass
class Table:
    """Sorted runs, newest first. One run is a table as LevelDB has it."""

    runs: list[Run]
    low: int = 0
    high: int = 0

    def __post_init__(self) -> None:
        self.low = min(run[0] for run in self.runs)
        self.high = max(run[-1] for run in self.runs)

    @property
    def entries(self) -> int:
        return sum(map(len, self.runs))


@dataclass(frozen=True)
class Sizes:
    """In entries."""

    memtable: int
    table: int
    level1: int
    page: int  # entries of a flash page


def merged(runs: Iterable[Run]) -> Run:
    """One run of all keys, each once."""
    keys: set[int] = set()
    for run in runs:
        keys.update(run)
    return sorted(keys)


def cut(run: Run, size: int) -> list[Table]:
    """Tables of at most `size` entries: full ones and a rest, as LevelDB makes them."""
    return [Table([run[at : at + size]]) for at in range(0, len(run), size)]


def cut_evenly(run: Run, size: int) -> list[Table]:
    """Tables of equal size, of about `size` entries: so that tables that are merged one by one leave no small ones."""
    number = max(1, round(len(run) / size))
    ends = [len(run) * n // number for n in range(number + 1)]
    return [Table([run[begin:end]]) for begin, end in pairwise(ends)]


def parts(run: Run, lower: Sequence[Table]) -> list[Run]:
    """What of a run falls to each lower table: up to its last key, and to the last one all that is behind it."""
    ends = [bisect_right(run, table.high) for table in lower[:-1]] + [len(run)]
    return [run[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]


@dataclass
class Written:
    """What a compaction makes: the tables of the lower level in order, and what it wrote for them."""

    tables: list[Table]
    entries: int
    pages: int = 0  # of metadata, for tables whose entries were not written


class Compaction(ABC):
    """How tables of one level go to the next, in key order. `upper` are tables that may overlap, newest first."""

    @abstractmethod
    def compact(self, upper: list[Table], lower: list[Table], sizes: Sizes) -> Written: ...


class Merge(Compaction):
    """LSM: all is written anew."""

    def compact(self, upper: list[Table], lower: list[Table], sizes: Sizes) -> Written:
        keys = merged(run for table in [*upper, *lower] for run in table.runs)
        return Written(cut(keys, sizes.table), len(keys))


@dataclass
class Remap(Compaction):
    """rLSM(-): a lower table takes the runs above it as long as there are at most `most` together."""

    most: int

    def compact(self, upper: list[Table], lower: list[Table], sizes: Sizes) -> Written:
        if not lower:
            return Merge().compact(upper, lower, sizes)
        above = max(len(table.runs) for table in upper)
        runs = [run for table in upper for run in table.runs]
        whole = len(runs) == 1
        made = Written([], 0)
        keys = runs[0] if whole else merged(runs)
        for part, table in zip(parts(keys, lower), lower, strict=True):
            if not part:
                made.tables.append(table)
            elif above + len(table.runs) <= self.most:
                made.tables.append(Table([part, *table.runs]))
                made.entries += 0 if whole else len(part)
                made.pages += 1
            else:
                new = merged([part, *table.runs])
                made.tables += cut_evenly(new, sizes.table)
                made.entries += len(new)
        return made


@dataclass
class Virtual(Compaction):
    """dLSM: lower tables become virtual ones, with a segment of the upper one each, and no entry is written.

    When one of them would have more than `most` runs, all tables that the compaction concerns are written anew: a
    table of which a segment goes cannot go before its other segments.
    """

    most: int

    def compact(self, upper: list[Table], lower: list[Table], sizes: Sizes) -> Written:
        above = [run for table in upper for run in table.runs]
        most = len(above) + max((len(table.runs) for table in lower), default=0)
        if not lower or most > self.most:
            return Merge().compact(upper, lower, sizes)
        made = Written([], 0, len(lower))
        segments = zip(*(parts(run, lower) for run in above), strict=True)
        for several, table in zip(segments, lower, strict=True):
            made.tables.append(Table([*(part for part in several if part), *table.runs]))
        return made


@dataclass
class Append(Compaction):
    """lLSM: what comes from above is appended to the tables it falls into, as a further run.

    A table is merged, and split, when it has more than `most` runs or twice its entries.
    """

    most: int

    def compact(self, upper: list[Table], lower: list[Table], sizes: Sizes) -> Written:
        keys = merged(run for table in upper for run in table.runs)
        if not lower:
            return Written(cut(keys, sizes.table), len(keys))
        made = Written([], len(keys))
        for part, table in zip(parts(keys, lower), lower, strict=True):
            if not part:
                made.tables.append(table)
                continue
            grown = Table([part, *table.runs])
            if len(grown.runs) <= self.most and grown.entries <= 2 * sizes.table:
                made.tables.append(grown)
                continue
            new = merged(grown.runs)
            made.tables += cut_evenly(new, sizes.table)
            made.entries += len(new) - len(part)  # which need not be appended first
        return made


@dataclass
class Tree:
    """Puts and gets of keys. Levels from 1 on have tables in key order that do not overlap."""

    sizes: Sizes
    how: Compaction
    memtable: set[int] = field(default_factory=set)
    puts: int = 0  # in the memtable: LevelDB keeps every version there, and writes all of them into level 0
    levels: list[list[Table]] = field(default_factory=lambda: [[]])  # level 0: newest first
    written: int = 0  # entries written into tables
    pages: int = 0  # of metadata written
    _next: dict[int, int] = field(default_factory=dict)  # by level: the key behind which compactions go on

    def put(self, key: int) -> None:
        self.memtable.add(key)
        self.puts += 1
        if self.puts < self.sizes.memtable:
            return
        self.levels[0].insert(0, Table([sorted(self.memtable)]))
        self.written += self.puts
        self.memtable.clear()
        self.puts = 0
        while (level := self._fullest()) is not None:
            self._compact(level)

    def entries(self) -> int:
        """In tables, those that newer ones hide included."""
        return sum(table.entries for level in self.levels for table in level)

    def pages_of_get(self, key: int) -> tuple[int, bool]:
        """Flash pages that a get looks at, and whether it finds the key. Metadata is in memory."""
        if key in self.memtable:
            return 0, True
        pages = 0
        for number, level in enumerate(self.levels):
            for table in level if number == 0 else self._table_of(level, key):
                for run in table.runs:
                    looked, found = self._look(run, key)
                    pages += looked
                    if found:
                        return pages, True
        return pages, False

    def _look(self, run: Run, key: int) -> tuple[int, bool]:
        """A page is looked at if the key is between its first and its last one."""
        at = bisect_left(run, key)
        if at == len(run):
            return 0, False
        first = at // self.sizes.page * self.sizes.page
        return (1, run[at] == key) if run[first] <= key else (0, False)

    @staticmethod
    def _table_of(level: list[Table], key: int) -> list[Table]:
        at = bisect_left(level, key, key=lambda table: table.high)
        return [level[at]] if at < len(level) and level[at].low <= key else []

    def _fullest(self) -> int | None:
        scores = [len(self.levels[0]) / LEVEL0_TABLES]
        limit = float(self.sizes.level1)
        for level in self.levels[1:]:
            scores.append(sum(table.entries for table in level) / limit)
            limit *= RATIO
        best = max(range(len(scores)), key=scores.__getitem__)
        return best if scores[best] >= 1 else None

    def _compact(self, level: int) -> None:
        if level + 1 == len(self.levels):
            self.levels.append([])
        tables, below = self.levels[level], self.levels[level + 1]
        if level == 0:
            upper = list(tables)
            tables.clear()
        else:
            at = bisect_right(tables, self._next.get(level, -1), key=lambda table: table.low) % len(tables)
            upper = [tables.pop(at)]
            self._next[level] = upper[0].high
        low, high = min(table.low for table in upper), max(table.high for table in upper)
        begin = bisect_left(below, low, key=lambda table: table.high)
        end = bisect_right(below, high, key=lambda table: table.low)
        if level > 0 and begin == end:  # moved
            below[begin:end] = upper
            return
        made = self.how.compact(upper, below[begin:end], self.sizes)
        below[begin:end] = made.tables
        self.written += made.entries
        self.pages += made.pages
