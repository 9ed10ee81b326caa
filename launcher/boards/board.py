# SPDX-License-Identifier: Apache-2.0
"""What `./openremap board` needs to know of a board."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path


class BoardError(Exception):
    """Something of a board is wrong: its data, its project or a tool; the message says what."""


@dataclass(frozen=True)
class Report:
    """What a check found: a line for each thing that was checked, and one for each that is wrong."""

    checked: tuple[str, ...]
    wrong: tuple[str, ...] = ()


@dataclass(frozen=True)
class Request:
    """What the user asked for. `options` are a board's own: names without dashes, as the command line has them."""

    out: Path
    config: str
    options: dict[str, Path | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Board:
    """A board. `configs` are names of Presets.scala, the default first. An action that a board lacks is None.

    `build` fills the folder `out` and returns lines for the user. `flash` returns such lines, too. Each raises
    BoardError.
    """

    name: str
    about: str
    configs: tuple[str, ...]
    build: Callable[[Request], list[str]]
    check: Callable[[Request], Report] | None = None
    flash: Callable[[Request], list[str]] | None = None
