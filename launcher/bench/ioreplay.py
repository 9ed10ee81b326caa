# SPDX-License-Identifier: Apache-2.0
"""`./openremap ioreplay`: traces of pages replayed onto a device, a disk or another FTL."""

from __future__ import annotations

import json
import subprocess
import threading
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from launcher.bench import bench_options, flash_options
from launcher.bench.bench import BAD_OPTION, BenchFailed, BenchKilled, is_amount
from launcher.bench.bench_options import Limit, OptionError, check_file, flag_of
from launcher.bench.followed import follow
from launcher.bench.ioreplay_description import NUMBERS
from launcher.env.paths import RELEASE

PROGRAM = "ioreplay"  # also the CMake target
# The program's numbers: ranges and defaults.
LIMITS = {name.replace("-", "_"): Limit(number.low, number.high) for name, number in NUMBERS.items()}


def _default(name: str) -> int:
    return NUMBERS[name.replace("_", "-")].default


def help_text(name: str) -> str:
    """The help of a number, with its range."""
    return f"{NUMBERS[name.replace('_', '-')].help} [{LIMITS[name]}]"


class Target(StrEnum):
    """What the traces are replayed onto."""

    model = "model"
    rtl = "rtl"
    soc = "soc"
    hdd = "hdd"
    hybrid = "hybrid"


class Placement(StrEnum):
    """Which placement handles the replayed writes name."""

    recorded = "recorded"
    trace = "trace"
    none = "none"


class Side(StrEnum):
    """Kinds of files that can lie on a side device."""

    log = "log"
    other = "other"
    metadata = "metadata"


class Switch(StrEnum):
    """An option that is on or off."""

    on = "on"
    off = "off"


@dataclass(frozen=True)
class Options:
    """Options of the command; its help texts describe them."""

    traces: tuple[Path, ...] = ()
    device: Target = Target.model
    chunk: int = _default("chunk")
    split: int = _default("split")
    whole: int = _default("whole")
    window: int = _default("window")
    side: tuple[Side, ...] = ()
    placement: Placement = Placement.recorded
    deallocate: Switch = Switch.on
    geometry: str = ""
    superblocks: int = _default("superblocks")
    fill: int = _default("fill")
    over_provisioning: int = _default("over_provisioning")
    placement_handles: int = _default("placement_handles")
    image_dir: Path | None = None  # None: in memory
    precondition: bool = False
    seed: int = _default("seed")  # of the preconditioning
    hybrid_block: int = _default("hybrid_block")
    hybrid_log: int = _default("hybrid_log")
    read_back: bool = True
    json: Path | None = None
    # Of experiments only: whose time the firmware takes, as db_bench's --firmware-cpu; empty: that of the device by
    # itself.
    firmware_cpu: str = ""


def program() -> Path:
    """The path of the built program."""
    return RELEASE / "bin" / PROGRAM


def is_simulated(target: Target) -> bool:
    """Whether it is a device with flash."""
    return target in (Target.model, Target.rtl, Target.soc)


def flash_bytes(options: Options) -> int:
    """Bytes of the flash, which takes memory. 0: that of the RTL, which is small; or there is none."""
    return bench_options.flash_bytes_of(options.geometry, options.superblocks) if options.geometry else 0


def parse_side(text: str) -> tuple[Side, ...]:
    """The kinds of `log,other`, in their own order. Raises OptionError for another name, or one twice."""
    names = [name.strip() for name in text.split(",")] if text else []
    for name in names:
        if name not in list(Side):
            raise OptionError(f"--side: '{name}' is none of {', '.join(Side)}")
    if len(set(names)) != len(names):
        raise OptionError(f"--side: '{text}' has a kind twice")
    return tuple(side for side in Side if side in names)


# Options of some targets only, and of which.
_OF_TARGETS: dict[str, tuple[Target, ...]] = dict.fromkeys(
    (
        "geometry",
        "superblocks",
        "over_provisioning",
        "placement_handles",
        "image_dir",
        "precondition",
        "seed",
    ),
    (Target.model, Target.rtl, Target.soc),
) | {
    "hybrid_block": (Target.hybrid,),
    "hybrid_log": (Target.hybrid,),
    "fill": (Target.model,),
    "window": (Target.model, Target.rtl, Target.soc, Target.hybrid),
}


def _given(options: Options) -> list[str]:
    """Attributes that differ from their defaults."""
    usual = Options()
    return [name for name in vars(usual) if getattr(options, name) != getattr(usual, name)]


