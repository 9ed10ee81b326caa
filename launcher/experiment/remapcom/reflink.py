# SPDX-License-Identifier: Apache-2.0
"""The alternative without a remapping device: the experiment's uniform puts on XFS with reflinks.

Each run has its own file system, in a file below the experiment's folder, on a loop device that nothing else writes to.
So the bytes that Linux counts for that device are the run's.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from launcher.bench import bench
from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import MIB
from launcher.cli import documents
from launcher.env import leveldb_packages, setup, steps
from launcher.experiment.remapcom import cases as device
from launcher.experiment.remapcom.cases import MODES, VARIANTS
from launcher.experiment.remapcom.measures import host_saved, saved, space
from launcher.experiment.runner import provenance, store
from launcher.experiment.runner.description import Case, Elsewhere, Scale, Variant
from launcher.experiment.runner.parts import Table
from launcher.experiment.runner.quantities import Results
from launcher.experiment.runner.task import Changed, unchanged
from launcher.guest import xfs_image

NAME = "reflinks"
FIGURE = "reflink"
_PUTS = "fillrandom"  # the figure with the same puts on the device
_KV_SIZES = {Scale.small: ("1KB",), Scale.medium: ("1KB", "4KB"), Scale.full: ("256B", "1KB", "4KB")}
_LOOP = "block device 7:"  # the bytes must be counted at a loop device, which has major number 7


def cases(scale: Scale) -> list[Case]:
    """The cases: the same puts and database sizes as on the device."""
    return [
        Case(FIGURE, case.name, replace(case.options, superblocks=0, geometry=""))
        for case in device.cases(scale)
        if case.figure == _PUTS and case.name in _KV_SIZES[scale]
    ]


def image_bytes(case: Case) -> int:
    """Size of a file system that fits every mode.

    `retain` takes up to three times the data, and a compaction needs both its inputs and its outputs.
    """
    options = case.options
    return 4 * options.num * (options.key_size + options.value_size) + 512 * MIB


def one_line(error: Exception) -> str:
    """An error for the report. For a failed step, includes the last line of its log, which usually has the reason."""
    first, *others = str(error).splitlines() or [type(error).__name__]
    return f"{first} {others[-1].strip()}" if others and isinstance(error, steps.StepFailed) else first


def why_not(scratch: Path, needed: int) -> str:
    """One line that says why nothing can run on this machine; empty if it can."""
    scratch.mkdir(parents=True, exist_ok=True)
    try:
        xfs_image.require_namespace()
        free = shutil.disk_usage(scratch).free
        if free < needed:
            return f"an image may grow to {needed // MIB} MiB, and {free // MIB} MiB are free"
        xfs_image.require_mount(leveldb_packages.ensure(), scratch)
    except (xfs_image.CannotMount, setup.SetupError, steps.StepFailed, OSError) as error:
        return one_line(error)
    return ""


def run(wanted: list[Case], folder: Path, command: list[str], say: Callable[[str], None]) -> Elsewhere:
    """Runs the cases one after the other. Finished runs are not repeated. A run that fails leaves the others alone;
    BenchFailed tells of it after them."""
    runs = folder / "runs"
    runs.mkdir(parents=True, exist_ok=True)

    def todo(case: Case) -> list[Mode]:
        return [v.mode for v in VARIANTS if store.finished(runs / case.file(v.name), case, v) is None]

    total = len(wanted) * len(MODES)
    done = total - sum(len(todo(case)) for case in wanted)
    say(f"{total} runs over reflinks, {done} of them finished before")
    stamp = provenance.stamp(command) | {"machine": provenance.machine()}
    scratch = folder / "scratch" / FIGURE
    reason = why_not(scratch, max(image_bytes(case) for case in wanted)) if done < total else ""
    if reason:
        say(f"not run over reflinks: {reason}")
    failures: list[str] = []
    for case in [] if reason else wanted:
        for mode in todo(case):
            try:
                with unchanged(command, stamp["program"]):
                    result = _one(case, mode, command, scratch)
            except Changed as error:
                raise bench.BenchFailed(str(error)) from error
            except bench.BenchFailed as error:
                failures.append(f"{case.figure} {case.name}, {error}")
                say(f"failed: {failures[-1]}")
                continue
            documents.write(provenance.stamped(result, stamp), runs / case.file(mode))
            done += 1
            saving = f"{result['host_bytes'] / result['user_bytes']:.2f} x the user's bytes"
            say(f"{done}/{total} {case.figure} {case.name} {mode}: {saving}, {result['wall_seconds']:.0f} s")
    if failures:
        raise bench.BenchFailed("\n".join(failures))
    return Elsewhere(gather(wanted, folder), reason)


def gather(wanted: list[Case], folder: Path) -> Results:
    """Results of the cases that are finished in all modes, under the names of the cases on the device."""
    found = store.gather(wanted, VARIANTS, folder)
    return {f"{_PUTS}-{case.name}": found[key] for case in wanted if (key := f"{FIGURE}-{case.name}") in found}


def report(wanted: list[Case], folder: Path, failed: Exception | None = None) -> Elsewhere:
    """Returns the finished cases without running anything."""
    results = gather(wanted, folder)
    if failed is not None:
        return Elsewhere(results, one_line(failed))
    return Elsewhere(results, "" if len(results) == len(wanted) else "this is a report of what had been run")


class Reflinks:
    """The place of the experiment's description."""

    name = NAME
    variants: tuple[Variant, ...] = VARIANTS

    def cases(self, scale: Scale) -> list[Case]:
        return cases(scale)

    def run(self, wanted: list[Case], folder: Path, command: list[str], say: Callable[[str], None]) -> Elsewhere:
        return run(wanted, folder, command, say)

    def report(self, wanted: list[Case], folder: Path, failed: Exception | None = None) -> Elsewhere:
        return report(wanted, folder, failed)


