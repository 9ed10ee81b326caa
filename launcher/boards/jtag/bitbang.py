# SPDX-License-Identifier: Apache-2.0
"""A chain of models behind a socket that speaks OpenOCD's remote_bitbang.

The client sends characters: 0 to 7 set TCK, TMS and TDI (4, 2, 1); R asks for TDO, which is answered with 0 or 1; Q
ends. Others (LED, resets) change nothing here.
"""

from __future__ import annotations

import queue
import re
import socket
import threading
from types import TracebackType

from launcher.boards.jtag.tap import Chain

_CHUNK = 1 << 16  # bytes that are played in one go: some milliseconds, in which the other thread cannot read
# Bits that are shifted with TMS low: TDI with TCK low, then with TCK high.
_RUN = re.compile(rb"(?:04|15)+")
_TDI = bytes(1 if chr(i) == "5" else 0 for i in range(256))


class Player:
    """Plays what a client sends to a chain."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self.ended = False
        self._tck = 0

    def play(self, sent: bytes) -> bytes:
        """Returns the answers. A run may be cut anywhere."""
        answers = bytearray()
        at = 0
        while at < len(sent) and not self.ended:
            if self.chain.state in ("shift dr", "shift ir"):
                run = _RUN.match(sent, at)
                if run is not None:
                    self.chain.shift_on(run[0][1::2].translate(_TDI))
                    self._tck = 1
                    at = run.end()
                    continue
            self._one(sent[at], answers)
            at += 1
        return bytes(answers)

    def _one(self, character: int, answers: bytearray) -> None:
        level = character - ord("0")
        if 0 <= level <= 7:
            tck = level >> 2
            if tck and not self._tck:
                self.chain.clock(level >> 1 & 1, level & 1)
            self._tck = tck
        elif character == ord("R"):
            answers += b"1" if self.chain.tdo else b"0"
        elif character == ord("Q"):
            self.ended = True


class Server:
    """Serves one client on a port of this machine that the system chooses.

    OpenOCD gives up when the socket takes no more. So one thread only reads, and another plays what came.
    """

    def __init__(self, chain: Chain) -> None:
        self._player = Player(chain)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self.error: Exception | None = None

    @property
    def port(self) -> int:
        port: int = self._listener.getsockname()[1]
        return port

    def __enter__(self) -> Server:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.close()
        self._thread.join(timeout=10)

    def _serve(self) -> None:
        try:
            client, _ = self._listener.accept()
        except OSError:  # closed: nobody came
            return
        waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        with client:
            reader = threading.Thread(target=_read, args=(client, waiting), daemon=True)
            reader.start()
            try:
                while not self._player.ended and (sent := waiting.get()):
                    answers = self._player.play(sent)
                    if answers:
                        client.sendall(answers)
            except Exception as failed:
                self.error = failed
            client.shutdown(socket.SHUT_RDWR)
            reader.join(timeout=10)


def _read(client: socket.socket, into: queue.SimpleQueue[bytes]) -> None:
    """Reads until the end, which is an empty piece."""
    try:
        while sent := client.recv(_CHUNK):
            into.put(sent)
    except OSError:  # closed by the other thread
        pass
    into.put(b"")
