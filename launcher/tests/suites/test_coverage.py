# SPDX-License-Identifier: Apache-2.0
"""launcher.suites.coverage: which points count, merging of benches, and the list of unreached lines."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from launcher.suites import coverage
from launcher.suites.coverage import CoverageError, Sources

VERILOG = """module Unit(input clock, a, output reg q);
  `ifndef SYNTHESIS // hw/src/Unit.scala:9:5
    always @(posedge clock) if (a & ~q) $error("no");
  `endif // not def SYNTHESIS
  always @(posedge clock) begin
    if (a) q <= 1'h1; // /somewhere/hw/src/Unit.scala:12:7
    else q <= 1'h0; // /somewhere/hw/src/Unit.scala:13:7
  end
  `ifdef ENABLE_INITIAL_REG_
    initial q = 0;
  `endif
endmodule
"""


def record(path: Path, line: int, kind: str, what: str, number: int, module: str = "Unit") -> str:
    keys = {"f": path, "l": line, "n": 3, "t": kind, "page": f"{kind}/{module}", "o": what, "h": "TOP.unit"}
    return "C '" + "".join(f"\x01{key}\x02{value}" for key, value in keys.items()) + f"' {number}\n"


def bench(folder: Path, name: str, verilog: str, *records: tuple[int, str, str, int], module: str = "Unit") -> None:
    source = folder / name / "Unit.sv"
    source.parent.mkdir(parents=True)
    source.write_text(verilog)
    text = "".join(record(source, *entry, module=module) for entry in records)
    (folder / name / "coverage.dat").write_text("# SystemC::Coverage-3\n" + text)


def test_benches_add_up_and_asserts_do_not_count(tmp_path: Path) -> None:
    bench(
        tmp_path,
        "a",
        VERILOG,
        (3, "v_branch", "if", 0),
        (6, "v_branch", "if", 5),
        (7, "v_branch", "else", 0),
        (10, "v_line", "block", 0),
        (1, "v_toggle", "a:0->1", 2),
        (1, "v_toggle", "a:1->0", 0),
    )
    bench(tmp_path, "b", VERILOG, (6, "v_branch", "if", 0), (7, "v_branch", "else", 0), (1, "v_toggle", "a:1->0", 1))
    result = coverage.document(*coverage.collect(tmp_path, "Unit"))
    assert result["line"] == [1, 2] and result["toggle"] == [2, 2]
    assert result["line_percent"] == 50 and result["toggle_percent"] == 100
    assert result["modules"]["Unit"]["never"] == [
        {"kind": "line", "verilog": 7, "branch": "3 else", "scala": "hw/src/Unit.scala:13"}
    ]
    assert coverage.missed(result) == "line coverage is 50.00 %; the goal is 95 %"
    assert coverage.missed(result | {"line_percent": 95.0}) is None


def test_variants_that_the_controller_does_not_have_count_for_nothing(tmp_path: Path) -> None:
    bench(tmp_path, "top", VERILOG, (6, "v_branch", "if", 0))
    bench(tmp_path, "other", VERILOG.replace("1'h1", "b"), (6, "v_branch", "if", 9))
    source = tmp_path / "top" / "Unit.sv"
    top = tmp_path / "top" / "coverage.dat"
    top.write_text(top.read_text() + record(source, 5, "v_line", "block", 1, module="Top"))
    result = coverage.document(*coverage.collect(tmp_path, "Top"))
    assert result["modules"]["Unit"]["line"] == [0, 1] and result["line"] == [1, 2]


GENERATED = """  if (_GEN_3 | x) // hw/src/Unit.scala:20:3
  if (_GEN_4 | x) // hw/src/Unit.scala:20:3
  q <= en ? memory[at] : 8'bx; // hw/src/Unit.scala:30:3
  casez (state)
    1: y = a; // hw/src/Unit.scala:40:3
