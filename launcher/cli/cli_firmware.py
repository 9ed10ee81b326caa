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
from launcher.firmware import costs, images, self_test, sizes


class Action(enum.StrEnum):
    """What the command does."""

    build = "build"
    size = "size"
    test = "test"
    calibrate = "calibrate"


def firmware(
    action: Annotated[
        Action,
        typer.Argument(
            help="build: the images; size: also print what memory and stack they need; test: run the Zynq's self-test; "
            "calibrate: find out on the soc what the firmware's work takes."
        ),
    ],
    port: Annotated[
        list[str] | None,
        typer.Option(help=f"Only this port: {', '.join(p.name for p in images.ALL)}.", show_default="all of them"),
    ] = None,
    json: Annotated[Path | None, typer.Option(help="size: file for the sizes.")] = None,
    check: Annotated[
        bool, typer.Option("--check", help="calibrate: measure nothing; fail if the firmware has changed since.")
    ] = False,
    keep: Annotated[
        bool, typer.Option("--keep", help="calibrate: go by what the soc took in the last run, do not run it again.")
    ] = False,
) -> None:
    """Build the firmware's images for processors other than this machine's.

    An image is what the SoC or a board runs. `size` fails when one needs more than firmware/ports/limits.toml allows.
    The bound of the stack is the deepest path in the call graph of the image's own objects. `test` runs the self-test
    of the Zynq port (MMU, caches, vectors, timers, interrupts, watchdog, UART) in QEMU.

    `calibrate` runs starts and commands of many kinds on the device soc and on the model, which takes minutes, and
    writes firmware/ports/native/cpu_costs.json: the time of each kind of work on the devices rtl and model with
    --firmware-cpu=vexriscv. It fails when the model's time then differs from the soc's by more than 10 % in all.
    """
    for name, given in (("--check", check), ("--keep", keep)):
        if given and action != Action.calibrate:
            raise OptionError(f"{name}: only `firmware calibrate` has it")
    if check and keep:
        raise OptionError("--keep: cannot be combined with --check, which measures nothing")
    known = {one.name: one for one in images.ALL}
    unknown = [name for name in port or [] if name not in known]
    if unknown:
        raise OptionError(f"--port: '{unknown[0]}' is not one of: {', '.join(known)}")
    if json is not None:
        if action != Action.size:
            raise OptionError("--json: only `firmware size` has figures")
        check_file("--json", json)
    if action == Action.calibrate:
        if port:
            raise OptionError("--port: `firmware calibrate` runs the image for the soc")
        _calibrate(check, keep)
        return
    if action == Action.test and port not in (None, [], [images.ZYNQ.name]):
        raise OptionError(f"--port: only {images.ZYNQ.name} has a self-test")
    chosen = tuple(known[name] for name in dict.fromkeys(port or known))
    if action == Action.test:
        chosen = (images.ZYNQ,)
    setup.ensure_tools().activate()
    images.build(chosen)
    if action == Action.build:
        for one in chosen:
            print("built: " + ", ".join(str(one.elf(image)) for image in one.images))
        return
    if action == Action.test:
        outcome = self_test.run(images.ZYNQ.elf(images.ZYNQ_SELF_TEST))
        print("\n".join(outcome.lines))
        if outcome.wrong:
            print(f"openremap: {outcome.wrong}", file=sys.stderr)
            raise typer.Exit(1)
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


def _calibrate(check: bool, keep: bool) -> None:
    if check:
        if costs.is_stale(costs.read_table()):
            print(f"openremap: {costs.TABLE.name} was made with another firmware", file=sys.stderr)
            raise typer.Exit(1)
        print(f"{costs.TABLE.name} was made with this firmware")
        return
    setup.ensure_tools().activate()
    found = costs.calibrate(keep)
    Console(highlight=False).print(costs.table(found))
    if wrong := costs.too_far(found):
        print(f"openremap: {wrong}", file=sys.stderr)
        raise typer.Exit(1)
