# SPDX-License-Identifier: Apache-2.0
"""The list of crossings, and what may be in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from launcher.boards.board import BoardFailed
from launcher.boards.cosmos import board_facts, crossings


def entry(instance: str, source: str, to: str, kind: str = "ResetCrossing") -> dict[str, Any]:
    return {"instance": instance, "kind": kind, "from": source, "to": to, "width": 1}


RESETS = [entry("coreReset", "any", "core"), entry("controllerReset", "any", "controller")]


def write(folder: Path, entries: list[dict[str, Any]]) -> Path:
    (folder / "crossings.json").write_text(json.dumps(entries))
    return folder


def test_crossings_between_the_two_clocks_are_right(tmp_path: Path) -> None:
    bus = [entry("host", "controller", "core", "Axi4Crossing"), entry("host.ar", "core", "controller", "GrayFifo")]
    write(tmp_path, [*RESETS, *bus])
    assert crossings.problems(tmp_path) == []
    assert crossings.shown(tmp_path)[-1] == "host: Axi4Crossing, 1 bits, from controller to core"
    assert len(crossings.shown(tmp_path)) == 3


def test_others_are_not(tmp_path: Path) -> None:
    write(tmp_path, [*RESETS, entry("flash", "controller", "bus")])
    assert crossings.problems(tmp_path) == ["flash: from controller to bus, which are no clocks of this top"]


def test_each_clock_has_a_reset(tmp_path: Path) -> None:
    assert crossings.problems(write(tmp_path, RESETS[:1])) == ["no reset is made for the clock controller"]
    assert len(crossings.problems(write(tmp_path, []))) == 2


def test_a_list_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BoardFailed, match=r"crossings\.json"):
        crossings.listed(tmp_path)


def test_the_bound_is_the_shorter_period() -> None:
    lines = crossings.constraints(board_facts.load())
    assert len(lines) == 2 and all(line.endswith(" 4.000") and "-datapath_only" in line for line in lines)
