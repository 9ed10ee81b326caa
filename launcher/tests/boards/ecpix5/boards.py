# SPDX-License-Identifier: Apache-2.0
"""A board as its host sees it: DDR3 whose bytes arrive at a moment of their own, memory, and a firmware that starts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from launcher.boards.ecpix5.start import CPU, FORGET, RUN

PHASES, PHASE_BYTES, BYTES, DELAYS, SLIPS = 2, 8, 2, 8, 4
_NAMES = ["board_control"]
_NAMES += [f"ddrphy_{n}" for n in ("dly_sel", "rdly_dq_rst", "rdly_dq_inc", "rdly_dq_bitslip_rst", "rdly_dq_bitslip")]
_NAMES += ["ddrphy_burstdet_clr", "ddrphy_burstdet_seen", "sdram_dfii_control"]
_PHASE = {"command": 1, "command_issue": 1, "address": 1, "baddress": 1, "wrdata": 2, "rddata": 2}  # words


def facts() -> dict[str, Any]:
    """As host.json has them."""
    registers = {name: 0xF000_1000 + 4 * i for i, name in enumerate(_NAMES)}
    at = 0xF000_2000
    for phase in range(PHASES):
        for name, words in _PHASE.items():
            registers[f"sdram_dfii_pi{phase}_{name}"] = at
            at += 4 * words
    return {
        "registers": registers,
        "places": {"image": 0, "board": 0x3FFC0, "state": 0xF001_0008, "host_memory": 0x5000_0000},
        "link": {"words": 128, "port": 1234, "clock_hz": 50_000_000},
        "dram": {"phases": PHASES, "read": 0, "write": 1, "bytes": BYTES, "phase_bytes": PHASE_BYTES, "delays": DELAYS,
                 "slips": SLIPS},
        "start": [{"control": 12, "address": 0, "bank": 0, "cycles": 50000},
                  {"command": 15, "address": 0x320, "bank": 0, "cycles": 200}],
    }  # fmt: skip


class Board:
    """A bus. `good`: of each byte of DDR3 the settings (shift, delay) with which it reads well. `deaf`: those with
    which its data are right by chance and its strobe is not seen."""

    def __init__(self, good: Sequence[set[tuple[int, int]]], deaf: set[tuple[int, int]] | None = None) -> None:
        facts_ = facts()
        self.names = {address: name for name, address in facts_["registers"].items()}
        self.places = facts_["places"]
        self.good, self.deaf = good, deaf or set()
        self.setting = [(0, 0)] * BYTES
        self.log: list[str] = []  # commands to DDR3, and what board_control was set to
        self.memory: dict[int, int] = {}
        self.bad_words: set[int] = set()  # addresses that keep nothing
        self.state = [1, 2]  # what the firmware's state reads as, once the CPU runs
        self._registers: dict[str, int] = {}
        self._wide: dict[tuple[str, int], list[int]] = {}
        self._row = bytes(PHASES * PHASE_BYTES)
        self._open = False
        self._read = self._row
        self._seen = 0

    def read(self, address: int, count: int = 1) -> list[int]:
        if address == self.places["state"]:
            assert self._registers["board_control"] & CPU
            return [self.state.pop(0) if len(self.state) > 1 else self.state[0]]
        name = self.names.get(address)
        if name is None:
            assert self._registers.get("board_control", 0) & RUN, "memory is behind the controller"
            return [self.memory.get(address + 4 * i, 0) for i in range(count)]
        if name == "ddrphy_burstdet_seen":
            return [self._seen]
        assert name.endswith("rddata") and count == 2, name
        phase = int(name[len("sdram_dfii_pi")])
        data = self._read[phase * PHASE_BYTES : (phase + 1) * PHASE_BYTES]
        return [int.from_bytes(data[4:], "little"), int.from_bytes(data[:4], "little")]

    def write(self, address: int, words: Sequence[int]) -> None:
        name = self.names.get(address)
        if name is None:
            assert self._registers.get("board_control", 0) & RUN, "memory is behind the controller"
            for i, word in enumerate(words):
                if address + 4 * i not in self.bad_words:
                    self.memory[address + 4 * i] = word
            return
        if name.endswith("wrdata"):
            phase = int(name[len("sdram_dfii_pi")])
            high, low = words
            data = low.to_bytes(4, "little") + high.to_bytes(4, "little")
            self._registers[f"data{phase}"] = int.from_bytes(data, "little")
            return
        (word,) = words
        self._registers[name] = word
        if name == "board_control":
            self.log.append(f"control {word}")
            assert not word & RUN or self._registers["sdram_dfii_control"] == 1, "DDR3 has not been started"
            assert not word & FORGET or word & RUN
        elif name == "sdram_dfii_control":
            self.log.append(f"dfii {word}")
        elif name == "ddrphy_burstdet_clr":
            self._seen = 0
        elif name.startswith("ddrphy_rdly"):
            self._pins(name)
        elif name.endswith("command_issue"):
            self._command(int(name[len("sdram_dfii_pi")]))

    def _pins(self, name: str) -> None:
        for byte in range(BYTES):
            if self._registers["ddrphy_dly_sel"] >> byte & 1:
                slip, delay = self.setting[byte]
                self.setting[byte] = {
                    "ddrphy_rdly_dq_rst": (slip, 0),
                    "ddrphy_rdly_dq_inc": (slip, (delay + 1) % DELAYS),
                    "ddrphy_rdly_dq_bitslip_rst": (0, delay),
                    "ddrphy_rdly_dq_bitslip": ((slip + 1) % SLIPS, delay),
                }[name]

    def _command(self, phase: int) -> None:
        bits = self._registers[f"sdram_dfii_pi{phase}_command"]
        known = {9: "activate", 11: "precharge", 23: "write", 37: "read", 15: "mode"}
        self.log.append(f"{known[bits]} {phase}")
        assert self._registers["sdram_dfii_control"] & 1 == 0, "the DRAM controller has the pins"
        if known[bits] in ("activate", "precharge"):
            assert self._open == (known[bits] == "precharge")
            self._open = not self._open
        elif known[bits] == "write":
            assert self._open and phase == 1
            data = (self._registers[f"data{p}"].to_bytes(PHASE_BYTES, "little") for p in range(PHASES))
            self._row = b"".join(data)
        elif known[bits] == "read":
            assert self._open and phase == 0
            self._read = bytes(
                byte if self._right(i % BYTES) else byte ^ 1 << i % 8 for i, byte in enumerate(self._row)
            )
            self._seen = sum(1 << byte for byte in range(BYTES) if self.setting[byte] not in self.deaf)

    def _right(self, byte: int) -> bool:
        return self.setting[byte] in self.good[byte] or self.setting[byte] in self.deaf
