# SPDX-License-Identifier: Apache-2.0
"""launcher.hw.levels: the rules, each kept and broken by a small netlist, and the list of what is allowed."""

from __future__ import annotations

import io
import re
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from launcher.env.paths import ROOT
from launcher.hw import facts, levels, netlist
from launcher.hw.levels import CROSSING, NONE, RULES, Finding, Result
from launcher.hw.netlist import End
from launcher.tests.hw.netlists import Design


def judged(design: Design, folder: Path) -> dict[str, Finding]:
    result = levels.judge_unit(netlist.read(design.write(folder), Design.TOP), "Unit")
    return {found.rule.name: found for found in result.findings}


def chain(design: Design, bit: int, count: int, prefix: str = "step") -> int:
    for i in range(count):
        bit = design.lut(f"{prefix}{i}", bit)
    return bit


def broken(found: dict[str, Finding]) -> set[str]:
    return {name for name, finding in found.items() if not finding.kept}


def start_of(design: Design, rule: str) -> int:
    if rule in ("input", "through"):
        return design.input("in")
    if rule in ("block RAM", "raw output"):
        return design.block_ram("rows", design.flip_flop("address", design.input("a")))
    return design.flip_flop("start", design.input("a"))


# A rule that allows no path at all has no case within its limit: those of the other rules show that it can be kept.
@pytest.mark.parametrize(
    ("rule", "over"),
    [(rule, over) for rule in RULES if not rule.memory for over in (0, 1) if rule.limit + over != NONE],
    ids=lambda value: value.name if isinstance(value, levels.Rule) else str(value),
)
def test_each_rule_counts_levels_to_its_limit(tmp_path: Path, rule: levels.Rule, over: int) -> None:
    count = rule.limit + over
    design = Design()
    bit = chain(design, start_of(design, rule.name), count)
    if End.port in rule.ends:
        design.output("out", bit)
    else:
        design.flip_flop("end", bit)
    found = judged(design, tmp_path)
    assert found[rule.name].levels == count
    assert broken(found) == ({rule.name} if over else set())


@pytest.mark.parametrize(("before", "after", "kept"), [(0, 3, True), (1, 2, True), (2, 2, False), (0, 4, False)])
def test_levels_on_both_sides_of_a_distributed_ram_count(tmp_path: Path, before: int, after: int, kept: bool) -> None:
    design = Design()
    start = design.flip_flop("start", design.input("a"))
    read = design.lut_ram("rows", chain(design, start, before, "before"))
    design.flip_flop("end", chain(design, read, after, "after"))
    found = judged(design, tmp_path)
    assert found["distributed RAM"].levels == before + 1 + after
    assert found["distributed RAM"].kept is kept
    assert found["distributed RAM"].path[0] == "start_q"


def test_a_path_beside_the_distributed_ram_is_not_one_through_it(tmp_path: Path) -> None:
    design = Design()
    start = design.flip_flop("start", design.input("a"))
    read = design.lut_ram("rows", start)
    design.flip_flop("end", design.lut("join", read, chain(design, start, 5)))
    found = judged(design, tmp_path)
    assert found["distributed RAM"].levels == 2
    assert found["register"].levels == 6


def test_multiplexers_of_a_slice_and_carries_are_no_levels(tmp_path: Path) -> None:
    design = Design()
    start = design.flip_flop("start", design.input("a"))
    total, carry = design.carry("low", start)
    for i in range(8):
        total, carry = design.carry(f"carry{i}", start, carry)
    low, high = design.lut("low_half", total), design.lut("high_half", total)
    design.flip_flop("end", design.mux("join", low, high, start))
    assert judged(design, tmp_path)["register"].levels == 2


def test_what_only_simulations_read_is_left_out(tmp_path: Path) -> None:
    design = Design()
    start = design.flip_flop("start", design.input("skipped"))
    design.output("io_quiet", chain(design, start, 9))
    assert broken(judged(design, tmp_path)) == set()
    design.output("io_quietly", chain(design, start, 9, "more"))
    assert broken(judged(design, tmp_path)) == {"output"}


