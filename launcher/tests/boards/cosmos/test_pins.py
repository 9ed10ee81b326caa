# SPDX-License-Identifier: Apache-2.0
"""The board's pins agree with package, banks and standards, and a pin that is wrong is found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from launcher.boards.cosmos import board_facts, names, pins
from launcher.boards.cosmos.board_facts import Facts

FACTS = board_facts.load()
PORTS = names.ports(8, FACTS.lanes)


def moved(places: dict[str, str], **fields: str) -> Facts:
    """The facts with some signals on other pins, and with other fields of these."""
    return replace(
        FACTS,
        pins=tuple(
            replace(pin, pin=places[pin.signal], **fields) if pin.signal in places else pin for pin in FACTS.pins
        ),
    )


def place(signal: str) -> str:
    return next(pin.pin for pin in FACTS.pins if pin.signal == signal)


def swapped(one: str, other: str) -> Facts:
    return moved({one: place(other), other: place(one)})


def test_nothing_is_wrong_with_the_board() -> None:
    assert pins.problems(FACTS, PORTS) == []


def test_fifos_are_where_the_boards_authors_put_them() -> None:
    """Their constraints name these sites; here they follow from the pins."""
    assert [pins.fifo_place(FACTS, channel) for channel in range(8)] == [
        "IN_FIFO_X0Y11",
        "IN_FIFO_X0Y8",
        "IN_FIFO_X0Y12",
        "IN_FIFO_X0Y19",
        "IN_FIFO_X1Y19",
        "IN_FIFO_X1Y16",
        "IN_FIFO_X1Y20",
        "IN_FIFO_X1Y25",
    ]


def test_channels_0_and_1_and_4_and_5_share_a_bank() -> None:
    assert [pins.strobe_bank(FACTS, channel) for channel in range(8)] == [11, 11, 12, 13, 33, 33, 34, 35]


def test_lanes_go_down_the_transceivers() -> None:
    assert [pins.lane_place(FACTS, lane) for lane in (0, 3, 4, 7)] == [(112, 3), (112, 0), (111, 3), (111, 0)]


@pytest.mark.parametrize(
    ("facts", "found"),
    [
        (swapped("IO_NAND_CH0_DQS_P", "IO_NAND_CH0_DQS_N"), "are no pair"),
        (swapped("IO_NAND_CH0_DQS_P", "O_NAND_CH0_RE_P"), "are no pair"),
        (swapped("IO_NAND_CH0_DQ[0]", "O_NAND_CH0_WE"), "is in another byte group"),
        (swapped("IO_NAND_CH0_DQ[0]", "IO_NAND_CH1_DQ[0]"), "is in another byte group"),
        (swapped("pcie_rx_p[0]", "pcie_rx_p[1]"), "is not RXP of transceiver 3 of quad 112"),
        (swapped("pcie_tx_p[2]", "pcie_tx_n[2]"), "is not TXP"),
        (swapped("pcie_ref_clk_p", "pcie_ref_clk_n"), "no reference clock"),
        (moved({"pcie_perst_n": place("O_DEBUG[0]")}), "are on it"),
        (moved({"pcie_perst_n": "ZZ1"}), "is no pin of xc7z045"),
        (moved({"pcie_perst_n": "A25"}), "which the board does not use"),
        (moved({"pcie_perst_n": "Y30"}), "needs 3.3 V, bank 12 has 1.8 V"),
        (moved({"O_NAND_CH4_WE": "A2"}, standard="LVCMOS33"), "is not for a bank of kind HP"),
        (moved({"O_NAND_CH4_WE": "G2"}, standard="LVCMOS19"), "no I/O standard"),
        (moved({"O_NAND_CH4_WE": "G2"}, slew="MEDIUM"), "slew 'MEDIUM'"),
        (moved({"pcie_rx_p[0]": "P6"}, standard="LVCMOS18"), "has no I/O standard"),
        (moved({"IO_NAND_CH3_DQS_P": place("O_NAND_CH3_RE_P")}), "are on it"),
        (replace(FACTS, pins=FACTS.pins[1:]), "pcie_perst_n: has no pin"),
        (replace(FACTS, pins=(*FACTS.pins, FACTS.pins[0])), "has 2 pins"),
    ],
)
def test_a_wrong_pin_is_found(facts: Facts, found: str) -> None:
    wrong = pins.problems(facts, PORTS)
    assert any(found in line for line in wrong), wrong


def test_a_strobe_that_cannot_clock_its_bank_is_found() -> None:
    strobe = {"IO_NAND_CH0_DQS_P": "AJ21", "IO_NAND_CH0_DQS_N": "AK21", "O_NAND_CH0_RE_P": "AD23"}
    wrong = pins.problems(moved(strobe | {"O_NAND_CH0_RE_N": "AE23"}), PORTS)
    assert wrong == ["IO_NAND_CH0_DQS_P: IO_L3P_T0_DQS_11 cannot be a clock"]


def test_a_port_of_another_width_is_found() -> None:
    assert "IO_NAND_CH0_DQ[7]: the port has 7 bits" in pins.problems(FACTS, PORTS | {"IO_NAND_CH0_DQ": 7})
