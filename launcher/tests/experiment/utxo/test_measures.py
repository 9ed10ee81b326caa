# SPDX-License-Identifier: Apache-2.0
"""What `utxo` measures."""

from typing import Any

import pytest

from launcher.bench.bench_description import Mode
from launcher.experiment.runner.quantities import Runs
from launcher.experiment.utxo.cases import OUTPUTS
from launcher.experiment.utxo.measures import HOST_A_DAY, NAND_A_DAY, SAVED_A_DAY, SEEKS, USER_A_DAY, a_day, blocks


def run(nand: float, commits: int = 24, flush: int = 6, outputs: int = OUTPUTS) -> dict[str, Any]:
    return {
        "latency_us": {"commit": {"count": commits}},
        "parameters": {"utxo_flush": flush, "utxo_outputs": outputs},
        "user_bytes": 1e9,
        "host_bytes": 4e9,
        "nand_bytes": nand,
        "bytes_by_cause": {"seek_compaction": 1e9},
    }


def test_a_day_has_144_blocks_of_as_many_coins_as_bitcoins() -> None:
    assert blocks(run(0)) == 144
    assert a_day(run(5e9), "nand_bytes") == pytest.approx(5)
    assert a_day(run(5e9, commits=48), "nand_bytes") == pytest.approx(2.5)
    assert a_day(run(5e9, commits=144, flush=1), "nand_bytes") == pytest.approx(5)
    assert a_day(run(5e9, outputs=OUTPUTS // 2), "nand_bytes") == pytest.approx(10)


def test_modes_save_what_stock_writes_more() -> None:
    runs: Runs = {Mode.off: run(5e9), Mode.blend: run(2e9)}
    values = [one.value(runs, Mode.blend) for one in (USER_A_DAY, HOST_A_DAY, NAND_A_DAY, SAVED_A_DAY, SEEKS)]
    assert values == pytest.approx([1, 4, 2, 3, 25])
    assert SAVED_A_DAY.value(runs, Mode.off) == 0
