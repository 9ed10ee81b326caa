# SPDX-License-Identifier: Apache-2.0
"""The command ./openremap ioreplay."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from launcher.bench import ioreplay as replaying
from launcher.env import build as builder
from launcher.env import setup

_DEFAULT = replaying.Options()


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
    chunk: Annotated[
        int | None,
        typer.Option(
            help=f"Records of a trace before it is the next one's turn. [{replaying.CHUNK}]", show_default="64"
        ),
    ] = _DEFAULT.chunk,
    split: Annotated[
        int | None,
        typer.Option(
            help=f"Pages: longer records are cut before they are merged. [{replaying.SPLIT}]", show_default="0: none"
        ),
    ] = _DEFAULT.split,
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
    superblocks: Annotated[
        int | None, typer.Option(help="Superblocks of the simulated flash in use.", show_default="all")
    ] = _DEFAULT.superblocks,
    over_provisioning: Annotated[
        int | None,
        typer.Option(
            help=f"Percentage of the flash that the namespace does not offer. [{replaying.OVER_PROVISIONING}]",
            show_default="the device's",
        ),
    ] = _DEFAULT.over_provisioning,
    placement_handles: Annotated[
        int | None,
        typer.Option(
            help=f"Placement handles of the namespace. [{replaying.HANDLES}]", show_default="as many as cost it nothing"
        ),
    ] = _DEFAULT.placement_handles,
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
        placement=placement,
        deallocate=deallocate,
        geometry=geometry,
        superblocks=superblocks,
        over_provisioning=over_provisioning,
        placement_handles=placement_handles,
        read_back=read_back,
        json=json,
    )
    replaying.arguments(options)
    setup.ensure_tools().activate()
    builder.everything((replaying.PROGRAM,))
    raise typer.Exit(replaying.run(options))
