# SPDX-License-Identifier: Apache-2.0
"""launcher.hw.netlist: the graph of a mapped netlist, from small netlists in Yosys's format."""

from __future__ import annotations

from pathlib import Path

import pytest

from launcher.hw import netlist
from launcher.hw.netlist import End, NetlistError, Start
from launcher.tests.hw.netlists import Design


def test_registers_and_ports_start_and_end_paths(tmp_path: Path) -> None:
    design = Design()
    a = design.input("a")
    q = design.flip_flop("state", design.lut("pick", a))
    design.output("out", q)
    net = netlist.read(design.write(tmp_path), Design.TOP)
    assert net.starts == {a: Start.port, q: Start.register}
    assert {(end.kind, end.name) for end in net.ends} == {(End.register, "state.DI"), (End.port, "out")}
    assert net.name(q) == "state_q"


@pytest.mark.parametrize(
    ("modes", "start"),
    [
        ({"REGMODE_A": "NOREG", "REGMODE_B": "NOREG"}, Start.block_ram),
        ({"REGMODE_A": "OUTREG", "REGMODE_B": "NOREG"}, Start.block_ram),
        ({"REGMODE_A": "OUTREG", "REGMODE_B": "OUTREG"}, Start.register),
        ({}, Start.block_ram),
    ],
)
def test_a_block_ram_with_output_registers_counts_as_registers(
    tmp_path: Path, modes: dict[str, str], start: Start
) -> None:
    design = Design()
    data = design.block_ram("rows", design.input("address"), modes)
    design.output("out", data)
    net = netlist.read(design.write(tmp_path), Design.TOP)
    assert net.starts[data] is start
    assert "rows.ADA0" in {end.name for end in net.ends}


def test_the_order_has_each_net_after_those_it_depends_on(tmp_path: Path) -> None:
    design = Design()
    bit = design.input("a")
    for i in range(5000):  # deeper than Python's stack
        bit = design.lut(f"step{i}", bit)
    design.output("out", bit)
    net = netlist.read(design.write(tmp_path), Design.TOP)
    place = {found: i for i, found in enumerate(net.order)}
    assert len(place) == 5000
    for target, edges in net.edges.items():
        assert all(place[edge.source] < place[target] for edge in edges if edge.source in place)


def test_a_combinational_loop_is_refused(tmp_path: Path) -> None:
    design = Design()
    first = design.lut("first", design.input("a"))
    second = design.lut("second", first)
    design.cells["first"]["connections"]["B"] = [second]
    design.cells["first"]["port_directions"]["B"] = "input"
    with pytest.raises(NetlistError, match="combinational loop"):
        netlist.read(design.write(tmp_path), Design.TOP)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"modules": {}}', '{"modules": {"Unit": {"cells": 3}}}'])
def test_a_file_that_is_no_netlist_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "some.netlist"
    path.write_text(text)
    with pytest.raises(NetlistError, match=r"some\.netlist"):
        netlist.read(path, Design.TOP)
    with pytest.raises(NetlistError, match="absent"):
        netlist.read(tmp_path / "absent", Design.TOP)
