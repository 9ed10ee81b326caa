# SPDX-License-Identifier: Apache-2.0
"""Expressions over outputs: what they can say, and what they cannot reach."""

from __future__ import annotations

from typing import Any

import pytest

from launcher.figures import values
from launcher.figures.values import ValueFailed

NAMES: dict[str, Any] = {
    "doc": {"runs": [{"mode": "off", "wa": 9.5}, {"mode": "fill", "wa": 7.25}], "levels": [1, 2, 3]},
    "out": "reads 1,204 of 2,000 pages\nreads 7 of 8 pages\n",
    "page": "# head\n\n| mode | saved |\n|---|---|\n| base | +3.5 % |\n| fill | - |\n\nafter\n",
    "c": "fill",
}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("find(doc.runs, mode=c).wa", 7.25),
        ("100 - 100 * find(doc.runs, mode='fill').wa / doc.runs[0].wa", 100 - 100 * 7.25 / 9.5),
        ("max([r.wa for r in doc.runs])", 9.5),
        ("sum(doc.levels[1:])", 5),
        ("-doc.levels[0]", -1),
        ("grab(out, 'reads ([0-9,]+) of ([0-9,]+)')", [1204, 2000]),
        ("grab(out, 'reads ([0-9,]+)', 1)", 7),
        ("pick(table(page, 'mode'), 'base')[1]", "+3.5 %"),
        ("amount(pick(table(page, 'mode'), 'base')[1])", 3.5),
        ("both('-', '-')", "-"),
        ("both('1 %', '-')", "1 %, -"),
        ("member(doc, 'runs')", NAMES["doc"]["runs"]),
        ("member(doc, 'gone', 'wa')", None),
    ],
)
def test_values(expression: str, value: Any) -> None:
    assert values.evaluate(expression, NAMES) == value


@pytest.mark.parametrize(
    "expression",
    [
        "gone",
        "doc.gone",
        "doc.runs[2]",
        "doc.levels[0] / 0",
        "find(doc.runs, mode='skip')",
        "grab(out, 'writes ([0-9]+)')",
        "table(page, 'level')",
        "pick(table(page, 'mode'), 'skip')",
        "1 +",
        "open(raw)",
        "doc.__class__",
        "find.__globals__",
        "(lambda: 1)()",
        "[r for r in doc.runs if r.wa]",
        "doc.runs.append(1)",
    ],
)
def test_what_has_no_value_is_an_error(expression: str) -> None:
    with pytest.raises(ValueFailed):
        values.evaluate(expression, NAMES)


def test_text_has_a_dash_for_a_value_that_does_not_exist() -> None:
    assert values.text(["{:.1f} of {}", "doc.runs[0].wa", "len(doc.runs)"], NAMES) == "9.5 of 2"
    assert values.text(["{:.1f}", "member(doc, 'gone')"], NAMES) == "-"
