# SPDX-License-Identifier: Apache-2.0
"""launcher.suites.single_test: exit code and message of a program that is a single test."""

from __future__ import annotations

import subprocess

import pytest

from launcher.env.setup import SetupError
from launcher.suites import single_test
from launcher.suites.single_test import SKIPPED, Skipped, require


@pytest.mark.parametrize(
    ("why", "code", "said"),
    [
        (None, 0, ""),
        (Skipped("no mount here"), SKIPPED, "skipped: no mount here\n"),
        (AssertionError("no keys"), 1, "name: no keys\n"),
        (SetupError("no packages"), 1, "name: no packages\n"),
        (subprocess.TimeoutExpired("db_bench", 3), 1, "name: Command 'db_bench' timed out after 3 seconds\n"),
    ],
)
def test_each_end_has_its_exit_code(
    why: Exception | None, code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def test() -> None:
        if why is not None:
            raise why

    assert single_test.run("name", test) == code
    assert capsys.readouterr().out == said


def test_what_does_not_hold_is_named() -> None:
    require(True, "nothing")
    with pytest.raises(AssertionError, match="two keys"):
        require(False, "two keys")
