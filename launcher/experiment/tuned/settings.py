# SPDX-License-Identifier: Apache-2.0
"""The variants of `tuned`: tuned stock LevelDBs, the plan of `blend` without remaps, settings of `blend`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import BenchOptions
from launcher.experiment.runner.description import Case, Variant

DEFAULTS = BenchOptions()
FILTER_BITS = DEFAULTS.blend_filter_bits  # a key, as `blend` has them by default
TABLES = 4  # how many times larger a large table is


class Kind(StrEnum):
    """What a variant is compared as."""

    stock = "stock"  # mode `off`: the best of these is what `blend` is held against
    tiered = "tiered"  # `blend` without some of its remaps, or all
    remapping = "remapping"


@dataclass(frozen=True)
class Setting(Variant):
    """A variant with its kind, and what it is."""

    kind: Kind = Kind.stock
    about: str = ""
    tables: int = 1  # how many times larger a table is

    def options(self, case: Case) -> BenchOptions:
        found = super().options(case)
        return replace(found, max_file_size=found.max_file_size * self.tables)


def _stock(name: str, about: str, tables: int = 1, **changes: Any) -> Setting:
    return Setting(name, Mode.off, changes=changes, kind=Kind.stock, about=about, tables=tables)


def _dynamic(name: str, about: str, tables: int = 1, **changes: Any) -> Setting:
    return _stock(name, about, tables, dynamic_levels="on", **changes)


def _ratio(ratio: int) -> Setting:
    return _stock(f"ratio-{ratio}", f"levels grow {ratio}-fold", level_ratio=ratio)


def _dynamic_ratio(ratio: int) -> Setting:
    instead = DEFAULTS.last_level_ratio
    about = f"`dynamic` with a last level ratio of {ratio} instead of {instead}, where levels grow at most as much"
    return _dynamic(f"dynamic-{ratio}", about, level_ratio=ratio, last_level_ratio=ratio)


def _blend(name: str, about: str, mode: Mode = Mode.blend, tables: int = 1, **changes: Any) -> Setting:
    return Setting(name, mode, changes=changes, kind=Kind.remapping, about=about, tables=tables)


def _tiered(name: str, about: str, remapped: str) -> Setting:
    return Setting(name, Mode.blend, changes={"remap_blocks": remapped}, kind=Kind.tiered, about=about)


def _space(percent: int) -> Setting:
    return _blend(f"blend-{percent}", f"`--blend-space {percent}`", blend_space=percent)


PLAIN, DEFAULT = "off", "blend"
WRITTEN, STAYS = "tiered-written", "tiered-stays"
SETTINGS = (
    _stock(PLAIN, "stock LevelDB as it is: levels grow tenfold"),
    _ratio(4),
    _ratio(6),
    _stock("tables", f"tables are {TABLES} times larger", tables=TABLES),
    _stock("filters", f"with LevelDB's Bloom filters of {FILTER_BITS} bits a key", bloom_bits=FILTER_BITS),
    _dynamic("dynamic", "with the levels of `blend`, which follow the data"),
    _dynamic_ratio(10),
    _dynamic_ratio(4),
    _dynamic("dynamic-ratio-4", "`dynamic` where levels grow at most fourfold", level_ratio=4),
    _dynamic(
        "dynamic-10-ratio-4", "`dynamic-10` where levels grow at most fourfold", level_ratio=4, last_level_ratio=10
    ),
    _dynamic("dynamic-tables", f"`dynamic` with tables that are {TABLES} times larger", tables=TABLES),
    _dynamic(
        "dynamic-filters", "`dynamic` with filters: all that `blend` has but its compactions", bloom_bits=FILTER_BITS
    ),
    _tiered(WRITTEN, "the plan of `blend`, all of it written", "none"),
    _tiered(
        STAYS,
        "the same, but tables that are not merged stay where they are: only what comes down to them is written",
        "attached",
    ),
    _blend(
        DEFAULT,
        f"`blend` with its defaults: `--blend-space {DEFAULTS.blend_space} "
        f"--last-level-ratio {DEFAULTS.last_level_ratio}`",
    ),
    _space(10),
    _space(20),
    _space(40),
    _blend("blend-fill0", "`--fill-space 0`: a kept block may waste no space", fill_space=0),
    _blend("blend-tables", f"tables are {TABLES} times larger", tables=TABLES),
    _blend("blend-10-tables", "the same with `--blend-space 10`", tables=TABLES, blend_space=10),
    _blend("blend-fill0-tables", "`blend-fill0` with larger tables", tables=TABLES, fill_space=0),
    _blend(
        "blend-10-fill0-tables",
        "the same with `--blend-space 10`",
        tables=TABLES,
        blend_space=10,
        fill_space=0,
    ),
    _blend(
        "skip-dynamic",
        "`skip` with the levels of `blend`: remaps, but no table has several runs",
        Mode.skip,
        dynamic_levels="on",
    ),
)
STOCK = tuple(setting.name for setting in SETTINGS if setting.kind is Kind.stock)
TIERED = tuple(setting.name for setting in SETTINGS if setting.kind is Kind.tiered)
REMAPPING = tuple(setting.name for setting in SETTINGS if setting.kind is Kind.remapping)