endmodule"""


def test_a_unit_by_itself_counts_for_the_one_in_the_controller(tmp_path: Path) -> None:
    """With another port and other numbers in generated names, the n-th of several equal lines is the same point."""
    top = VERILOG.replace("endmodule", GENERATED)
    alone = (
        top.replace("input clock,", "input clock,\n  input more,")
        .replace("_GEN_4", "_GEN_17")
        .replace("_GEN_3", "_GEN_9")
    )
    marks = ("v_branch", "if"), ("v_branch", "if"), ("v_branch", "cond_else"), ("v_line", "case")
    lines = 12, 13, 14, 16
    bench(
        tmp_path,
        "top",
        top,
        *((n, *mark, 0) for n, mark in zip(lines, marks, strict=True)),
        (1, "v_toggle", "a:0->1", 0),
    )
    bench(tmp_path, "alone", alone, (13, "v_branch", "if", 0), (14, "v_branch", "if", 4), (17, "v_line", "case", 1))
    data = tmp_path / "alone" / "coverage.dat"
    data.write_text(data.read_text() + record(tmp_path / "alone" / "Unit.sv", 2, "v_toggle", "a:0->1", 3))
    source = tmp_path / "top" / "coverage.dat"
    source.write_text(source.read_text() + record(tmp_path / "top" / "Unit.sv", 5, "v_line", "block", 1, module="Top"))
    result = coverage.document(*coverage.collect(tmp_path, "Top"))
    unit = result["modules"]["Unit"]
    assert (unit["line"], unit["arm"], unit["toggle"]) == ([1, 2], [1, 1], [1, 1])
    assert [place["verilog"] for place in unit["never"]] == [12]


def test_one_more_place_alike_is_another_module(tmp_path: Path) -> None:
    """If the numbers of equal lines differ, the lines cannot be matched."""
    bench(tmp_path, "top", VERILOG, (6, "v_branch", "if", 0))
    twice = VERILOG.replace("    else q", "    if (a) q <= 1'h1; // /somewhere/hw/src/Unit.scala:12:7\n    else q")
    bench(tmp_path, "other", twice, (6, "v_branch", "if", 9), (7, "v_branch", "if", 9))
    data = tmp_path / "top" / "coverage.dat"
    data.write_text(data.read_text() + record(tmp_path / "top" / "Unit.sv", 5, "v_line", "block", 1, module="Top"))
    assert coverage.document(*coverage.collect(tmp_path, "Top"))["modules"]["Unit"]["line"] == [0, 1]


def test_no_bench_of_the_controller_is_an_error(tmp_path: Path) -> None:
    bench(tmp_path, "a", VERILOG, (6, "v_branch", "if", 1))
    with pytest.raises(CoverageError, match="from a test bench of Top"):
        coverage.collect(tmp_path, "Top")


def test_a_unit_beside_the_controller_counts(tmp_path: Path) -> None:
    bench(tmp_path, "top", VERILOG, (6, "v_branch", "if", 1), module="Top")
    bench(tmp_path, "beside", VERILOG, (6, "v_branch", "if", 1), (7, "v_branch", "else", 0))
    assert "Unit" not in coverage.document(*coverage.collect(tmp_path, "Top"))["modules"]
    result = coverage.document(*coverage.collect(tmp_path, "Top", ["Unit"]))
    assert result["modules"]["Unit"]["line"] == [1, 2] and result["line"] == [2, 3]
    with pytest.raises(CoverageError, match="from test benches of Absent"):
        coverage.collect(tmp_path, "Top", ["Unit", "Absent"])


def test_the_table_begins_with_the_worst(tmp_path: Path) -> None:
    bench(tmp_path, "a", VERILOG, (6, "v_branch", "if", 1), (7, "v_branch", "else", 1))
    second = tmp_path / "b"
    bench(tmp_path, "b", VERILOG + "// another\n", (6, "v_branch", "if", 0), (7, "v_branch", "else", 1), module="Worse")
    data = second / "coverage.dat"
    data.write_text(data.read_text() + record(tmp_path / "a" / "Unit.sv", 5, "v_line", "block", 1))
    data.write_text(data.read_text() + record(second / "Unit.sv", 5, "v_line", "block", 1, module="Top"))
    result = coverage.document(*coverage.collect(tmp_path, "Top"))
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(coverage.table(result))
    text = console.export_text()
    assert text.index("Worse") < text.index("Unit") < text.index("all") and "50.0" in text


def test_sources_are_read_once(tmp_path: Path) -> None:
    path = tmp_path / "Unit.sv"
    path.write_text(VERILOG)
    sources = Sources()
    first = sources[str(path)]
    path.write_text("")
    assert sources[str(path)] is first and first.silent == {2, 3, 9, 10}
