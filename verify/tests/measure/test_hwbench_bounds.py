# SPDX-License-Identifier: Apache-2.0
"""hwbench_bounds.py fails for what costs too much, and for what was not measured."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

SPEC = importlib.util.spec_from_file_location("hwbench_bounds", Path(__file__).with_name("hwbench_bounds.py"))
assert SPEC is not None and SPEC.loader is not None
FOLLOWS = ("gc_page", "gc_stall")  # from another case
bench = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(bench)


def document(slots: int = 1, **figures: float) -> dict[str, Any]:
    """Every case at its bound of pages of one slot, but for `figures`."""
    at = bench.BOUNDS | figures
    cases = [
        {"name": name, "cycles_per_page": at[name], "latency": {"p50": at[name]}, "gc_pages": 0}
        | {"commands": 16, "by_hardware": 16 if name in bench.BY_HARDWARE else 0}
        for name in at
        if name not in FOLLOWS
    ]
    for case in cases:
        if case["name"] in bench.MOVING:
            case |= {"gc_pages": 50, "cycles": 50 * at["gc_page"], "pages": 20, "stall_alloc": 20 * at["gc_stall"]}
    return {"device": "rtl", "slots_per_page": slots, "cases": cases}


def of_soc(**figures: float) -> dict[str, Any]:
    """The same of the soc, which has fewer cases."""
    whole = document(1, **figures)
    return whole | {"device": "soc", "cases": [case for case in whole["cases"] if case["name"] in bench.BY_HARDWARE]}


def test_figures_within_their_bounds_pass() -> None:
    assert bench.complaints(document()) == []
    assert bench.complaints(document(4, **bench.WIDE)) == []


@pytest.mark.parametrize("name", list(bench.BOUNDS))
def test_one_that_costs_more_is_named(name: str) -> None:
    found = bench.complaints(document(**{name: 1.01 * bench.BOUNDS[name]}))
    assert len(found) == 1 and found[0].startswith(f"{name}: ")


def test_pages_of_four_slots_have_bounds_of_their_own() -> None:
    costs_more = {name: 1.01 * bound for name, bound in bench.WIDE.items()}
    found = bench.complaints(document(4, **costs_more))
    assert [line.split(":")[0] for line in found] == [name for name in bench.BOUNDS if name in bench.WIDE]


def test_the_soc_has_the_bounds_of_the_hardware() -> None:
    assert bench.complaints(of_soc()) == []
    assert bench.complaints(of_soc(remap_vector_qd2=12.1)) == ["remap_vector_qd2: 12.1 cycles; at most 12"]
    assert "expected" in bench.complaints(document() | {"device": "soc"})[0]
    by_firmware = of_soc()
    by_firmware["cases"][0]["by_hardware"] = 15
    assert bench.complaints(by_firmware) == ["remap_single: 15 of 16 commands ended in the hardware"]


def test_a_case_that_is_missing_or_costs_nothing_is_named() -> None:
    short = document()
    del short["cases"][3]
    assert "expected" in bench.complaints(short)[0]
    assert bench.complaints(document(read_qd1=0)) == ["read_qd1: 0 cycles; at most 446"]


def test_writes_beside_gc_are_beside_gc() -> None:
    for name in bench.MOVING:
        idle = document()
        next(case for case in idle["cases"] if case["name"] == name)["gc_pages"] = 0
        assert f"{name}: GC moved nothing" in bench.complaints(idle)


def test_remaps_must_end_in_the_hardware() -> None:
    for name in bench.BY_HARDWARE:
        handed = document()
        next(case for case in handed["cases"] if case["name"] == name)["by_hardware"] = 15
        assert bench.complaints(handed) == [f"{name}: 15 of 16 commands ended in the hardware"]


def test_the_program_must_end_well(tmp_path: Path) -> None:
    program = tmp_path / "hwbench"
    for text, code in ((json.dumps(document()), 0), (json.dumps(document(remap_run=9)), 1)):
        program.write_text(f"#!/bin/sh\ncat <<'END'\n{text}\nEND\n")
        program.chmod(0o755)
        assert bench.main([str(program)]) == code
    program.write_text("#!/bin/sh\nexit 3\n")
    assert bench.main([str(program)]) == 1
