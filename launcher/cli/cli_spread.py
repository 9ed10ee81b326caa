# SPDX-License-Identifier: Apache-2.0
"""Commands of ./openremap that make a cluster: scheduler and worker; and the options of those that use one."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from launcher.bench.bench_options import Limit, OptionError
from launcher.env import setup, steps
from launcher.spread import cluster, seeds
from launcher.spread.cluster import Where

PORT = 8786  # Dask's own
_JOBS = Limit(1, 1024)  # of one machine
_PORTS = Limit(0, 65535)
_MEMORY = Limit(1, 1 << 20)  # GiB

Jobs = Annotated[
    int | None,
    typer.Option(
        help=f"Number of runs in parallel on this machine, as far as memory allows. [{_JOBS}]",
        show_default="the number of cores",
    ),
]
Seeds = Annotated[
    int,
    typer.Option(help=f"Number of seeds, from --seed on. Several run side by side. [{seeds.SEEDS}]"),
]
Scheduler = Annotated[
    str,
    typer.Option(
        help="Run on the workers of this scheduler instead (tcp://HOST:PORT, tls://HOST:PORT; see the commands "
        "`scheduler` and `worker`). They must have the same build."
    ),
]
Tls = Annotated[
    Path | None,
    typer.Option(help=f"Folder with the certificates of a scheduler of tls://: {', '.join(cluster.TLS_FILES)}."),
]


# What a device takes from its environment where no option says it (sim/device/pcie_device.cc).
_OF_DEVICES = ("OPENREMAP_FW_CPU", "OPENREMAP_FW_CACHE", "OPENREMAP_FIRMWARE")


def forget_devices(say: Callable[[str], None]) -> None:
    """Takes what devices read from this process's environment: results would not be of what their options say."""
    for name in _OF_DEVICES:
        if os.environ.pop(name, None) is not None:
            say(f"{name} is left out: options say what the device is")


def cores() -> int:
    return min(_JOBS.high, len(os.sched_getaffinity(0)))


def where(jobs: int | None, scheduler: str, tls: Path | None) -> Where:
    """Where to run, after a check of the options."""
    if jobs is not None:
        _JOBS.check("--jobs", jobs)
        if scheduler:
            raise OptionError("--jobs: not with --scheduler, whose workers have their own")
    chosen = Where(jobs if jobs is not None else cores(), scheduler, tls)
    cluster.check(chosen)
    return chosen


def seeds_from(
    first: int, count: int, jobs: int | None, scheduler: str, tls: Path | None, devices: bool = True
) -> seeds.Seeds:
    """The seeds and where they run, after a check of the options. `devices`: the program makes one."""
    given = [name for name in _OF_DEVICES if name in os.environ]
    if devices and scheduler and given:
        raise OptionError(f"--scheduler: its workers do not see {' and '.join(given)} of this environment")
    chosen = seeds.Seeds(first, count, where(jobs, scheduler, tls))
    chosen.check()
    return chosen


def scheduler(
    host: Annotated[str, typer.Option(help="Address to listen at. Beyond loopback it takes --tls.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help=f"Port to listen at; 0: any that is free. [{_PORTS}]")] = PORT,
    tls: Tls = None,
) -> None:
    """Let workers and commands meet, for runs on several machines.

    A scheduler has its workers execute code of whoever reaches it: keep it on this machine, or use certificates. It
    prints its address, which the option --scheduler and the command `worker` take, and runs until it is interrupted.
    """
    _PORTS.check("--port", port)
    cluster.check_tls(tls)
    if tls is None and not cluster.is_loopback(host):
        raise OptionError(
            f"--host: {host} is not loopback, and a scheduler executes code of whoever reaches it: use --tls"
        )
    setup.ensure_tools().activate()
    cluster.serve_scheduler(host, port, tls, lambda address: print(address, flush=True))


def worker(
    address: Annotated[str, typer.Argument(help="Address that the scheduler printed.")],
    jobs: Annotated[
        int | None,
        typer.Option(help=f"Number of runs in parallel. [{_JOBS}]", show_default="the number of cores"),
    ] = None,
    memory: Annotated[
        int | None,
        typer.Option(
            help=f"Memory for the flash of its runs, in GiB. [{_MEMORY}]", show_default="most of what is free"
        ),
    ] = None,
    tls: Tls = None,
) -> None:
    """Do the runs of other commands on this machine.

    Needs what `build` makes, of the same sources: commands refuse a worker whose programs differ from theirs. Runs
    until the scheduler ends or it is interrupted; runs under way end with it, and others do them again.
    """
    chosen = cores() if jobs is None else jobs
    _JOBS.check("--jobs", chosen)
    if memory is not None:
        _MEMORY.check("--memory", memory)
    cluster.check_address("ADDRESS", address, tls)
    forget_devices(steps.say)
    setup.ensure_tools().activate()
    given = (memory or 0) << 30
    cluster.serve_worker(address, chosen, given, tls, lambda own: print(own, flush=True))
