# SPDX-License-Identifier: Apache-2.0
"""What a client of remote_bitbang sends, and what it gets."""

from __future__ import annotations

import random
import socket

import pytest

from launcher.boards.jtag.bitbang import Player, Server
from launcher.boards.jtag.tap import Chain, Fpga, Tap


def chain() -> Chain:
    return Chain([Tap("dap", 4, 0x4BA00477, 0xE), Fpga("fpga", 6, 0x23731093, 0x09)])


def clocks(tms: str, tdi: int = 0) -> bytes:
    """A cycle of TCK for each digit."""
    return b"".join(bytes([48 + 2 * int(level) + tdi, 52 + 2 * int(level) + tdi]) for level in tms)


IDENTIFY = clocks("111110100") + b"R" + b"".join(clocks("0") + b"R" for _ in range(31)) + b"Q"


def number(answers: bytes) -> int:
    return sum((character == ord("1")) << i for i, character in enumerate(answers))


def test_a_client_reads_the_idcode() -> None:
    player = Player(chain())
    assert number(player.play(IDENTIFY)) == 0x23731093 and player.ended


def test_only_rising_edges_count() -> None:
    player = Player(chain())
    player.play(b"0" + b"4" * 5 + b"0" * 3 + b"B")  # B: a lamp
    assert player.chain.clocks == 1


@pytest.mark.parametrize("piece", [1, 2, 7, 64, 100000])
def test_a_run_may_be_cut_anywhere(piece: int) -> None:
    rng = random.Random(piece)
    data = b"\xff" * 4 + Fpga.SYNC + rng.randbytes(200)
    bits = [byte >> (7 - i) & 1 for byte in data for i in range(8)]
    to_ir, back = clocks("1100"), clocks("10")
    # CFG_IN (05h) into the FPGA, 1111b into the other; the last bit leaves the state.
    instruction = b"".join(clocks("0", int(bit)) for bit in "101000111") + clocks("1", 1)
    sent = clocks("0") + to_ir + instruction + back + clocks("100")
    sent += b"".join(clocks("0", bit) for bit in bits) + clocks("1") + back
    player = Player(chain())
    for at in range(0, len(sent), piece):
        player.play(sent[at : at + piece])
    fpga = player.chain.taps[1]
    assert isinstance(fpga, Fpga) and fpga.configuration()[:200] == data[4:204]
    assert player.chain.clocks == len(sent) // 2


def test_the_server_answers_on_its_port() -> None:
    with Server(chain()) as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as client:
            client.sendall(IDENTIFY)
            answers = b""
            while len(answers) < 32 and (more := client.recv(64)):
                answers += more
        assert number(answers) == 0x23731093
    assert server.error is None


def test_a_server_that_nobody_uses_ends() -> None:
    with Server(chain()) as server:
        pass
    assert server.error is None
