# SPDX-License-Identifier: Apache-2.0
"""The folder of an experiment's results: one file a run, named by case and variant, which is never run again.

A run's address is a digest of what decides its result, so two cases that ask for the same are run once.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from launcher.bench import bench, bench_description, bench_options
from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import BenchOptions
from launcher.cli import documents
from launcher.experiment.runner.description import Case, Experiment, Scale, Variant
from launcher.experiment.runner.quantities import Results

MARK = "experiment.json"


class OtherExperiment(bench_options.OptionError):
    """The folder has the results of another experiment."""


def check_mark(folder: Path, experiment: Experiment, scale: Scale) -> dict[str, Any]:
    """Returns the mark of this scale. Raises OtherExperiment if the folder has another mark; no mark is fine."""
    wanted = {"paper": experiment.name, "scale": scale.value, "seed": experiment.seed}
    try:
        there = json.loads((folder / MARK).read_text())
    except FileNotFoundError:
        there = wanted
    except OSError as error:
        raise OtherExperiment(f"--out: {folder / MARK} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError):
        there = None
    if there != wanted:
        raise OtherExperiment(f"--out: {folder} holds another experiment's results; name a new folder")
    return wanted


def mark(folder: Path, experiment: Experiment, scale: Scale) -> None:
    """Creates the folder if needed and marks it with this scale. Raises OtherExperiment if it has another mark."""
    documents.write(check_mark(folder, experiment, scale), folder / MARK)


# What names files, and says nothing of the result.
_FILES = {"--json", "--image-dir", "--reserve-image", "--trace-file", "--trace", "--trace-pages"}


def _defaults() -> dict[str, str]:
    """db_bench's defaults by option, as its command line has them."""
    found = {}
    for name, option in bench_description.OPTIONS.items():
        default = option.number.default if option.number is not None else option.default
        found[f"--{name}"] = "" if default is None else str(default)
    return found


def address(options: BenchOptions, mode: Mode) -> str:
    """The content address of a run on a device: a digest of db_bench's arguments.

    Arguments at their default do not count, so that a new option of db_bench leaves the addresses as they were. Neither
    does the program: a result names its commit, and an experiment goes on where it ended.
    """
    defaults = _defaults()
    given = [argument.split("=", 1) for argument in options.arguments(mode, Path("result"))]
    decides = sorted((flag, value) for flag, value in given if flag not in _FILES and value != defaults.get(flag, ""))
    return hashlib.sha256(json.dumps(["db_bench", decides]).encode()).hexdigest()


def finished(path: Path, case: Case, variant: Variant) -> dict[str, Any] | None:
    """The result of a run, or None if there is no complete one of the current case."""
    try:
        run = bench.check(json.loads(path.read_text()), variant.mode)
    except (OSError, ValueError, RecursionError, bench.BenchFailed):
        return None
    options = variant.options(case)
    if run.get("address", address(options, variant.mode)) != address(options, variant.mode):
        return None
    return run if _is_of(run, options, variant.mode) else None


# The parameters that make results comparable, also of results without an address. Tuning parameters of the modes are
# not among them: a result names its commit, which tells its defaults.
_DECIDING = (
    "num",
    "key_size",
    "value_size",
    "value_size_max",
    "write_buffer",
    "max_file_size",
    "level1_bytes",
    "level_ratio",
)


def _is_of(run: dict[str, Any], options: BenchOptions, mode: Mode) -> bool:
    """Whether a result has the puts and the flash of these options."""
    parameters, geometry = run.get("parameters"), run["geometry"]
    if not isinstance(parameters, dict) or not isinstance(geometry, dict):
        return False
    wanted = {name: getattr(options, name) for name in _DECIDING} | {"operations": options.operations or options.num}
    if {name: parameters.get(name) for name in wanted} != wanted:
        return False
    if (run["workload"], run["mode"], run["seed"]) != (options.workload, mode, options.seed):
        return False
    if not options.geometry:
        return True
    channels, dies, blocks, pages, *_ = map(int, options.geometry.split("x"))
    flash = {"channels": channels, "dies": channels * dies, "superblocks": blocks, "pages_per_block": pages}
    return {name: geometry.get(name) for name in flash} == flash


def gather(wanted: Iterable[Case], variants: tuple[Variant, ...], folder: Path) -> Results:
    """Results of the cases that are finished in all variants, by case and variant."""
    results: Results = {}
    for case in wanted:
        runs = {
            variant.name: finished(folder / "runs" / case.file(variant.name), case, variant) for variant in variants
        }
        whole = {name: run for name, run in runs.items() if run is not None}
        if len(whole) == len(variants):
            results[case.key] = whole
    return results
