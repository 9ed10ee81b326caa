# SPDX-License-Identifier: Apache-2.0
"""`./openremap hwbench`: what an operation costs the controller, in clock cycles, beside what it should cost."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.table import Table

from launcher.bench.bench_options import LIMITS, Limit, OptionError, check_file
from launcher.env import steps
from launcher.env.paths import BUILD, RELEASE, RTL_TOP

PROGRAM = "hwbench"  # CMake target, too
COMMANDS = Limit(160, 100_000)  # the program checks the same
SYNTH_RESULT = BUILD / "synth" / "synth.json"  # where `./openremap synth` leaves the clock it reached


@dataclass(frozen=True)
class Case:
    """How a case of the program is shown. `figure` names what counts; `goal` is its upper bound, None: none is set."""

    about: str
    figure: str  # "cycles_per_page" or "latency"
    goal: float | None = None
    scales: bool = True  # with the clock; NAND's own times do not


# The program's cases, in its order.
CASES = {
    "lookup_cached": Case("look-up at the map unit, cached", "cycles_per_page", 1),
    "lookup_sequential": Case("look-ups in order, DRAM latency 40", "cycles_per_page", 1),
    "lookup_random": Case("random look-ups, DRAM latency 40", "cycles_per_page", 4),
    "read_qd1": Case("4 KiB random read, queue depth 1: added latency", "latency", 400),
    "read_qd64": Case("4 KiB random reads, queue depth 64", "cycles_per_page", 300),
    "read_sequential": Case("sequential reads of the largest transfer", "cycles_per_page"),
    "write_qd1": Case("4 KiB random write, queue depth 1: latency", "latency"),
    "write_qd64": Case("4 KiB random writes, queue depth 64", "cycles_per_page", 300),
    "write_sequential": Case("sequential writes of the largest transfer", "cycles_per_page"),
    "remap_single": Case("REMAP of one page, one after the other", "cycles_per_page"),
    "remap_run": Case("REMAP of runs of 1024 pages", "cycles_per_page", 4),
    "remap_vector_random": Case("REMAP VECTOR of 64 single random pages", "cycles_per_page", 16),
    "copy_single": Case("Copy of one page, one after the other", "cycles_per_page"),
    "copy_run": Case("Copy of runs of 256 pages", "cycles_per_page", 4),
    "copy_random": Case("Copy of 64 single random pages", "cycles_per_page", 16),
    "read_nand": Case("4 KiB random reads, queue depth 64, real NAND times", "cycles_per_page", scales=False),
    "write_nand": Case("4 KiB random writes, real NAND times, before GC", "cycles_per_page", scales=False),
    "write_gc": Case("4 KiB random writes, real NAND times, GC steady", "cycles_per_page", scales=False),
    "read_gc": Case("4 KiB random reads, real NAND times, beside writes and GC", "cycles_per_page", scales=False),
    "gc_alone": Case("GC without host I/O, victims half full: a page moved", "cycles_per_page", scales=False),
}


@dataclass(frozen=True)
class Derived:
    """A row that follows from a case: its member `cycles`, for each of its member `pages`."""

    about: str
    case: str
    cycles: str
    pages: str


DERIVED = {
    "gc_page": Derived("GC steady, host programs inside: each page that GC moves", "write_gc", "cycles", "gc_pages"),
    "gc_stall": Derived("GC steady: a page of the host waits for a free slot", "write_gc", "stall_alloc", "pages"),
}
NEAR = 0.1  # a figure so near to its goal is shown in hundredths


class HwbenchFailed(Exception):  # noqa: N818 - reads as what happened
    """The program ended badly; the message says how."""


def synth_mhz(result: Path | None) -> float | None:
    """The clock at which the whole controller was placed and routed, by a result of `./openremap synth`.

    None: there is none where `synth` leaves it. Raises OptionError for a named one that is none.
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
    raise OptionError(f"--synth: {result} is not a result of ./openremap synth for {RTL_TOP}")


def check(commands: int, seed: int, result: Path) -> None:
    """Raises OptionError for a number out of range or a result that has no place to go."""
    for flag, number, limit in (("--commands", commands, COMMANDS), ("--seed", seed, LIMITS["seed"])):
        limit.check(flag, number)
    check_file("--json", result)


def run(commands: int, seed: int, wide: bool = False, mhz: float | None = None) -> dict[str, Any]:
    """Runs the program and returns its document; `mhz` is a clock to give rates at, too."""
    log = BUILD / "logs" / "hwbench.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    command = [str(RELEASE / "bin" / PROGRAM), "--commands", str(commands), "--seed", str(seed)]
    command += ["--wide"] if wide else []
    with steps.Ticker("measuring on the Verilated controller"), open(log, "w") as errors:
        child = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True)
    if child.returncode != 0:
        last = log.read_text().strip().splitlines()[-1:] or [f"exit code {child.returncode}"]
        raise HwbenchFailed(last[0])
    return parse(child.stdout) | {"synth_mhz": mhz}


def parse(text: str) -> dict[str, Any]:
    """The program's document, with what this page knows about each case beside its figures."""
    try:
        document: dict[str, Any] = json.loads(text)
        names = [case["name"] for case in document["cases"]]
    except (ValueError, KeyError, TypeError) as error:
        raise HwbenchFailed(f"hwbench printed no result document: {error}") from error
    if names != list(CASES):
        raise HwbenchFailed(f"hwbench measured {', '.join(names)}; expected {', '.join(CASES)}")
    for case in document["cases"]:
        known = CASES[case["name"]]
        case["about"], case["figure"], case["goal"] = known.about, known.figure, known.goal
    document["derived"] = [_derive(name, row, document["cases"]) for name, row in DERIVED.items()]
    return document


def _derive(name: str, row: Derived, cases: list[dict[str, Any]]) -> dict[str, Any]:
    case = next(case for case in cases if case["name"] == row.case)
    pages = case[row.pages]
    each = round(case[row.cycles] / pages, 2) if pages else None  # None: GC had nothing to do in so few commands
    return {"name": name, "about": row.about, "case": row.case, "pages": pages, "cycles_per_page": each}


def value(case: dict[str, Any]) -> float:
    """The figure that counts in this case."""
    return float(case["latency"]["p50"] if case["figure"] == "latency" else case["cycles_per_page"])


def table(document: dict[str, Any]) -> RenderableType:
    """One row a case."""
    clock_ns, mhz = document["clock_ns"], document.get("synth_mhz")
    clocks = [(f"pages/s at {1000 / clock_ns:g} MHz", clock_ns)]
    if mhz is not None:
        clocks.append((f"at {mhz:.1f} MHz", 1000 / mhz))
    grid = Table(
        title=f"clock cycles, flash pages of {document['slots_per_page']} x 4 KiB, seed {document['seed']}",
        title_justify="left",
        caption=(
            "host DMA and DRAM latency are inside; NAND takes no time but where GC runs or its times are real, "
            "firmware's computing never does. !: goal missed"
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
    """A figure as the table shows it, marked when it misses its goal. What misses by little must not look like a hit."""
    if goal is None:
        return f"{cycles:,.1f}"
    missed = cycles > goal
    near = abs(cycles - goal) <= NEAR * goal
    return f"{'! ' if missed else ''}{cycles:,.{2 if near else 1}f}"


def _rate(row: dict[str, Any], clock_ns: float) -> str:
    return f"{1e9 / (row['cycles_per_page'] * clock_ns):,.0f}"