def arguments(options: Options) -> list[str]:
    """The program's arguments. Raises OptionError for a number out of range, and for files that cannot be used."""
    changed = _given(options)
    for name in changed:
        targets = _OF_TARGETS.get(name, tuple(Target))
        if options.device not in targets:
            raise OptionError(f"{flag_of(name)}: only with --device {' or '.join(targets)}")
    if "seed" in changed and not options.precondition:
        raise OptionError("--seed: only with --precondition")
    if "fill" in changed and not options.geometry:
        raise OptionError("--fill: needs --geometry")
    if "fill" in changed and (others := {"superblocks", "image_dir"}.intersection(changed)):
        raise OptionError(f"{flag_of(min(others))}: not with --fill")
    if options.image_dir and options.image_dir.exists() and not options.image_dir.is_dir():
        raise OptionError(f"--image-dir: {options.image_dir} is not a folder")
    given = ["--device", options.device, "--placement", options.placement, "--deallocate", options.deallocate]
    for name, limit in LIMITS.items():
        number = getattr(options, name)
        limit.check(flag_of(name), number)
        if name in changed:
            given += [flag_of(name), str(number)]
    given += ["--side", ",".join(options.side)] if options.side else []
    if options.geometry:
        if wrong := flash_options.wrong_geometry(options.geometry):
            raise OptionError(f"--geometry: {wrong}")
        given += ["--geometry", options.geometry]
    given += ["--image-dir", str(options.image_dir)] if options.image_dir else []
    given += ["--precondition"] if options.precondition else []
    given += [] if options.read_back else ["--no-read-back"]
    if options.json is not None:
        if str(options.json) != "-":
            check_file("--json", options.json)
        given += ["--json", str(options.json)]
    for trace in options.traces:
        if not trace.is_file():
            raise OptionError(f"TRACE: {trace}: no such file")
        if options.json is not None and options.json.exists() and trace.samefile(options.json):
            raise OptionError(f"--json: {options.json} is a trace, which the results would overwrite")
    return [*given, "--", *map(str, options.traces)]


def deciding(options: Options) -> dict[str, str]:
    """All that decides a result beside the traces and the firmware's time, given or by default."""
    without = ("traces", "json", "image_dir", "firmware_cpu")
    values = vars(options) | {"side": ",".join(options.side)}
    return {name: str(value) for name, value in values.items() if name not in without}


def run(options: Options, program_file: Path | None = None) -> int:
    """Runs the program, whose output is the result. Returns its exit code."""
    command = [str(program_file or program()), *arguments(options)]
    return subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode


def measure(options: Options, command: list[str], folder: Path, stop: threading.Event) -> dict[str, Any]:
    """Runs the program, or what stands in for it, for its result; its log stays in `folder`.

    Raises OptionError for what the device refuses, BenchKilled and BenchFailed as bench.run_one().
    """
    result = folder / "replay.json"
    result.unlink(missing_ok=True)
    # The program has no such option.
    cpu = ["env", f"OPENREMAP_FW_CPU={options.firmware_cpu}"] if options.firmware_cpu else []
    ended = follow([*cpu, *command, *arguments(replace(options, json=result))], folder / "replay.log", None, stop)
    if ended.code == BAD_OPTION:
        raise OptionError(ended.refusal(PROGRAM))
    if ended.code != 0:
        raise (BenchKilled if ended.killed else BenchFailed)(f"replay onto {options.device}: {ended.told}")
    try:
        found = json.loads(result.read_text())
    except (OSError, ValueError, RecursionError) as error:
        raise BenchFailed(f"{PROGRAM} succeeded but its result cannot be read ({error})") from error
    return check(found, options.device)


_COUNTS = ("used_pages", "records", "written_pages", "read_pages", "pages_verified", "wrong_pages")


def check(result: Any, device: Target) -> dict[str, Any]:
    """Returns the result unchanged. Raises BenchFailed unless it is a whole one, of pages with the right contents."""
    if not isinstance(result, dict) or not isinstance(result.get("figures"), dict):
        raise BenchFailed(f"{PROGRAM}'s result is not a JSON object with figures")
    figures = result["figures"]
    wrong = [name for name in _COUNTS if not is_amount(result.get(name))]
    wrong += [name for name, value in figures.items() if not is_amount(value)]
    wrong += [
        name for name in ("host_write_pages", "nand_program_pages") if device != Target.hdd and name not in figures
    ]
    if wrong or result.get("device") != device:
        raise BenchFailed(f"{PROGRAM}'s result lacks or has invalid values of {', '.join(wrong) or 'device'}")
    if result["wrong_pages"] != 0 or (device != Target.hdd and result["pages_verified"] < 1):
        raise BenchFailed(f"{PROGRAM}: {result['wrong_pages']} of {result['pages_verified']} pages are wrong")
    return result
