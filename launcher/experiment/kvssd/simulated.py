# SPDX-License-Identifier: Apache-2.0
"""Systems that are simulated only: the compaction factor, reads and space of dLSM and lLSM.

LSM and rLSM(-) are simulated beside them, to show how far the simulation is from LevelDB. What lies below the tree is
not simulated: dLSM and lLSM write their tables through the same layers as LSM.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from launcher.bench.bench_description import Mode
from launcher.cli import documents
from launcher.experiment.kvssd import cases as device
from launcher.experiment.kvssd.cases import FLASH_PAGE, KEY, KEYS_FIGURE, VALUE
from launcher.experiment.kvssd.keys import key_of, operations
from launcher.experiment.kvssd.tree import Append, Compaction, Merge, Remap, Sizes, Tree, Virtual
from launcher.experiment.runner import provenance
from launcher.experiment.runner.description import Case, Elsewhere, Scale, Variant
from launcher.experiment.runner.parts import Table
from launcher.experiment.runner.quantities import Results

NAME = "simulation"
FIGURE = "simulated"
VERSION = 2  # of the simulation: results of another one are made again
# Runs of a virtual table, as many as rLSM has with the TH that the paper recommends; and of a table that is appended
# to. The paper does not say what it set.
VIRTUAL, APPENDED = 2, 10
_ENTRY = KEY + VALUE + 16  # in a block, with its share of the index


@dataclass(frozen=True)
class System:
    about: str
    how: Callable[[], Compaction]


SYSTEMS = {
    "lsm": System("LSM", Merge),
    "rlsm-2": System("rLSM(-), TH = 2", lambda: Remap(2)),
    "dlsm": System(f"dLSM, virtual tables of at most {VIRTUAL} runs", lambda: Virtual(VIRTUAL)),
    "llsm": System(f"lLSM, at most {APPENDED} runs appended", lambda: Append(APPENDED)),
}
VARIANTS = tuple(Variant(f"simulated-{name}", Mode.off) for name in SYSTEMS)


def cases(scale: Scale) -> list[Case]:
    """The same keys as on the device."""
    return [Case(FIGURE, case.name, case.options) for case in device.cases(scale) if case.figure == KEYS_FIGURE]


def sizes(case: Case) -> Sizes:
    options = case.options
    return Sizes(
        options.write_buffer // _ENTRY, options.max_file_size // _ENTRY, options.level1_bytes // _ENTRY,
        FLASH_PAGE // _ENTRY,
    )  # fmt: skip


def simulate(case: Case, how: Compaction) -> dict[str, Any]:
    """Loads, then measures, as db_bench does. Raises AssertionError if a key that was put is not found."""
    options = case.options
    tree = Tree(sizes(case), how)
    for record in range(options.num):
        tree.put(key_of(record))
    written, metadata = tree.written, tree.pages
    puts = gets = pages = 0
    known = options.num
    for is_put, key in operations(
        options.mix_keys, options.num, options.operations, options.mix_insert, options.mix_update, options.seed
    ):
        if is_put:
            tree.put(key)
            puts += 1
            continue
        looked, found = tree.pages_of_get(key)
        assert found, key
        pages += looked
        gets += 1
    while known < options.num + options.operations and tree.pages_of_get(key_of(known))[1]:
        known += 1
    # The log takes an entry for each put. A page of metadata is one of the flash.
    wrote = tree.written - written + puts + (tree.pages - metadata) * tree.sizes.page
    return {
        "compaction": wrote / puts,
        "read_amplification": pages * FLASH_PAGE / (gets * (KEY + VALUE)),
        "space": tree.entries() / known,
        "puts": puts,
        "gets": gets,
    }


def _address(case: Case, name: str) -> list[Any]:
    options = case.options
    return [VERSION, name, vars(sizes(case)), options.num, options.operations, options.mix_keys, options.seed]


def _kept(path: Path, case: Case, name: str) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and found.get("address") == _address(case, name) else None


def _file(folder: Path, case: Case, name: str) -> Path:
    return folder / "runs" / case.file(name)


def gather(wanted: list[Case], folder: Path) -> Results:
    """Cases that are finished in all systems, by the keys."""
    found = {}
    for case in wanted:
        runs = {name: _kept(_file(folder, case, name), case, name) for name in SYSTEMS}
        whole = {name: run for name, run in runs.items() if run is not None}
        if len(whole) == len(SYSTEMS):
            found[case.name] = whole
    return found


class Simulation:
    """The place of the experiment's description."""

    name = NAME
    variants: tuple[Variant, ...] = VARIANTS

    def cases(self, scale: Scale) -> list[Case]:
        return cases(scale)

    def run(self, wanted: list[Case], folder: Path, command: list[str], say: Callable[[str], None]) -> Elsewhere:
        del command  # it needs no program
        (folder / "runs").mkdir(parents=True, exist_ok=True)
        stamp = {"commit": provenance.commit()}
        for case in wanted:
            for name, system in SYSTEMS.items():
                if _kept(_file(folder, case, name), case, name) is None:
                    result = simulate(case, system.how()) | {"address": _address(case, name)}
                    documents.write(provenance.stamped(result, stamp), _file(folder, case, name))
                    say(f"{case.figure} {case.name} {name}: compaction {result['compaction']:.2f}")
        return self.report(wanted, folder)

    def report(self, wanted: list[Case], folder: Path, failed: Exception | None = None) -> Elsewhere:
        del failed
        results = gather(wanted, folder)
        return Elsewhere(results, "" if len(results) == len(wanted) else "this is a report of what had been simulated")


_COLUMNS = (("compaction", "{:.2f}"), ("read_amplification", "{:.1f}"), ("space", "{:.2f}"))


def table(simulated: Results) -> Table:
    """Head and rows."""
    rows = [
        [keys, SYSTEMS[name].about, *(form.format(run[column]) for column, form in _COLUMNS)]
        for keys, runs in simulated.items()
        for name, run in runs.items()
    ]
    return ["keys", "simulated", "compaction", "read amplification", "space over live data"], rows
