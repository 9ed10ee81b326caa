# SPDX-License-Identifier: Apache-2.0
"""The switches of `matrix`, their levels, and all combinations of them for each mode of LevelDB."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from launcher.bench.bench_description import Mode
from launcher.experiment.kvssd.cases import FLASH_PAGE, HANDLES, SYSTEMS, UNIT
from launcher.experiment.runner.description import Variant

OVER_PROVISIONING = (5, 12, 25)  # percent


@dataclass(frozen=True)
class Level:
    """A position of a switch; the words are unique among all switches."""

    word: str
    about: str
    changes: dict[str, Any] = field(default_factory=dict)  # of BenchOptions, by attribute


@dataclass(frozen=True)
class Switch:
    """What is switched, from what amplifies most by expectation to what does least."""

    name: str
    levels: tuple[Level, ...]


DEALLOCATE = Switch(
    "Deallocate",
    (
        Level("untold", "the SSD is never told which pages are free", {"deallocate": "off"}),
        Level("told", "it is told (Deallocate)", {"deallocate": "on"}),
    ),
)
ALLOCATOR = Switch(
    "allocator",
    (
        Level("next", "next fit: writes go round all LBAs", {"allocation": "next"}),
        Level("first", "first fit: the lowest free LBAs are used again", {"allocation": "first"}),
    ),
)
MAPPING = Switch(
    "mapping",
    (
        Level("anywhere", "the SSD maps 32 KB, and files begin anywhere", {"mapping_unit": UNIT, "align": "off"}),
        Level("aligned", "the SSD maps 32 KB, and files begin at its units", {"mapping_unit": UNIT, "align": "on"}),
        Level("pages", "the SSD maps 4 KB, so that all files are aligned", {"mapping_unit": 1, "align": "on"}),
    ),
)
PLACEMENT = Switch(
    "placement",
    (
        Level("mixed", "no placement handles are used", {"placement": "off"}),
        Level("levels", "handles for the log, level 0 and deeper levels", {"placement": "level"}),
        Level("tables", "the same, and each table begins a reclaim unit of its size", {"placement": "table"}),
    ),
)
SPACE = Switch(
    "over-provisioning",
    tuple(Level(f"{percent}%", f"{percent} % over-provisioning") for percent in OVER_PROVISIONING),
)
FILL = Switch(
    "fill",
    (
        Level("full", "files have 80 to 90 % of the namespace in the end, as in KVSSD's evaluation"),
        Level("roomy", "they have about 70 % of it"),
    ),
)
SWITCHES = (DEALLOCATE, ALLOCATOR, MAPPING, PLACEMENT)  # those of a variant; the cases have the others
ALL = (*SWITCHES, FILL, SPACE)
# The SSD always has its handles, so that a switch changes neither its reserve nor its namespace.
_COMMON = {"placement_handles": HANDLES}


@dataclass(frozen=True)
class System:
    """A mode of LevelDB with the mappings that it can use."""

    name: str
    about: str
    mode: Mode
    changes: dict[str, Any]
    mappings: tuple[Level, ...]


def _of_kvssd(name: str) -> dict[str, Any]:
    """How it differs from LevelDB by default, without the device."""
    (found,) = (system for system in SYSTEMS if system.name == name)
    return {name: value for name, value in found.changes.items() if not name.startswith("placement")}


# The mapping of 32 KB refuses remaps of parts of its units, which would leave nothing of the other modes.
_PAGES = (MAPPING.levels[-1],)
MODES = (
    System("off", "stock LevelDB; with `tables` and `pages` it is KVSSD's nLSM", Mode.off, {}, MAPPING.levels),
    System(
        "rlsm",
        f"remapping compaction by KVSSD's rule, TH = 2, blocks of {FLASH_PAGE // 1024} KB; with `tables` it is rLSM(-)",
        Mode.blend,
        _of_kvssd("rlsm-2"),
        _PAGES,
    ),
    System(
        "blend",
        f"remapping compaction by the rule of `blend`, up to 4 runs, blocks of {FLASH_PAGE // 1024} KB, with filters",
        Mode.blend,
        _of_kvssd("blend-4"),
        _PAGES,
    ),
)

Words = tuple[str, ...]  # of a level of each switch, in the order of SWITCHES or ALL


def words_of(mode: System) -> Iterator[Words]:
    """All settings of the mode's switches, the one that amplifies most by expectation first."""
    found = (DEALLOCATE.levels, ALLOCATOR.levels, mode.mappings, PLACEMENT.levels)
    return (tuple(level.word for level in levels) for levels in product(*found))


def name_of(mode: System, words: Words) -> str:
    """Of the variant."""
    return "-".join((mode.name, *words))


def _variant(mode: System, words: Words) -> Variant:
    changes = {**_COMMON, **mode.changes}
    for switch, word in zip(SWITCHES, words, strict=True):
        changes |= next(level.changes for level in switch.levels if level.word == word)
    return Variant(name_of(mode, words), mode.mode, changes=changes)


VARIANTS = tuple(_variant(mode, words) for mode in MODES for words in words_of(mode))
FIRST = VARIANTS[0].name  # the reference
