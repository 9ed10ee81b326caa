# SPDX-License-Identifier: Apache-2.0
"""What the paper reports.

S.-M. Wu, K.-H. Lin, L.-P. Chang, "KVSSD: Close Integration of LSM Trees and Flash Translation Layer for Write-Efficient
KV Store", DATE 2018. Only what its text says is here, not what could be read off its figures. Its rLSM has garbage
collection that keeps levels apart, which no run here has.
"""

from __future__ import annotations

from launcher.experiment.kvssd.measures import COLLECTION, COMPACTION, READ_MODIFY_WRITE, SAVED, WHOLE
from launcher.experiment.runner.quantities import Quantity
from launcher.experiment.runner.reported import Paper, Reported, Span

CASE = "keys-uniform"
LSM, NLSM, RLSM_MINUS = "lsm", "nlsm", "rlsm-2"
# "remapping compaction, further reducing the compaction write amplification by 38%": of nLSM's, which is "nearly the
# same" as LSM's.
LSM_COMPACTION, REMAPPING_SAVES = 17.7, 0.38
TITLES = {LSM: "LSM", NLSM: "nLSM", RLSM_MINUS: "rLSM(-)"}
# Of rLSM, for the goals.
RLSM = 11.4  # "the overall write amplifications of rLSM(-) and rLSM (13.1 vs 11.4)"
RLSM_FASTER = 4.47  # "the throughput of rLSM was up to 4.47 times as high as that of LSM"
RLSM_MORE_READS = 11  # "an up to 11% increase in read amplification compared to LSM"


def _of(source: str, quantity: Quantity, **figures: float) -> Reported:
    names = {"lsm": LSM, "nlsm": NLSM, "rlsm_minus": RLSM_MINUS}
    spans = {names[name]: Span(figure, figure) for name, figure in figures.items()}
    return Reported(source, quantity, (CASE,), spans, "uniform")


REPORTED = (
    _of(
        "IV.B, figure 5",
        COMPACTION,
        lsm=LSM_COMPACTION,
        nlsm=LSM_COMPACTION,
        rlsm_minus=round((1 - REMAPPING_SAVES) * LSM_COMPACTION, 1),
    ),
    _of("IV.B, figure 5", READ_MODIFY_WRITE, lsm=1.5, nlsm=1),
    _of("IV.B, figure 5", COLLECTION, lsm=3.6, nlsm=1),
    _of("IV.B, figure 5", WHOLE, lsm=93, rlsm_minus=13.1),
    _of("IV.B, figure 5", SAVED, nlsm=81),
)
PAPER = Paper((LSM, NLSM, RLSM_MINUS), REPORTED)
