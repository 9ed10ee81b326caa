# SPDX-License-Identifier: Apache-2.0
"""Exit codes and messages of test programs that consist of a single test, such as those of the suite `long`."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

from launcher.env import keeper, setup, steps

SKIPPED = 77  # exit code of a test that cannot run on this machine; its last line of output has the reason


class Skipped(Exception):  # noqa: N818 - reads as what happened
    """The test cannot run on this machine; the message has the reason."""


def require(held: bool, what: str) -> None:
    if not held:
        raise AssertionError(what)


def run(name: str, test: Callable[[], None]) -> int:
    """Runs the test and returns the program's exit code."""
    keeper.keep()
    try:
        test()
    except Skipped as why:
        print(f"skipped: {why}")
        return SKIPPED
    except (AssertionError, steps.StepFailed, setup.SetupError, subprocess.SubprocessError) as error:
        print(f"{name}: {error}")
        return 1
    return 0
