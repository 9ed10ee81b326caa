# SPDX-License-Identifier: Apache-2.0
"""What the poster reports.

S. Choi, D. H. Kang, S.-W. Lee, Y. I. Eom, "Concurrent Sequential Writes Also Considered Harmful in Solid State Drives".
RocksDB with 140 million inserts and 2 billion updates of 1 KB on ext4 and a commercial SSD, the log on another device.
"""

from __future__ import annotations

from launcher.experiment.runner.reported import Paper, Reported, Span
from launcher.experiment.streams.measures import FIRST, LATE

WAF = 4.8  # "the final WAF eventually reached more than 4.8"
CASE = "uniform-8"  # it does not say how many writers there were, nor which records they updated
PAPER = Paper((FIRST,), (Reported("write splits in RocksDB", LATE, (CASE,), {FIRST: Span(WAF, WAF)}, CASE),))
