# SPDX-License-Identifier: Apache-2.0
"""The folder of an experiment's results: one file a run, named by case and variant, which is never run again.

A run's address is a digest of what decides its result, so two cases that ask for the same are run once.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from launcher.bench import bench, bench_description, bench_options, ioreplay
from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import BenchOptions
from launcher.cli import documents
from launcher.env.paths import ROOT
from launcher.experiment.runner.baseline import BASELINE, REPLAY_BASELINE
from launcher.experiment.runner.description import Case, Experiment, Scale, Variant
from launcher.experiment.runner.quantities import Results
from launcher.experiment.runner.steps import Bench, Replay, Run
from launcher.firmware import images
from launcher.hw import facts

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


def lock(folder: Path) -> int | None:
    """A descriptor that holds the folder's lock; None if another process or thread has it, or the folder is gone."""
    try:
        held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return None
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if folder.exists():
            return held
    except OSError:
        pass
    os.close(held)
    return None


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keeps other commands out of the folder, which must be there. Raises OptionError if one has it."""
    held = lock(folder)
    if held is None:
        raise bench_options.OptionError(f"--out: another command runs in {folder}")
    try:
        yield
    finally:
        os.close(held)


# What names files, and says nothing of the result.
_FILES = {"--json", "--image-dir", "--reserve-image", "--trace-file", "--trace", "--trace-pages"}


def _default(option: bench_description.Option) -> str:
    """As db_bench's command line has it."""
    default = option.number.default if option.number is not None else option.default
    return "" if default is None else str(default)


def _below() -> dict[str, str]:
    """LevelDB's own defaults that no option of db_bench sets."""
    options = {name.replace("-", "_") for name in bench_description.OPTIONS}
    free = (name for name in bench_description.REMAP if name.removesuffix("_percent") not in options)
    return {f"remap.{name}": str(bench_description.REMAP[name].default) for name in free}


def _of_device(geometry: str, over_provisioning: int) -> dict[str, str]:
    """Defaults of a simulated device, as far as they apply."""
    return ({} if geometry else {"flash of the RTL": facts.geometry()}) | (
        {} if over_provisioning else {"over-provisioning of the firmware": _firmware_over_provisioning()}
    )


def _of_cpu(device: str, given: str) -> dict[str, str]:
    """Of rtl and model: whose time the firmware takes, given or by default."""
    if device == bench_options.Device.soc:
        return {}
    return {"CPU of the firmware": given or _default_cpu()}


@cache
def _default_cpu() -> str:
    source = (ROOT / "firmware" / "ports" / "native" / "cpu_costs.h").read_text()
    found = re.search(r'constexpr char kDefaultCpu\[\] = "([^"]+)"', source)
    assert found, "the firmware's default CPU"
    return found[1]


def _of_image(device: str) -> dict[str, str]:
    """Of the SoC: what its CPU runs. Other devices have their firmware in the program."""
    if device != bench_options.Device.soc:
        return {}
    try:
        return {"image of the firmware": hashlib.sha256(images.LITEX_IMAGE.read_bytes()).hexdigest()}
    except OSError:
        return {"image of the firmware": "not built"}


@cache
def _firmware_over_provisioning() -> str:
    source = (ROOT / "firmware" / "src" / "core" / "device.h").read_text()
    found = re.search(r"#define FW_DEFAULT_OVER_PROVISION_PCT (\d+)u", source)
    assert found, "the firmware's default over-provisioning"
    return found[1]


def effective(options: BenchOptions, mode: Mode) -> dict[str, str]:
    """All that decides the result of a run on a device, given or by default."""
    given = dict(argument.split("=", 1) for argument in options.arguments(mode, Path("result")))
    values = {f"--{name}": _default(option) for name, option in bench_description.OPTIONS.items()} | given
    below = _below() | _of_device(options.geometry, options.over_provisioning) | _of_image(options.device)
    if not options.reflink:
        below |= _of_cpu(options.device, values.pop("--firmware-cpu"))
    return {name: value for name, value in (values | below).items() if name not in _FILES}


def address(options: BenchOptions, mode: Mode) -> str:
    """The content address of a run on a device: a digest of its effective options.

    Those that are as in BASELINE do not count, so that a new option of db_bench leaves the addresses as they were.
    Neither does the program: a result names its commit, and an experiment goes on where it ended.
    """
    decides = sorted((name, value) for name, value in effective(options, mode).items() if value != BASELINE.get(name))
    return hashlib.sha256(json.dumps([options.program, decides]).encode()).hexdigest()


