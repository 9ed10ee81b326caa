# SPDX-License-Identifier: Apache-2.0
"""What the firmware's work takes on a CPU: `./openremap firmware calibrate` finds it out on the device `soc`.

The program `firmwaretime` runs the same starts and commands on `soc`, which tells for how long the CPU worked in each
window, and on `model`, which tells how much of each kind of work was done in it. The costs of the kinds are those whose
sums come nearest to the times, by the least squares of the relative errors, and none is negative. Where windows cannot
tell two kinds apart, the estimates of PRIOR decide.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from launcher.env import build, digests, steps
from launcher.env.paths import BUILD, RELEASE, ROOT

TABLE = ROOT / "firmware" / "ports" / "native" / "cpu_costs.json"
PROGRAM = "firmwaretime"  # also the CMake target
FOLDER = BUILD / "calibrate"  # what it wrote last
CPU = "vexriscv"
CPU_PORT = "litex"
CLOCK = re.search(r"#define ORM_SOC_CLOCK_HZ (\d+)u", (ROOT / "interfaces" / "gen" / "c" / "orm_soc.h").read_text())
assert CLOCK is not None
CLOCK_HZ = int(CLOCK[1])
PS_PER_CYCLE = 1_000_000_000_000 // CLOCK_HZ
ACCESS_CYCLES = 4  # of a register access on the devices without a CPU, which take them by themselves
NEAR = 0.02  # another round of calibration changes no window by more
ROUNDS = 5
LOADS = ("starts", "commands", "trims")  # of the program
SWEEPS = 100_000
MOST_SHARE = 0.10  # of device time between model and SoC

# Cycles: what earlier calibrations came to, rounded.
PRIOR = {
    "start": 130_000.0,
    "start_poll": 550.0,
    "poll": 1_000.0,
    "look": 3_000.0,
    "register_read": 40.0,
    "register_write": 22.0,
    "nvram_read": 25.0,
    "nvram_read_unit": 60.0,
    "nvram_write": 30.0,
    "nvram_write_unit": 110.0,
    "fill": 30.0,
    "invalidate": 10.0,
    "line": 5_000.0,
    "save": 30_000.0,
    "command": 800.0,
    "bytes": 30.0,
    "range": 345.0,
    "sort": 120.0,
    "die": 24.0,
    "event": 120.0,
    "check": 350.0,
    "trim": 320.0,
    "lpn": 15.0,
    "bit": 19.0,
    "mark": 60.0,
    "sharer": 40.0,
    "record": 60.0,
    "segment": 45.0,
    "crc": 130.0,
}
PRIOR_WEIGHT = 0.06  # an estimate that is wrong by its whole counts as much as a window that is wrong by this share

# The Cortex-A9 of a Zynq-7000 at its slowest grade, for which there is no measurement. Instructions take the time that
# the ratio of both CPUs' Dhrystones gives: 2.50 DMIPS/MHz (Arm, "Cortex-A9 Processor"), 1.21 DMIPS/MHz (VexRiscv's
# README, "full no MMU" with 4 KiB caches). What waits for memory takes as long as before (MemoryTiming).
A9 = "cortex-a9"
A9_HZ = 667_000_000
A9_RATIO = (CLOCK_HZ * 1.21) / (A9_HZ * 2.50)
MEMORY_CYCLES = {"nvram_read_unit": 10.0, "nvram_write_unit": 50.0}  # 8 bytes: two reads of 50 ns, a write of 500 ns


class CostsError(steps.StepFailed):
    """The calibration failed; the message says why."""


@dataclass(frozen=True)
class Window:
    """A part of a load (verify/measure/firmware_load.h)."""

    name: str
    device_ns: int
    busy_ns: int
    work: Mapping[str, int]


def read_windows(text: str) -> list[Window]:
    """What `firmwaretime --json` has written."""
    return [Window(w["name"], w["device_ns"], w["busy_ns"], w["work"]) for w in json.loads(text)]


# What the time of the firmware's work on the SoC depends on: code, where the linker puts it (a line of memory has one
# place only in the CPU's cache), the interfaces that it is compiled with, and the CPU with its memories.
_PARTS = (
    ("firmware/src", ".c .h"),
    ("firmware/include", ".h"),
    ("firmware/ports/bare", ".c .h .S"),
    (f"firmware/ports/{CPU_PORT}", ".c .h .S .in .cmake .txt"),
    ("interfaces/gen/c", ".h"),
    ("soc", ".py"),
    ("hw/src/soc", ".scala"),
)
_FILES = ("firmware/sources.cmake", "firmware/ports/image.cmake")  # flags, and the order in which it is linked
_PACKAGES = ("litex", "migen", "pythondata-cpu-vexriscv")  # make the CPU and its buses
_PINS = "requirements.in"


def _pins() -> str:
    lines = [line.split("#")[0].strip() for line in (ROOT / _PINS).read_text().splitlines()]
    return " ".join(line for line in lines if line.split("==")[0] in _PACKAGES)


def firmware_digest() -> str:
    """Of what the time of the firmware's work on the SoC depends on."""
    files = [
        path
        for folder, endings in _PARTS
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in endings.split() and not {"tests", "boards"} & set(path.relative_to(ROOT).parts)
    ]
    return digests.of_files([*files, *(ROOT / name for name in _FILES)], ROOT, _pins())


