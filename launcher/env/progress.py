# SPDX-License-Identifier: Apache-2.0
"""Progress of long commands: whether a line can be redrawn, and when a plain line is due. common/progress_line.h is the
same for C++.

A terminal shows a line that is drawn again and again. A file or a pipe gets a plain line now and then, so that a log
stays short and has no control characters.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TextIO

PLAIN_SECONDS = 15.0  # interval of plain lines
# Set to `every`, it makes a C++ program report each update as a line `progress DONE TOTAL WHAT`.
VARIABLE = "OPENREMAP_PROGRESS"
EVERY = {VARIABLE: "every"}


def redraws(stream: TextIO) -> bool:
    """Whether lines on `stream` can be redrawn. A CI may provide a terminal, but what it shows is a log."""
    return stream.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("CI")


class Rhythm:
    """Tells when the next plain line is due: PLAIN_SECONDS after the start or the last one."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._said = clock()

    def due(self) -> bool:
        if self._clock() - self._said < PLAIN_SECONDS:
            return False
        self._said = self._clock()
        return True


def clear(stream: TextIO) -> None:
    """Removes the line that was drawn last."""
    stream.write("\r\033[K")
    stream.flush()


def redraw(stream: TextIO, line: str, columns: int) -> None:
    """Replaces the line that was drawn last. A line as wide as the terminal would wrap."""
    stream.write("\r\033[K" + line[: columns - 1])
    stream.flush()
