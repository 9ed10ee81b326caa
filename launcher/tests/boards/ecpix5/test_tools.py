# SPDX-License-Identifier: Apache-2.0
"""launcher.boards.ecpix5.tools: the tools' reports as they are, and reports that are none."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from launcher.boards.ecpix5 import tools
from launcher.boards.ecpix5.tools import Clock
from launcher.hw.synth_tools import ReportError

# Yosys 0.70 writes a line of its progress before the document.
AREA = """
6. Printing statistics.
{"modules": {}, "design": {"num_cells": 9, "num_cells_by_type":
 {"$scopeinfo": 4, "CCU2C": 10, "DP16KD": 99, "LUT4": 100, "TRELLIS_DPR16X4": 2, "TRELLIS_FF": 7, "DQSBUFM": 2}}}
"""
REPORT = json.dumps(
    {
        "fmax": {
            "$glbnet$sys_clk": {"achieved": 51.5, "constraint": 50.0},
            "$glbnet$eth_clocks_rx$TRELLIS_IO_IN": {"achieved": 124.0, "constraint": 125.0},
        },
        "utilization": {
            "TRELLIS_COMB": {"available": 83640, "used": 70000},
            "MULT18X18D": {"available": 156, "used": 0},
        },
    }
)


def test_area_counts_luts_of_carries_and_memories() -> None:
    found = tools.area(AREA)
    assert found == {"lut": 100 + 2 * 10 + 6 * 2, "ff": 7, "ram": 99}
    assert tools.overfull(found) == []


def test_what_the_device_lacks_is_said() -> None:
    assert tools.overfull({"lut": 90_000, "ff": 1, "ram": 209}) == [
        "90,000 LUT4 of 83,640",
        "209 block RAMs of 208",
    ]


def test_each_clock_is_held_against_its_own_need() -> None:
    found = tools.routed(REPORT)
    assert found.clocks == (Clock("eth_clocks_rx", 124.0, 125.0), Clock("sys_clk", 51.5, 50.0))
    assert [clock.met for clock in found.clocks] == [False, True]
    assert not found.met
    assert found.used == {"TRELLIS_COMB": (70000, 83640)}


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (tools.area, "nothing"),
        (tools.area, '{"modules": {}}'),
        (tools.routed, "nothing"),
        (tools.routed, '{"fmax": {}, "utilization": {}}'),
        (tools.routed, '{"fmax": {"a": {}}, "utilization": {}}'),
    ],
)
def test_what_is_no_report_is_refused(read: Callable[[str], object], text: str) -> None:
    with pytest.raises(ReportError):
        read(text)


def test_the_script_makes_one_flat_module() -> None:
    text = tools.script("Top", "Board", "../out")
    assert "read_slang --threads 1 -D SYNTHESIS --top Board -f filelist.f\n" in text
    assert "read_verilog ../out/Top.v ../out/VexRiscv.v\n" in text
    runs = [
        line.rpartition(" -run ")[2] for line in text.splitlines() if line.startswith("synth_ecp5 -nowidelut -top Top")
    ]
    assert runs == ["begin:map_ram", "map_ram:map_gates", "map_gates:"]
    assert "-noflatten" not in text
    assert text.endswith("write_json ../out/netlist.json\n")


def test_a_memory_without_bypass_has_to_be_there() -> None:
    """A pattern that names no memory any more ends the synthesis."""
    text = tools.script("Top", "Board", "../out")
    for name in tools.APART:
        there, changed = (text.index(f"{does} c:{name}\n") for does in ("-assert-min 1", "RD_COLLISION_X_MASK 1'1"))
        assert text.index("-run begin:map_ram") < there < changed < text.index("-run map_ram:map_gates")
