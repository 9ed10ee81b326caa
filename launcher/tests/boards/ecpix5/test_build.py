# SPDX-License-Identifier: Apache-2.0
"""launcher.boards.ecpix5.build: the order of the steps, which of them run again, and how each of them can fail."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from launcher.boards import BOARDS, BoardFailed, Options, deploy, sidecar
from launcher.boards.ecpix5 import build, rams
from launcher.env import steps
from launcher.env.steps import Outcome
from launcher.hw import rtl
from launcher.suites import verified
from launcher.tests.boards import green
from launcher.tests.boards.ecpix5 import controller
from launcher.tests.boards.ecpix5.test_tools import AREA, REPORT

NETLIST = json.dumps({"modules": {name: {"cells": {}, "netnames": {}} for name in (build.TOP, rams.WRITTEN)}})
GOOD = REPORT.replace("124.0", "130.0")


class Tools:
    """In place of the tools: notes which run, and writes what they would. `fails`: the one that fails, and how."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.ran: list[str] = []
        self.report = GOOD
        self.area = AREA
        self.fails: dict[str, Outcome] = {}

    def run(self, title: str, command: list[str], log: Path, **more: Any) -> Outcome:
        tool = command[0].removeprefix("yowasp-")
        self.ran.append(tool)
        if tool in self.fails:
            return self.fails[tool]
        for name, text in {
            "yosys": {"netlist.json": NETLIST, "area.json": self.area},
            "nextpnr-ecp5": {"logic.placed.json": NETLIST}
            if "--no-route" in command
            else {"routed.config": "config", "report.json": self.report},
            "ecppack": {build.BITSTREAM: "bits"},
            "verilator": {},
        }[tool].items():
            (self.out / name).write_text(text)
        return Outcome(0, 1.0, [])


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tools:
    """The generator and the tools are replaced; the controller's ports are there."""
    green.own_record(tmp_path, monkeypatch)
    found = Tools(tmp_path / "out")
    rtl_folder = tmp_path / "rtl"
    controller.write(rtl_folder)
    (rtl_folder / "filelist.f").write_text("DramBoard.sv\n")

    def generate(folder: Path, out: Path) -> None:
        for name in (f"{build.TOP}.v", "VexRiscv.v", "pins.lpf", "host.json"):
            (out / name).write_text(name)
        (out / "filelist.f").write_text(f"VexRiscv.v\n{build.TOP}.v\n")

    monkeypatch.setattr(rtl, "emit_unit", lambda top, config: rtl_folder)
    monkeypatch.setattr(build, "generate", generate)
    monkeypatch.setattr(steps, "run", found.run)
    return found


def netlist_of(tools: Tools) -> Path:
    """The build's folder, synthesised."""
    tools.out.mkdir()
    (tools.out / "netlist.json").write_text(NETLIST)
    (tools.out / "pins.lpf").write_text("")
    return tools.out


def run(tools: Tools, **options: Any) -> None:
    BOARDS["ecpix5"].build(tools.out, Options(**options))


def test_ends_with_a_bitstream_and_runs_nothing_twice(tools: Tools, capsys: pytest.CaptureFixture[str]) -> None:
    run(tools)
    assert tools.ran == ["verilator", "yosys", "nextpnr-ecp5", "nextpnr-ecp5", "ecppack"]
    assert "sys_clk" in capsys.readouterr().out
    assert (tools.out / build.BITSTREAM).read_text() == "bits"
    run(tools)
    assert len(tools.ran) == 5
    run(tools, seed=2)
    assert tools.ran[5:] == ["nextpnr-ecp5"]  # the same result, so no other bitstream


@pytest.mark.parametrize(
    ("options", "ran"), [({"dry_run": True}, ["verilator"]), ({"area_only": True}, ["verilator", "yosys"])]
)
def test_stops_where_it_is_told(tools: Tools, options: dict[str, bool], ran: list[str]) -> None:
    run(tools, **options)
    assert tools.ran == ran


def test_a_clock_that_is_too_slow_is_an_error(tools: Tools) -> None:
    tools.report = REPORT
    with pytest.raises(BoardFailed, match=r"eth_clocks_rx reaches 124\.0 of 125\.0 MHz: the bitstream is not safe"):
        run(tools)
    with pytest.raises(BoardFailed, match="eth_clocks_rx"):  # also when nothing has to run again
        run(tools)
    assert len(tools.ran) == 5


