# SPDX-License-Identifier: Apache-2.0
"""Whether the processing system's parameters agree with each other, with the clocks, and with what firmware expects."""

from __future__ import annotations

import re
from collections.abc import Mapping

from launcher.boards.cosmos import memory_map
from launcher.boards.cosmos.board_facts import Facts

_HALF_PERCENT = 0.005
_MIO_PINS = 54
_UART = "UART1"  # the firmware's console (firmware/ports/zynq/uart.c)


def mio(text: str) -> list[int]:
    """The numbers of `MIO 0 9 .. 13`, with or without the word."""
    found: list[int] = []
    for part in re.findall(r"(\d+)(?:\s*\.\.\s*(\d+))?", text):
        found += range(int(part[0]), int(part[1] or part[0]) + 1)
    return found


def problems(facts: Facts, given: Mapping[str, str]) -> list[str]:
    """What is wrong with these parameters (without PCW_), one line each."""
    found = [
        f"PCW_{name}: '{given.get(name)}', the board has '{value}'"
        for name, value in facts.ps7.items()
        if given.get(name) != value
    ]
    try:
        found += _clocks(facts, given) + _memory(facts, given) + _mio(given) + _ports(given)
    except (KeyError, ValueError) as error:
        found.append(f"parameters of the processing system: {type(error).__name__}: {error}")
    return found


def cpu_hz(facts: Facts) -> int:
    """The CPUs' clock."""
    return round(float(facts.ps7["APU_PERIPHERAL_FREQMHZ"]) * 1e6)


def _clocks(facts: Facts, given: Mapping[str, str]) -> list[str]:
    crystal = float(given["CRYSTAL_PERIPHERAL_FREQMHZ"])
    pll = {name: crystal * int(given[f"{name}PLL_CTRL_FBDIV"]) for name in ("ARM", "DDR", "IO")}
    product = int(given["FCLK0_PERIPHERAL_DIVISOR0"]) * int(given["FCLK0_PERIPHERAL_DIVISOR1"])
    wanted = {
        "crystal": (crystal, facts.clocks["crystal"]),
        # Both PLLs run at twice the clock that they are for.
        "CPU": (pll["ARM"] / 2, float(given["APU_PERIPHERAL_FREQMHZ"])),
        "DDR": (pll["DDR"] / 2, float(given["UIPARAM_DDR_FREQ_MHZ"])),
        "FCLK_CLK0": (pll["IO"] / product, float(given["FPGA0_PERIPHERAL_FREQMHZ"])),
        "clock of the controller": (float(given["FPGA0_PERIPHERAL_FREQMHZ"]), facts.clocks["controller"]),
        "UART": (float(given["UART_PERIPHERAL_FREQMHZ"]) * 1e6, memory_map.rate("uart_hz")),
    }
    found = [
        f"{name}: {is_:.6g} MHz and {shall:.6g} MHz differ"
        for name, (is_, shall) in wanted.items()
        if abs(is_ - shall) > _HALF_PERCENT * shall
    ]
    for name in ("QSPI", "SDIO", "UART"):
        divisor = pll["IO"] / float(given[f"{name}_PERIPHERAL_FREQMHZ"])
        if abs(divisor - round(divisor)) > _HALF_PERCENT * divisor or round(divisor) > 63:
            wanted_mhz = given[f"{name}_PERIPHERAL_FREQMHZ"]
            found.append(f"{name}: no divisor of the IO PLL's {pll['IO']:.6g} MHz gives {wanted_mhz} MHz")
    return found


def _memory(facts: Facts, given: Mapping[str, str]) -> list[str]:
    number = {
        name: int(given[f"UIPARAM_DDR_{name}"].split()[0]) for name in ("BUS_WIDTH", "DRAM_WIDTH", "DEVICE_CAPACITY")
    }
    chips = number["BUS_WIDTH"] // number["DRAM_WIDTH"]
    size = chips * number["DEVICE_CAPACITY"] * (1 << 20) // 8
    address = sum(int(given[f"UIPARAM_DDR_{name}_ADDR_COUNT"]) for name in ("ROW", "COL", "BANK"))
    found = []
    if size != facts.memory:
        found.append(f"DDR3: {chips} chips have {size >> 20} MiB, the board has {facts.memory >> 20} MiB")
    if (number["BUS_WIDTH"] // 8) << address != size:
        found.append(f"DDR3: {address} bits of row, column and bank do not address {size >> 20} MiB")
    end = max(region.end for region in memory_map.load().sections if region.memory != "device")
    if end > facts.memory:
        found.append(f"DDR3: zynq.yaml uses it up to {end:#x}, it has {facts.memory:#x} bytes")
    if not float(given["UIPARAM_DDR_T_RC"]) > float(given["UIPARAM_DDR_T_RAS_MIN"]):
        found.append("DDR3: tRC is the time of tRAS and a precharge, so it is longer than tRAS")
    return found


def _mio(given: Mapping[str, str]) -> list[str]:
    """Each MIO pin has one use; a device that is enabled has pins."""
    users: dict[int, list[str]] = {}
    for name, value in given.items():
        if value.startswith("MIO "):
            for pin in mio(value):
                users.setdefault(pin, []).append(name)
    found = [f"MIO {pin}: {' and '.join(names)} have it" for pin, names in sorted(users.items()) if len(names) > 1]
    found += [f"MIO {pin}: there is none" for pin in users if pin >= _MIO_PINS]
    if given[f"{_UART}_PERIPHERAL_ENABLE"] != "1":
        found.append(f"{_UART}, the firmware's console, is off")
    banks = {given["PRESET_BANK0_VOLTAGE"], given["PRESET_BANK1_VOLTAGE"]}
    if any(not re.fullmatch(r"LVCMOS \d\.\dV", bank) for bank in banks):
        found.append(f"MIO: the banks' supplies are {', '.join(sorted(banks))}")
    return found


def _ports(given: Mapping[str, str]) -> list[str]:
    found = []
    for name in ("USE_M_AXI_GP0", "USE_S_AXI_HP0", "USE_S_AXI_HP1", "USE_FABRIC_INTERRUPT", "IRQ_F2P_INTR"):
        if given[name] != "1":
            found.append(f"PCW_{name} is off, and the design uses it")
    first = 61  # of the FPGA's interrupts in the GIC; IRQ_F2P[0] (UG585, table 7-4)
    if memory_map.interrupt("controller") != first:
        found.append(f"IRQ_F2P[0] is interrupt {first}, the firmware waits for {memory_map.interrupt('controller')}")
    return found
