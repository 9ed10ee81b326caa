# SPDX-License-Identifier: Apache-2.0
"""The forms of a report: HTML that no text breaks, and Markdown."""

from matplotlib.figure import Figure

from launcher.experiment.runner.parts import Heading, Part, Picture, Rows, Text, markdown, page

TABLE = (["head", "a & b"], [["<one>", "it's"]])


def test_a_page_of_all_parts() -> None:
    shown = page("A's <report>", "A", [Heading("First"), Text("of `x < y`, it's"), Rows(TABLE), Rows(TABLE, "More")])
    assert shown.startswith("<!doctype html>") and shown.endswith("</body></html>\n")
    assert "<title>A</title>" in shown and "<h1>A's &lt;report&gt;</h1>\n<h2>First</h2>" in shown
    assert "<p>of <code>x &lt; y</code>, it's</p>" in shown
    row = "<tr><td>&lt;one&gt;</td><td>it&#x27;s</td></tr></table>"
    assert shown.count(row) == 2 and "<details><summary>More</summary>\n<table>" in shown


def test_a_picture_is_inside_the_page() -> None:
    shown = page("A", "A", [Picture(Figure(figsize=(1, 1)), "it's <one>")])
    assert "<img alt='it&#x27;s &lt;one&gt;' src='data:image/png;base64," in shown


def test_documentation_has_tables_and_no_pictures() -> None:
    parts: list[Part] = [
        Heading("First"),
        Text("of `x`"),
        Rows(TABLE),
        Picture(Figure(figsize=(1, 1)), "one"),
        Rows((["a"], [])),
    ]
    assert markdown(parts) == "## First\n\nof `x`\n\n| head | a & b |\n| --- | --- |\n| <one> | it's |\n"
