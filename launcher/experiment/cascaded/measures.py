# SPDX-License-Identifier: Apache-2.0
"""What `cascaded` measures of each column: the paper's two factors, what causes the first, and throughput.

Runs here are those of systems.compared().
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from launcher.experiment.cascaded.systems import FIRST
from launcher.experiment.runner.quantities import Axis, Quantity

Run = dict[str, Any]
Get = Callable[[Run], float | None]


def _of(text: str, get: Get, form: str = "{:.2f}", axis: Axis | None = None) -> Quantity:
    return Quantity(
        text, lambda runs, name: get(runs[name]), form, of_reference=True, unit="", axis=axis, reference=FIRST
    )


def _per_second(amount: str, unit: float) -> Get:
    return lambda run: float(run[amount]) / unit / run["device_seconds"] if run["device_seconds"] else None


def _wa1(run: Run) -> float | None:
    return float(run["wa1"])


def _wa2(run: Run) -> float | None:
    return float(run["wa2"])


def _wa(run: Run) -> float | None:
    return float(run["wa"])


rate = _per_second("put_bytes", 1e6)
operations = _per_second("operations", 1e3)


def _cause(*names: str) -> Get:
    """What LevelDB and the file system write for some causes, for each byte that is put."""
    return lambda run: sum(run["bytes_by_cause"].get(name, 0) for name in names) / run["user_bytes"]


def _against(get: Get, how: Callable[[float, float], float | None]) -> Get:
    """A figure compared with that of the case which the paper compares with."""

    def value(run: Run) -> float | None:
        if "against" not in run:
            return None
        here, there = get(run), get(run["against"])
        return how(here, there) if here is not None and there is not None else None

    return value


def _percent(here: float, there: float) -> float | None:
    return 100 * here / there - 100 if there else None


def _times(here: float, there: float) -> float | None:
    return here / there if there else None


_LOG = Axis(6)
WA1 = _of("WA1, host bytes / user bytes", _wa1, axis=_LOG)
WA2 = _of("WA2, NAND bytes / host bytes", _wa2)
WA = _of("WA, NAND bytes / user bytes", _wa, axis=_LOG)
RATE = _of("MB/s of the device's time", rate, axis=_LOG)
OPERATIONS = _of("thousand operations a second", operations, axis=_LOG)
HOST_RATE = _of("MB/s that the device is written", lambda run: _times(run["host_bytes"] / 1e6, run["device_seconds"]))
LOG = _of("log", _cause("log"))
FLUSH = _of("flush", _cause("flush"))
SIZE = _of("compactions by size", _cause("size_compaction"))
SEEK = _of("compactions by seeks", _cause("seek_compaction"))
VALUE_LOG = _of("value log", _cause("value_log"))
OTHER = _of("manifest and file system", _cause("other", "file_system", "mapping_unit"))
VERIFIED = _of("keys compared", lambda run: float(run["keys_verified"]), "{:,.0f}")
WA1_CHANGE = _of("WA1 against the case compared with", _against(_wa1, _percent), "{:+.1f} %")
WA1_ADDED = _of("WA1 beyond the case compared with", _against(_wa1, lambda here, there: here - there), "{:+.2f}")
WA2_CHANGE = _of("WA2 against the case compared with", _against(_wa2, _percent), "{:+.1f} %")
WA2_ADDED = _of("WA2 beyond the case compared with", _against(_wa2, lambda here, there: here - there), "{:+.2f}")
WA_CHANGE = _of("WA against the case compared with", _against(_wa, _percent), "{:+.1f} %")
WA_TIMES = _of("WA, times that of the case compared with", _against(_wa, _times), "{:.1f}", _LOG)
RATE_CHANGE = _of("throughput against the case compared with", _against(rate, _percent), "{:+.1f} %")
OPERATIONS_CHANGE = _of(
    "operations a second against the case compared with", _against(operations, _percent), "{:+.1f} %"
)

FACTORS = (WA1, WA2, WA, RATE)
FACTORS_OF_YCSB = (WA1, WA2, WA, OPERATIONS)
CAUSES = (LOG, FLUSH, SIZE, SEEK, VALUE_LOG, OTHER)
CHANGES = (WA1_CHANGE, WA1_ADDED, WA2_CHANGE, WA2_ADDED, WA_CHANGE, WA_TIMES, RATE_CHANGE, OPERATIONS_CHANGE)
QUANTITIES = (*FACTORS, OPERATIONS, HOST_RATE, *CAUSES, VERIFIED)
