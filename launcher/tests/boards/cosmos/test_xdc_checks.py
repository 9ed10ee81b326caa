# SPDX-License-Identifier: Apache-2.0
"""The constraints of each configuration are right, and each mistake that is put into them is found."""

from __future__ import annotations

import pytest

from launcher.boards.board import BoardFailed
from launcher.boards.cosmos import board_facts, xdc_checks
from launcher.tests.boards.cosmos import made

FACTS = board_facts.load()


def problems(config: str = "cosmos2", edits: dict[str, tuple[str, str]] | None = None) -> list[str]:
    design, constraints = made.recorded(config, edits)
    return xdc_checks.problems(FACTS, made.made(config).channels, design, constraints)


@pytest.mark.parametrize("config", ["cosmos2", "cosmos8"])
def test_nothing_is_wrong(config: str) -> None:
    assert problems(config) == []


NAND = "constraints/nand_ch0.xdc"
PCIE = "constraints/pcie.xdc"
CLOCKS = "constraints/clocks.xdc"


@pytest.mark.parametrize(
    ("file", "old", "new", "found"),
    [
        (NAND, "PACKAGE_PIN AJ25", "PACKAGE_PIN AK25", "IO_NAND_CH0_DQ[0]: PACKAGE_PIN AK25"),
        (NAND, "PACKAGE_PIN AJ25", "PACKAGE_PIN AK25", "pin AK25: has 2 signals"),
        (NAND, "AG24 IOSTANDARD SSTL18_II", "AG24 IOSTANDARD LVCMOS18", "O_NAND_CH0_WE: "),
        (NAND, "[get_ports {O_NAND_CH0_WP}]", "[get_ports {O_NAND_CH1_WP}]", "O_NAND_CH0_WP: nothing"),
        (NAND, "[get_ports {O_NAND_CH0_WP}]", "[get_ports {O_NAND_CH9_WP}]", "the design has no port O_NAND_CH9_WP"),
        (NAND, "-period 10.000", "-period 20.000", "IO_NAND_CH0_DQS_P: a clock of 20.0 ns, not of 10.0 ns"),
        (NAND, "-clock ch0_dqs_in -max 6.0", "-clock ch0_dqs_in -max 5.0", "lacks set_input_delay of IO_NAND_CH0_DQ"),
        (NAND, "set_output_delay -clock ch0_we 1.0 [get_ports O_NAND_CH0_ALE]\n", "", "lacks set_output_delay"),
        (NAND, "LOC IN_FIFO_X0Y11", "LOC IN_FIFO_X0Y12", "FIFO at IN_FIFO_X0Y12, DQ is beside IN_FIFO_X0Y11"),
        (NAND, "-master_clock [get_clocks ch0_dqs_root]", "-master_clock [get_clocks ch9_dqs]", "no clock ch9_dqs"),
        (PCIE, "PULLDOWN TRUE", "PULLUP TRUE", "pcie_perst_n: "),
        (PCIE, "-period 10.000", "-period 8.000", "pcie_ref_clk_p: a clock of 8.0 ns"),
        (PCIE, "create_clock", "creat_clock", "no such command of Vivado: creat_clock"),
        (CLOCKS, "-to [get_clocks clk_fpga_0] 4.000", "-to [get_clocks clk_fpga_0] 10.000", "no bound of 4.0 ns"),
        (
            CLOCKS,
            "set_max_delay -datapath_only -from [get_clocks clk_fpga_0]",
            "set_false_path -from [get_clocks clk_fpga_0]",
            "false",
        ),
        (CLOCKS, "-from [get_clocks clk_fpga_0]", "-from [get_clocks clk_fpga_7]", "there is no clock clk_fpga_7"),
    ],
)
def test_a_mistake_is_found(file: str, old: str, new: str, found: str) -> None:
    try:
        wrong = problems(edits={file: (old, new)})
    except BoardFailed as failed:  # the script itself ends
        wrong = [str(failed)]
    assert any(found in line for line in wrong), wrong
