# SPDX-License-Identifier: Apache-2.0
"""The command `./openremap firmware`."""

from __future__ import annotations

import enum
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from launcher.bench.bench_options import OptionError, check_file
from launcher.cli import documents
from launcher.env import setup
from launcher.firmware import images, sizes


class Action(enum.StrEnum):
    """What the command does."""

    build = "build"
    size = "size"


def firmware(
    action: Annotated[
        Action, typer.Argument(help="build: the images; size: build them, and print what memory and stack they need.")
    ],
    port: Annotated[
        list[str] | None,
        typer.Option(help=f"Only this port: {', '.join(p.name for p in images.ALL)}.", show_default="all of them"),
    ] = None,
    json: Annotated[Path | None, typer.Option(help="size: file for the sizes.")] = None,
) -> None:
    """Build the firmware's images for processors other than this machine's.

    An image is what the SoC or a board runs. `size` fails when one needs more than firmware/ports/limits.toml allows.
    The bound of the stack is the deepest path in the call graph of the image's own objects.
    """
    known = {one.name: one for one in images.ALL}
    unknown = [name for name in port or [] if name not in known]
    if unknown:
        raise OptionError(f"--port: '{unknown[0]}' is not one of: {', '.join(known)}")
    if json is not None:
        if action != Action.size:
            raise OptionError("--json: only `firmware size` has figures")
        check_file("--json", json)
    chosen = tuple(known[name] for name in dict.fromkeys(port or known))
    setup.ensure_tools().activate()
    images.build(chosen)
    if action == Action.build:
        for one in chosen:
            print("built: " + ", ".join(str(one.elf(image)) for image in one.images))
        return
    found = sizes.measure(chosen)
    if json is not None:
        documents.write(sizes.document(found), json)
    Console(highlight=False).print(sizes.table(found))
    beyond = [line for one in found for line in one.beyond]
    for line in beyond:
        print(f"openremap: {line}", file=sys.stderr)
    if beyond:
        raise typer.Exit(1)
