# SPDX-License-Identifier: Apache-2.0
"""Nothing is wrong with the Acorn's pins and project, and each mistake that is put into them is found."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from launcher.boards.acorn import checks, design, project
from launcher.boards.board import BoardFailed
from launcher.env.paths import ROOT
from launcher.suites import verified
from launcher.suites.verified import Digests
from launcher.tests.boards.acorn import controller
from soc.boards import pins
from soc.boards.pins import Port

PORTS = pins.load(design.NAME)


def problems(edits: dict[str, tuple[str, str]] | None = None) -> list[str]:
    try:
        calls = checks.recorded(edits)
    except BoardFailed as failed:  # the script itself ends
        return [str(failed)]
    return checks.ip_problems(calls) + checks.constraint_problems(PORTS, calls)


@pytest.fixture(scope="module")
def verilog() -> Iterator[str]:
    """The SoC's, around a controller that has the ports alone."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        controller.write(folder / "rtl")
        command = [sys.executable, "-m", "soc.boards.generate", design.CONFIG, "--rtl", str(folder / "rtl")]
        subprocess.run([*command, "--out", str(folder)], cwd=ROOT, check=True)
        yield (folder / f"{design.TOP}.v").read_text()


def test_nothing_is_wrong(verilog: str) -> None:
    assert checks.pin_problems(PORTS) == []
    assert problems() == []
    assert checks.core_problems(verilog) == []


@pytest.mark.parametrize(
    ("file", "old", "new", "found"),
    [
        ("constraints/ddr.xdc", "PACKAGE_PIN M15", "PACKAGE_PIN L21", "pin L21: has 2 signals"),
        ("constraints/ddr.xdc", "PACKAGE_PIN M15", "PACKAGE_PIN L21", "ddram_a[0]: {'PACKAGE_PIN': 'L21'"),
        ("constraints/ddr.xdc", "IOSTANDARD LVCMOS15", "IOSTANDARD LVCMOS33", "ddram_reset_n: "),
        ("constraints/ddr.xdc", "[get_ports {ddram_dm[1]}]", "[get_ports {ddram_dm[0]}]", "ddram_dm[1]: None"),
        ("constraints/leds.xdc", "{leds[3]}", "{led[3]}", "the design has no port led[3]"),
        ("constraints/pcie.xdc", " PULLUP TRUE", "", "pcie_rst_n: "),
        ("constraints/pcie.xdc", "-period 10.000", "-period 8.000", "pcie_clk_p: a clock of 8.0 ns, not of 10.0 ns"),
        ("constraints/clocks.xdc", "create_clock", "creat_clock", "no such command of Vivado: creat_clock"),
        ("constraints/crossings.xdc", "4.000", "10.000", "no bound of 4.0 ns from controller to core"),
        ("constraints/crossings.xdc", "-datapath_only ", "", "no bound of 4.0 ns from core to controller"),
        ("constraints/crossings.xdc", "controller/core_clock", "controller/clock", "no pin controller/clock"),
        ("constraints/crossings.xdc", "set_max_delay -datapath_only -from", "set_false_path -from", "are false"),
        ("project.tcl", "CONFIG.Bar0_Size {16}", "CONFIG.Bar0_Size {8}", "CONFIG.Bar0_Size is 8, not 16"),
        ("project.tcl", "CONFIG.MSIx_Table_Offset", "CONFIG.MSIx_Table", "CONFIG.MSIx_Table is 2000, not None"),
        ("project.tcl", "{64_bit}", "{128_bit}", "Interface_Width is not 64_bit"),
        ("project.tcl", "-name pcie_7x", "-name pcie_8x", "no IP pcie_8x"),
        ("project.tcl", "xc7a200t", "xc7a100t", "project: for xc7a100tfbg484-3"),
    ],
)
def test_a_mistake_is_found(file: str, old: str, new: str, found: str) -> None:
    assert any(found in line for line in problems({file: (old, new)})), problems({file: (old, new)})


def test_a_pair_without_its_other_side_is_found() -> None:
    def changed(name: str, **properties: object) -> list[Port]:
        return [dataclasses.replace(p, **properties) if p.name == name else p for p in PORTS]  # type: ignore[arg-type]

    assert checks.pin_problems([p for p in PORTS if p.name != "clk200_n"])[0].startswith("clk200_p: a pair")
    assert checks.pin_problems(changed("ddram_dqs_n", standard="SSTL15"))[0].startswith("ddram_dqs_p: a pair")
    assert "pcie_rx_p: 2 lanes of 4" in checks.pin_problems(changed("pcie_rx_p", balls=("B10", "B8")))


def test_a_pin_of_the_core_that_is_not_there_or_not_wired_is_found(verilog: str) -> None:
    other = verilog.replace(".cfg_dsn ", ".cfg_dsm ", 1)
    found = checks.core_problems(other)
    assert "cfg_dsm: the PCIe core has no such pin" in found
    assert "cfg_dsn: an input of the PCIe core that nothing drives" in found
    with pytest.raises(BoardFailed, match="no pin cfg_dsm"):
        project.pcie_black_box(other)


def test_the_core_has_the_widths_of_the_board(verilog: str) -> None:
    box = project.pcie_black_box(verilog)
    for port in ("output [63:0] m_axis_rx_tdata", "input [7:0] s_axis_tx_tkeep", "input [3:0] pci_exp_rxp"):
        assert f"  {port}" in box, port


def test_the_bitstream_tells_its_sources() -> None:
    calls = [call for call in checks.recorded() if call[:2] == ["set_property", "BITSTREAM.CONFIG.USERID"]]
    assert calls == [
        ["set_property", "BITSTREAM.CONFIG.USERID", f"0x{project.user_id(verified.digests()):08X}", "design:"]
    ]
    assert project.user_id(Digests("1", "2")) != project.user_id(Digests("1", "3"))  # it has the firmware in it
