# SPDX-License-Identifier: Apache-2.0
"""The block design of each configuration is right, and each mistake that is put into its Tcl is found."""

from __future__ import annotations

import pytest

from launcher.boards.board import BoardFailed
from launcher.boards.cosmos import board_facts, design_checks, names
from launcher.tests.boards.cosmos import made

FACTS = board_facts.load()


def problems(edit: tuple[str, str] | None = None, config: str = "cosmos2") -> list[str]:
    design, _ = made.recorded(config, {"design.tcl": edit} if edit else None)
    return design_checks.problems(FACTS, config, design)


@pytest.mark.parametrize("config", ["cosmos2", "cosmos8"])
def test_nothing_is_wrong(config: str) -> None:
    assert problems(config=config) == []


def test_crossings_are_listed_with_what_settles_them() -> None:
    design, _ = made.recorded()
    listed, wrong = design_checks.crossings(FACTS, design)
    assert wrong == []
    assert [line.split(":")[0] for line in sorted(listed)] == [
        "core/fw_irq to ps/IRQ_F2P",
        "nand_clock/locked to reset/dcm_locked",
        "pcie_perst_n to pcie/sys_rst_n",
        "ps/FCLK_RESET0_N to reset/ext_reset_in",
        "reset/peripheral_reset to core/reset",
    ]


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        # parameters
        ("PCW_ARMPLL_CTRL_FBDIV {60}", "PCW_ARMPLL_CTRL_FBDIV {40}", "PCW_ARMPLL_CTRL_FBDIV: '40', the board has '60'"),
        ("PCW_UIPARAM_DDR_T_RCD {7}", "PCW_UIPARAM_DDR_T_RCD {8}", "PCW_UIPARAM_DDR_T_RCD"),
        ("  PCW_USE_S_AXI_HP1 {1}\n", "", "PCW_USE_S_AXI_HP1: 'None'"),
        ("MSIx_Table_Offset {2000}", "MSIx_Table_Offset {1000}", "MSIx_Table_Offset is 1000, not 2000"),
        ("Maximum_Link_Width {X8}", "Maximum_Link_Width {X4}", "not 128 bits of 8 lanes"),
        ("CLKOUT1_REQUESTED_OUT_FREQ {200.000}", "CLKOUT1_REQUESTED_OUT_FREQ {100.000}", "the board has 200.0"),
        ("USE_RESET {false}", "USE_RESET {true}", "must not reset it"),
        ("C_BUF_TYPE {IBUFDSGTE}", "C_BUF_TYPE {IBUFDS}", "no buffer for a transceiver"),
        # wires
        ("wire core/fw_irq ps/IRQ_F2P\n", "", "IRQ_F2P: driven by None"),
        ("wire core/fw_irq ps/IRQ_F2P\n", "", "ps/IRQ_F2P: is not connected"),
        ("wire pcie/user_lnk_up core/user_lnk_up\n", "", "core/user_lnk_up: is not connected"),
        ("wire core/rx_np_ok pcie/rx_np_ok", "wire core/cfg_dsn pcie/rx_np_ok", "of different widths"),
        ("wire core/tx_cfg_gnt pcie/tx_cfg_gnt", "wire core/rx_np_req pcie/tx_cfg_gnt", "core/tx_cfg_gnt"),
        (
            "wire core/tx_cfg_gnt pcie/tx_cfg_gnt",
            "wire core/tx_cfg_gnt pcie/rx_np_ok",
            "driven by core/rx_np_ok, core/tx",
        ),
        ("port IO_NAND_CH1_DQS_N IO 1 nfc_1/IO_NAND_DQS_N\n", "", "IO_NAND_CH1_DQS_N: there is no such port"),
        (
            "port O_NAND_CH1_CE O 8 nfc_1/O_NAND_CE",
            "port O_NAND_CH1_CE O 8 nfc_0/O_NAND_CE",
            "nfc_1/O_NAND_CE does not lead to",
        ),
        (
            "bus nsc_0/NFCInterface nfc_0/NFCInterface",
            "bus nsc_0/NFCInterface nfc_1/NFCInterface",
            "nfc_1/NFCInterface",
        ),
        ("bus nsc_1/SharedKESInterface kes_0/SharedKESInterface_CH1\n", "", "nsc_1/SharedKESInterface: 0 buses"),
        ("bus nsc_1/D_AXI core/s_axi_tiger_1", "bus nsc_1/D_AXI core/m_axil_tiger_1", "do not fit"),
        # clocks and resets
        ("wire ps/FCLK_CLK0 nsc_0/iClock", "wire nand_clock/clk_out1 nsc_0/iClock", "nsc_0/iClock: its clock is"),
        (
            "wire nand_clock/clk_out1 nfc_1/iDelayRefClock",
            "wire ps/FCLK_CLK0 nfc_1/iDelayRefClock",
            "nfc_1/iDelayRefClock: its clock is ps/FCLK_CLK0",
        ),
        (
            "wire core/controller_reset nsc_0/iReset",
            "wire reset/peripheral_reset nsc_0/iReset",
            "nsc_0/iReset: its reset",
        ),
        (
            "wire pcie/user_clk_out core/user_clk_out",
            "wire ps/FCLK_CLK0 core/user_clk_out",
            "from pcie/user_clk_out to",
        ),
        (
            "wire core/cfg_interrupt pcie/cfg_interrupt\n",
            "wire core/fw_irq pcie/cfg_interrupt\n",
            "core/fw_irq to pcie/cfg_interrupt: from ps/FCLK_CLK0 to pcie/user_clk_out",
        ),
        # addresses
        ("core/s_axil_fw/reg0 0x43c00000 64K", "core/s_axil_fw/reg0 0x43c10000 64K", "is at 0x43c10000"),
        ("S_AXI_HP0/HP0_DDR_LOWOCM 0x0 0x40000000", "S_AXI_HP0/HP0_DDR_LOWOCM 0x0 0x20000000", "0x20000000 bytes"),
        ("place nsc_1/D_AXI core/s_axi_tiger_1/reg0 0x0 1M\n", "", "core/s_axi_tiger_1: has no address in nsc_1/D_AXI"),
        # cells
        ("IDelayValue {13}\n}\ncell microcode_0", "IDelayValue {12}\n}\ncell microcode_0", "IDelayValue is 12"),
        (
            "cell nvram_bus xilinx.com:ip:axi_interconnect",
            "cell other xilinx.com:ip:axi_interconnect",
            "no pin nvram_bus",
        ),
    ],
)
def test_a_mistake_is_found(old: str, new: str, found: str) -> None:
    try:
        wrong = problems((old, new))
    except BoardFailed as failed:  # the script itself ends
        wrong = [str(failed)]
    assert any(found in line for line in wrong), wrong


def test_a_cell_that_nobody_needs_is_found() -> None:
    extra = "cell spare xilinx.com:ip:clk_wiz\nregenerate_bd_layout"
    assert any("clk_wiz: cells" in line for line in problems(("regenerate_bd_layout", extra)))


def test_channels_of_the_board_may_not_be_swapped() -> None:
    design, _ = made.recorded()
    for net in design.nets:
        if names.nand_port("O_NAND_CE", 0) in net:
            net.remove(names.nand_port("O_NAND_CE", 0))
            net.add("other")
        elif names.nand_port("O_NAND_CE", 1) in net:
            net.remove(names.nand_port("O_NAND_CE", 1))
            net.add(names.nand_port("O_NAND_CE", 0))
    for net in design.nets:
        if "other" in net:
            net.remove("other")
            net.add(names.nand_port("O_NAND_CE", 1))
    wrong = design_checks.problems(FACTS, "cosmos2", design)
    assert len([line for line in wrong if "does not lead to" in line]) == 2
