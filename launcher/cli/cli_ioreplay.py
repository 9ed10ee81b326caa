# SPDX-License-Identifier: Apache-2.0
"""The command ./openremap ioreplay."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from launcher.bench import ioreplay as replaying
from launcher.env import build as builder
from launcher.env import setup

_DEFAULT = replaying.Options()


def _number(name: str) -> Any:
    """An option with the help and range of the program."""
    return typer.Option(help=replaying.help_text(name))


def ioreplay(
    traces: Annotated[
        list[Path], typer.Argument(metavar="TRACE...", help="Files of traces, of `db_bench --trace-pages`.")
    ],
    device: Annotated[
        replaying.Target,
        typer.Option(
            help="model: the fast C++ model; rtl: the Verilated controller; soc: that with a CPU that runs the "
            "firmware; hdd: a disk that streams and seeks (a cost "
            "model); hybrid: an FTL with a hybrid mapping after FASTer (a model that counts)."
        ),
    ] = _DEFAULT.device,
    chunk: Annotated[int, _number("chunk")] = _DEFAULT.chunk,
    split: Annotated[int, _number("split")] = _DEFAULT.split,
    whole: Annotated[int, _number("whole")] = _DEFAULT.whole,
    window: Annotated[int, _number("window")] = _DEFAULT.window,
    side: Annotated[
        str,
        typer.Option(
            help="Kinds of files that lie on a side device, which is not replayed, as a list: log, other (manifest, "
            "CURRENT, info log), metadata (of the file system)."
        ),
    ] = "",
    placement: Annotated[
        replaying.Placement,
        typer.Option(help="Placement handles of the writes: the recorded ones; one for each trace; none."),
    ] = _DEFAULT.placement,
    deallocate: Annotated[
        replaying.Switch, typer.Option(help="off: Deallocate commands are left out.")
    ] = _DEFAULT.deallocate,
    geometry: Annotated[
        str, typer.Option(help="Flash of the model, CHANNELSxDIESxBLOCKSxPAGES[xSLOTS].")
    ] = _DEFAULT.geometry,
    superblocks: Annotated[int, _number("superblocks")] = _DEFAULT.superblocks,
    fill: Annotated[int, _number("fill")] = _DEFAULT.fill,
    over_provisioning: Annotated[int, _number("over_provisioning")] = _DEFAULT.over_provisioning,
    placement_handles: Annotated[int, _number("placement_handles")] = _DEFAULT.placement_handles,
    image_dir: Annotated[
        Path | None,
        typer.Option(
            help="Keep the flash and NVRAM images of the simulated device in this folder. Images that are there, as "
            "`precondition --image` leaves them, are used and changed."
        ),
    ] = _DEFAULT.image_dir,
    precondition: Annotated[
        bool,
        typer.Option(
            "--precondition",
            help="Bring the simulated device to a steady state first (SNIA PTS). What that costs is in no figure.",
        ),
    ] = _DEFAULT.precondition,
    seed: Annotated[int, _number("seed")] = _DEFAULT.seed,
    hybrid_block: Annotated[int, _number("hybrid_block")] = _DEFAULT.hybrid_block,
    hybrid_log: Annotated[int, _number("hybrid_log")] = _DEFAULT.hybrid_log,
    read_back: Annotated[
        bool, typer.Option("--read-back/--no-read-back", help="Read and compare all pages at the end.")
    ] = _DEFAULT.read_back,
    json: Annotated[
        Path | None, typer.Option(help="File for the results as JSON; -: standard output, instead of the text.")
    ] = _DEFAULT.json,
) -> None:
    """Replay traces of pages onto a device, a disk or another FTL.

    Several traces are merged as if their writers shared the device. Contents are stamps, which are compared whenever a
    page is read. The exit code is 1 for wrong contents, a damaged trace or a failing device. The program
    build/release/bin/ioreplay has more options.
    """
    options = replaying.Options(
        traces=tuple(traces),
        device=device,
        chunk=chunk,
        split=split,
        whole=whole,
        window=window,
        side=replaying.parse_side(side),
        placement=placement,
        deallocate=deallocate,
        geometry=geometry,
        superblocks=superblocks,
        fill=fill,
        over_provisioning=over_provisioning,
        placement_handles=placement_handles,
        image_dir=image_dir,
        precondition=precondition,
        seed=seed,
        hybrid_block=hybrid_block,
        hybrid_log=hybrid_log,
        read_back=read_back,
        json=json,
    )
    replaying.arguments(options)
    setup.ensure_tools().activate()
    builder.everything((replaying.PROGRAM,), with_soc=device is replaying.Target.soc)
    raise typer.Exit(replaying.run(options))
