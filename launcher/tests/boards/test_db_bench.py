# SPDX-License-Identifier: Apache-2.0
"""launcher.boards.db_bench: the commands are those of the documentation, and the guest tries the same ones."""

from __future__ import annotations

import re

import pytest

from launcher.boards import BOARDS, db_bench
from launcher.env.paths import ROOT

PAGE = ROOT / "docs" / "boards" / "db_bench.md"
COMMANDS = re.compile(r"<!-- commands: (\w+) -->\n\n((?:    .*\n)+)")


def shown() -> dict[str, list[str]]:
    """The commands of the page, by board."""
    return {board: [line[4:] for line in text.splitlines()] for board, text in COMMANDS.findall(PAGE.read_text())}


def test_the_page_has_the_commands() -> None:
    assert shown() == {board: db_bench.lines(numbers) for board, numbers in db_bench.NUMBERS.items()}


def test_each_board_is_on_the_page() -> None:
    assert db_bench.NUMBERS.keys() <= BOARDS.keys()
    headings = re.findall(r"^## (.*)$", PAGE.read_text(), re.M)
    for name in BOARDS:
        assert any(heading.lower().replace("-", "").startswith(name) for heading in headings), name


@pytest.mark.parametrize("numbers", db_bench.NUMBERS.values())
def test_the_guest_runs_the_same_lines_with_fewer_puts(numbers: tuple[str, ...]) -> None:
    lines = db_bench.lines(numbers)
    assert db_bench.guest_scripts()["board-lines.sh"].splitlines()[1:] == lines[1:]
    assert lines[0].startswith('numbers="--num=')


def test_each_mode_begins_with_a_new_disk() -> None:
    lines = db_bench.lines(db_bench.GUEST)
    runs = [line for line in lines if line.startswith("db_bench ")]
    assert [re.findall(r"--device=(\S+) --mode=(\S+)", line)[0] for line in runs] == [
        *(("/mnt", "off"), ("/mnt", "blend"), ("/dev/ng0n1", "off"), ("/dev/ng0n1", "blend"))
    ]
    assert sum(line.startswith("nvme format ") for line in lines) == len(runs)


def test_the_kernel_counts_for_another_firmware() -> None:
    assert db_bench.counted_by_linux("/a", ("--num=3",)) == ["--device=reflink:/a", "--mode=off", "--num=3"]
    script = db_bench.guest_scripts()["board-baseline.sh"]
    assert "db_bench --device=reflink:/mnt --mode=off --num=4000" in script
