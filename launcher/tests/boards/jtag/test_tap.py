# SPDX-License-Identifier: Apache-2.0
"""The models of a JTAG chain: states, instructions, and a bitstream that comes by CFG_IN."""

from __future__ import annotations

import itertools
import random

from launcher.boards.jtag import tap
from launcher.boards.jtag.tap import Chain, Fpga, Tap

DAP = 0x4BA00477
PL = 0x23731093


def chain() -> Chain:
    return Chain([Tap("dap", 4, DAP, 0xE), Fpga("fpga", 6, PL, 0x09)])


def go(made: Chain, *tms: int) -> None:
    for level in tms:
        made.clock(level, 0)


def scan(made: Chain, ir: bool, bits: bytes) -> bytes:
    """Shifts bits through the registers, from idle back to idle. Returns what came out."""
    go(made, 1, *([1] if ir else []), 0, 0)
    out = bytearray()
    for at, bit in enumerate(bits):
        out.append(made.tdo)
        made.clock(int(at == len(bits) - 1), bit)
    go(made, 1, 0)
    assert made.state == "idle"
    return bytes(out)


def instruct(made: Chain, dap: int, fpga: int) -> bytes:
    """The FPGA is at TDO, so its instruction goes first."""
    return scan(made, True, tap.bits_of(fpga, 6) + tap.bits_of(dap, 4))


def test_five_cycles_of_tms_lead_to_reset_from_everywhere() -> None:
    for state in tap.NEXT:
        for _ in range(5):
            state = tap.NEXT[state][1]
        assert state == "reset"


def test_each_state_is_reached() -> None:
    reached = {"reset"}
    for _ in tap.NEXT:
        reached |= {state for old in reached for state in tap.NEXT[old]}
    assert reached == set(tap.NEXT)


def test_after_a_reset_the_chain_says_who_it_is() -> None:
    made = chain()
    go(made, 1, 1, 1, 1, 1, 0)
    out = scan(made, False, bytes(64))
    assert tap.number_of(out[:32]) == PL and tap.number_of(out[32:]) == DAP


def test_the_captured_instruction_ends_in_01() -> None:
    made = chain()
    go(made, 0)
    out = instruct(made, 0xF, 0x3F)
    assert (out[0], out[1]) == (1, 0) and (out[6], out[7]) == (1, 0)


def test_a_bypass_is_one_bit() -> None:
    made = chain()
    go(made, 0)
    instruct(made, 0xF, 0x3F)
    sent = bytes(random.Random(1).randrange(2) for _ in range(40))
    assert scan(made, False, sent) == bytes(2) + sent[:-2]


def load(made: Chain, data: bytes, fast: bool) -> None:
    """As a tool does: the bit of the bypassed device at last."""
    fpga = made.taps[1]
    instruct(made, 0xF, Fpga.JPROGRAM)
    instruct(made, 0xF, Fpga.CFG_IN)
    bits = bytes(byte >> (7 - i) & 1 for byte in data for i in range(8)) + b"\0"
    if fast:
        go(made, 1, 0, 0)
        made.shift_on(bits[:-1])
        made.clock(1, bits[-1])
        go(made, 1, 0)
    else:
        scan(made, False, bits)
    instruct(made, 0xF, Fpga.JSTART)
    assert isinstance(fpga, Fpga)


def test_a_bitstream_comes_as_it_was_sent() -> None:
    data = b"\xff" * 8 + Fpga.SYNC + random.Random(2).randbytes(100)
    clocks = []
    for fast in (False, True):
        made = chain()
        go(made, 0)
        load(made, data, fast)
        fpga = made.taps[1]
        assert isinstance(fpga, Fpga) and fpga.done
        # The last bit comes with the clock that leaves the state, so all of the data has come.
        assert fpga.configuration()[: len(data) - 8] == data[8:]
        clocks.append(made.clocks)
    assert clocks[0] == clocks[1]


def test_only_a_bitstream_starts_the_fpga() -> None:
    made = chain()
    go(made, 0)
    load(made, b"\xff" * 40, fast=False)
    fpga = made.taps[1]
    assert isinstance(fpga, Fpga) and not fpga.done and fpga.configuration() == b""


def test_jprogram_forgets_what_was_loaded() -> None:
    made = chain()
    go(made, 0)
    for first in (b"\x01", b"\x02"):
        load(made, Fpga.SYNC + first * 8, fast=True)
        fpga = made.taps[1]
        assert isinstance(fpga, Fpga) and fpga.configuration()[4:12] == first * 8
    assert isinstance(fpga, Fpga) and fpga.done
    out = instruct(made, 0xF, 0x3F)
    assert out[5] == 1  # the pin DONE
    instruct(made, 0xF, Fpga.JPROGRAM)
    assert not fpga.done and fpga.configuration() == b""


def test_many_bits_at_once_are_as_many_single_ones() -> None:
    rng = random.Random(3)
    bits = bytes(rng.randrange(2) for _ in range(300))
    results = []
    for pieces in ([1] * 300, [7] * 42 + [6], [300]):
        made = chain()
        go(made, 0)
        instruct(made, 0xF, Fpga.CFG_IN)
        go(made, 1, 0, 0)
        ends = [0, *itertools.accumulate(pieces)]
        for begin, end in itertools.pairwise(ends):
            made.shift_on(bits[begin:end])
        fpga = made.taps[1]
        assert isinstance(fpga, Fpga)
        results.append((made.tdo, bytes(fpga.received), [t.register for t in made.taps]))
    assert results[0] == results[1] == results[2]
