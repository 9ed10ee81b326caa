# SPDX-License-Identifier: Apache-2.0
"""`./openremap hwbench`: the cost of operations in the controller's clock cycles, compared with the goals."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.table import Table

from launcher.bench.bench_options import LIMITS, Limit, OptionError, check_file
from launcher.env import steps
from launcher.env.paths import BUILD, RELEASE, RTL_TOP

PROGRAM = "hwbench"  # also the CMake target
COMMANDS = Limit(160, 100_000)  # the same as the program's
SYNTH_RESULT = BUILD / "synth" / "synth.json"  # default result of `./openremap synth`, with the clock that it reached


class Device(StrEnum):
    """What is measured."""

    rtl = "rtl"
    soc = "soc"


DEVICE_HELP = (
    "rtl: the Verilated controller, with firmware that takes no time; soc: the same with a CPU that runs the firmware, "
    "of which only remaps and copies are measured."
)


@dataclass(frozen=True)
class Case:
    """How the table shows a case of the program. `goal` is the upper bound of `figure`; None: no goal."""

    about: str
    figure: str  # "cycles_per_page" or "latency"
    goal: float | None = None
    scales: bool = True  # whether time scales with the clock; real NAND times do not


# The program's cases, in the program's order.
CASES = {
    "lookup_cached": Case("map unit lookup, cached", "cycles_per_page", 1),
    "lookup_sequential": Case("sequential lookups, DRAM latency 40", "cycles_per_page", 1),
    "lookup_random": Case("random lookups, DRAM latency 40", "cycles_per_page", 4),
    "read_qd1": Case("4 KiB random read, queue depth 1: added latency", "latency", 400),
    "read_qd64": Case("4 KiB random reads, queue depth 64", "cycles_per_page", 300),
    "read_sequential": Case("sequential reads of MDTS pages each", "cycles_per_page"),
    "write_qd1": Case("4 KiB random write, queue depth 1: latency", "latency"),
    "write_qd64": Case("4 KiB random writes, queue depth 64", "cycles_per_page", 300),
    "write_sequential": Case("sequential writes of MDTS pages each", "cycles_per_page"),
    "remap_single": Case("REMAP of one page, queue depth 1", "cycles_per_page"),
    "remap_run": Case("REMAP of runs of 1024 pages", "cycles_per_page", 4),
    "remap_vector_random": Case("REMAP VECTOR of 64 single random pages", "cycles_per_page", 16),
    "remap_vector_qd2": Case("REMAP VECTOR of 64 single random pages, queue depth 2", "cycles_per_page", 12),
    "copy_single": Case("Copy of one page, queue depth 1", "cycles_per_page"),
    "copy_run": Case("Copy of runs of 256 pages", "cycles_per_page", 4),
    "copy_random": Case("Copy of 64 single random pages", "cycles_per_page", 16),
    "read_nand": Case("4 KiB random reads, queue depth 64, real NAND times", "cycles_per_page", scales=False),
    "write_nand": Case("4 KiB random writes, real NAND times, before GC", "cycles_per_page", scales=False),
    "write_gc": Case("4 KiB random writes, real NAND times, GC steady", "cycles_per_page", scales=False),
    "read_gc": Case("4 KiB random reads, real NAND times, with writes and GC", "cycles_per_page", scales=False),
    "gc_alone": Case("GC without host I/O, victims half valid: per page moved", "cycles_per_page", scales=False),
}
# Those of the `soc`: each of their commands ends in the hardware.
ON_SOC = tuple(name for name in CASES if name.startswith(("remap_", "copy_")))


@dataclass(frozen=True)
class Derived:
    """A row computed from a case: its member `cycles` divided by its member `pages`."""

    about: str
    case: str
    cycles: str
    pages: str


DERIVED = {
    "gc_page": Derived("GC steady, host programs included: per page that GC moves", "write_gc", "cycles", "gc_pages"),
    "gc_stall": Derived("GC steady: wait for a free slot, per host page", "write_gc", "stall_alloc", "pages"),
}
NEAR = 0.1  # a figure this close to its goal is shown in hundredths


class HwbenchFailed(Exception):  # noqa: N818 - reads as what happened
    """The program failed; the message says why."""


def synth_mhz(result: Path | None) -> float | None:
    """The clock, in MHz, that the placed and routed controller reached, from a result of `./openremap synth`.

    `result` None: the default result; returns None if it has no clock. Raises OptionError if a named result has none.
    """
    path = SYNTH_RESULT if result is None else result
    try:
        document = json.loads(path.read_text())
        mhz = float(document["families"]["ecp5"]["route"]["fmax_mhz"]) if document["unit"] == RTL_TOP else 0
    except (OSError, ValueError, KeyError, TypeError):
        mhz = 0
    if mhz > 0:
        return mhz
    if result is None:
        return None
    raise OptionError(f"--synth: {result} has no clock of {RTL_TOP}; expected a result of ./openremap synth")


def check(commands: int, seed: int, result: Path) -> None:
    """Raises OptionError for a number out of range or a result file that cannot be written."""
    for flag, number, limit in (("--commands", commands, COMMANDS), ("--seed", seed, LIMITS["seed"])):
        limit.check(flag, number)
    check_file("--json", result)


def check_device(device: Device, wide: bool, synth: Path | None) -> None:
    """Raises OptionError for what the device does not have."""
    if device is Device.soc and wide:
        raise OptionError("--wide: the soc has pages of one slot")
    if device is Device.soc and synth is not None:
        raise OptionError("--synth: has the clock of a controller without a CPU; the soc has one")


def run(
    commands: int, seed: int, wide: bool = False, mhz: float | None = None, device: Device = Device.rtl
) -> dict[str, Any]:
    """Runs the program and returns its result document. `mhz`: a further clock to compute rates for."""
    log = BUILD / "logs" / "hwbench.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    command = [str(RELEASE / "bin" / PROGRAM), "--commands", str(commands), "--seed", str(seed)]
    command += ["--device", device]
    command += ["--wide"] if wide else []
    with steps.Ticker("measuring on the Verilated controller"), open(log, "w") as errors:
        child = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True)
    if child.returncode != 0:
        last = log.read_text().strip().splitlines()[-1:] or [steps.exit_text(child.returncode)]
        raise HwbenchFailed(last[0])
    return parse(child.stdout) | {"synth_mhz": mhz}


def parse(text: str) -> dict[str, Any]:
    """Parses the program's result document and adds each case's description and goal."""
    try:
        document: dict[str, Any] = json.loads(text)
        names = [case["name"] for case in document["cases"]]
        expected = ON_SOC if document["device"] == Device.soc else tuple(CASES)
    except (ValueError, KeyError, TypeError) as error:
        raise HwbenchFailed(f"hwbench printed no result document: {error}") from error
    if names != list(expected):
        raise HwbenchFailed(f"hwbench measured {', '.join(names)}; expected {', '.join(expected)}")
    for case in document["cases"]:
        known = CASES[case["name"]]
        case["about"], case["figure"], case["goal"] = known.about, known.figure, known.goal
    document["derived"] = [_derive(name, row, document["cases"]) for name, row in DERIVED.items() if row.case in names]
    return document


def _derive(name: str, row: Derived, cases: list[dict[str, Any]]) -> dict[str, Any]:
    case = next(case for case in cases if case["name"] == row.case)
    pages = case[row.pages]
    each = round(case[row.cycles] / pages, 2) if pages else None  # None: too few commands for GC to start
    return {"name": name, "about": row.about, "case": row.case, "pages": pages, "cycles_per_page": each}


def value(case: dict[str, Any]) -> float:
    """The case's figure that the goal applies to."""
    return float(case["latency"]["p50"] if case["figure"] == "latency" else case["cycles_per_page"])


