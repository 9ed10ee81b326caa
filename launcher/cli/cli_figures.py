# SPDX-License-Identifier: Apache-2.0
"""The command `./openremap figures`."""

from __future__ import annotations

import json as json_text
from typing import Annotated

import typer

from launcher.bench.bench_options import OptionError
from launcher.env import build as builder
from launcher.env import setup, steps
from launcher.figures import entries
from launcher.figures import figures as measured


def figures(
    names: Annotated[
        list[str] | None, typer.Argument(help="Figures to list or to refresh.", show_default="all of them")
    ] = None,
    stale: Annotated[
        bool, typer.Option("--stale", help="Only those whose sources have changed since they were measured.")
    ] = False,
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Measure the named figures again; write records and pages.")
    ] = False,
    by_hand: Annotated[
        bool,
        typer.Option(
            "--by-hand", help="Record what the pages say as measured now, of named figures that no command prints."
        ),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
) -> None:
    """List the measured figures of the documentation, or measure some again.

    Lists each figure with the commit that it was measured at, its age, whether its sources have changed since, and the
    command that measures it. docs/figures describes them.
    """
    known = entries.read_figures()
    unknown = [name for name in names or [] if name not in known]
    if unknown:
        raise OptionError(f"no figure '{unknown[0]}'; ./openremap figures lists them")
    if (refresh or by_hand) and not names and not (refresh and stale):
        raise OptionError("name the figures, or give --refresh --stale")
    if refresh and by_hand:
        raise OptionError("--refresh and --by-hand exclude each other")
    if by_hand:
        for name in names or []:
            measured.by_hand(known[name])
        return
    if refresh:
        wanted = names or [status.figure.name for status in measured.statuses() if measured.can_be_refreshed(status)]
        setup.ensure_tools().activate()
        programs = tuple(dict.fromkeys(program for name in wanted for program in known[name].programs))
        if programs:
            commands = [command for name in wanted for command in known[name].commands.values()]
            builder.everything(programs, with_soc=any("soc" in command.split() for command in commands))
        for name in wanted:
            with steps.Ticker(f"measuring {name} (usually {known[name].takes})"):
                changed = measured.refresh(known[name])
            print(f"{name}: " + (f"new text of {', '.join(changed)}" if changed else "as it was"))
        return
    found = [s for s in measured.statuses() if (not names or s.figure.name in names) and (s.stale or not stale)]
    if json:
        print(json_text.dumps(measured.document(found), indent=2))
    else:
        print("\n".join(measured.lines(found, all_commands=bool(names))))
