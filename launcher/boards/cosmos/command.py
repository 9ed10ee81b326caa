# SPDX-License-Identifier: Apache-2.0
"""The board for `./openremap board`."""

from __future__ import annotations

from pathlib import Path

from launcher.boards.board import Board, BoardFailed, Options
from launcher.boards.cosmos import checks, project
from launcher.env import steps


def build(out: Path, options: Options) -> None:
    """Fills the project folder, and says what is missing here."""
    for line in project.build(out, _config(options), options.tiger4, options.fsbl, options.bitstream):
        steps.say(line)


def check(options: Options) -> None:
    """Prints what was checked. Raises BoardFailed with what is wrong."""
    report = checks.check(_config(options), options.tiger4)
    for line in report.checked:
        steps.say(line)
    if report.wrong:
        raise BoardFailed(f"{len(report.wrong)} things are wrong:\n" + "\n".join(f"  {line}" for line in report.wrong))
    steps.say("nothing is wrong")


def _config(options: Options) -> str:
    return options.config or project.CONFIGS[0]


BOARD = Board(
    "cosmos",
    "Cosmos+ OpenSSD (XC7Z045): a project for Vivado, with its constraints, firmware and checks",
    build,
    check,
    configs=project.CONFIGS,
)
