# SPDX-License-Identifier: Apache-2.0
"""A chain of models behind a socket that speaks OpenOCD's remote_bitbang.

The client sends characters: 0 to 7 set TCK, TMS and TDI (4, 2, 1); R asks for TDO, which is answered with 0 or 1; Q
ends. Others (LED, resets) change nothing here.
"""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
import tempfile
import threading
import time
from types import TracebackType

from launcher.boards.jtag.tap import Chain

_CHUNK = 1 << 18  # bytes that are played in one go
_POLL = 0.0005  # seconds
_PATIENCE = 600  # seconds, for the model to play what is left
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

    OpenOCD gives up when the socket takes no more, and it writes faster than a model plays. So a program of its own
    copies what comes to a file, on the processor on which OpenOCD shall run, too (`cpu`): as it waits most of the time,
    it comes before OpenOCD there. The model plays the file.
    """

    def __init__(self, chain: Chain) -> None:
        self._player = Player(chain)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self.cpu = min(os.sched_getaffinity(0))
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
        with contextlib.suppress(OSError):  # it may wait for a client: closing alone would not wake it
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(timeout=_PATIENCE)
        if self._thread.is_alive():
            self.error = self.error or TimeoutError(f"it has not played all after {_PATIENCE} s")

    def _serve(self) -> None:
        try:
            client, _ = self._listener.accept()
        except OSError:  # closed: nobody came
            return
        with client, tempfile.TemporaryFile() as came:
            command = ["taskset", "--cpu-list", str(self.cpu), "cat"]
            with subprocess.Popen(command, stdin=client.fileno(), stdout=came) as copier:
                try:
                    self._play(client, came.fileno(), copier)
                except Exception as failed:
                    self.error = failed
                finally:
                    copier.kill()

    def _play(self, client: socket.socket, came: int, copier: subprocess.Popen[bytes]) -> None:
        at = 0
        while not self._player.ended:
            last = copier.poll() is not None  # what is in the file now is all
            sent = os.pread(came, _CHUNK, at)
            at += len(sent)
            if sent:
                answers = self._player.play(sent)
                if answers:
                    client.sendall(answers)
            elif last:
                return
            else:
                time.sleep(_POLL)
