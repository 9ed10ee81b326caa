# SPDX-License-Identifier: Apache-2.0
"""The goals of `kvssd`."""

from launcher.experiment.kvssd import goals
from launcher.experiment.kvssd.cases import ABOUT
from launcher.experiment.kvssd.goals import GOALS
from launcher.tests.experiment.kvssd.test_measures import run


def test_a_goal_is_met_within_its_bounds() -> None:
    whole = GOALS[0]
    assert [whole.met(value) for value in (69, 70, 93, 116, 117)] == [False, True, True, True, False]


def test_measured_goals_stand_beside_the_papers_figures() -> None:
    assert goals.table({})[1] == []
    runs = {name: run() for name in ABOUT}
    runs["nlsm"] = run(nand_bytes=2713, wear_pages=0, metadata_pages=0)
    runs["rlsm-2"] = run(
        nand_bytes=1250, wear_pages=0, metadata_pages=0, device_seconds=0.4, get_read_bytes_of_spans=336
    )
    rows = goals.table({"keys-uniform": runs})[1]
    assert [row[3:] for row in rows] == [
        ["97.20", "yes"],
        ["1.00", "yes"],
        ["12.50", "no"],
        ["97.20", "no"],
        ["5.00", "yes"],
        ["+5 %", "yes"],
    ]
    assert rows[0][:3] == ["write amplification of LSM", "93", "70 to 116"]
