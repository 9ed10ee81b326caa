# SPDX-License-Identifier: Apache-2.0
"""The program that starts the Acorn's DDR3 (firmware/ports/acorn/dram_start.c), compiled for this machine, on a model
of DDR3 whose bytes arrive at a moment of their own."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from launcher.env.paths import ROOT
from launcher.tests.boards.ecpix5 import boards
from launcher.tests.boards.ecpix5.boards import BYTES, DELAYS, PHASE_BYTES, PHASES, SLIPS, Board

PORT = ROOT / "firmware" / "ports" / "acorn"
WORDS = PHASE_BYTES // 4

_LOAD = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_uint32)
_STORE = ctypes.CFUNCTYPE(None, ctypes.c_uint32, ctypes.c_uint32)
_WAIT = ctypes.CFUNCTYPE(None, ctypes.c_uint32)


class Bus(ctypes.Structure):
    """struct dram_bus."""

    _fields_ = (("load", _LOAD), ("store", _STORE), ("wait", _WAIT))


class Phase(ctypes.Structure):
    """struct dram_phase."""

    _fields_ = tuple(
        (name, ctypes.c_uint32)
        for name in ("command", "command_issue", "address", "bank", "write_data", "read_data")
    )  # fmt: skip


class Step(ctypes.Structure):
    """struct dram_step."""

    _fields_ = tuple((name, ctypes.c_uint32) for name in ("is_command", "bits", "address", "bank", "cycles"))


_NUMBERS = ("phases", "bytes", "phase_words", "delays", "slips", "read_phase", "write_phase")
_ADDRESSES = ("control", "select", "delay_reset", "delay_step", "slip_reset", "slip_step")


class Facts(ctypes.Structure):
    """struct dram_facts."""

    _fields_ = (
        *((name, ctypes.c_uint32) for name in (*_NUMBERS, *_ADDRESSES)),
        ("phase", ctypes.POINTER(Phase)),
        ("steps", ctypes.POINTER(Step)),
        ("step_count", ctypes.c_uint32),
    )


class Setting(ctypes.Structure):
    """struct dram_setting."""

    _fields_ = tuple((name, ctypes.c_uint32) for name in ("slip", "delay", "width"))


@pytest.fixture(scope="module")
def library() -> Iterator[ctypes.CDLL]:
    with tempfile.TemporaryDirectory() as scratch:
        built = Path(scratch) / "dram_start.so"
        flags = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-Wconversion", "-fPIC", "-shared"]
        subprocess.run(["cc", *flags, str(PORT / "dram_start.c"), "-o", str(built)], check=True)
        yield ctypes.CDLL(str(built))


class Narrow:
    """The model's registers a word at a time. It has wide ones, whose words come one by one here."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.registers = boards.facts()["registers"]
        self._wide = {
            self.registers[f"sdram_dfii_pi{phase}_{name}"]: [0] * WORDS
            for phase in range(PHASES)
            for name in ("wrdata", "rddata")
        }

    def _begin(self, address: int) -> int | None:
        return next((begin for begin in self._wide if begin <= address < begin + 4 * WORDS), None)

    def load(self, address: int) -> int:
        begin = self._begin(address)
        if begin is None:
            return self.board.read(address)[0]
        return self.board.read(begin, WORDS)[(address - begin) // 4]

    def store(self, address: int, value: int) -> None:
        begin = self._begin(address)
        if begin is None:
            self.board.write(address, [value])
            return
        self._wide[begin][(address - begin) // 4] = value
        self.board.write(begin, self._wide[begin])


def start(library: ctypes.CDLL, board: Board) -> tuple[int, list[tuple[int, int, int]], list[int]]:
    """Returns how many bytes can be read, their settings, and the cycles that were waited after each step."""
    described = boards.facts()
    registers = described["registers"]
    narrow = Narrow(board)
    waited: list[int] = []
    bus = Bus(_LOAD(narrow.load), _STORE(narrow.store), _WAIT(waited.append))
    names = ("command", "command_issue", "address", "baddress", "wrdata", "rddata")
    phases = (Phase * PHASES)(
        *(Phase(*(registers[f"sdram_dfii_pi{phase}_{name}"] for name in names)) for phase in range(PHASES))
    )
    steps = [
        Step("command" in s, s.get("command", s.get("control")), s["address"], s["bank"], s["cycles"])
        for s in described["start"]
    ]
    facts = Facts(
        *(PHASES, BYTES, WORDS, DELAYS, SLIPS, described["dram"]["read"], described["dram"]["write"]),
        registers["sdram_dfii_control"],
        *(registers[f"ddrphy_{name}"] for name in ("dly_sel", "rdly_dq_rst", "rdly_dq_inc")),
        *(registers[f"ddrphy_rdly_dq_{name}"] for name in ("bitslip_rst", "bitslip")),
        phases,
        (Step * len(steps))(*steps),
        len(steps),
    )
    found = (Setting * BYTES)()
    good = library.dram_start(ctypes.byref(bus), ctypes.byref(facts), found)
    return good, [(s.slip, s.delay, s.width) for s in found], waited


def test_the_middle_of_the_longest_row_is_taken(library: ctypes.CDLL) -> None:
    board = Board([{(1, d) for d in (0, 3, 4, 5)} | {(2, 7)}, {(3, d) for d in range(2, 8)} | {(0, 1), (0, 2)}])
    good, found, waited = start(library, board)
    assert good == BYTES
    assert found == [(1, 4, 3), (3, 4, 6)]
    assert board.setting == [(1, 4), (3, 4)]
    assert board.log[0] == "dfii 12" and board.log[1] == "mode 0" and board.log[-1] == "dfii 1"
    assert waited[:2] == [50000, 200]


@pytest.mark.parametrize("row", [range(DELAYS), range(1), range(DELAYS - 1, DELAYS)])
def test_rows_at_the_ends_count(library: ctypes.CDLL, row: range) -> None:
    _, found, _ = start(library, Board([{(0, d) for d in row}, {(SLIPS - 1, d) for d in row}]))
    middle = row[0] + (len(row) - 1) // 2
    assert found == [(0, middle, len(row)), (SLIPS - 1, middle, len(row))]


@pytest.mark.parametrize(("bad", "good"), [(0, 0), (1, 1)])
def test_a_byte_that_cannot_be_read_is_named_and_dram_is_not_handed_over(
    library: ctypes.CDLL, bad: int, good: int
) -> None:
    works: Callable[[int], set[tuple[int, int]]] = lambda byte: set() if byte == bad else {(0, 0)}  # noqa: E731
    board = Board([works(0), works(1)])
    assert start(library, board)[0] == good
    assert "dfii 1" not in board.log
