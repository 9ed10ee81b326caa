# SPDX-License-Identifier: Apache-2.0
"""What the paper reports.

T. Vincon, S. Hardock, C. Riegger, J. Oppermann, A. Koch, I. Petrov, "NoFTL-KV: Tackling Write-Amplification on
KV-Stores with Native Storage Management", EDBT 2018. RocksDB under MyRocks on ext3 with a journal, on an emulated SSD
with FASTer; without both, on a region with block mapping. Only what its text and its table 2b say is here.
"""

from __future__ import annotations

from launcher.experiment.noftl.measures import (
    CALLS,
    ERASES,
    MOVED,
    SPARED,
    SYSTEM_SHARE,
    TRANSLATION_SHARE,
)
from launcher.experiment.noftl.systems import FIRST, NATIVE
from launcher.experiment.runner.quantities import Quantity
from launcher.experiment.runner.reported import Paper, Reported, Span

CASE = "linkbench-rocksdb"
# GB that are written in the load and the requests, of 26 GB of raw data.
RAW, DATABASE, SYSTEM, TRANSLATION = 26, 383, 225, 132
CALLS_OF, MOVED_OF, ERASES_OF = (4769, 1), (1_932_263, 0), (21_389, 1127)  # RocksDB and NoFTL-KV
SPARED_OF = 18.98
FASTER = 33  # percent of throughput; its text says 31 once
RESPONSE = 2.3  # response times, up to so many times shorter


def _of(source: str, quantity: Quantity, **by_variant: float) -> Reported:
    spans = {
        name: Span(by_variant[key], by_variant[key])
        for name, key in ((FIRST, "rocksdb"), (NATIVE, "native"))
        if key in by_variant
    }
    return Reported(source, quantity, (CASE,), spans, CASE)


REPORTED = (
    _of("table 2b", CALLS, rocksdb=CALLS_OF[0], native=CALLS_OF[1]),
    _of("table 2b", MOVED, rocksdb=MOVED_OF[0], native=MOVED_OF[1]),
    _of("table 2b", ERASES, rocksdb=ERASES_OF[0], native=ERASES_OF[1]),
    _of("table 2b", SPARED, native=SPARED_OF),
    _of("section 4, figure 2a", SYSTEM_SHARE, rocksdb=round(SYSTEM / DATABASE, 2)),
    _of("section 4, figure 2a", TRANSLATION_SHARE, rocksdb=round(TRANSLATION / DATABASE, 2)),
)
PAPER = Paper((FIRST, NATIVE), REPORTED)
