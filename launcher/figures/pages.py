# SPDX-License-Identifier: Apache-2.0
"""Markers of figures in the pages, what each of them covers, and tables that should have one.

    <!-- figure: NAME -->          the table, code block or paragraph that follows is of the figure or part NAME
    <!-- no figure: REASON -->     the table that follows looks measured and is not: sizes that are set, for example

A marker stands on a line by itself, or at the start of a list item's text.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

from launcher.env.paths import ROOT
from launcher.figures.values import cells

Text = list[list[str]] | list[str]  # the rows of a table with its head, the lines of a code block, pieces of prose

_MARK = re.compile(r"<!-- figure: ([a-z0-9][a-z0-9.-]*) -->\s?")
_EXEMPT = re.compile(r"<!-- no figure: \S.* -->")
_ITEM = re.compile(r"^\s*(?:[-*]|\d+\.) ")
_RULE = re.compile(r"^\|[-| :]+\|?\s*$")
_FENCE = "```"
WIDTH = 120

# A cell that a measurement gives: a number with a fraction, with thousands, with a unit, a share or a factor.
_MEASURED = re.compile(
    r"\d\.\d|\d,\d{3}|\d ?%|\bx\d|\d (?:ns|us|ms|s|min|minutes|h|hours|MHz|[kMG]?B|[KMG]iB|cycles)\b|^\d+ (?:to|k|M)\b"
)
LEAST_MEASURED = 0.4  # share of a table's cells, the first column left out, that make it a table of figures


class PageFailed(Exception):  # noqa: N818 - reads as what happened
    """A page does not have what a figure says; the message names page and figure."""


@dataclass(frozen=True)
class Mark:
    """A marker with the lines that it covers: [first, end). `start`: where they begin in the first line."""

    name: str
    kind: str  # "table", "code" or "prose"
    first: int
    end: int
    start: int = 0


def pages() -> list[Path]:
    """Every page that may have figures."""
    generated = ROOT / "docs" / "gen"
    return sorted(p for p in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")) if generated not in p.parents)


def marks(text: str) -> list[Mark]:
    """All markers of a page, in order."""
    lines = text.splitlines()
    found = []
    inside = False
    for i, line in enumerate(lines):
        if line.lstrip().startswith(_FENCE):
            inside = not inside
        if inside:
            continue
        for mark in _MARK.finditer(line):
            alone = line.strip() == mark[0].strip()
            first = i + 1 if alone else i
            while alone and first < len(lines) and not lines[first].strip():
                first += 1
            found.append(_covered(mark[1], lines, first, 0 if alone else mark.end()))
    return found


def _covered(name: str, lines: list[str], first: int, start: int) -> Mark:
    if first >= len(lines):
        return Mark(name, "prose", first, first)
    if not start and lines[first].startswith("|"):
        return Mark(name, "table", first, _end_of_table(lines, first))
    if not start and lines[first].startswith(_FENCE):
        end = next((i for i in range(first + 1, len(lines)) if lines[i].startswith(_FENCE)), len(lines))
        return Mark(name, "code", first + 1, end)
    end = first + 1
    while end < len(lines) and lines[end].strip() and not _ends_prose(lines[end]):
        end += 1
    return Mark(name, "prose", first, end, start)


def _ends_prose(line: str) -> bool:
    return bool(_ITEM.match(line) or _MARK.match(line.lstrip()) or line.startswith(("|", _FENCE, "#")))


def _end_of_table(lines: list[str], first: int) -> int:
    end = first
    while end < len(lines) and lines[end].startswith("|"):
        end += 1
    return end


def _prose(lines: list[str], mark: Mark) -> str:
    return "\n".join([lines[mark.first][mark.start :], *lines[mark.first + 1 : mark.end]])


def _pattern(piece: str) -> re.Pattern[str]:
    """A piece of prose, which a page may break over lines. It does not begin or end inside a word or a number."""
    words = r"\s+".join(re.escape(word) for word in piece.split())
    return re.compile(rf"(?<![\w.,]){words}(?![\w])(?![.,]\d)")


def read(text: str, mark: Mark, pieces: list[str] | None = None) -> Text:
    """What a page has where a marker is. Of prose: those of the `pieces` that it has; None: all of it as one piece."""
    lines = text.splitlines()
    covered = lines[mark.first : mark.end]
    if mark.kind == "table":
        return [cells(line) for line in covered if not _RULE.match(line)]
    if mark.kind == "code":
        return covered
    prose = _prose(lines, mark)
    if pieces is None:
        return [" ".join(prose.split())]
    return [piece for piece in pieces if _pattern(piece).search(prose)]


def write(text: str, mark: Mark, old: Text, new: Text) -> str:
    """The page with a part's text replaced. Raises PageFailed if a piece of prose is not there."""
    lines = text.splitlines()
    if mark.kind == "prose":
        prose = _prose(lines, mark)
        for before, after in zip(old, new, strict=True):
            assert isinstance(before, str) and isinstance(after, str)
            prose, count = _pattern(before).subn(lambda _, after=after: after, prose)  # type: ignore[misc]
            if not count:
                raise PageFailed(f"{mark.name}: the page does not say '{before}'")
        covered = _wrapped((lines[mark.first][: mark.start] + prose).splitlines())
    elif mark.kind == "code":
        covered = [str(line) for line in new]
    else:
        rows = ["|" + "|".join(f" {cell} " if cell else " " for cell in row) + "|" for row in new]
        covered = [rows[0], lines[mark.first + 1], *rows[1:]]
    return "\n".join([*lines[: mark.first], *covered, *lines[mark.end :]]) + "\n"