def address_of(run: Run) -> str:
    """The content address of a run: of db_bench alone as above; of a replay that of its recordings and its options."""
    if isinstance(run, Bench):
        return address(run.options, run.mode)
    recorded = [address(one.options, one.mode) for one in run.recorded]
    values = ioreplay.deciding(run.options)
    if ioreplay.is_simulated(run.options.device):
        values |= _of_device(run.options.geometry, run.options.over_provisioning) | _of_image(run.options.device)
        values |= _of_cpu(run.options.device, run.options.firmware_cpu)
    decides = sorted((name, value) for name, value in values.items() if value != REPLAY_BASELINE.get(name))
    whole = ["ioreplay", recorded, decides]
    return hashlib.sha256(json.dumps(whole).encode()).hexdigest()


def finished(path: Path, case: Case, variant: Variant) -> dict[str, Any] | None:
    """The result of a run, or None if there is no complete one of the current case."""
    run = variant.run(case)
    try:
        found = checked(json.loads(path.read_text()), run)
    except (OSError, ValueError, RecursionError, bench.BenchFailed):
        return None
    if isinstance(run, Replay):
        return found if found.get("address") == address_of(run) else None
    if found.get("address", address_of(run)) != address_of(run):
        return None
    return found if _is_of(found, run.options, run.mode) else None


def checked(found: Any, run: Run) -> dict[str, Any]:
    """Returns a result unchanged. Raises BenchFailed unless it is a whole one of the steps of a run."""
    if isinstance(run, Bench):
        return bench.check(found, run.mode, run.may_be_full)
    recorded = found.get("recordings") if isinstance(found, dict) else None
    if not isinstance(recorded, list) or len(recorded) != len(run.recorded):
        raise bench.BenchFailed("the result of a replay lacks its recordings")
    for one, step in zip(recorded, run.recorded, strict=True):
        bench.check(one, step.mode)
    ioreplay.check(found.get("replay"), run.options.device)
    wrong = [name for name in REPLAY_NUMBERS if not bench.is_amount(found.get(name))]
    if wrong:
        raise bench.BenchFailed(f"the result of a replay has no valid {', '.join(wrong)}")
    return dict(found)


# Members of the result of a replay beside `recordings` and `replay`: of all recordings together and of the device.
REPLAY_NUMBERS = ("user_bytes", "host_bytes", "wa1", "wa2", "wa", "device_seconds", "wall_seconds")


def of_replay(recorded: list[dict[str, Any]], replayed: dict[str, Any], wall_seconds: float) -> dict[str, Any]:
    """The result of a replay. A device without flash writes what the host writes; one without time took none."""
    figures = replayed["figures"]
    user, host = (sum(one[name] for one in recorded) for name in ("user_bytes", "host_bytes"))
    wa1 = host / user if user else 0.0
    programmed, written = figures.get("nand_program_pages", 1), figures.get("host_write_pages", 1)
    wa2 = programmed / written if written else 0.0
    return {
        "user_bytes": user,
        "host_bytes": host,
        "wa1": wa1,
        "wa2": wa2,
        "wa": wa1 * wa2,
        "device_seconds": figures.get("device_seconds", 0.0),
        "wall_seconds": wall_seconds,
        "replay": {name: value for name, value in replayed.items() if name != "traces"},  # files that are gone
        "recordings": recorded,
    }


# The parameters that a result must have. Any others of db_bench's options that it has are compared, too.
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
_ONCE = {("placement", "on"): "level"}  # values that had another name


def _told(value: Any) -> Any:
    """An option's value as db_bench tells it among its parameters."""
    return ("off", "on")[value] if isinstance(value, bool) else value


def _is_of(run: dict[str, Any], options: BenchOptions, mode: Mode) -> bool:
    """Whether a result has the parameters and the flash of these options."""
    parameters, geometry = run.get("parameters"), run["geometry"]
    if not isinstance(parameters, dict) or not isinstance(geometry, dict):
        return False
    theirs = {name: _ONCE.get((name, str(value)), value) for name, value in parameters.items()}
    compared = {*_DECIDING, *(name for name in theirs if hasattr(options, name))}
    wanted = {name: _told(getattr(options, name)) for name in compared}
    wanted["operations"] = options.operations or options.num
    if {name: theirs.get(name) for name in wanted} != wanted:
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
