# SPDX-License-Identifier: Apache-2.0
"""`./openremap precondition`: brings a device to a steady state (SNIA PTS) with openremap-cli."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.table import Table

from launcher.bench import flash_options
from launcher.bench.bench_options import LIMITS, Device, OptionError, check_file
from launcher.bench.followed import parse_progress
from launcher.env import progress, steps
from launcher.env.paths import BUILD, RELEASE

PROGRAM = "openremap-cli"  # also the CMake target
_WA = "wa_round_"  # members of its result, with the number of the round
_BAD_OPTION = 2


@dataclass(frozen=True)
class PreconditionOptions:
    """One call of `precondition`. 0 and empty: as the device has it."""

    image: Path | None = None  # folder of the device; None: in memory
    device: Device = Device.model
    geometry: str = ""
    superblocks: int = 0
    over_provisioning: int = 0
    placement_handles: int = 0
    seed: int = 1
    json: Path = BUILD / "precondition" / "precondition.json"
    yes: bool = False  # to lose what an image holds

    def arguments(self) -> list[str]:
        """openremap-cli's command line."""
        given = {
            "--image": self.image or "",
            "--geometry": self.geometry,
            "--superblocks": self.superblocks or "",
            "--over-provisioning": self.over_provisioning or "",
            "--placement-handles": self.placement_handles or "",
        }
        device = [f"--device={self.device}", *(f"{flag}={value}" for flag, value in given.items() if value)]
        return [*device, "--json", "precondition", "--yes", "--progress", f"--seed={self.seed}"]


class PreconditionFailed(Exception):  # noqa: N818 - reads as what happened
    """The device failed, or did not become steady; the message says which.

    `document`: the rounds of a device that did not become steady.
    """

    def __init__(self, text: str, document: dict[str, Any] | None = None) -> None:
        super().__init__(text)
        self.document = document


def check(options: PreconditionOptions) -> None:
    """Raises OptionError for an option that is wrong."""
    for name in ("over_provisioning", "placement_handles", "seed"):
        LIMITS[name].check("--" + name.replace("_", "-"), getattr(options, name))
    if options.geometry:
        if options.device != Device.model:
            raise OptionError(f"--geometry: the flash of {options.device} is fixed when it is built")
        if wrong := flash_options.wrong_geometry(options.geometry):
            raise OptionError(f"--geometry: {wrong}")
    elif options.superblocks:
        LIMITS["superblocks"].check("--superblocks", options.superblocks)
    if options.image and options.image.exists() and not options.image.is_dir():
        raise OptionError(f"--image: {options.image} is not a folder")
    if options.image and not options.yes and options.image.exists() and any(options.image.iterdir()):
        raise OptionError(f"--image: {options.image} is not empty, and all data on the device is lost; say --yes")
    check_file("--json", options.json)


def run(options: PreconditionOptions, command: list[str] | None = None) -> dict[str, Any]:
    """Runs openremap-cli, or what stands in for it, and returns the result document.

    Raises OptionError for what only the device knows to be wrong, PreconditionFailed for what else fails.
    """
    if options.image:
        options.image.mkdir(parents=True, exist_ok=True)
    child = subprocess.Popen(
        [*(command or [str(RELEASE / "bin" / PROGRAM)]), *options.arguments()],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | progress.EVERY,
        text=True,
    )
    assert child.stdout is not None and child.stderr is not None
    said = _follow(child)
    output, code = child.stdout.read(), child.wait()
    last = said[-1].removeprefix(f"{PROGRAM}: ") if said else steps.exit_text(code)
    if code == _BAD_OPTION:
        raise OptionError(last)
    if code != 0:
        raise PreconditionFailed(last, parse(options, output) if output else None)
    return parse(options, output)


def _follow(child: subprocess.Popen[str]) -> list[str]:
    """Shows progress until the program closes its standard error; returns the other lines."""
    said, rhythm, drawn = [], progress.Rhythm(), False
    redraws = progress.redraws(sys.stderr)
    assert child.stderr is not None
    for line in child.stderr:
        step = parse_progress(line)
        if step is None:
            said.append(line.rstrip())
            continue
        done, pages, phase = step
        text = f"precondition: {phase}, {100 * done // pages if pages else 100} % of {pages} pages"
        if redraws:
            progress.redraw(sys.stderr, text, shutil.get_terminal_size().columns)
            drawn = True
        elif rhythm.due():
            print(text, file=sys.stderr, flush=True)
    if drawn:
        progress.clear(sys.stderr)
    return said


def parse(options: PreconditionOptions, output: str) -> dict[str, Any]:
    """The result document from openremap-cli's JSON."""
    try:
        result = json.loads(output)
        pages, steady = int(result["pages"]), bool(result["steady"])
        names = [name for name in result if name.startswith(_WA)]
        rounds = [float(result[f"{_WA}{number}"]) for number in range(1, len(names) + 1)]
    except (ValueError, KeyError, TypeError) as error:
        raise PreconditionFailed(f"{PROGRAM} printed no result: {error}") from error
    return {
        "device": str(options.device),
        "image": str(options.image) if options.image else None,
        "pages": pages,
        "seed": options.seed,
        "wa_of_rounds": rounds,
        "steady": steady,
    }


def table(document: dict[str, Any]) -> RenderableType:
    """One row for each random round."""
    place = document["image"] or "memory"
    grid = Table(title=f"{document['device']} in {place}: rounds of {document['pages']:,} pages", title_justify="left")
    grid.add_column("random round", justify="right")
    grid.add_column("write amplification", justify="right")
    for number, wa in enumerate(document["wa_of_rounds"], 1):
        grid.add_row(str(number), f"{wa:.3f}")
    return grid
