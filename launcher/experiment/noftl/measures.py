# SPDX-License-Identifier: Apache-2.0
"""What `noftl` measures: garbage collection and erases, by cause; what each layer writes; throughput, response times.

All counts are of a whole replay: the load, and LinkBench's requests. Throughput and response times are of the requests
alone, as the recording took them on the controller.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from launcher.bench.bench_options import PAGE_BYTES
from launcher.experiment.noftl.systems import FIRST, block_pages_of
from launcher.experiment.runner.quantities import Axis, Quantity, Runs

Run = dict[str, Any]
Get = Callable[[Run], float | None]
# LinkBench's operations, as rocksdb_bench names them.
OPERATIONS = (
    "addlink",
    "deletelink",
    "updatelink",
    "countlink",
    "getlink",
    "getlinklist",
    "getnode",
    "addnode",
    "updatenode",
    "deletenode",
)
READ, PROGRAM, ERASE = 25e-6, 200e-6, 1.5e-3  # seconds of SLC NAND, as ioreplay's hybrid target has them


def _figures(run: Run) -> dict[str, Any]:
    return dict(run["replay"]["figures"])


def is_faster(run: Run) -> bool:
    """Whether it was replayed onto the hybrid mapping."""
    return bool(run["replay"]["device"] == "hybrid")


def recording(run: Run) -> Run:
    """The database's run."""
    return dict(run["recordings"][0])


def table_pages(run: Run) -> int:
    return int(run["replay"]["written_table_pages"])


def system_pages(run: Run) -> int:
    """What the file system writes: metadata and journal."""
    return int(run["replay"]["written_pages"]) - table_pages(run)


def wear_pages(run: Run) -> int:
    """What GC moves to level wear alone. FASTer has no wear levelling."""
    return int(_figures(run).get("wear_pages", 0))


def moved_pages(run: Run) -> int:
    """GC page writes, without wear levelling."""
    figures = _figures(run)
    if is_faster(run):
        return int(figures["second_chance_pages"]) + int(figures["merged_pages"])
    return int(figures["gc_pages"]) - wear_pages(run)


def calls(run: Run) -> int:
    """GC calls: log blocks that are reclaimed and sequential ones that are merged; superblocks that are collected."""
    figures = _figures(run)
    return int(figures["reclaims"] + figures["partial_merges"] if is_faster(run) else figures["gc_victims"])


def erases(run: Run) -> int:
    return int(_figures(run)["erases"])


def filled(run: Run) -> int:
    """Blocks that were filled or begun. The controller erases a block before each of these, FASTer behind: those that
    it has in use in the end are still to be erased.
    """
    return erases(run) + (int(_figures(run)["used_blocks"]) if is_faster(run) else 0)


def flash_seconds(run: Run) -> float:
    """What the flash is busy for, one thing at a time, with the times of SLC NAND: the same for both translations."""
    figures = _figures(run)
    if is_faster(run):
        return float(figures["flash_seconds"])
    reads = figures["host_read_pages"] + figures["gc_pages"]
    return float(reads * READ + figures["nand_program_pages"] * PROGRAM + figures["erases"] * ERASE)


def rate(run: Run) -> float | None:
    """Requests a second of the controller's time; FASTer has none."""
    one = recording(run)
    return one["operations"] / one["device_seconds"] if not is_faster(run) and one["device_seconds"] else None


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _of(text: str, get: Get, form: str = "{:.2f}", axis: Axis | None = None) -> Quantity:
    return Quantity(
        text, lambda runs, name: get(runs[name]), form, of_reference=True, unit="", axis=axis, reference=FIRST
    )


def against(
    reference: str, get: Get, how: Callable[[float, float], float | None]
) -> Callable[[Runs, str], float | None]:
    """A figure of a variant compared with that of another one."""

    def value(runs: Runs, variant: str) -> float | None:
        if reference not in runs:
            return None
        here, there = get(runs[variant]), get(runs[reference])
        return how(here, there) if here is not None and there is not None else None

    return value


def _faster_only(name: str) -> Get:
    return lambda run: float(_figures(run)[name]) if is_faster(run) else None


def _share(pages: Callable[[Run], float]) -> Get:
    """Erases by whose pages they make room for: in the shares of what is programmed."""
    return lambda run: _ratio(erases(run) * pages(run), _figures(run)["nand_program_pages"])


def _own_pages(run: Run) -> int:
    """Metadata and padding of the controller."""
    return int(_figures(run)["nand_program_pages"]) - int(run["replay"]["written_pages"]) - _all_moved(run)


def _all_moved(run: Run) -> int:
    return moved_pages(run) + wear_pages(run)


def filled_per_table_byte(run: Run) -> float | None:
    return _ratio(filled(run) * block_pages_of(recording(run)["geometry"]), table_pages(run))


