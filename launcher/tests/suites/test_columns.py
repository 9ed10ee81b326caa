# SPDX-License-Identifier: Apache-2.0
"""No line of a source goes beyond column 120. Formatters break code, but leave comments as they are."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from launcher.env.paths import ROOT

COLUMNS = 120
SOURCES = re.compile(r"\.(?:c|h|cc|scala|sc|sv|S|in|map|py|toml|cmake|sh|rdl|yaml|yml)$|(?:^|/)CMakeLists\.txt$")
# Written by generators, whose output nobody edits; lists of pins, where a link may be longer.
GENERATED = re.compile(r"(?:^|/)gen/|_description\.py$|(?:^|/)orm_\w+\.py$|requirements")
# Digests of these name folders of downloads: a change has everybody fetch all of them again. The next pin mends them.
KEPT = {"toolchain.toml": 1, "launcher/guest/guest_packages.toml": 1}
MARKER = re.compile(r"  # type: ignore\[[\w,-]+\]$")  # has to stay on its line


def wide(text: str) -> list[int]:
    """The numbers of the lines that are too long."""
    return [number for number, line in enumerate(text.split("\n"), 1) if len(MARKER.sub("", line)) > COLUMNS]


def test_lines_end_in_time() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    sources = [name for name in listed if SOURCES.search(name) and not GENERATED.search(name)]
    assert len(sources) > 500
    found = {name: wide((ROOT / name).read_text()) for name in sources if (ROOT / name).exists()}
    assert {name: lines for name, lines in found.items() if len(lines) > KEPT.get(name, 0)} == {}


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("x" * 120, []),
        ("x" * 121, [1]),
        ("short\n// " + "x" * 120 + "\nshort", [2]),
        ("y" * 118 + "  # type: ignore[attr-defined]", []),
        ("y" * 121 + "  # type: ignore[attr-defined]", [1]),
    ],
)
def test_what_is_too_long(text: str, lines: list[int]) -> None:
    assert wide(text) == lines


def test_what_is_generated_is_left_alone() -> None:
    assert GENERATED.search("leveldb-host/bench/gen/bench_options.h")
    assert not GENERATED.search(Path("hw/src/gc/GcEngine.scala").as_posix())
