# SPDX-License-Identifier: Apache-2.0
"""launcher.suites.pytest_run: what every run of pytest in this project does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from launcher.env import keeper
from launcher.env.paths import ROOT
from launcher.suites import pytest_run


def test_this_run_is_kept() -> None:
    kept_by = os.environ[keeper.VARIABLE].split()
    ancestors = set()
    pid = os.getpid()
    while pid > 1:
        ancestors.add(keeper._name(pid))
        with open(f"/proc/{pid}/stat") as stat:
            pid = int(stat.read().rpartition(")")[2].split()[1])
    # The innermost name is that of the run's first process: of this one, or of the one that started this worker.
    assert kept_by[-1] in ancestors


CASES = """
import pytest
def test_and_not(): pass
class TestThings:
    @pytest.mark.parametrize("word", ["one", "or two", "a.b[c]"])
    def test_each(self, word): pass
"""


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("", 4),
        ("not", 1),
        ("one", 1),
        ("or two", 1),
        ("a.b[c]", 1),
        ("TestThings", 3),
        ("testthings", 0),
        ("test_cases.TestThings.test_each[one]", 1),
        ("test_cases.py::TestThings::test_each[one]", 1),
        ("test_.*", 0),
    ],
)
def test_cases_are_chosen_by_a_text(text: str, chosen: int, tmp_path: Path) -> None:
    (tmp_path / "test_cases.py").write_text(CASES)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        str(tmp_path),
        "--rootdir",
        str(tmp_path),
    ]
    command += ["-c", str(ROOT / "pyproject.toml"), f"{pytest_run.CONTAINS}={text}"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    passed = re.search(r"(\d+) passed", done.stdout)
    assert (int(passed[1]) if passed else 0) == chosen, done.stdout
    assert done.returncode == (0 if chosen else 5)
