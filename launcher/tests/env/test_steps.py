# SPDX-License-Identifier: Apache-2.0
"""launcher.env.steps: running commands as steps."""

import sys
import time
from pathlib import Path

import pytest

from launcher.env import steps


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_output_goes_to_the_log_without_colours(tmp_path: Path) -> None:
    log = tmp_path / "new" / "log"
    outcome = steps.run("talk", python(r"print('\x1b[31mred\x1b[0m'); raise SystemExit(4)"), log)
    assert outcome.code == 4
    assert outcome.tail == ["red"]
    assert log.read_text() == "red\n"
    assert not outcome.timed_out


def test_a_line_is_told_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    line = "failed: [/a folder] and [red], " + "which is long " * 20
    steps.say(line)
    assert capsys.readouterr().err == line + "\n"


def test_how_a_program_ended_is_named() -> None:
    ends = {
        0: "exit code 0",
        3: "exit code 3",
        -9: "killed by SIGKILL",
        -7: "killed by SIGBUS",
        -50: "killed by signal 50",
    }
    assert {code: steps.exit_text(code) for code in ends} == ends


def test_a_failed_step_shows_the_end_of_its_log(tmp_path: Path) -> None:
    with pytest.raises(steps.StepFailed, match="cannot do it") as error:
        steps.must("work", python("raise SystemExit('cannot do it')"), tmp_path / "log")
    assert "exit code 1" in str(error.value)


def test_a_time_out_ends_grandchildren_too(tmp_path: Path) -> None:
    marker = tmp_path / "alive"
    grandchild = f"import time, pathlib; time.sleep(3); pathlib.Path({str(marker)!r}).touch()"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {grandchild!r}])"
    begun = time.monotonic()
    outcome = steps.run("hang", python(code), tmp_path / "log", timeout=0.5)
    assert outcome.timed_out
    assert outcome.code != 0
    time.sleep(max(0.0, 3.5 - (time.monotonic() - begun)))
    assert not marker.exists()


def test_ninja_lines_are_progress() -> None:
    assert steps._tick("[3/17] Building") == "3/17"
    assert steps._tick("ninja: done") is None
