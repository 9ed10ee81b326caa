# SPDX-License-Identifier: Apache-2.0
"""The documentation's figures are those that are recorded, and no figure stands in it without a record."""

from __future__ import annotations

import datetime
import re
from pathlib import Path

import pytest

from launcher.env.paths import ROOT
from launcher.figures import entries, figures, pages, sources

FIGURES = entries.read_figures()
PAGES = pages.pages()


def of_root(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("name", FIGURES)
def test_the_pages_say_what_is_recorded(name: str) -> None:
    assert figures.differences(FIGURES[name], entries.read_record(name)) == []


@pytest.mark.parametrize("name", FIGURES)
def test_a_record_names_commit_day_and_digests(name: str) -> None:
    figure, record = FIGURES[name], entries.read_record(name)
    assert re.fullmatch(r"[0-9a-f]{7,12}", record.commit)
    assert datetime.date.fromisoformat(record.date) <= datetime.date.today() + datetime.timedelta(days=1)
    assert figure.of and set(figure.of) <= sources.read_sets().keys()
    assert record.sources.keys() <= set(figure.of)
    assert all(re.fullmatch(rf"[0-9a-f]{{{sources.DIGITS}}}", digest) for digest in record.sources.values())
    assert figure.commands and figure.about and figure.takes


def test_a_figure_without_raw_data_is_stale() -> None:
    """What was measured with the digests of its sources was measured with its output, but for text by hand."""
    without = [s for s in figures.statuses() if figures.raw_data(s.figure, s.record) is None]
    assert [s.figure.name for s in without if not s.stale and not s.figure.by_hand] == []


def test_every_marker_has_a_figure() -> None:
    known = {(part.mark, part.page) for figure in FIGURES.values() for part in figure.parts}
    there = {(mark.name, page) for page in PAGES for mark in pages.marks(page.read_text())}
    assert there == known


def test_every_record_has_a_figure() -> None:
    assert {path.stem for path in (entries.FOLDER / entries.DATA).glob("*.json")} == FIGURES.keys()


@pytest.mark.parametrize("page", PAGES, ids=of_root)
def test_no_figure_is_without_a_marker(page: Path) -> None:
    text = page.read_text()
    assert pages.unmarked_tables(text) == [], "tables with measurements; or say why: <!-- no figure: REASON -->"
    assert pages.unmarked_prose(text) == [], "sentences that say what was measured"


def test_no_record_names_a_place_of_a_machine() -> None:
    for path in (entries.FOLDER / entries.DATA).glob("*.json"):
        assert not re.search(r"/(?:home|root|tmp|work)/", path.read_text()), path.name
