# SPDX-License-Identifier: Apache-2.0
"""launcher.env.progress, and what uses it: lines are redrawn on a terminal only."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

import pytest

from launcher.env import progress
from launcher.env.paths import ROOT
from launcher.suites import checks
from launcher.tests import terminals

REDRAWN = "\x1b["  # begins each of a terminal's control sequences

# Each reports progress for about a second. `progress.PLAIN_SECONDS` is shorter, so that plain lines are seen.
_SHORT = "from launcher.env import progress; progress.PLAIN_SECONDS = 0.3; import time; "
_REPORTERS = {
    "Ticker": _SHORT
    + """
from launcher.env import steps
with steps.Ticker("work") as ticker:
    ticker.note("3/17")
    time.sleep(1)
""",
    "set-up": _SHORT
    + """
import sys
from pathlib import Path
from launcher.env import setup
env = setup.Environment(Path(sys.argv[1]))
env.logs.mkdir(parents=True, exist_ok=True)
setup._step(env, "work", ["sleep", "1.2"])
""",
    "Board": _SHORT
    + """
from launcher.bench import bench
from launcher.bench.bench_description import Mode
with bench.Board((Mode.off,)) as board:
    report = board.reporter(Mode.off)
    for done in range(10):
        report(done, 10, "work")
        time.sleep(0.1)
""",
}


def reporter(name: str, folder: Path) -> list[str]:
    return [sys.executable, "-c", _REPORTERS[name], str(folder)]


@pytest.mark.parametrize("name", _REPORTERS)
@pytest.mark.parametrize("variables", [{}, {"FORCE_COLOR": "1"}])
def test_a_pipe_gets_plain_lines(name: str, variables: dict[str, str], tmp_path: Path) -> None:
    text = terminals.into_pipe(reporter(name, tmp_path), **variables)
    assert "\r" not in text and REDRAWN not in text
    lines = text.splitlines()
    assert 2 <= len(lines) <= 8 and all("work" in line for line in lines), text


@pytest.mark.parametrize("name", _REPORTERS)
def test_a_terminal_is_redrawn(name: str, tmp_path: Path) -> None:
    text = terminals.on_terminal(reporter(name, tmp_path))
    assert REDRAWN in text and "work" in text


@pytest.mark.parametrize("variables", [{"CI": "true"}, {"TERM": "dumb"}])
@pytest.mark.parametrize("name", _REPORTERS)
def test_some_terminals_are_not_redrawn(name: str, variables: dict[str, str], tmp_path: Path) -> None:
    text = terminals.on_terminal(reporter(name, tmp_path), **variables)
    assert REDRAWN not in text and "work" in text


def test_rhythm() -> None:
    now = 100.0
    rhythm = progress.Rhythm(lambda: now)
    due = []
    for second in range(100, 140):
        now = float(second)
        if rhythm.due():
            due.append(second)
    assert due == [115, 130]


def test_a_redrawn_line_does_not_wrap() -> None:
    out = io.StringIO()
    progress.redraw(out, "a line that is too long", 10)
    assert out.getvalue() == "\r\x1b[Ka line th"


def test_nothing_else_redraws() -> None:
    # A carriage return without a newline, or an escape sequence, in a literal of a program.
    draws = re.compile(r"""["'][^"']*(?:\\r(?!\\n)|\\033\[|\\x1b\[)""")
    sources = [ROOT / name for name in (*checks.sources(".c", ".h", ".cc"), *launcher_modules())]
    assert len(sources) > 500  # or the search found nothing to judge
    found = {
        str(path.relative_to(ROOT))
        for path in sources
        if "tests" not in path.parts and any(draws.search(line) for line in path.read_text().splitlines())
    }
    # One for each language.
    assert found == {"common/progress_line.h", "host-driver/cli/progress.c", "launcher/env/progress.py"}


def launcher_modules() -> list[str]:
    return [str(path.relative_to(ROOT)) for path in sorted((ROOT / "launcher").rglob("*.py"))]
