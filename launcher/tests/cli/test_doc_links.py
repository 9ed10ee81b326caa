# SPDX-License-Identifier: Apache-2.0
"""Links of the documentation lead to files and headings that exist, and its prose keeps to the line width."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from launcher.env.paths import ROOT

DOCS = ROOT / "docs"
GENERATED = DOCS / "gen"
WIDTH = 120

_FENCE = re.compile(r"^\s*(```|~~~)")
_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$")
# [text](target) or [text](target "title"). The text may contain code and one level of brackets.
_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(\s*([^()\s]+(?:\([^()\s]*\)[^()\s]*)*)(?:\s+\"[^\"]*\")?\s*\)")
_CODE_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
_ELSEWHERE = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)  # http:, https:, mailto:


def pages() -> list[Path]:
    """Every page whose links are checked: those beside the README, and all below docs."""
    return sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])


def prose_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines outside code blocks, numbered from 1. Tables and headings are among them.

    A line that is indented by four blanks is code after an empty line; after other text it goes on with a list item.
    """
    fence = ""
    may_be_code = True
    for number, line in enumerate(text.splitlines(), 1):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1] == fence:
                fence = ""
            continue
        if mark:
            fence = mark[1]
            continue
        if may_be_code and line.startswith("    "):
            continue
        may_be_code = not line.strip()
        yield number, line


def anchor(heading: str) -> str:
    """The anchor that GitHub gives a heading: words in lower case with hyphens between, without punctuation."""
    text = _LINK.sub(lambda link: link[1], heading)
    text = re.sub(r"[^\w\- ]", "", text.strip().lower())
    return text.replace(" ", "-")


def anchors(text: str) -> set[str]:
    """All anchors of a page. A heading that comes again has its count appended."""
    found: dict[str, int] = {}
    names: set[str] = set()
    for _, line in prose_lines(text):
        heading = _HEADING.match(line)
        if heading:
            name = anchor(heading[2])
            count = found.get(name, 0)
            found[name] = count + 1
            names.add(f"{name}-{count}" if count else name)
    return names


def links(text: str) -> Iterator[tuple[int, str]]:
    """Targets of the links of a page, each with its line. A link may be broken over two lines within its text."""
    kept = {number: _CODE_SPAN.sub(_without_brackets, line) for number, line in prose_lines(text)}
    joined = ""
    starts: list[tuple[int, int]] = []
    for number, line in kept.items():
        starts.append((len(joined), number))
        joined += line + "\n"
    for link in _LINK.finditer(joined):
        yield max(number for start, number in starts if start <= link.start()), link[2]


def _without_brackets(span: re.Match[str]) -> str:
    """A code span without what could be taken for a link; as the text of a link it stays."""
    return re.sub(r"[\[\]()]", "_", span[0])


def broken_links(page: Path) -> list[str]:
    """Links of a page that lead nowhere, with a line to say of each."""
    found = []
    for number, target in links(page.read_text()):
        if _ELSEWHERE.match(target):
            continue
        name, _, fragment = target.partition("#")
        there = (page.parent / name).resolve() if name else page
        if not there.exists():
            found.append(f"{page.name}:{number}: {target}: no such file")
        elif fragment and (there.suffix != ".md" or fragment not in anchors(there.read_text())):
            found.append(f"{page.name}:{number}: {target}: no such heading")
    return found


def wide_lines(text: str) -> list[int]:
    """Lines of prose wider than WIDTH. A link's target does not count: it cannot be broken."""
    return [
        number
        for number, line in prose_lines(text)
        if not line.lstrip().startswith("|") and len(_LINK.sub(r"[\1]", line)) > WIDTH
    ]


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    assert broken_links(page) == []


@pytest.mark.parametrize(
    "page",
    [page for page in pages() if GENERATED not in page.parents],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_prose_keeps_to_the_width(page: Path) -> None:
    assert wide_lines(page.read_text()) == []


def test_every_page_is_in_the_index() -> None:
    index = DOCS / "README.md"
    named = {(DOCS / target.partition("#")[0]).resolve() for _, target in links(index.read_text())}
    assert [str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md") if page not in named | {index}] == []


def test_finds_broken_links(tmp_path: Path) -> None:
    (tmp_path / "there.md").write_text("# A `b_c` (d), e\n\n## Again\n\n## Again\n\n```\n# Not a heading\n```\n")
    page = tmp_path / "page.md"
    page.write_text(
        "# Own\n[a](there.md#a-b_c-d-e) [b](#own) [c](https://example.org/x#y) [d](there.md#again-1)\n"
        "[e](gone.md) [f](there.md#not-a-heading) [`g[0]`](#gone) [two\nlines](lost.md)\n"
        "`[h](code.md)`\n\n    [i](code.md)\n\n```\n[j](code.md)\n```\n"
    )
    assert broken_links(page) == [
        "page.md:3: gone.md: no such file",
        "page.md:3: there.md#not-a-heading: no such heading",
        "page.md:3: #gone: no such heading",
        "page.md:3: lost.md: no such file",
    ]


def test_finds_wide_lines() -> None:
    wide, target = "x" * (WIDTH + 1), "y" * WIDTH
    text = f"{wide}\n| {wide} |\n[x]({target})\n\n    {wide}\n\n```\n{wide}\n```\n- item\n    {wide}\n"
    assert wide_lines(text) == [1, 11]
