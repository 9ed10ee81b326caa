# SPDX-License-Identifier: Apache-2.0
"""What `kvssd` measures: the paper's three factors of write amplification, throughput and reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from launcher.bench.bench_options import PAGE_BYTES
from launcher.experiment.kvssd.cases import FIRST
from launcher.experiment.runner.quantities import Axis, Quantity, Runs

Run = dict[str, Any]


def _block_bytes(run: Run) -> int:
    """What LevelDB and the file system write, without what the mapping unit adds."""
    return int(run["host_bytes"]) - int(run["bytes_by_cause"].get("mapping_unit", 0))


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def compaction(run: Run) -> float | None:
    return _ratio(_block_bytes(run), run["user_bytes"])


def read_modify_write(run: Run) -> float | None:
    return _ratio(run["host_bytes"], _block_bytes(run))


def _by_itself(run: Run) -> int:
    """What the device programs of its own accord: to level wear, and for its metadata."""
    return PAGE_BYTES * (int(run.get("wear_pages", 0)) + int(run.get("metadata_pages", 0)))


def collection(run: Run) -> float | None:
    return _ratio(int(run["nand_bytes"]) - _by_itself(run), run["host_bytes"])


def whole(run: Run) -> float | None:
    """The product of the three factors."""
    return _ratio(int(run["nand_bytes"]) - _by_itself(run), run["user_bytes"])


def throughput(run: Run) -> float | None:
    """Operations a second of the device's time."""
    return _ratio(run["operations"], run["device_seconds"])


def read_amplification(run: Run) -> float | None:
    """Bytes of flash pages of 32 KB that gets read for each byte that they return."""
    return _ratio(run["get_read_bytes_of_spans"], run["get_bytes"])


def _of(text: str, get: Callable[[Run], float | None], form: str = "{:.2f}", axis: Axis | None = None) -> Quantity:
    return Quantity(
        text, lambda runs, variant: get(runs[variant]), form, of_reference=True, unit="", axis=axis, reference=FIRST
    )


def _against(get: Callable[[Run], float | None], how: Callable[[float], float]) -> Callable[[Runs, str], float | None]:
    """A figure relative to that of the reference."""

    def value(runs: Runs, variant: str) -> float | None:
        here, there = get(runs[variant]), get(runs[FIRST])
        return how(here / there) if here is not None and there else None

    return value


_AXIS = Axis(6)
COMPACTION = _of("compaction", compaction)
READ_MODIFY_WRITE = _of("read-modify-write", read_modify_write)
COLLECTION = _of("GC", collection)
WHOLE = _of("write amplification", whole, axis=_AXIS)
ALL = _of("the same with wear levelling and metadata", lambda run: float(run["wa"]), axis=_AXIS)
THROUGHPUT = _of("operations a second", throughput, "{:,.0f}", axis=_AXIS)
READS = _of("read amplification, flash pages of 32 KB", read_amplification, "{:.1f}")
SPACE = _of("space over live data", lambda run: float(run["space_amplification"]))
VERIFIED = _of("keys compared", lambda run: float(run["keys_verified"]), "{:,.0f}")
FASTER = Quantity(
    "throughput, times that of LSM", _against(throughput, lambda x: x), "{:.2f}", unit="", axis=_AXIS, reference=FIRST
)
MORE_READS = Quantity(
    "read amplification against LSM",
    _against(read_amplification, lambda x: 100 * x - 100),
    "{:+.0f} %",
    reference=FIRST,
)
SAVED = Quantity(
    "write amplification saved against LSM",
    _against(whole, lambda x: 100 - 100 * x),
    "{:.0f} %",
    reference=FIRST,
)
QUANTITIES = (
    COMPACTION,
    READ_MODIFY_WRITE,
    COLLECTION,
    WHOLE,
    ALL,
    THROUGHPUT,
    FASTER,
    READS,
    MORE_READS,
    SPACE,
    VERIFIED,
)
PICTURED = (COMPACTION, READ_MODIFY_WRITE, COLLECTION, WHOLE, THROUGHPUT, READS)
