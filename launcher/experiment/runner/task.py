# SPDX-License-Identifier: Apache-2.0
"""One run of db_bench, on the machine of a worker."""

from __future__ import annotations

import shutil
import tempfile
import threading
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from launcher.bench import bench
from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import BenchOptions
from launcher.env.paths import BUILD
from launcher.experiment.runner import provenance
from launcher.experiment.runner.description import is_too_large_for_memory
from launcher.spread.work import Again


def run_case(
    options: BenchOptions, mode: Mode, command: tuple[str, ...], log: Path | None, stop: threading.Event
) -> dict[str, Any]:
    """The result of a run, and its machine. An empty command is this tree's db_bench.

    Images lie beside `log` (None: in the build folder), in a folder of this attempt: a run whose worker was lost may
    still be ending. What db_bench said stays there only.
    """
    below = log.parent if log else BUILD / "experiment" / "scratch"
    below.mkdir(parents=True, exist_ok=True)
    own = Path(tempfile.mkdtemp(prefix=f"{mode}-", dir=below))
    if is_too_large_for_memory(options):
        options = replace(options, image_dir=own / "images")
    given = list(command) or [str(bench.program())]
    try:
        result = bench.run_one(options, mode, given, own, lambda *_: None, stop)
    except bench.BenchKilled as error:
        raise Again(str(error)) from None
    finally:
        if log:
            with suppress(FileNotFoundError):
                (own / f"{mode}.log").replace(log)
        shutil.rmtree(own, ignore_errors=True)
    return result | {"machine": provenance.machine()}
