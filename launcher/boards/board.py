# SPDX-License-Identifier: Apache-2.0
"""A board, as `./openremap board` sees it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


class BoardFailed(Exception):  # noqa: N818 - reads as what happened
    """A step of a board's build failed, or what it made is not good; the message says which and why."""


@dataclass(frozen=True)
class Options:
    """Options of the command. `seed` and `minutes` are those of place and route."""

    dry_run: bool = False  # only what takes seconds, and the checks of it
    area_only: bool = False  # no place and route
    seed: int = 1
    minutes: int = 240


@dataclass(frozen=True)
class Board:
    """`build` makes all that can be made for the board, in a folder. `start` brings a board to life whose bitstream is
    loaded: it takes the build's folder, the board's network address, the serial number that the device shall have, and
    where to say what it does. None: the board starts by itself. Both raise BoardFailed."""

    name: str
    about: str
    build: Callable[[Path, Options], None]
    start: Callable[[Path, str, str, Callable[[str], None]], None] | None = None