def table(document: dict[str, Any]) -> RenderableType:
    """One row per case."""
    clock_ns, mhz = document["clock_ns"], document.get("synth_mhz")
    clocks = [(f"pages/s at {1000 / clock_ns:g} MHz", clock_ns)]
    if mhz is not None:
        clocks.append((f"at {mhz:.1f} MHz", 1000 / mhz))
    on_soc = document["device"] == Device.soc
    firmware = "the firmware runs on the soc's CPU" if on_soc else "computation in the firmware takes no time"
    grid = Table(
        title=f"clock cycles, flash pages of {document['slots_per_page']} x 4 KiB, seed {document['seed']}",
        title_justify="left",
        caption=(
            "host DMA and DRAM latency are included; NAND takes no time except where GC runs or NAND times are real; "
            f"{firmware}. !: goal missed"
            + (
                ""
                if mhz is None
                else f". {mhz:.1f} MHz: the clock that synth reached; real NAND times do not scale with it"
            )
        ),
        caption_justify="left",
    )
    grid.add_column("", max_width=58)
    for name in ("cycles", "goal", *(name for name, _ in clocks), "p50", "p99", "GC pages"):
        grid.add_column(name, justify="right")
    for case in document["cases"]:
        latency = case["latency"]
        grid.add_row(
            case["about"],
            figure(value(case), case["goal"]),
            "-" if case["goal"] is None else f"{case['goal']:g}",
            *(_rate(case, ns) if ns == clock_ns or CASES[case["name"]].scales else "-" for _, ns in clocks),
            f"{latency['p50']:,}",
            f"{latency['p99']:,}",
            f"{case['gc_pages']:,}",
        )
    for row in document["derived"]:
        each = row["cycles_per_page"]
        shown = "-" if each is None else figure(each, None)
        rate = _rate(row, clock_ns) if each and row["name"] == "gc_page" else "-"
        grid.add_row(row["about"], shown, "-", rate, *("-" for _ in clocks[1:]), "-", "-", "-")
    return grid


def figure(cycles: float, goal: float | None) -> str:
    """A figure as the table shows it, with a mark if it misses its goal. A near miss has digits that show it."""
    if goal is None:
        return f"{cycles:,.1f}"
    missed = cycles > goal
    near = abs(cycles - goal) <= NEAR * goal
    return f"{'! ' if missed else ''}{cycles:,.{2 if near else 1}f}"


def _rate(row: dict[str, Any], clock_ns: float) -> str:
    return f"{1e9 / (row['cycles_per_page'] * clock_ns):,.0f}"
