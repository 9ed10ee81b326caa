# SPDX-License-Identifier: Apache-2.0
"""The experiments that can be run, by name."""

from __future__ import annotations

from launcher.experiment.cascaded.cascaded import CASCADED
from launcher.experiment.firmware_time.firmware_time import FIRMWARE_TIME
from launcher.experiment.kvssd.kvssd import KVSSD
from launcher.experiment.matrix.matrix import MATRIX
from launcher.experiment.noftl.noftl import NOFTL
from launcher.experiment.page_replay.page_replay import PAGE_REPLAY
from launcher.experiment.remapcom.remapcom import REMAPCOM
from launcher.experiment.streams.streams import STREAMS
from launcher.experiment.tight.tight import TIGHT
from launcher.experiment.tuned.tuned import TUNED
from launcher.experiment.utxo.utxo import UTXO

EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        REMAPCOM,
        PAGE_REPLAY,
        STREAMS,
        FIRMWARE_TIME,
        KVSSD,
        CASCADED,
        NOFTL,
        UTXO,
        TIGHT,
        TUNED,
        MATRIX,
    )
}
