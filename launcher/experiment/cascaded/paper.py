# SPDX-License-Identifier: Apache-2.0
"""What the paper reports.

H. Sun, S. Dai, J. Huang, "Cascaded Write Amplification of LSM-tree-based Key-Value Stores underlying Solid-State
Disks", Microprocessors and Microsystems, 2020. Only what its text says is here, not what could be read off its figures.
"""

from __future__ import annotations

from launcher.experiment.cascaded.cases import FIG3, FIG4, FIG5, FIG6, FIG7, FIG8, FIG9, FIG10, FIG11, FIG12, FIG13
from launcher.experiment.cascaded.measures import (
    HOST_RATE,
    OPERATIONS,
    OPERATIONS_CHANGE,
    RATE,
    RATE_CHANGE,
    WA,
    WA1,
    WA1_ADDED,
    WA1_CHANGE,
    WA2,
    WA2_ADDED,
    WA2_CHANGE,
    WA_CHANGE,
    WA_TIMES,
)
from launcher.experiment.cascaded.systems import HDD, PAPERS, SSD_I, SSD_S, column
from launcher.experiment.runner.quantities import Quantity
from launcher.experiment.runner.reported import Paper, Reported, Span

LEVELDB, WISCKEY = "leveldb", "wisckey"
Figure = float | tuple[float, float]


def _of(
    source: str,
    quantity: Quantity,
    case: str,
    system: str,
    i: Figure | None = None,
    s: Figure | None = None,
    hdd: Figure | None = None,
) -> Reported:
    """What the text says of a case and a system, by device."""
    spans: dict[str, Span] = {}
    for device, figure in ((SSD_I, i), (SSD_S, s), (HDD, hdd)):
        if figure is not None:
            spans[column(system, device)] = Span(*(figure if isinstance(figure, tuple) else (figure, figure)))
    return Reported(source, quantity, (case,), spans, f"{case}, {system}")


def _row(
    source: str, quantity: Quantity, figure: str, system: str, device: str, by_case: dict[str, float]
) -> list[Reported]:
    """One device over the cases of a figure."""
    return [
        Reported(
            source,
            quantity,
            (f"{figure}-{case}",),
            {column(system, device): Span(value, value)},
            f"{figure}-{case}, {system}",
        )
        for case, value in by_case.items()
    ]


_RAW, _SEQ, _RANDOM = f"{FIG3}-sequential", f"{FIG4}-fillseq", f"{FIG4}-fillrandom"
_ZIPFIAN, _UNIFORM = f"{FIG11}-zipfian", f"{FIG11}-uniform"

