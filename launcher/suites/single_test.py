# SPDX-License-Identifier: Apache-2.0
"""Programs that are one test each: what they end with, and how they say why."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

from launcher.env import setup, steps

SKIPPED = 77  # exit code of one that cannot run on this machine; its last line says why


class Skipped(Exception):  # noqa: N818 - reads as what happened
    """What this machine does not let us do."""


def require(held: bool, what: str) -> None:
    if not held:
        raise AssertionError(what)


def run(name: str, test: Callable[[], None]) -> int:
    """The exit code of the program."""
    try:
        test()
    except Skipped as why:
        print(f"skipped: {why}")
        return SKIPPED
    except (AssertionError, steps.StepFailed, setup.SetupError, subprocess.SubprocessError) as error:
        print(f"{name}: {error}")
        return 1
    return 0
