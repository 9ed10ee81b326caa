# SPDX-License-Identifier: Apache-2.0
"""The launcher's limits are the hardware's, of which hw/facts.json tells."""

import pytest

from launcher.bench.bench_options import LIMITS
from launcher.hw import facts


def test_the_number_of_superblocks_is_that_of_the_hardware() -> None:
    assert LIMITS["superblocks"].high == facts.params()["superblocks"] == facts.params()["blocksPerDie"]


def test_presets_have_names() -> None:
    assert {"small", "wide", "cosmos2", "cosmos8", "ecpix5"} <= facts.presets().keys()
    assert facts.params() == facts.params("small") != facts.params("wide")
    assert facts.geometry() == "2x2x64x32x1" and facts.geometry("wide") == "2x2x64x8x4"
    with pytest.raises(KeyError):
        facts.params("none")


def test_a_cosmos_board_holds_the_tables_of_its_preset() -> None:
    """1 GiB of DDR3, of which the lowest MiB is not for programs."""
    for name in ("cosmos2", "cosmos8"):
        params = facts.params(name)
        assert params["slots"] * params["slotBytes"] == 256 << 30
        assert params["dramBytes"] <= (1 << 30) - (1 << 20)
        assert not params["timeSkip"]


def test_codes_and_limits() -> None:
    assert facts.codes("NandOp")["read"] == 0
    assert facts.limits()["minSuperblocks"] < facts.params()["superblocks"] <= facts.limits()["maxSuperblocks"]