REPORTED = (
    # 4.1, of the raw devices: WiscKey that fills in order comes closest.
    _of("4.1, figure 3", HOST_RATE, _RAW, WISCKEY, 295, 117, 196),
    _of("4.1, figure 3", WA2, _RAW, WISCKEY, 1, 1, 1),
    *(_of("5.1, figure 4", WA1, _SEQ, system, 1, 1, 1) for system in (LEVELDB, WISCKEY)),
    *(_of("5.1, figure 4", WA2, _SEQ, system, 1, (2, 3)) for system in (LEVELDB, WISCKEY)),
    _of("1, figure 4", WA1, _RANDOM, LEVELDB, 18.46, 18.44, 18.15),
    _of("1, figure 4", WA2, _RANDOM, LEVELDB, 1.24, 3.39, 1),
    _of("1, figure 4", WA, _RANDOM, LEVELDB, 22.8, 62.5, 18.15),
    _of("1, figure 4", RATE, _RANDOM, LEVELDB, 3.2, 2.2),
    _of("1, figure 4", WA1, _RANDOM, WISCKEY, 5.15, 5.2, 5.16),
    _of("1, figure 4", WA2, _RANDOM, WISCKEY, 1, 2.01, 1),
    _of("1, figure 4", WA, _RANDOM, WISCKEY, 5.17, 10.44, 5.16),
    _of("1, figure 4", RATE, _RANDOM, WISCKEY, 5.9, 5.6),
    _of("5.2, figure 5", WA1, f"{FIG5}-27GB", LEVELDB, 16.55, 16.6),
    _of("5.2, figure 5", WA2, f"{FIG5}-27GB", LEVELDB, 0.99, 2.14),
    _of("5.2, figure 5", WA, f"{FIG5}-27GB", LEVELDB, 16.4, 35.5),
    _of("5.2, figure 5", WA1_CHANGE, f"{FIG5}-54GB", LEVELDB, 10, 10, 10),
    _of("5.2, figure 5", WA1_CHANGE, f"{FIG5}-54GB", WISCKEY, 10, 20, 10),
    _of("5.3, figure 6", WA1, f"{FIG6}-16B", LEVELDB, 17.92, 17.85, 17.51),
    _of("5.3, figure 6", WA1, f"{FIG6}-1MB", LEVELDB, 8.03, 8.03, 8.02),
    _of("5.3, figure 6", WA1, f"{FIG6}-16B", WISCKEY, 17.2, 17.15, 17.22),
    _of("5.3, figure 6", WA1, f"{FIG6}-100B", WISCKEY, 4.52, 4.52, 4.69),
    *(_of("5.3, figure 6", WA1, f"{FIG6}-{name}", WISCKEY, 1, 1, 1) for name in ("16KB", "64KB", "1MB")),
    _of("5.4, figure 7", WA1, f"{FIG7}-4MB", LEVELDB, 16.56, 16.56, 16.56),
    _of("5.4, figure 7", RATE, f"{FIG7}-4MB", LEVELDB, 3.9, 3.7, 1),
    _of("5.4, figure 7", WA1, f"{FIG7}-4MB", WISCKEY, 4.52, 4.52, 4.69),
    _of("5.4, figure 7", RATE, f"{FIG7}-4MB", WISCKEY, 6.9, 6.5, 3.2),
    _of("5.4, figure 7", WA1, f"{FIG7}-64MB", LEVELDB, 10.2, 10.3, 10.1),
    _of("5.4, figure 7", RATE, f"{FIG7}-64MB", LEVELDB, 7, 6.2, 1.3),
    *(
        _of("5.4, figure 7", WA2, f"{FIG7}-{buffer}MB", LEVELDB, i, s)
        for buffer, i, s in ((4, 0.99, 2.2), (16, 0.96, 2.2), (32, 0.95, 2.2), (64, 0.95, 2))
    ),
    *_row("5.5, figure 8", WA1, FIG8, LEVELDB, SSD_I, {"0.5MB": 16.96, "2MB": 16.56, "16MB": 17.89}),
    *_row("5.5, figure 8", WA1, FIG8, WISCKEY, SSD_I, {"0.5MB": 4.55, "2MB": 4.52, "16MB": 5.64}),
    *_row("5.5, figure 8", RATE_CHANGE, FIG8, LEVELDB, SSD_I, {"2MB": 25, "8MB": 28, "16MB": 4}),
    *_row(
        "5.6, figure 9",
        WA_CHANGE,
        FIG9,
        LEVELDB,
        SSD_I,
        {"9KB": -0.4, "18KB": 3.4, "24KB": -0.08, "36KB": -2.4},
    ),
    *_row("5.6, figure 9", WA_CHANGE, FIG9, WISCKEY, SSD_I, {"9KB": -1.8, "18KB": 0, "24KB": 0, "36KB": 1.6}),
    *_row("5.6, figure 9", RATE_CHANGE, FIG9, LEVELDB, SSD_I, {"9KB": 5.1, "18KB": -2.5, "24KB": 7.5, "36KB": 2.3}),
    *(
        _of("5.6, figure 9", WA2, f"{FIG9}-{block}KB", LEVELDB, i, s)
        for block, i, s in ((4, 0.99, 2.15), (9, 0.99, 2.15), (18, 1.03, 2.21), (24, 1.03, 2.1), (36, 1, 2.22))
    ),
    _of("6.1, figure 10", WA_CHANGE, f"{FIG10}-1MB", LEVELDB, -35, -40, -31),
    _of("1, figure 11", WA1, _ZIPFIAN, LEVELDB, 9.4, 9.44),
    _of("1, figure 11", WA2, _ZIPFIAN, LEVELDB, 1.6, 3.59),
    _of("1, figure 11", WA, _ZIPFIAN, LEVELDB, 15.07, 33.89),
    _of("1, figure 11", OPERATIONS, _ZIPFIAN, LEVELDB, 52.72, 31.59),
    _of("1, figure 11", WA1, _ZIPFIAN, WISCKEY, 3.13, 3.11),
    _of("1, figure 11", WA2, _ZIPFIAN, WISCKEY, 1.1, 2.07),
    _of("1, figure 11", WA, _ZIPFIAN, WISCKEY, 3.48, 6.44),
    _of("1, figure 11", OPERATIONS, _ZIPFIAN, WISCKEY, 82.36, 73.22),
    # "LevelDB's WA1 increases by 11.67, 11.41, and 11.15": read as what is added.
    _of("6.2, figure 11", WA1_ADDED, _UNIFORM, LEVELDB, 11.67, 11.41, 11.15),
    _of("6.2, figure 11", WA1_ADDED, _UNIFORM, WISCKEY, 2.24, 2.26, 2.43),
    _of("6.2, figure 11", WA2_ADDED, _UNIFORM, LEVELDB, 0.03, 1.1),
    _of("6.2, figure 11", WA2_ADDED, _UNIFORM, WISCKEY, 0.01, 0.05),
    *_row("6.3, figure 12", WA1, FIG12, LEVELDB, SSD_I, {"0%": 8.18, "20%": 52.5, "40%": 136.83, "60%": 276.65}),
    *_row("6.3, figure 12", WA2, FIG12, LEVELDB, SSD_I, {"0%": 1, "20%": 1.14, "40%": 1.24, "60%": 1.52}),
    _of("6.3, figure 12", WA_TIMES, f"{FIG12}-60%", LEVELDB, 51, 74, 44),
    _of("6.3, figure 12", WA_TIMES, f"{FIG12}-60%", WISCKEY, 153, 239, 124),
    _of("6.3, figure 12", OPERATIONS_CHANGE, f"{FIG12}-60%", LEVELDB, -94, -98, -98.04),
    _of("6.3, figure 12", OPERATIONS_CHANGE, f"{FIG12}-60%", WISCKEY, -99.2, -99.1, -99.23),
    *(
        _of("7, figure 13", WA2_CHANGE, f"{FIG13}-{buffer}MB", LEVELDB, i, s)
        for buffer, i, s in ((4, 5, 15), (16, 75, 88), (32, 77, 170), (64, 73, 199))
    ),
)
PAPER = Paper(PAPERS, REPORTED)
