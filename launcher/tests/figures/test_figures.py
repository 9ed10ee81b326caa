# SPDX-License-Identifier: Apache-2.0
"""Listing, refreshing and comparing figures, on a small tree of its own."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

import pytest

from launcher.cli import cli
from launcher.figures import entries, figures, sources
from launcher.figures.entries import EntryFailed
from launcher.figures.figures import FiguresFailed

PAGE = """# Page

<!-- figure: speed.table -->
| | slow | quick |
|---|---|---|
| pages | ? | ? |
| share | - | - |

<!-- figure: speed.text -->
The quick one reads 1 pages.

<!-- figure: note.text -->
By hand: 12 s.
"""
FIGURES = """
[speed]
about = "speed of two programs"
of = ["code"]
takes = "no time"
commands.slow = "echo '{\\"pages\\": 1000, \\"all\\": 4000}'"
commands.quick = "printf '{\\"pages\\": 2500, \\"all\\": 4000, \\"place\\": \\"%s\\"}' {folder} >{out}; echo not this"

[speed.parts.table]
page = "docs/page.md"
columns = ["slow", "quick"]
rows = [["{:,}", "outputs[c].pages"], ["{:.1f} %", "100 * outputs[c].pages / outputs[c].all"]]

[speed.parts.text]
page = "docs/page.md"
texts = [["reads {} pages", "quick.pages"]]

[note]
about = "by hand"
of = ["code"]
takes = "an hour"
commands.it = "make coffee"

[note.parts.text]
page = "docs/page.md"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """docs/figures of a tree with one page and one source set."""
    made = tmp_path / "docs" / "figures"
    made.mkdir(parents=True)
    (tmp_path / "docs" / "page.md").write_text(PAGE)
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "a.c").write_text("int a;\n")
    (made / "sources.toml").write_text('[code]\nabout = "code"\npaths = ["code"]\n')
    (made / "page.toml").write_text(FIGURES)
    monkeypatch.setattr(figures, "ROOT", tmp_path)
    monkeypatch.setattr(figures, "commit", lambda: "0123abcd")
    monkeypatch.setattr(sources, "now", lambda name: sources.digest([name], tmp_path))
    return made


def refreshed(folder: Path) -> dict[str, entries.Figure]:
    found = entries.read_figures(folder)
    placed = entries.Record("0123abcd", "2026-01-01", {}, {"speed.text": ["reads 1 pages"]})
    entries.write_record("speed", placed, folder)
    assert figures.refresh(found["speed"], folder) == ["speed.table", "speed.text"]
    figures.by_hand(found["note"], folder)
    return found


def test_refreshing_writes_page_and_record(folder: Path) -> None:
    found = refreshed(folder)
    page = (folder.parent / "page.md").read_text()
    assert "| pages | 1,000 | 2,500 |\n| share | 25.0 % | 62.5 % |\n" in page
    assert "The quick one reads 2500 pages.\n" in page
    record = entries.read_record("speed", folder)
    assert record.commit == "0123abcd" and record.date == datetime.date.today().isoformat()
    assert record.sources == {"code": sources.digest(["code"], folder.parents[1])}
    assert record.outputs is not None and record.outputs["quick"]["place"] == "TMP", "no place of the machine"
    assert figures.differences(found["speed"], record) == []
    assert figures.refresh(found["speed"], folder) == []


def test_a_changed_page_record_or_output_differs(folder: Path) -> None:
    found = refreshed(folder)
    record = entries.read_record("speed", folder)
    page = folder.parent / "page.md"
    for old, new, words in (
        ("2,500", "2,600", "the page has ['pages', '1,000', '2,600']"),
        ("reads 2500", "reads 2600", "the page has None, recorded is reads 2500 pages"),
        ("speed.text -->", "speed.txt -->", "0 markers of speed.text; expected one"),
    ):
        good = page.read_text()
        page.write_text(good.replace(old, new))
        assert words in "\n".join(figures.differences(found["speed"], record))
        page.write_text(good)
    assert record.outputs is not None
    record.outputs["slow"]["pages"] = 2000
    assert "the output of its command has ['pages', '2,000', '2,500']" in figures.differences(found["speed"], record)[0]


def test_a_figure_is_stale_when_its_sources_have_changed(folder: Path) -> None:
    refreshed(folder)
    assert [s.stale for s in figures.statuses(folder)] == ["", ""]
    source = folder.parents[1] / "code" / "a.c"
    source.write_text("int a;  // a comment\n")
    assert [s.stale for s in figures.statuses(folder)] == ["", ""]
    source.write_text("int b;\n")
    assert [s.stale for s in figures.statuses(folder)] == ["changed: code", "changed: code"]
    assert [figures.can_be_refreshed(s) for s in figures.statuses(folder)] == [True, False], "one is by hand"
    assert figures.note(figures.statuses(folder)).startswith("2 of 2 measured figures")
    assert figures.note(figures.statuses(folder)).endswith(": speed, note")
    source.write_text("int a;\n")
    assert figures.note(figures.statuses(folder)).startswith("all 2 measured figures")
    source.write_text("int b;\n")
    old = entries.Record("0123abcd", "2026-01-01", {}, {"note.text": ["By hand: 12 s."]})
    entries.write_record("note", old, folder)
    note = figures.statuses(folder)[1]
    assert note.stale == "only its commit is known"
    assert note.days == (datetime.date.today() - datetime.date(2026, 1, 1)).days