def test_the_bitstream_has_its_sidecar(tools: Tools, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tools.out / build.BITSTREAM
    run(tools)
    found = sidecar.read(file)
    assert found is not None and (found.board, found.config, found.built) == ("ecpix5", "ecpix5", green.HERE)
    assert "no green record" in deploy.judge(file, "ecpix5").why
    green.make()
    assert deploy.judge(file, "ecpix5").why == ""
    # Other RTL: the usercode is another one, so the bitstream is packed again.
    monkeypatch.setattr(verified, "digests", lambda: green.OLDER)
    run(tools)
    assert tools.ran[-1] == "ecppack" and len(tools.ran) == 6
    found = sidecar.read(file)
    assert found is not None and found.built == green.OLDER


def test_another_bitstream_in_its_place_is_replaced(tools: Tools) -> None:
    run(tools)
    (tools.out / build.BITSTREAM).write_text("of somewhere else")
    run(tools)
    assert (tools.out / build.BITSTREAM).read_text() == "bits" and tools.ran[5:] == ["ecppack"]
    found = sidecar.read(tools.out / build.BITSTREAM)
    assert found is not None and found.sha256 == sidecar.hash_of(tools.out / build.BITSTREAM)


def test_a_bitstream_that_is_too_slow_has_none(tools: Tools) -> None:
    tools.report = REPORT
    with pytest.raises(BoardFailed, match="not safe to use"):
        run(tools)
    assert sidecar.read(tools.out / build.BITSTREAM) is None


def test_sources_that_change_meanwhile_end_the_build(tools: Tools, monkeypatch: pytest.MonkeyPatch) -> None:
    digests = iter([green.HERE, green.OLDER])
    monkeypatch.setattr(verified, "digests", lambda: next(digests))
    with pytest.raises(BoardFailed, match="the sources changed meanwhile"):
        run(tools)


def test_a_design_that_is_too_large_is_an_error(tools: Tools) -> None:
    tools.area = AREA.replace('"LUT4": 100', '"LUT4": 90000')
    with pytest.raises(BoardFailed, match="the LFE5UM5G-85F is too small: 90,032 LUT4 of 83,640"):
        run(tools)


@pytest.mark.parametrize(
    ("outcome", "message"),
    [
        (Outcome(1, 1.0, ["ERROR: no place", ""]), "sites of the block RAMs of ecpix5 failed: no place"),
        (Outcome(-9, 1.0, []), "failed: killed by SIGKILL"),
        (Outcome(-15, 1.0, ["Info: 99 wires", ""], timed_out=True), "240 minutes reached .* last said: Info: 99 wires"),
    ],
)
def test_place_and_route_that_fails_is_tried_again(tools: Tools, outcome: Outcome, message: str) -> None:
    tools.fails = {"nextpnr-ecp5": outcome}
    with pytest.raises(BoardFailed, match=message):
        run(tools)
    tools.fails = {}
    run(tools)
    assert tools.ran == ["verilator", "yosys", *["nextpnr-ecp5"] * 3, "ecppack"]


def test_a_placement_that_cannot_be_read_is_an_error(tools: Tools, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "TOP", "Another")
    with pytest.raises(BoardFailed, match=r"sites of the block RAMs of ecpix5: .*no module Another"):
        build.place_rams(netlist_of(tools), Options())


def test_lint_tells_what_verilator_says(tools: Tools) -> None:
    tools.fails = {
        "verilator": Outcome(1, 1.0, ["%Error-PINNOTFOUND: top.v:3: no such pin", "%Error: Exiting due to 1 error(s)"])
    }
    with pytest.raises(BoardFailed, match=r"lint of the SoC of ecpix5 failed: top\.v:3: no such pin"):
        run(tools)


def test_the_generator_tells_what_is_wrong(tmp_path: Path) -> None:
    controller.write(tmp_path / "rtl", less="cpu_fault")
    (tmp_path / "out").mkdir()
    with pytest.raises(BoardFailed, match=r"the SoC of ecpix5 failed .*\n.*ecpix5: o_cpu_fault: no such port"):
        build.generate(tmp_path / "rtl", tmp_path / "out")


def test_the_names_are_those_of_the_generator(tmp_path: Path) -> None:
    controller.write(tmp_path / "rtl")
    (tmp_path / "out").mkdir()
    build.generate(tmp_path / "rtl", tmp_path / "out")
    assert (tmp_path / "out" / f"{build.TOP}.v").is_file()
    assert json.loads((tmp_path / "out" / "host.json").read_text())["places"]["bar"]


def test_the_board_says_what_it_is() -> None:
    assert "flash of 64 MiB" in BOARDS["ecpix5"].about
