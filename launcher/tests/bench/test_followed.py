# SPDX-License-Identifier: Apache-2.0
"""launcher.bench.followed: what a program says, how it ended, and its end when nobody wants its result."""

import sys
import threading
from pathlib import Path

import pytest

from launcher.bench.followed import follow, parse_progress


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_progress_is_told_and_other_lines_are_kept(tmp_path: Path) -> None:
    steps: list[tuple[int, int, str]] = []
    said = ["progress 1 2 fill", "slow", "progress 2 2 fill", "x: bad"]
    code = f"import sys\nfor line in {said}: print(line, file=sys.stderr)"
    ended = follow(
        python(code + "\nsys.exit(3)"), tmp_path / "log", lambda *step: steps.append(step), threading.Event()
    )
    assert steps == [(1, 2, "fill"), (2, 2, "fill")] and ended.words == ("slow", "x: bad")
    assert (ended.code, ended.killed, ended.refusal("x")) == (3, False, "bad")
    assert ended.told == "exit code 3:\n  slow\n  x: bad"
    assert (tmp_path / "log").read_text().splitlines() == said


def test_every_step_is_asked_for_where_it_is_told(tmp_path: Path) -> None:
    code = "import os, sys; print(os.environ.get('OPENREMAP_PROGRESS'), file=sys.stderr)"
    told = follow(python(code), tmp_path / "log", lambda *_: None, threading.Event())
    untold = follow(python(code), tmp_path / "log", None, threading.Event())
    assert (told.words, untold.words) == (("every",), ("None",)) and untold.refusal("x") == "None"


def test_an_interrupt_ends_the_program_first(tmp_path: Path) -> None:
    code = f"""
import signal, sys, time
def end(*_):
    time.sleep(0.3)
    open({str(tmp_path / "ended")!r}, "w")
    sys.exit()
signal.signal(signal.SIGTERM, end)
print("progress 1 2 one", file=sys.stderr, flush=True)
time.sleep(60)
"""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        follow(python(code), tmp_path / "log", interrupt, threading.Event())
    assert (tmp_path / "ended").exists()


def test_who_ended_a_program_is_known(tmp_path: Path) -> None:
    kill = python("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    ended = follow(kill, tmp_path / "log", None, threading.Event())
    assert ended.killed and "(no output)" in ended.told and ended.refusal("x") == "x refused an option"
    stop = threading.Event()
    stop.set()
    ended = follow(["sleep", "60"], tmp_path / "log", None, stop)
    assert ended.code != 0 and not ended.killed, "it was we"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("progress 5 10 fill\n", (5, 10, "fill")),
        ("progress 5 10 read back\n", (5, 10, "read back")),
        ("progress 5 10\n", None),
        ("progress -1 10 fill\n", None),
        ("warning: slow\n", None),
        ("", None),
    ],
)
def test_progress_lines(line: str, expected: tuple[int, int, str] | None) -> None:
    assert parse_progress(line) == expected
