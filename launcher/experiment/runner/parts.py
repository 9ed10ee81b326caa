# SPDX-License-Identifier: Apache-2.0
"""The parts of a report, and the two forms that it has: one HTML page, and tables in Markdown."""

from __future__ import annotations

import base64
import html
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # matplotlib takes long to import, and most commands need no plot
    from matplotlib.figure import Figure

Table = tuple[list[str], list[list[str]]]  # head and rows

_STYLE = (
    "body{font-family:sans-serif;max-width:70em;margin:2em auto}table{border-collapse:collapse;margin:1em 0}"
    "td,th{border:1px solid #bbb;padding:.2em .6em;text-align:right}th:first-child,td:first-child{text-align:left}"
    "img{max-width:100%}"
)


@dataclass(frozen=True)
class Heading:
    text: str


@dataclass(frozen=True)
class Text:
    """A paragraph. Backticks mark code."""

    text: str


@dataclass(frozen=True)
class Rows:
    """A table; `folded`: shown when its title is clicked, in HTML."""

    table: Table
    folded: str = ""


@dataclass(frozen=True)
class Picture:
    figure: Figure
    alt: str


Part = Heading | Text | Rows | Picture


def page(title: str, head: str, parts: Sequence[Part]) -> str:
    """The report as one HTML page; `head` is the page's title, `title` its first heading."""
    shown = [
        f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{_escaped(head)}</title><style>"
        f"{_STYLE}</style></head><body><h1>{_escaped(title)}</h1>"
    ]
    for part in parts:
        match part:
            case Heading():
                shown.append(f"<h2>{_escaped(part.text)}</h2>")
            case Text():
                shown.append(f"<p>{_coded(part.text)}</p>")
            case Picture():
                shown.append(image(part.figure, part.alt))
            case Rows() if part.folded:
                shown += [f"<details><summary>{_escaped(part.folded)}</summary>", _table(*part.table), "</details>"]
            case Rows():
                shown.append(_table(*part.table))
    return "\n".join([*shown, "</body></html>\n"])


def markdown(parts: Sequence[Part]) -> str:
    """A page of documentation. It has no pictures; a table without rows is left out."""
    shown = []
    for part in parts:
        match part:
            case Heading():
                shown.append(f"## {part.text}\n")
            case Text():
                shown.append(part.text + "\n")
            case Rows() if part.table[1]:
                head, rows = part.table
                lines = ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows]]
                shown.append("\n".join(lines) + "\n")
    return "\n".join(shown)


def image(figure: Figure, alt: str) -> str:
    """Embeds a plot in the page as PNG."""
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=90)
    encoded = base64.b64encode(picture.getvalue()).decode()
    return f"<img alt='{html.escape(alt, quote=True)}' src='data:image/png;base64,{encoded}'>"


def _escaped(text: str) -> str:
    return html.escape(text, quote=False)


def _coded(text: str) -> str:
    """Turns text between backticks into code elements."""
    return re.sub("`([^`]*)`", r"<code>\1</code>", _escaped(text))


def _table(head: list[str], rows: list[list[str]]) -> str:
    def line(cells: list[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    return "<table>" + line(head, "th") + "".join(line(row, "td") for row in rows) + "</table>"
