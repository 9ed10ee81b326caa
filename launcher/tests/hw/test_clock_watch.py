# SPDX-License-Identifier: Apache-2.0
"""launcher.hw.clock_watch: which registers and memories the assertions compare."""

from pathlib import Path

import pytest

from launcher.hw import clock_watch

_TOP = """
// Generated
module OpenRemapTop(
  input clock
);
  Unit first (	// Units.scala:1:2
    .clock (_clock_gate_gated),
    .reset (reset)
  );
  Unit second (
    .clock (clock),
    .reset (reset)
  );
  ClockGate #(
    .CYCLES(7)
  ) clock_gate (
    .clock (clock),
    .gated (_clock_gate_gated)
  );
endmodule
"""
_UNIT = """
module Unit(
  input clock
);
  reg  [7:0] count;	// Unit.scala:3:4
  reg        ready;
  reg        chosen;
  always @(*) begin
    chosen = ready;
  end
  always @(posedge clock) begin
    if (reset)
      count <= 8'h0;
    ready <=
      chosen;
  end // always @(posedge)
  words_4x8 words_ext (
    .W0_en (ready)
  );
  Outside model (
    .clock (clock)
  );
endmodule
"""
_WORDS = """
module words_4x8(
  input W0_en
);
  reg [7:0] Memory[0:3];
  always @(posedge W0_clk) begin
    if (W0_en & W0_mask[0])
      Memory[W0_addr][32'h0 +: 4] <= W0_data[3:0];
  end // always @(posedge)
endmodule
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("OpenRemapTop", _TOP), ("Unit", _UNIT), ("words_4x8", _WORDS), ("ClockGate", "")):
        (tmp_path / f"{name}.sv").write_text(text)
    return tmp_path


def test_registers_of_gated_units_are_compared(folder: Path) -> None:
    assert clock_watch.write(folder) == 2
    text = (folder / clock_watch.FILE).read_text()
    assert "logic [7:0] before_0;" in text and "if (held_first && first.count !== before_0)" in text
    assert "held_first <= clock_gate.needed === 1'b0;" in text
    assert "first.ready !== before_1" in text
    assert "chosen" not in text  # a variable, no register
    assert "second" not in text  # its clock does not stop
    assert "bind OpenRemapTop ClockWatch" in text


def test_writes_of_memories_are_compared(folder: Path) -> None:
    clock_watch.write(folder)
    place = "first.words_ext"
    condition = f"{place}.W0_en & {place}.W0_mask[0]"
    written = f"{place}.Memory[{place}.W0_addr][32'h0 +: 4] !== {place}.W0_data[3:0]"
    assert f"if (clock_gate.needed === 1'b0 && {condition} && {written})" in (folder / clock_watch.FILE).read_text()


def test_a_defect_can_be_seeded_in_each_unit(folder: Path) -> None:
    clock_watch.write(folder)
    seeded = "if (wrong == \"first\") begin clock_gate.wrong = 1'b1; seeded = 1'b1; end"
    assert seeded in (folder / clock_watch.FILE).read_text()


def test_a_watch_of_nothing_is_refused(folder: Path) -> None:
    (folder / "OpenRemapTop.sv").write_text(_TOP.replace(".clock (_clock_gate_gated)", ".clock (clock)"))
    with pytest.raises(clock_watch.WatchError, match="no unit"):
        clock_watch.write(folder)


def test_verilog_of_another_form_is_refused(folder: Path) -> None:
    (folder / "words_4x8.sv").write_text(_WORDS.replace("Memory[W0_addr]", "Other[W0_addr]"))
    with pytest.raises(clock_watch.WatchError, match="never written"):
        clock_watch.write(folder)
    (folder / "Unit.sv").write_text("module Other();")
    with pytest.raises(clock_watch.WatchError, match="no module Unit"):
        clock_watch.write(folder)