_LOG = Axis(6)
CALLS = _of("GC calls", lambda run: float(calls(run)), "{:,.0f}", _LOG)
MOVED = _of("GC page writes", lambda run: float(moved_pages(run)), "{:,.0f}")
WEAR = _of("pages moved to level wear", lambda run: float(wear_pages(run)), "{:,.0f}")
ERASES = _of("erases", lambda run: float(erases(run)), "{:,.0f}", _LOG)
FILLED = _of("blocks filled", lambda run: float(filled(run)), "{:,.0f}", _LOG)
PER_BYTE = _of("bytes of these for a byte of tables", filled_per_table_byte, axis=_LOG)
WA2 = _of("flash pages programmed for a page written", lambda run: float(run["wa2"]))
DATABASE = _of("tables, MiB", lambda run: table_pages(run) * PAGE_BYTES / 2**20, "{:,.1f}")
SYSTEM = _of("file system, MiB", lambda run: system_pages(run) * PAGE_BYTES / 2**20, "{:,.1f}")
TRANSLATION = _of(
    "flash translation, MiB", lambda run: (_all_moved(run) + _own_pages(run)) * PAGE_BYTES / 2**20, "{:,.1f}"
)
SYSTEM_SHARE = _of("file system over tables", lambda run: _ratio(system_pages(run), table_pages(run)))
TRANSLATION_SHARE = _of(
    "flash translation over tables", lambda run: _ratio(_all_moved(run) + _own_pages(run), table_pages(run))
)
FLASH_SECONDS = _of("seconds that the flash is busy", flash_seconds, "{:.1f}")
RATE = _of("requests a second", rate, "{:,.0f}")
VERIFIED = _of("keys compared", lambda run: float(recording(run)["keys_verified"]), "{:,.0f}")
PAGES_VERIFIED = _of("pages compared", lambda run: float(run["replay"]["pages_verified"]), "{:,.0f}")

DEAD = _of("all of the block was deallocated", _faster_only("dead_blocks"), "{:,.0f}")
RECLAIMED = _of("log blocks reclaimed", _faster_only("reclaims"), "{:,.0f}")
SWITCHED = _of("switch merges", _faster_only("switch_merge_erases"), "{:,.0f}")
PARTIAL = _of("partial merges", _faster_only("partial_merge_erases"), "{:,.0f}")
FULL = _of("full merges", _faster_only("full_merge_erases"), "{:,.0f}")

FOR_TABLES = _of("for tables", _share(table_pages), "{:,.0f}")
FOR_SYSTEM = _of("for metadata and journal", _share(system_pages), "{:,.0f}")
FOR_MOVED = _of("for GC", _share(moved_pages), "{:,.0f}")
FOR_WEAR = _of("for wear levelling", _share(wear_pages), "{:,.0f}")
FOR_OWN = _of("for the controller's metadata", _share(_own_pages), "{:,.0f}")

SPARED = Quantity(
    "erases, times fewer",
    against(FIRST, lambda run: float(erases(run)), lambda here, there: _ratio(there, here)),
    "{:.2f}",
    unit="",
    axis=_LOG,
    reference=FIRST,
)
SPARED_PER_BYTE = Quantity(
    "blocks filled for a byte of tables, times fewer",
    against(FIRST, filled_per_table_byte, lambda here, there: _ratio(there, here)),
    "{:.2f}",
    unit="",
    axis=_LOG,
    reference=FIRST,
)
FASTER = Quantity(
    "requests a second against ssd-data",
    against("ssd-data", rate, lambda here, there: 100 * here / there - 100),
    "{:+.0f} %",
    reference="ssd-data",
)
LESS_BUSY = Quantity(
    "flash busy time, times less",
    against(FIRST, flash_seconds, lambda here, there: _ratio(there, here)),
    "{:.2f}",
    unit="",
    reference=FIRST,
)


def response(operation: str, which: str) -> Get:
    """Microseconds of the controller's time that a request of this kind takes."""
    return lambda run: None if is_faster(run) else float(recording(run)["link_device_us"][operation][which])


def mean_of(operation: str) -> Quantity:
    return _of(operation, response(operation, "mean"), "{:.1f}")


def late_of(operation: str) -> Quantity:
    return _of(operation, response(operation, "p999"), "{:,.0f}")


MEANS = tuple(map(mean_of, OPERATIONS))
LATE = tuple(map(late_of, OPERATIONS))
COUNTS = (CALLS, MOVED, WEAR, ERASES, SPARED, FILLED, PER_BYTE, SPARED_PER_BYTE, WA2)
LAYERS = (DATABASE, SYSTEM, TRANSLATION, SYSTEM_SHARE, TRANSLATION_SHARE)
TIMES = (FLASH_SECONDS, LESS_BUSY, RATE, FASTER)
OF_FASTER = (ERASES, DEAD, RECLAIMED, SWITCHED, PARTIAL, FULL)
BY_OWNER = (ERASES, FOR_TABLES, FOR_SYSTEM, FOR_MOVED, FOR_WEAR, FOR_OWN)
QUANTITIES = (*COUNTS, *LAYERS, *TIMES, *OF_FASTER[1:], *BY_OWNER[1:], VERIFIED, PAGES_VERIFIED)
PICTURED = (CALLS, MOVED, ERASES, PER_BYTE, FLASH_SECONDS)
