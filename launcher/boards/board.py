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
    """Options of the command. `config` is one of the board's; "" its first one. Files that are not given are None."""

    dry_run: bool = False  # flash: load a model instead of a board
    config: str = ""
    tiger4: Path | None = None
    fsbl: Path | None = None
    bitstream: Path | None = None
    adapter: str = ""  # flash: OpenOCD's file about the cable


@dataclass(frozen=True)
class Board:
    """`build` makes all that can be made for the board, in a folder. `check` checks what can be checked without a
    board, and `flash` loads one. Each raises BoardFailed; None: this board has no such thing."""

    name: str
    about: str
    build: Callable[[Path, Options], None]
    check: Callable[[Options], None] | None = None
    flash: Callable[[Path, Options], None] | None = None
    configs: tuple[str, ...] = ()  # of Presets.scala
