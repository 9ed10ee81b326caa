# SPDX-License-Identifier: Apache-2.0
"""The command `./openremap board`."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated

import typer

from launcher.bench.bench_options import OptionError
from launcher.boards import BOARDS, Options
from launcher.env import setup
from launcher.env.paths import BUILD
from launcher.hw.synth import MINUTES, SEED


class Action(enum.StrEnum):
    """What the command does."""

    build = "build"
    list = "list"


def board(
    action: Annotated[Action, typer.Argument(help="build: all that can be made for the board; list: the boards.")],
    name: Annotated[str | None, typer.Argument(metavar="BOARD", help=f"One of: {', '.join(BOARDS)}.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the results.", show_default="boards/BOARD in the build folder")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only what takes seconds: generate the project, and check it.")
    ] = False,
    area_only: Annotated[bool, typer.Option("--area-only", help="No place and route.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of the placement.")] = Options.seed,
    minutes: Annotated[int, typer.Option(help="Time limit of place and route.")] = Options.minutes,
) -> None:
    """Make what a board needs: a bitstream where open tools can, else the project for the vendor's tools.

    A step runs again only when its input has changed. Place and route of a whole board takes an hour or more.
    """
    if action == Action.list:
        for entry in BOARDS.values():
            print(f"{entry.name:8} {entry.about}")
        return
    if name not in BOARDS:
        what = f"unknown board '{name}'" if name else "no board named"
        raise OptionError(f"{what}; the boards are {', '.join(BOARDS)}")
    SEED.check("--seed", seed)
    MINUTES.check("--minutes", minutes)
    setup.ensure_tools().activate()
    options = Options(dry_run=dry_run, area_only=area_only, seed=seed, minutes=minutes)
    BOARDS[name].build((out or BUILD / "boards" / name).resolve(), options)
