# SPDX-License-Identifier: Apache-2.0
"""launcher.boards.ecpix5.link against a board that LiteX's own packets describe, over UDP that loses some."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from litex.tools.remote.etherbone import EtherbonePacket, EtherboneReads, EtherboneRecord, EtherboneWrites

from launcher.boards.ecpix5 import link
from launcher.boards.ecpix5.link import Link, LinkFailed

WORDS = 8
HERE, THERE = "127.0.0.1", "127.0.0.2"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "PATIENCE", 0.05)


class Board:
    """Memory behind Etherbone. `lose`: whether the packet of this number (from 0) is lost."""

    def __init__(self, lose: Callable[[int], bool]) -> None:
        self.memory: dict[int, int] = {}
        self.packets = 0
        self.most = 0  # words of a record
        self._lose = lose
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((THERE, 0))
        self.port = self.socket.getsockname()[1]

    def serve(self) -> None:
        while True:
            data = self.socket.recv(2048)
            if not data:
                return
            self.packets += 1
            if self._lose(self.packets - 1):
                continue
            packet = EtherbonePacket(init=data)
            packet.decode()
            for record in packet.records:
                self.carry_out(record, data[12:16])

    def carry_out(self, record: EtherboneRecord, mark: bytes) -> None:
        """`mark`: the address to which the answer to a read goes, which LiteX's decoder forgets."""
        if record.writes is not None:
            words = record.writes.get_datas()
            self.memory |= {record.writes.base_addr + 4 * i: word for i, word in enumerate(words)}
            self.most = max(self.most, 1 + len(words))
        if record.reads is not None:
            addresses = record.reads.get_addrs()
            self.most = max(self.most, 1 + len(addresses))
            answer = EtherboneRecord()
            found = [self.memory.get(address, 0) for address in addresses]
            answer.writes = EtherboneWrites(base_addr=int.from_bytes(mark, "big"), datas=found)
            packet = EtherbonePacket()
            packet.records = [answer]
            packet.encode()
            self.socket.sendto(packet.bytes, (HERE, self.port))  # as LiteEth does, whatever the question's port


@contextmanager
def board(lose: Callable[[int], bool] = lambda number: False) -> Iterator[tuple[Board, Link]]:
    served = Board(lose)
    thread = threading.Thread(target=served.serve)
    thread.start()
    bus = Link(THERE, served.port, WORDS, HERE)
    try:
        yield served, bus
    finally:
        bus.close()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
            last.sendto(b"", served.socket.getsockname())
        thread.join()
        served.socket.close()


def test_words_arrive_and_come_back() -> None:
    with board() as (served, bus):
        data = [0x0102_0304 + i for i in range(30)]
        bus.write(0x5000_0000, data)
        assert bus.read(0x5000_0000, 30) == data
        assert served.memory[0x5000_0004] == 0x0102_0305
        assert served.most == WORDS


def test_what_is_lost_is_asked_and_sent_again() -> None:
    with board(lambda number: number % 3 == 1) as (served, bus):
        data = list(range(200))
        link.store(bus, 0x100, data)
        assert [served.memory[0x100 + 4 * i] for i in range(200)] == data


def test_a_board_that_is_silent_is_told_of() -> None:
    with board(lambda number: True) as (served, bus):
        with pytest.raises(LinkFailed, match=r"127\.0\.0\.2: no answer from the board"):
            bus.read(0)
        assert served.packets == link.TRIES


def test_an_answer_to_an_earlier_question_is_left_out() -> None:
    with board() as (served, bus):
        served.memory = {0: 1, 4: 2}
        for late in (b"noise", b""):
            served.socket.sendto(late, (HERE, served.port))
        served.carry_out(_question(4), bytes(4))
        assert bus.read(0) == [1]


def _question(address: int) -> EtherboneRecord:
    record = EtherboneRecord()
    record.reads = EtherboneReads(addrs=[address])
    return record


def test_a_host_without_a_name_is_told_of() -> None:
    with pytest.raises(LinkFailed, match=r"nowhere\.invalid: "):
        Link("nowhere.invalid", 0, WORDS)


def test_a_second_program_is_told_of_the_first() -> None:
    with board() as (served, _), pytest.raises(LinkFailed, match=rf"UDP port {served.port}: .*may have the board"):
        Link(THERE, served.port, WORDS, HERE)