def read_table(path: Path = TABLE) -> dict[str, Any]:
    """The committed table."""
    table: dict[str, Any] = json.loads(path.read_text())
    return table


def is_stale(table: Mapping[str, Any]) -> bool:
    """Whether the table was made with another firmware than the present one."""
    return bool(table["firmware"] != firmware_digest())


def pair(soc: Sequence[Window], counted: Sequence[Window]) -> list[tuple[Window, Window]]:
    """The windows of two devices. Raises CostsError if they are not of one load."""
    if [w.name for w in soc] != [w.name for w in counted] or not soc:
        raise CostsError("the devices did not run the same load")
    return list(zip(soc, counted, strict=True))


def fit(pairs: Sequence[tuple[Window, Window]], prior: Mapping[str, float]) -> dict[str, float]:
    """Cycles of one of each kind: solves the normal equations by descent along one kind at a time."""
    kinds = list(prior)
    rows: list[list[float]] = []
    wanted: list[float] = []
    for measured, counted in pairs:
        accesses = counted.work["register_read"] + counted.work["register_write"]
        cycles = measured.busy_ns * 1000 / PS_PER_CYCLE - ACCESS_CYCLES * accesses
        if cycles <= 0:
            raise CostsError(f"{measured.name}: the CPU did not work for as long as its accesses take")
        rows.append([counted.work[kind] / cycles for kind in kinds])
        wanted.append(1.0)
    for at, kind in enumerate(kinds):
        row = [0.0] * len(kinds)
        row[at] = PRIOR_WEIGHT / prior[kind]
        rows.append(row)
        wanted.append(PRIOR_WEIGHT)
    places = range(len(kinds))
    squares = [[sum(row[i] * row[k] for row in rows) for k in places] for i in places]
    wants = [sum(row[i] * want for row, want in zip(rows, wanted, strict=True)) for i in places]
    costs = [prior[kind] for kind in kinds]
    for _ in range(SWEEPS):
        moved = 0.0
        for i in places:
            left = wants[i] - sum(s * c for s, c in zip(squares[i], costs, strict=True))
            new = max(0.0, costs[i] + left / squares[i][i])
            moved = max(moved, abs(new - costs[i]) / (new + 1))
            costs[i] = new
        if moved < 1e-7:
            break
    return dict(zip(kinds, costs, strict=True))


def on_a9(cycles: Mapping[str, float]) -> dict[str, float]:
    """Cycles of CLOCK_HZ that the same work is estimated to take on the Cortex-A9."""
    waits = {kind: min(MEMORY_CYCLES.get(kind, 0.0), of) for kind, of in cycles.items()}
    return {kind: waits[kind] + (of - waits[kind]) * A9_RATIO for kind, of in cycles.items()}


def document(cycles: Mapping[str, float], digest: str) -> dict[str, Any]:
    """The table as it is committed; costs in ps, as whole numbers."""

    def ps(of: Mapping[str, float]) -> dict[str, int]:
        return {kind: round(cost * PS_PER_CYCLE) for kind, cost in of.items()}

    return {
        "about": "What one of each kind of the firmware's work takes (firmware/include/fw_work.h), in ps. "
        "Written by ./openremap firmware calibrate.",
        "firmware": digest,
        "cpus": {
            CPU: {"from": f"the soc at {CLOCK_HZ // 1_000_000} MHz", "estimate": False, "ps": ps(cycles)},
            A9: {
                "from": f"{CPU}, by the ratio of Dhrystones at {A9_HZ // 1_000_000} MHz; waits for memory stay",
                "estimate": True,
                "ps": ps(on_a9(cycles)),
            },
        },
    }


def write_table(table: Mapping[str, Any], path: Path = TABLE) -> None:
    path.write_text(json.dumps(table, indent=2) + "\n")


