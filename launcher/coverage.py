# SPDX-License-Identifier: Apache-2.0
"""`./openremap coverage`: which lines of the Verilog the test benches execute, and which of its bits they toggle.

    build/coverage/<unit>/coverage.dat   Verilator's points, from each bench        -> points()
      merged over all benches by module, Verilog text and place                    -> merge()
      of the modules that the whole controller consists of                         -> document(), table()

A module that several benches contain counts once: its points are reached when one of them reaches them. It is recognised by
its text, so that a variant (another depth of a queue, say) that the controller does not have counts for nothing.

Left out, as nothing can or should reach it: what an assertion does when it fails, and the initial values that firtool writes
for simulators that ask for them.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.table import Table

from launcher.paths import CODE_COVERAGE, RTL_TOP

VARIABLE = "OPENREMAP_CODE_COVERAGE"  # set: the test benches are built to count
BUILD_ARGS = ["--coverage-line", "--coverage-toggle"]
LINE_GOAL = 95.0  # percent
_KINDS = {"v_line": "line", "v_branch": "line", "v_toggle": "toggle"}
_SCALA = re.compile(r"(hw/src/[\w/]+\.scala):(\d+)")


class CoverageError(Exception):
    """The benches left nothing to count."""


@dataclass(frozen=True)
class Point:
    """A place in a module's Verilog."""

    module: str
    text: str  # digest of the module's Verilog
    kind: str  # line or toggle
    line: int
    what: str  # branch taken, or bit and direction


@dataclass
class Source:
    """A Verilog file as the benches have it."""

    digest: str
    lines: list[str]
    silent: set[int] = field(default_factory=set)  # lines whose points do not count


def read_source(path: Path) -> Source:
    """Reads a file and finds what does not count: the regions that synthesis leaves out."""
    lines = path.read_text(encoding="utf-8").splitlines()
    silent: set[int] = set()
    depth: list[bool] = []
    for number, line in enumerate(lines, start=1):
        word = line.strip()
        if word.startswith(("`ifdef", "`ifndef")):
            depth.append(word.split()[1] in ("SYNTHESIS", "ENABLE_INITIAL_REG_", "ENABLE_INITIAL_MEM_", "RANDOMIZE"))
        elif word.startswith("`endif") and depth:
            depth.pop()
        if any(depth):
            silent.add(number)
    return Source(hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16], lines, silent)


class Sources:
    """The Verilog files, each read once."""

    def __init__(self) -> None:
        self.known: dict[str, Source] = {}

    def __getitem__(self, path: str) -> Source:
        if path not in self.known:
            self.known[path] = read_source(Path(path))
        return self.known[path]


def points(coverage: Path, sources: Sources) -> Counter[Point]:
    """How often a simulation reached each point; instances of a module are added up."""
    seen: Counter[Point] = Counter()
    for record in coverage.read_text(encoding="utf-8", errors="replace").splitlines():
        if not record.startswith("C '"):
            continue
        head, number = record[3:].rsplit("' ", 1)
        keys = dict(part.split("\x02", 1) for part in head.split("\x01") if "\x02" in part)
        kind, _, module = keys.get("page", "").partition("/")
        if kind not in _KINDS:
            continue
        source, line = sources[keys["f"]], int(keys["l"])
        if line not in source.silent:
            what = f"{keys['n']} {keys['o']}"
            seen[Point(module.split("__", 1)[0], source.digest, _KINDS[kind], line, what)] += int(number)
    return seen


def merge(reports: Iterable[Counter[Point]]) -> dict[Point, int]:
    """Points of all benches, reached as often as by all of them together."""
    total: dict[Point, int] = defaultdict(int)
    for report in reports:
        for point, number in report.items():
            total[point] += number
    return dict(total)


def collect(folder: Path = CODE_COVERAGE, top: str = RTL_TOP) -> tuple[dict[Point, int], Sources, dict[str, str]]:
    """Points of the modules that `top` consists of, the files, and where each module's Verilog lies."""
    sources = Sources()
    reports = {path: points(path, sources) for path in sorted(folder.glob("*/coverage.dat"))}
    mine = {path: report for path, report in reports.items() if any(point.module == top for point in report)}
    if not mine:
        raise CoverageError(f"no test bench of {top} has left its coverage in {folder}")
    wanted = {(point.module, point.text) for report in mine.values() for point in report}
    total = {point: n for point, n in merge(reports.values()).items() if (point.module, point.text) in wanted}
    files = {source.digest: path for path, source in sources.known.items()}
    return total, sources, files


def _share(hit: int, total: int) -> float:
    return 100.0 * hit / total if total else 100.0


def document(total: Mapping[Point, int], sources: Sources, files: Mapping[str, str]) -> dict[str, Any]:
    """Per module and in all: points of each kind, how many were reached, and the lines that never were."""
    modules: dict[str, dict[str, Any]] = {}
    for point, number in total.items():
        module = modules.setdefault(point.module, {"line": [0, 0], "toggle": [0, 0], "never": []})
        module[point.kind][1] += 1
        module[point.kind][0] += number > 0
        if number == 0 and point.kind == "line":
            text = sources[files[point.text]].lines[point.line - 1]
            scala = _SCALA.search(text)
            module["never"].append(
                {"verilog": point.line, "branch": point.what, "scala": f"{scala[1]}:{scala[2]}" if scala else None}
            )
    for module in modules.values():
        module["never"].sort(key=lambda place: (place["verilog"], place["branch"]))
    sums = {kind: [sum(m[kind][i] for m in modules.values()) for i in (0, 1)] for kind in ("line", "toggle")}
    return {
        "line_percent": _share(*sums["line"]),
        "toggle_percent": _share(*sums["toggle"]),
        "line_goal_percent": LINE_GOAL,
        "line": sums["line"],
        "toggle": sums["toggle"],
        "modules": dict(sorted(modules.items())),
    }


def table(result: Mapping[str, Any]) -> RenderableType:
    """One row a module, the worst first, and the sum."""
    grid = Table(
        title="Verilog of the controller that the test benches reach",
        title_justify="left",
        caption=f"goal: {result['line_goal_percent']:g} % of the lines",
        caption_justify="left",
    )
    grid.add_column("module")
    for name in ("lines", "reached", "%", "bits x 2", "toggled", "%"):
        grid.add_column(name, justify="right")

    def row(name: str, counts: Mapping[str, Any]) -> list[str]:
        (hit, lines), (toggled, bits) = counts["line"], counts["toggle"]
        shares = (f"{_share(hit, lines):.1f}", f"{_share(toggled, bits):.1f}")
        return [name, f"{lines:,}", f"{hit:,}", shares[0], f"{bits:,}", f"{toggled:,}", shares[1]]

    for name, module in sorted(result["modules"].items(), key=lambda item: (_share(*item[1]["line"]), item[0])):
        grid.add_row(*row(name, module))
    grid.add_section()
    grid.add_row(*row("all", result))
    return grid
