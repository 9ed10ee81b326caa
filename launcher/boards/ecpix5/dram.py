# SPDX-License-Identifier: Apache-2.0
"""Starts the board's DDR3 from afar, by the registers of LiteDRAM and of its pins.

What DDR3 is told comes with the bitstream (host.json). What differs from board to board is when its data arrive. So for
each byte all shifts and delays are tried: a pattern is written and read back, and the pins must have seen the strobe
(`burstdet`). The middle of the longest row of delays that work is taken.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

from launcher.boards.ecpix5.link import Bus

_CS, _WE, _CAS, _RAS, _WRDATA, _RDDATA = 1, 2, 4, 8, 16, 32
ACTIVATE = _RAS | _CS
PRECHARGE = _RAS | _WE | _CS
WRITE = _CAS | _WE | _CS | _WRDATA
READ = _CAS | _CS | _RDDATA
_HARDWARE = 1  # dfii_control: the DRAM controller drives the pins
PATTERNS = 3  # tries of each setting


class DramFailed(Exception):  # noqa: N818 - reads as what happened
    """A byte of the DDR3 cannot be read, whatever the setting."""


@dataclass(frozen=True)
class Facts:
    """Of host.json: addresses of registers, the table `dram`, the table `start`, and the clock."""

    registers: dict[str, int]
    phases: int
    read: int
    write: int
    bytes: int
    phase_bytes: int
    delays: int
    slips: int
    start: tuple[dict[str, int], ...]
    clock_hz: int


@dataclass(frozen=True)
class Setting:
    """What was found for a byte: a shift, the middle delay, and how many delays work."""

    slip: int
    delay: int
    width: int


def start(bus: Bus, facts: Facts, sleep: Callable[[float], None] = time.sleep) -> list[Setting]:
    """Starts DDR3 and hands it to its controller. Returns the setting of each byte. Raises DramFailed."""
    registers = facts.registers
    for step in facts.start:
        _put(bus, registers, "dfii_pi0_address", step["address"])
        _put(bus, registers, "dfii_pi0_baddress", step["bank"])
        if "control" in step:
            _put(bus, registers, "dfii_control", step["control"])
        else:
            _command(bus, registers, 0, step["command"])
        sleep(step["cycles"] / facts.clock_hz)
    found = [_level(bus, facts, byte) for byte in range(facts.bytes)]
    _put(bus, registers, "dfii_control", _HARDWARE)
    return found


def _level(bus: Bus, facts: Facts, byte: int) -> Setting:
    best = Setting(0, 0, 0)
    for slip in range(facts.slips):
        good = []
        for delay in range(facts.delays):
            _choose(bus, facts.registers, byte, slip, delay)
            good.append(all(_works(bus, facts, byte, seed) for seed in range(PATTERNS)))
        begin, width = longest(good)
        if width > best.width:
            best = Setting(slip, begin + (width - 1) // 2, width)
    if not best.width:
        raise DramFailed(f"DDR3: byte {byte} cannot be read with any of {facts.slips} shifts and {facts.delays} delays")
    _choose(bus, facts.registers, byte, best.slip, best.delay)
    return best


def longest(good: list[bool]) -> tuple[int, int]:
    """Where the longest row of true values begins, and its length."""
    best, begin = (0, 0), 0
    for i, works in enumerate([*good, False]):
        if not works:
            best = max(best, (begin, i - begin), key=lambda row: row[1])
            begin = i + 1
    return best


def _choose(bus: Bus, registers: dict[str, int], byte: int, slip: int, delay: int) -> None:
    bus.write(registers["ddrphy_dly_sel"], [1 << byte])
    for name, count in (("rdly_dq_bitslip", slip), ("rdly_dq", delay)):
        bus.write(registers[f"ddrphy_{name}_rst"], [1])
        advance = registers["ddrphy_rdly_dq_inc" if name == "rdly_dq" else "ddrphy_rdly_dq_bitslip"]
        for _ in range(count):
            bus.write(advance, [1])
    bus.write(registers["ddrphy_dly_sel"], [0])


def _works(bus: Bus, facts: Facts, byte: int, seed: int) -> bool:
    """Whether a byte of DDR3 reads as it was written."""
    registers = facts.registers
    pattern = [random.Random(f"{seed} {phase}").randbytes(facts.phase_bytes) for phase in range(facts.phases)]
    _at(bus, registers, 0)
    _command(bus, registers, 0, ACTIVATE)
    for phase, data in enumerate(pattern):
        bus.write(registers[f"sdram_dfii_pi{phase}_wrdata"], _words(data))
    _at(bus, registers, facts.write)
    _command(bus, registers, facts.write, WRITE)
    bus.write(registers["ddrphy_burstdet_clr"], [1])
    _at(bus, registers, facts.read)
    _command(bus, registers, facts.read, READ)
    (seen,) = bus.read(registers["ddrphy_burstdet_seen"])
    words = facts.phase_bytes // 4
    got = [_bytes(bus.read(registers[f"sdram_dfii_pi{phase}_rddata"], words)) for phase in range(facts.phases)]
    _at(bus, registers, 0)
    _command(bus, registers, 0, PRECHARGE)
    lanes = slice(byte, None, facts.bytes)
    return bool(seen >> byte & 1) and all(g[lanes] == p[lanes] for g, p in zip(got, pattern, strict=True))


def _at(bus: Bus, registers: dict[str, int], phase: int) -> None:
    """The next command is for the first word of the first bank."""
    _put(bus, registers, f"dfii_pi{phase}_address", 0)
    _put(bus, registers, f"dfii_pi{phase}_baddress", 0)


def _command(bus: Bus, registers: dict[str, int], phase: int, bits: int) -> None:
    _put(bus, registers, f"dfii_pi{phase}_command", bits)
    _put(bus, registers, f"dfii_pi{phase}_command_issue", 1)


def _put(bus: Bus, registers: dict[str, int], name: str, value: int) -> None:
    bus.write(registers[f"sdram_{name}"], [value])


def _words(data: bytes) -> list[int]:
    """A number of many words in LiteX's order, the most significant word first; `data` begins with its lowest byte."""
    return [int.from_bytes(data[at : at + 4], "little") for at in range(len(data) - 4, -1, -4)]


def _bytes(words: list[int]) -> bytes:
    return b"".join(word.to_bytes(4, "little") for word in reversed(words))