# (levels in the first unit, in wiring between them, in the second unit): whether the path crosses.
@pytest.mark.parametrize(
    ("first", "wiring", "second", "crosses"),
    [
        (0, 0, 5, False),
        (1, 0, 5, False),
        (2, 0, 1, True),
        (2, 0, 0, False),
        (0, 2, 1, True),
        (0, 3, 0, False),
        (1, 1, 1, True),
    ],
)
def test_no_path_has_logic_in_two_units(tmp_path: Path, first: int, wiring: int, second: int, crosses: bool) -> None:
    design = Design()
    bit = design.flip_flop("unit.one.start", design.input("a"))
    bit = chain(design, bit, first, "unit.one.step")
    bit = chain(design, bit, wiring, "unit.queue.step")
    bit = chain(design, bit, second, "unit.two.step")
    design.flip_flop("unit.two.end", bit)
    net = netlist.read(design.write(tmp_path), Design.TOP)
    result = levels.judge_whole(net, {"unit.one": "one", "unit.two": "two"})
    (found,) = [finding for finding in result.findings if finding.rule.name == CROSSING]
    assert found.kept is not crosses
    if crosses:
        assert found.path[0] == "one.start_q"


def test_instances_are_found_in_emitted_verilog() -> None:
    text = """module Top(
  input clock
);
  wire x;
  LockArbiter mapLock (	// hw/src/top/Units.scala:18:22
    .clock (clock)
  );
  LockArbiter_1 shareLock (
  );
  Queue2_Completion post_q (	// src
  );
  always @(posedge clock) begin
  end
"""
    found = levels.instances(text, ["LockArbiter", "Journal"])
    assert found == {"mapLock": "LockArbiter", "shareLock": "LockArbiter"}


def example(**rules: tuple[int, int]) -> Result:
    """A result with the most levels and the end points beyond the limit of some rules; the others are kept."""
    findings = tuple(
        Finding(rule, rules.get(rule.name, (rule.limit, 0))[0], rules.get(rule.name, (0, 0))[1], 9, ("from", "to"))
        for rule in RULES
    )
    return Result("Unit", findings, 9.0, 100)


def test_a_broken_rule_is_a_complaint_unless_it_is_listed() -> None:
    result = example(register=(9, 4))
    (complaint,) = levels.complaints(result, {})
    assert "4 paths from register to register have more than 6 levels, up to 9: from > to" in complaint
    assert levels.complaints(result, {"register": (9, 4)}) == []
    assert levels.complaints(result, {"register": (10, 5)}) == []
    assert "the list allows 8 and 4" in levels.complaints(result, {"register": (8, 4)})[0]
    assert "the list allows 9 and 3" in levels.complaints(result, {"register": (9, 3)})[0]


def test_an_entry_without_need_is_a_complaint() -> None:
    assert "delete its entry" in levels.complaints(example(), {"register": (9, 4)})[0]
    assert "names no known rule: 'registers'" in levels.complaints(example(), {"registers": (9, 4)})[0]


def test_an_entry_reads_back_as_what_it_was_made_of(tmp_path: Path) -> None:
    result = example(**{"register": (9, 4), "block RAM": (5, 2)})
    path = tmp_path / "levels.toml"
    path.write_text(levels.entry(result))
    assert levels.allowed(path) == {"Unit": {"register": (9, 4), "block RAM": (5, 2)}}
    assert levels.complaints(result, levels.allowed(path)["Unit"]) == []
    assert levels.entry(example()) == ""


def test_the_list_names_units_and_rules_that_exist() -> None:
    found = tomllib.loads(levels.ALLOWED.read_text())
    rules = {rule.name for rule in RULES} | {CROSSING}
    assert set(found) <= set(facts.units())
    for unit, entries in found.items():
        assert set(entries) <= rules, unit
        for entry in entries.values():
            assert set(entry) == {"levels", "ends"} and entry["ends"] > 0


def test_the_table_shows_limits_and_the_worst_paths() -> None:
    text = io.StringIO()
    Console(file=text, width=160).print(levels.table(replace(example(through=(2, 7)), name="Allocator")))
    shown = text.getvalue()
    assert "levels of logic of Allocator" in shown
    assert "from an input to an output: from > to" in shown
    assert "longest path about 9.0 ns" in shown


def test_the_documentation_states_the_rules() -> None:
    rows = (ROOT / "docs" / "developing" / "synth.md").read_text().splitlines()
    for rule in RULES:
        (row,) = [row for row in rows if row.startswith(f"| {rule.about}")]
        limit = re.match(r"none|\d+", row.split("|")[2].strip())
        assert limit is not None and limit[0] == ("none" if rule.limit == NONE else str(rule.limit)), row