def test_a_figure_that_became_of_more_sets_is_stale(folder: Path) -> None:
    refreshed(folder)
    more = folder.parents[1] / "more"
    more.mkdir()
    (more / "b.c").write_text("int b;\n")
    (folder / "page.toml").write_text(FIGURES.replace('of = ["code"]', 'of = ["more", "code"]', 1))
    assert [s.stale for s in figures.statuses(folder)] == ["without a digest: more", ""]
    (folder.parents[1] / "code" / "a.c").write_text("int c;\n")
    found = figures.statuses(folder)
    assert [s.stale for s in found] == ["changed: code; without a digest: more", "changed: code"]
    assert next(line for line in figures.lines(found) if "stale, " in line).endswith(found[0].stale)
    assert figures.differences(found[0].figure, found[0].record) == []
    assert figures.can_be_refreshed(found[0])
    figures.refresh(found[0].figure, folder)
    assert figures.statuses(folder)[0].stale == ""


def test_the_list_names_commit_age_state_pages_and_command(folder: Path) -> None:
    refreshed(folder)
    found = figures.statuses(folder)
    document = json.loads(json.dumps(figures.document(found)))["figures"]
    assert [(entry["name"], entry["stale"], entry["by_hand"], entry["raw_data"]) for entry in document] == [
        ("speed", False, False, True),
        ("note", False, True, False),
    ]
    assert document[0]["pages"] == ["docs/page.md"] and document[0]["commit"] == "0123abcd"
    text = figures.lines(found)
    assert text[:3] == [
        "2 figures, 0 of them stale",
        "speed  0123abcd, 0 days: as the sources are",
        "    docs/page.md",
    ]
    assert text[3].endswith("  (and 1 more)") and text[4:] == [
        "    no time",
        "note   0123abcd, 0 days: as the sources are",
        "    docs/page.md",
        "    make coffee",
        "    an hour; written by hand",
    ]
    assert len(figures.lines(found, all_commands=True)) == len(text) + 1


def test_a_command_that_fails_changes_nothing(folder: Path) -> None:
    found = refreshed(folder)
    before = (folder.parent / "page.md").read_text()
    description = folder / "page.toml"
    description.write_text(FIGURES.replace('"echo ', '"exit 3; echo '))
    with pytest.raises(FiguresFailed, match="ended with exit code 3"):
        figures.refresh(entries.read_figures(folder)["speed"], folder)
    description.write_text(FIGURES.replace("quick.pages", "quick.gone"))
    with pytest.raises(FiguresFailed, match=r"quick\.gone"):
        figures.refresh(entries.read_figures(folder)["speed"], folder)
    assert (folder.parent / "page.md").read_text() == before
    assert figures.differences(found["speed"], entries.read_record("speed", folder)) == []


def test_by_hand_is_for_text_that_no_command_gives(folder: Path) -> None:
    found = refreshed(folder)
    with pytest.raises(FiguresFailed, match="use --refresh"):
        figures.by_hand(found["speed"], folder)
    with pytest.raises(FiguresFailed, match="make coffee"):
        figures.refresh(found["note"], folder)
    page = folder.parent / "page.md"
    page.write_text(page.read_text().replace("By hand: 12 s.", "By hand:\n13 s."))
    assert figures.differences(found["note"], entries.read_record("note", folder)) != []
    figures.by_hand(found["note"], folder)
    assert entries.read_record("note", folder).text == {"note.text": ["By hand: 13 s."]}
    assert figures.differences(found["note"], entries.read_record("note", folder)) == []


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('takes = "no time"', 'lasts = "no time"', "unknown ['lasts'], missing ['takes']"),
        ("columns =", "heads =", "part table: unknown ['heads']"),
        ("[note]", "[speed2]\n[note]", "speed2: unknown"),
    ],
)
def test_a_wrong_description_is_an_error(folder: Path, old: str, new: str, words: str) -> None:
    (folder / "page.toml").write_text(FIGURES.replace(old, new))
    with pytest.raises(EntryFailed) as error:
        entries.read_figures(folder)
    assert words in str(error.value)


def test_a_record_that_is_none_is_an_error(folder: Path) -> None:
    with pytest.raises(EntryFailed, match="no record"):
        figures.statuses(folder)
    (folder / "data").mkdir()
    (folder / "data" / "speed.json").write_text('{"commit": "0123abcd"}')
    with pytest.raises(EntryFailed, match="is no record"):
        entries.read_record("speed", folder)


@pytest.mark.parametrize(
    ("member", "value"),
    [("date", "yesterday"), ("date", 20260101), ("commit", 1), ("sources", []), ("text", "speed"), ("more", {})],
)
def test_a_member_of_a_record_that_is_none_is_an_error(folder: Path, member: str, value: object) -> None:
    good: dict[str, object] = {"commit": "0123abcd", "date": "2026-01-01", "sources": {}, "text": {}}
    (folder / "data").mkdir()
    (folder / "data" / "speed.json").write_text(json.dumps(good))
    assert entries.read_record("speed", folder).commit == "0123abcd"
    (folder / "data" / "speed.json").write_text(json.dumps({**good, member: value}))
    with pytest.raises(EntryFailed, match=r"speed.json is no record"):
        entries.read_record("speed", folder)


@pytest.mark.parametrize("text", [b"garbage[", b"speed2 = 1\n", b"\xff\xfe"])
def test_a_description_that_is_none_is_named(folder: Path, text: bytes) -> None:
    (folder / "page.toml").write_bytes(text)
    with pytest.raises(EntryFailed, match=r"^page.toml: "):
        entries.read_figures(folder)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["figures", "nosuch"], "no figure 'nosuch'"),
        (["figures", "--refresh"], "name the figures"),
        (["figures", "--by-hand"], "name the figures"),
        (["figures", "wear", "--refresh", "--by-hand"], "exclude each other"),
    ],
)
def test_wrong_options(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(arguments) == 2
    assert words in capsys.readouterr().err


def test_the_command_lists_figures_without_set_up(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["figures", "wear", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["figures"]
    assert [entry["name"] for entry in found] == ["wear"]
