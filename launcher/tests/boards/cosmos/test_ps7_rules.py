# SPDX-License-Identifier: Apache-2.0
"""The processing system's parameters agree with each other, and one that does not is found by that alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from launcher.boards.cosmos import board_facts, ps7_rules

FACTS = board_facts.load()


def problems(**changes: str) -> list[str]:
    """Of data with changes: the facts have the same mistake, so that only the rules can find it."""
    given = FACTS.ps7 | changes
    return ps7_rules.problems(replace(FACTS, ps7=given), given)


def test_nothing_is_wrong() -> None:
    assert problems() == []


def test_the_timers_have_half_the_clock_of_the_cpus() -> None:
    assert ps7_rules.cpu_hz(FACTS) == 1_000_000_000


def test_numbers_of_pins() -> None:
    assert ps7_rules.mio("MIO 0 9 .. 13") == [0, 9, 10, 11, 12, 13]
    assert ps7_rules.mio("16 .. 18") == [16, 17, 18] and ps7_rules.mio("MIO 8") == [8]


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"ARMPLL_CTRL_FBDIV": "40"}, "CPU: 666.667 MHz and 1000 MHz differ"),
        ({"DDRPLL_CTRL_FBDIV": "30"}, "DDR: 500 MHz"),
        ({"IOPLL_CTRL_FBDIV": "48"}, "FCLK_CLK0: 80 MHz"),
        ({"IOPLL_CTRL_FBDIV": "31"}, "no divisor of the IO PLL"),
        ({"FCLK0_PERIPHERAL_DIVISOR1": "5"}, "FCLK_CLK0: 80 MHz"),
        ({"FPGA0_PERIPHERAL_FREQMHZ": "125"}, "clock of the controller: 125 MHz"),
        ({"CRYSTAL_PERIPHERAL_FREQMHZ": "50"}, "crystal: 50 MHz"),
        ({"UART_PERIPHERAL_FREQMHZ": "50"}, "UART"),
        ({"UIPARAM_DDR_DEVICE_CAPACITY": "2048 MBits"}, "2 chips have 512 MiB, the board has 1024 MiB"),
        ({"UIPARAM_DDR_ROW_ADDR_COUNT": "14"}, "do not address 1024 MiB"),
        ({"UIPARAM_DDR_T_RC": "30"}, "tRC"),
        ({"I2C0_I2C0_IO": "MIO 48 .. 49"}, "MIO 48: UART1_UART1_IO and I2C0_I2C0_IO have it"),
        ({"USB0_RESET_IO": "MIO 54"}, "MIO 54: there is none"),
        ({"UART1_PERIPHERAL_ENABLE": "0"}, "the firmware's console, is off"),
        ({"PRESET_BANK1_VOLTAGE": "3.3"}, "the banks' supplies"),
        ({"USE_FABRIC_INTERRUPT": "0"}, "PCW_USE_FABRIC_INTERRUPT is off"),
        ({"USE_S_AXI_HP0": "0"}, "PCW_USE_S_AXI_HP0 is off"),
        ({"UIPARAM_DDR_FREQ_MHZ": "fast"}, "ValueError"),
    ],
)
def test_a_mistake_is_found(changes: dict[str, str], found: str) -> None:
    wrong = problems(**changes)
    assert any(found in line for line in wrong), wrong


def test_a_parameter_that_is_missing_is_found() -> None:
    given = {name: value for name, value in FACTS.ps7.items() if name != "IOPLL_CTRL_FBDIV"}
    assert any("IOPLL_CTRL_FBDIV: 'None'" in line for line in ps7_rules.problems(FACTS, given))


def test_memory_that_firmware_uses_must_be_there() -> None:
    wrong = ps7_rules.problems(replace(FACTS, memory=1 << 29), FACTS.ps7)
    assert any("zynq.yaml uses it up to 0x40000000" in line for line in wrong)
