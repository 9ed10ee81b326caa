# SPDX-License-Identifier: Apache-2.0
"""The wrapper follows the ports of CosmosTop, and refuses those that it does not know."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from launcher.boards.board import BoardFailed
from launcher.boards.cosmos import tcl_record, wrapper
from launcher.boards.cosmos.wrapper import Port
from launcher.tests.boards.cosmos import made

HEAD = """\
// a line of firtool
module CosmosTop(\t// Top.scala:1
  input         clock,\t// Top.scala:2
                reset,
  output [3:0]  one,
                two,
  output        three
);
  wire x;
endmodule
"""


def test_ports_are_read_as_firtool_writes_them(tmp_path: Path) -> None:
    (tmp_path / "CosmosTop.sv").write_text(HEAD)
    assert wrapper.emitted_ports(tmp_path) == [
        Port("clock", False, 1),
        Port("reset", False, 1),
        Port("one", True, 4),
        Port("two", True, 4),
        Port("three", True, 1),
    ]


@pytest.mark.parametrize(
    ("text", "why"), [("module Other(input a);", "no module"), (HEAD.replace("two", "{2}"), "is no port")]
)
def test_another_file_is_refused(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "CosmosTop.sv").write_text(text)
    with pytest.raises(BoardFailed, match=why):
        wrapper.emitted_ports(tmp_path)
    with pytest.raises(BoardFailed, match="No such file"):
        wrapper.emitted_ports(tmp_path / "none")


def test_a_port_more_or_less_is_refused() -> None:
    ports = made.top_ports(2)
    with pytest.raises(BoardFailed, match="not wired: pcie_more"):
        wrapper.make([*ports, Port("pcie_more", True, 1)])
    with pytest.raises(BoardFailed, match="no output pcie_npOk of 1 bits"):
        wrapper.make([port for port in ports if port.name != "pcie_npOk"])
    with pytest.raises(BoardFailed, match="no input pcie_config_id of 16 bits"):
        wrapper.make([Port(p.name, p.output, 8) if p.name == "pcie_config_id" else p for p in ports])


def test_it_drives_every_input_of_the_core() -> None:
    """The PCIe core's pins, in ips.toml, are its description."""
    core = tcl_record.load_ips()["xilinx.com:ip:pcie_7x"]
    ports = {port.name: port for port in made.made().wrapper.ports}
    for name, pin in core.pins.items():
        if pin.clock == "user_clk_out" and pin.direction == "in":
            assert ports[name].output and ports[name].bits == pin.bits, name
        elif name in ports and name != "user_clk_out":
            assert not ports[name].output and ports[name].bits == pin.bits, name


def test_buses_have_their_protocols() -> None:
    buses = made.made("cosmos8").wrapper.buses
    assert buses["s_axil_fw"] == ("slave", "AXI4LITE") and buses["m_axi_dram"] == ("master", "AXI4")
    assert buses["m_axil_tiger_7"] == ("master", "AXI4LITE") and buses["s_axi_tiger_7"] == ("slave", "AXI4")
    assert len(buses) == 3 + 2 * 8


def test_verilator_reads_it(tmp_path: Path) -> None:
    """With an empty CosmosTop, whose ports are those that tests take."""
    ports = made.top_ports(2)
    lines = [f"  {'output' if p.output else 'input'} [{p.bits - 1}:0] {p.name}" for p in ports]
    (tmp_path / "CosmosTop.v").write_text("module CosmosTop (\n" + ",\n".join(lines) + "\n);\nendmodule\n")
    top = tmp_path / "cosmos_core.v"
    top.write_text(made.made().wrapper.text)
    command = ["verilator", "--lint-only", "-Wall", "--top-module", "cosmos_core", "-Wno-UNUSEDSIGNAL", "-Wno-UNDRIVEN"]
    done = subprocess.run(
        [*command, "-Wno-PINCONNECTEMPTY", str(top), str(tmp_path / "CosmosTop.v")], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