def _wrapped(lines: list[str]) -> list[str]:
    """A paragraph, broken anew if a line is wider than a page may be."""
    if max(map(len, lines)) <= WIDTH:
        return lines
    indent = re.match(r"\s*(?:(?:[-*]|\d+\.) )?", lines[0])
    blanks = " " * (len(indent[0]) if indent else 0)
    return textwrap.wrap(
        " ".join([lines[0], *(line.strip() for line in lines[1:])]),
        WIDTH,
        subsequent_indent=blanks,
        break_long_words=False,
        break_on_hyphens=False,
    )


def unmarked_tables(text: str) -> list[int]:
    """Lines, from 1, of tables that look measured and have no marker."""
    lines = text.splitlines()
    covered = {mark.first for mark in marks(text) if mark.kind == "table"}
    found = []
    for i in range(1, len(lines)):
        if not _RULE.match(lines[i]) or not lines[i - 1].startswith("|") or i - 1 in covered:
            continue
        before = next((line for line in reversed(lines[: i - 1]) if line.strip()), "")
        if not _EXEMPT.match(before) and looks_measured(lines[i + 1 : _end_of_table(lines, i)]):
            found.append(i)
    return found


def looks_measured(rows: list[str]) -> bool:
    """Whether the cells of a table, without its head, are mostly measurements."""
    inner = [cell for row in rows for cell in cells(row)[1:] if cell not in ("", "-")]
    return bool(inner) and sum(bool(_MEASURED.search(cell)) for cell in inner) >= LEAST_MEASURED * len(inner)


_SAID = re.compile(
    r"\b(?:took|has taken|have taken|were measured|was measured|reached (?=\d)|saved|found nothing|evaluates)\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(r"\d(?:[\d.,]*)\s(?:%|ns|us|ms|s|minutes|hours|seconds|MHz|k|M|MiB|GB|cuts|cycles)(?![\w])")


def unmarked_prose(text: str) -> list[int]:
    """Lines, from 1, of sentences that say what was measured (`took 12 minutes`) and have no marker."""
    lines = text.splitlines()
    covered = {i for mark in marks(text) for i in range(mark.first, mark.end)}
    prose = [("" if i in covered or line.startswith(("|", "    ")) else line) for i, line in enumerate(lines)]
    joined, inside = [], False
    for line in prose:
        if line.lstrip().startswith(_FENCE):
            inside = not inside
        joined.append("" if inside else line)
    whole = "\n".join(joined)
    found = []
    for sentence in re.finditer(r"[^.\n|](?:[^.]|\.(?=\S))*?(?:\.(?=\s|$)|\n\n|\Z)", whole):
        if _SAID.search(sentence[0]) and _AMOUNT.search(sentence[0].replace("\n", " ")):
            found.append(whole.count("\n", 0, sentence.start()) + 1)
    return found
