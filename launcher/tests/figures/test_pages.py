# SPDX-License-Identifier: Apache-2.0
"""Markers, what they cover, and what should have one."""

from __future__ import annotations

import pytest

from launcher.figures import pages

PAGE = """# Page

<!-- figure: a.table -->
| run | ms |
|---|---|
| one | 1.5 |

<!-- figure: a.text -->
It took 3 ms and
1,500 pages. Nothing else.

- <!-- figure: b.item --> **Item.** A share of
  12 %.
- Another item of 12 %.

<!-- figure: c.code -->
```
7 of 8
```
"""


def test_marks_cover_tables_paragraphs_items_and_code() -> None:
    found = {mark.name: mark for mark in pages.marks(PAGE)}
    assert {name: mark.kind for name, mark in found.items()} == {
        "a.table": "table",
        "a.text": "prose",
        "b.item": "prose",
        "c.code": "code",
    }
    assert pages.read(PAGE, found["a.table"]) == [["run", "ms"], ["one", "1.5"]]
    assert pages.read(PAGE, found["c.code"]) == ["7 of 8"]
    assert pages.read(PAGE, found["a.text"], ["took 3 ms and 1,500 pages", "Nothing more"]) == [
        "took 3 ms and 1,500 pages"
    ]
    assert pages.read(PAGE, found["b.item"], ["12 %", "Another"]) == ["12 %"]


@pytest.mark.parametrize("piece", ["500 pages", "1,50", "took 3 m", "2 %"])
def test_a_piece_is_no_part_of_a_number_or_word(piece: str) -> None:
    for mark in pages.marks(PAGE):
        assert piece not in pages.read(PAGE, mark, [piece])


def test_a_marker_in_a_code_block_is_none() -> None:
    assert pages.marks("```\n<!-- figure: a.b -->\n| x |\n```\n") == []


def test_writing_changes_the_covered_text_alone() -> None:
    def changed(name: str, old: pages.Text, new: pages.Text) -> str:
        return pages.write(PAGE, next(m for m in pages.marks(PAGE) if m.name == name), old, new)

    assert changed("a.table", [], [["run", "ms"], ["one", "2.5"]]) == PAGE.replace("1.5 ", "2.5 ")
    assert changed("c.code", [], ["8 of 8", "done"]) == PAGE.replace("7 of 8", "8 of 8\ndone")
    assert changed("a.text", ["3 ms"], ["4 ms"]) == PAGE.replace("3 ms", "4 ms")
    assert changed("b.item", ["12 %"], ["13 %"]) == PAGE.replace("  12 %.", "  13 %.")
    with pytest.raises(pages.PageFailed, match=r"b\.item: the page does not say '14 %'"):
        changed("b.item", ["14 %"], ["13 %"])


def test_a_paragraph_that_has_become_too_wide_is_broken_anew() -> None:
    page = "- <!-- figure: a.b --> " + "word " * 18 + "1 s.\n"
    text = pages.write(page, pages.marks(page)[0], ["1 s"], ["1 s of twelve seconds"])
    assert text == "- <!-- figure: a.b --> " + "word " * 18 + "1 s of\n  twelve seconds.\n"


@pytest.mark.parametrize(
    ("rows", "measured"),
    [
        (["| reads | 1.5 | 2.5 |", "| writes | - | 3.5 |"], True),
        (["| reads | 12 % |"], True),
        (["| space | x1.5, +3 % |"], True),
        (["| slots | 1,204 |"], True),
        (["| boot | 30 s |"], True),
        (["| `--seed` | the seed of the run |", "| `--num` | the number of keys |"], False),
        (["| Read | hardware |", "| Copy | hardware; firmware in 3 cases |"], False),
        (["| L2P | 4 | per LPN |"], False),
    ],
)
def test_tables_that_look_measured(rows: list[str], measured: bool) -> None:
    assert pages.looks_measured(rows) is measured
    table = "| a | b | c |\n|---|---|---|\n" + "\n".join(rows) + "\n"
    assert pages.unmarked_tables(table) == ([1] if measured else [])
    assert pages.unmarked_tables("<!-- figure: a.b -->\n" + table) == []
    assert pages.unmarked_tables("<!-- no figure: sizes that are set -->\n\n" + table) == []


@pytest.mark.parametrize(
    ("sentence", "measured"),
    [
        ("The run took 12 minutes.", True),
        ("The controller reached 43.2 MHz before.", True),
        ("10,000 cuts were made and\n1,000 k of them found nothing.", True),
        ("A lock took too long.", False),
        ("The limit is 12 minutes.", False),
    ],
)
def test_sentences_that_say_what_was_measured(sentence: str, measured: bool) -> None:
    assert bool(pages.unmarked_prose(f"# Head\n\nSome text. {sentence}\n")) is measured
    assert pages.unmarked_prose(f"<!-- figure: a.b -->\n{sentence}\n") == []