def _result(device: str, load: str) -> Path:
    return FOLDER / f"{device}-{load}.json"


def _measured() -> Path:
    """The digest of the firmware whose loads on the SoC are kept."""
    return FOLDER / "soc-firmware.txt"


def kept_digest() -> str:
    """Of the firmware that the last run of all loads on the SoC was of. Raises CostsError."""
    if not _measured().is_file():
        raise CostsError(f"--keep: {FOLDER} does not say of which firmware its results are")
    return _measured().read_text().strip()


def kept_loads(device: str) -> list[Window]:
    """What the last run of all loads on this device said. Raises CostsError."""
    missing = [load for load in LOADS if not _result(device, load).is_file()]
    if missing:
        raise CostsError(f"--keep: there is no result of the {device} in {FOLDER}")
    return [window for load in LOADS for window in read_windows(_result(device, load).read_text())]


def run_load(device: str, load: str, cpu: str | None = None) -> list[Window]:
    """Runs `firmwaretime`, which must have been built; what it prints goes to its log. Raises CostsError."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    out, log = _result(device, load), FOLDER / f"{device}-{load}.log"
    out.unlink(missing_ok=True)
    command = [str(RELEASE / "bin" / PROGRAM), "--device", device, "--load", load, "--json", str(out)]
    command += ["--firmware-cpu", cpu] if cpu else []
    with open(log, "w") as text:
        done = subprocess.run(command, cwd=ROOT, stdout=text, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        last = (log.read_text().splitlines() or ["no output"])[-1]
        raise CostsError(f"{PROGRAM} on {device} failed ({steps.exit_text(done.returncode)}): {last}")
    return read_windows(out.read_text())


def run_loads(device: str, cpu: str | None = None) -> list[Window]:
    """The windows of all loads, which run side by side. Raises CostsError."""
    with ThreadPoolExecutor(len(LOADS)) as pool:
        found = [pool.submit(run_load, device, load, cpu) for load in LOADS]
        return [window for one in found for window in one.result()]


@dataclass(frozen=True)
class Error:
    """How far the model is from the SoC in a window, as a share."""

    name: str
    soc_ns: int
    model_ns: int

    @property
    def share(self) -> float:
        return self.model_ns / self.soc_ns - 1


def errors(pairs: Sequence[tuple[Window, Window]]) -> list[Error]:
    return [Error(soc.name, soc.device_ns, model.device_ns) for soc, model in pairs]


def whole(found: Sequence[Error]) -> Error:
    """All windows together."""
    return Error("in all", sum(e.soc_ns for e in found), sum(e.model_ns for e in found))


def too_far(found: Sequence[Error]) -> str:
    """Why the model is not held to the SoC; empty: it is."""
    share = whole(found).share
    if abs(share) <= MOST_SHARE:
        return ""
    most = f"at most {100 * MOST_SHARE:.0f} % are allowed"
    return f"the model's device time differs from the soc's by {100 * share:+.1f} %, {most}"


def table(found: Sequence[Error]) -> Table:
    """What the command prints."""
    shown = Table("window", box=None, pad_edge=False)
    for name in ("soc, us", "model, us", "error"):
        shown.add_column(name, justify="right")
    for e in (*found, whole(found)):
        shown.add_row(e.name, f"{e.soc_ns / 1000:.1f}", f"{e.model_ns / 1000:.1f}", f"{100 * e.share:+.1f} %")
    return shown


def calibrate(keep: bool = False) -> list[Error]:
    """Writes the table anew and returns how near it comes in each window. `keep`: the soc is not run again. Raises
    CostsError, StepFailed."""
    soc = kept_loads("soc") if keep else []
    digest = kept_digest() if keep else firmware_digest()
    build.everything((PROGRAM,), with_soc=not keep)
    if not keep:
        _measured().unlink(missing_ok=True)
        with steps.Ticker("firmware: starts and commands on the soc"):
            soc = run_loads("soc")
        _measured().write_text(digest + "\n")
    counted = pair(soc, run_loads("model", CPU))
    for _ in range(ROUNDS):
        before = errors(counted)
        cycles = fit(counted, PRIOR)
        table = document(cycles, digest)
        write_table(table)
        build.native(targets=(PROGRAM,))
        counted = pair(soc, run_loads("model", CPU))
        after = errors(counted)
        if all(abs(a.model_ns - b.model_ns) <= NEAR * b.model_ns for a, b in zip(after, before, strict=True)):
            break
    return after