def _one(case: Case, mode: Mode, command: list[str], scratch: Path) -> dict[str, Any]:
    mounted, image = scratch / "mounted", scratch / "xfs"
    mounted.mkdir(parents=True, exist_ok=True)
    options = replace(case.options, reflink=mounted)
    try:
        xfs_image.make(leveldb_packages.ensure(), image, image_bytes(case))
        prefix = xfs_image.prefix(image, mounted)
        result = bench.run_one(options, mode, [*prefix, *command], scratch, lambda *_: None, threading.Event())
    finally:
        image.unlink(missing_ok=True)
    counted = result["geometry"].get("counted", "nowhere")
    if not counted.startswith(_LOOP):
        raise bench.BenchFailed(f"mode {mode}: bytes over reflinks were counted at {counted}, not at the loop device")
    return result | {"device": "reflink"}  # without the folder: it is temporary, and results may be published


def table(reflinks: Elsewhere, of_puts: Results) -> Table:
    """The table of savings, over reflinks and on the device with the same puts: head and rows."""
    head = ["KV", "mode", "host bytes / user bytes", "host bytes saved", "space", "pages shared, calls"]
    head += ["on the device: host bytes saved", "NAND bytes saved", "space"]
    rows = []
    for name, runs in reflinks.results.items():
        for mode, run in runs.items():
            of_device = ["-"] * 3
            if name in of_puts:
                there = of_puts[name]
                of_device = [f"{figure(there, mode):{sign}.1f} %" for figure, sign in _OF_DEVICE]
            rows.append(
                [
                    name.removeprefix(f"{_PUTS}-"),
                    str(mode),
                    f"{run['host_bytes'] / run['user_bytes']:.2f}",
                    f"{host_saved(runs, mode):.1f} %",
                    f"{space(runs, mode):+.1f} %",
                    f"{run['remapped_pages']:,}, {run['remap_commands']:,}",
                    *of_device,
                ]
            )
    return head, rows


_OF_DEVICE = ((host_saved, ""), (saved, ""), (space, "+"))
