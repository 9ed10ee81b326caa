# SPDX-License-Identifier: Apache-2.0
"""What figures there are, and what is recorded of each.

`docs/figures/*.toml` describe the figures: the command, what it measures, and how each part of a page follows from what
the command prints. `docs/figures/data/NAME.json` records a measurement: commit, day, digests of the sources, the output
of the command, and the text that the pages have.
"""

from __future__ import annotations

import datetime
import json
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from launcher.env.paths import ROOT
from launcher.figures.pages import Text
from launcher.figures.sources import SETS_FILE

FOLDER = ROOT / "docs" / "figures"
DATA = "data"
_KEYS = {"about", "of", "commands", "programs", "takes", "runs", "files", "lets", "parts"}
_PART_KEYS = {"page", "columns", "rows", "each", "cell", "cells", "texts", "lines"}


class EntryFailed(Exception):  # noqa: N818 - reads as what happened
    """A description or a record is wrong; the message names it."""


@dataclass(frozen=True)
class Part:
    """One table, code block or paragraph of a page. Without a rule its text is written by hand and recorded whole."""

    mark: str  # the name in its marker
    page: Path
    columns: list[str] = field(default_factory=list)  # values of `c`, one a column behind the first
    rows: list[list[str]] = field(default_factory=list)  # a format and its expressions, one a row below the head
    each: str = ""  # instead: an expression for a list, one `r` a row
    cell: list[str] = field(default_factory=list)  # with `each` and `columns`: a format and its expressions
    cells: list[list[str]] = field(default_factory=list)  # with `each`, one a column; []: as it is; none: `r` itself
    texts: list[list[str]] = field(default_factory=list)  # of prose: a format and its expressions, one a piece
    lines: str = ""  # of a code block: an expression for its lines

    @property
    def by_hand(self) -> bool:
        return not (self.rows or self.each or self.lines or self.texts)


@dataclass(frozen=True)
class Figure:
    """A measurement. `of`: source sets. `commands`: name of an output -> the command that prints it."""

    name: str
    about: str
    of: list[str]
    commands: dict[str, str]
    takes: str
    parts: list[Part]
    programs: list[str] = field(default_factory=list)  # to be built first
    runs: str = ""  # a folder of runs that the commands only report on: each has its own commit and day
    lets: dict[str, str] = field(default_factory=dict)  # names for expressions that the parts share
    files: dict[str, str] = field(default_factory=dict)  # output -> the file of the repository that has it

    @property
    def by_hand(self) -> bool:
        """Whether no command's output gives all of its text."""
        return any(part.by_hand for part in self.parts)


@dataclass(frozen=True)
class Record:
    """A measurement as it was made. `outputs` None: only the text is known."""

    commit: str
    date: str
    sources: dict[str, str]
    text: dict[str, Text]
    outputs: dict[str, Any] | None = None


def read_figures(folder: Path = FOLDER) -> dict[str, Figure]:
    """All figures by name, in the order of the files. Raises EntryFailed."""
    found: dict[str, Figure] = {}
    for path in sorted(folder.glob("*.toml")):
        if path.name == SETS_FILE.name:
            continue
        try:
            described = tomllib.loads(path.read_text())
        except ValueError as error:  # no TOML, or no UTF-8
            raise EntryFailed(f"{path.name}: {error}") from None
        for name, entry in described.items():
            if name in found:
                raise EntryFailed(f"{path.name}: two figures are named {name}")
            if not isinstance(entry, dict):
                raise EntryFailed(f"{path.name}: {name} is no figure")
            found[name] = _figure(name, entry, folder)
    return found


def _figure(name: str, entry: dict[str, Any], folder: Path) -> Figure:
    unknown = entry.keys() - _KEYS
    missing = {"about", "of", "commands", "takes", "parts"} - entry.keys()
    if unknown or missing:
        raise EntryFailed(f"{name}: unknown {sorted(unknown)}, missing {sorted(missing)}")
    parts = []
    for part_name, part in entry.pop("parts").items():
        if part.keys() - _PART_KEYS or "page" not in part:
            raise EntryFailed(f"{name}: part {part_name}: unknown {sorted(part.keys() - _PART_KEYS)}, or no page")
        page = folder.parents[1] / part.pop("page")
        parts.append(Part(mark=f"{name}.{part_name}", page=page, **part))
    return Figure(name=name, parts=parts, **entry)


def record_path(name: str, folder: Path = FOLDER) -> Path:
    return folder / DATA / f"{name}.json"


def read_record(name: str, folder: Path = FOLDER) -> Record:
    """What is recorded of a figure. Raises EntryFailed if there is none, or it is none."""
    path = record_path(name, folder)
    try:
        record = Record(**json.loads(path.read_text()))
        datetime.date.fromisoformat(record.date)
        for member, kind in (("commit", str), ("sources", dict), ("text", dict)):
            if not isinstance(getattr(record, member), kind):
                raise TypeError(f"{member} is no {kind.__name__}")
    except FileNotFoundError:
        raise EntryFailed(f"{name}: no record {path.name}") from None
    except (ValueError, TypeError) as error:
        raise EntryFailed(f"{name}: {path.name} is no record: {error}") from None
    return record


def write_record(name: str, record: Record, folder: Path = FOLDER) -> None:
    path = record_path(name, folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(vars(record), indent=1, ensure_ascii=False)
    path.write_text(_short_lists(text) + "\n")


def _short_lists(text: str) -> str:
    """Lists and objects of plain values on one line, so that a row of a table is one."""
    inner = re.compile(r"[\[{]\s*((?:\"(?:\\.|[^\"\\])*\"|[^\[\]{}\"])*?)\s*[\]}]")

    def joined(found: re.Match[str]) -> str:
        body = re.sub(r"\n\s*", " ", found[1]).strip()
        return found[0][0] + body + found[0][-1] if len(body) < 110 else found[0]

    return inner.sub(joined, text)
