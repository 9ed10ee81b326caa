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
    """Options of the command. `config` is one of the board's; "" its first one. Files that are not given are None.
    `seed` and `minutes` are those of place and route."""

    dry_run: bool = False  # build: only what takes seconds, and the checks of it; flash: load a model, not a board
    config: str = ""
    tiger4: Path | None = None
    fsbl: Path | None = None
    bitstream: Path | None = None
    adapter: str = ""  # flash: OpenOCD's file about the cable
    area_only: bool = False  # no place and route
    seed: int = 1
    minutes: int = 240
    force: bool = False  # flash, start: also what was not verified


@dataclass(frozen=True)
class Reference:
    """Another firmware for the board, with which it can be compared: how its disk is recognised."""

    firmware: str
    model: str
    least_bytes: int
    most_bytes: int


@dataclass(frozen=True)
class Board:
    """`build` makes all that can be made for the board, in a folder. `check` checks what can be checked without a
    board, and `flash` loads one. `start` brings a board to life whose bitstream is loaded: it takes the build's folder,
    the board's network address, the serial number that the device shall have, where to say what it does, and whether it
    may start what was not verified. `baseline` measures the board with another firmware (launcher/boards/baseline.py);
    it takes the configuration. Each raises BoardFailed; None: this board has no such thing. `bitstream`: its name in
    the build's folder."""

    name: str
    about: str
    build: Callable[[Path, Options], None]
    check: Callable[[Options], None] | None = None
    flash: Callable[[Path, Options], None] | None = None
    start: Callable[[Path, str, str, Callable[[str], None], bool], None] | None = None
    configs: tuple[str, ...] = ()  # of Presets.scala
    baseline: Callable[[str], Reference] | None = None
    bitstream: str = ""
