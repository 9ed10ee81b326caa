# SPDX-License-Identifier: Apache-2.0
"""`./openremap coverage`: the lines of the Verilog that the test benches execute, and the bits that they toggle.

    build/coverage/<unit>/coverage.dat   Verilator's points, from each bench        -> points()
      merged over all benches by module, Verilog text and place                    -> merge()
      of the modules of the whole controller and of those at the CPU's side        -> document(), table()

A module counts once, however many benches contain it: a point is reached if one bench reaches it. firtool adapts a
module to its parent (it removes unused ports, for example), so a unit emitted alone has other Verilog than in the
controller. aliases() matches the two by the text of a line and the Chisel locators in it. Lines that the controller
does not have do not count.

Excluded, as no test can or should reach them: the actions of a failing assertion, the initial values that firtool
writes for simulators that ask for them, and the unknown value of a disabled memory port.

"Lines" are statements and branches of conditions; the goal applies to these. Arms of `casez` are counted separately:
firtool writes one for each index of a vector and each code of a state, even for those that cannot occur, and the Chisel
source has no such line. The table's caption has the figure for both together, and unreached arms are listed as
unreached lines are.
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

from launcher.env.paths import CODE_COVERAGE, RTL_TOP

VARIABLE = "OPENREMAP_CODE_COVERAGE"  # if set, the test benches are built with code coverage
BUILD_ARGS = ["--coverage-line", "--coverage-toggle"]
LINE_GOAL = 95.0  # percent
_KINDS = {"v_line": "line", "v_branch": "line", "v_toggle": "toggle"}
COLUMNS = {"line": ("lines", "reached"), "arm": ("arms", "reached"), "toggle": ("bits x 2", "toggled")}
_UNKNOWN = re.compile(r"'[bh]x\b")
_NUMBERED = re.compile(r"(?<=_GEN)_\d+|(?<=_T)_\d+|(?<=casez_tmp)_\d+")
_SCALA = re.compile(r"(hw/src/[\w/]+\.scala):(\d+)")


class CoverageError(Exception):
    """The benches wrote no coverage data."""


@dataclass(frozen=True)
class Point:
    """A coverage point: a place in a module's Verilog."""

    module: str
    text: str  # digest of the module's Verilog
    kind: str  # line, arm or toggle
    line: int
    what: str  # the branch, or the bit and its direction


@dataclass
class Source:
    """A Verilog file of a bench."""

    digest: str
    lines: list[str]
    silent: set[int] = field(default_factory=set)  # lines whose points are excluded


def read_source(path: Path) -> Source:
    """Reads a file and finds the lines to exclude: regions that synthesis ignores, and unknown values."""
    lines = path.read_text(encoding="utf-8").splitlines()
    silent: set[int] = set()
    depth: list[bool] = []
    for number, line in enumerate(lines, start=1):
        word = line.strip()
        if word.startswith(("`ifdef", "`ifndef")):
            depth.append(word.split()[1] in ("SYNTHESIS", "ENABLE_INITIAL_REG_", "ENABLE_INITIAL_MEM_", "RANDOMIZE"))
        elif word.startswith("`endif") and depth:
            depth.pop()
        if any(depth) or _UNKNOWN.search(line):
            silent.add(number)
    return Source(hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16], lines, silent)


class Sources:
    """Cache of Verilog files: reads each once."""

    def __init__(self) -> None:
        self.known: dict[str, Source] = {}

    def __getitem__(self, path: str) -> Source:
        if path not in self.known:
            self.known[path] = read_source(Path(path))
        return self.known[path]


def points(coverage: Path, sources: Sources) -> Counter[Point]:
    """Hit counts of a simulation's points, added up over the instances of a module."""
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
            counts_as = "arm" if keys["o"] == "case" else _KINDS[kind]
            seen[Point(module.split("__", 1)[0], source.digest, counts_as, line, what)] += int(number)
    return seen


Alias = tuple[str, str, str, str, int, int]


def aliases(of_a_module: Iterable[Point], lines: list[str]) -> dict[Point, Alias]:
    """Keys that identify points across the variants of a module.

    A toggle's key is its signal. A line's key is its text with the Chisel locators, without the numbers of firtool's
    generated names, and its rank among equal lines together with the number of those.
    """
    alike: dict[tuple[str, str], list[Point]] = defaultdict(list)
    for point in sorted(of_a_module, key=lambda p: (p.line, p.what)):
        name = point.what.split(" ", 1)[1]
        alike[name, "" if point.kind == "toggle" else _NUMBERED.sub("", lines[point.line - 1].strip())].append(point)
    return {
        point: (point.module, point.kind, name, text, len(points), rank)
        for (name, text), points in alike.items()
        for rank, point in enumerate(points)
    }


def merge(reports: Iterable[Counter[Point]], sources: Sources, files: Mapping[str, str]) -> dict[Alias, int]:
    """Hit counts of all benches, added up by alias."""
    variants: dict[tuple[str, str], Counter[Point]] = defaultdict(Counter)
    for report in reports:
        for point, number in report.items():
            variants[point.module, point.text][point] += number
    total: dict[Alias, int] = defaultdict(int)
    for (_, text), counts in variants.items():
        for point, alias in aliases(counts, sources[files[text]].lines).items():
            total[alias] += counts[point]
    return dict(total)


def collect(
    folder: Path = CODE_COVERAGE, top: str = RTL_TOP, beside: Iterable[str] = ()
) -> tuple[dict[Point, int], Sources, dict[str, str]]:
    """Hit counts of the points in the modules of `top` and in the modules `beside` it, the Verilog files, and the path
    of each module's file. A unit beside it has a bench of its own, and counts as that emits it."""
    sources = Sources()
    reports = {path: points(path, sources) for path in sorted(folder.glob("*/coverage.dat"))}
    mine = {path: report for path, report in reports.items() if any(point.module == top for point in report)}
    if not mine:
        raise CoverageError(f"no coverage data in {folder} from a test bench of {top}")
    alone = {unit: [r for r in reports.values() if any(point.module == unit for point in r)] for unit in beside}
    if unknown := [unit for unit, found in alone.items() if not found]:
        raise CoverageError(f"no coverage data in {folder} from test benches of {', '.join(unknown)}")
    files = {source.digest: path for path, source in sources.known.items()}
    reached = merge(reports.values(), sources, files)
    modules: dict[tuple[str, str], set[Point]] = defaultdict(set)
    for report in mine.values():
        for point in report:
            modules[point.module, point.text].add(point)
    for unit, found in alone.items():
        for point in {point for report in found for point in report if point.module == unit}:
            modules[point.module, point.text].add(point)
    total = {
        point: reached[alias]
        for (_, text), of_a_module in modules.items()
        for point, alias in aliases(of_a_module, sources[files[text]].lines).items()
    }
    return total, sources, files


def _share(hit: int, total: int) -> float:
    return 100.0 * hit / total if total else 100.0


def document(total: Mapping[Point, int], sources: Sources, files: Mapping[str, str]) -> dict[str, Any]:
    """Per module and in total: points of each kind, how many were reached, and the unreached lines and arms."""
    modules: dict[str, dict[str, Any]] = {}
    for point, number in total.items():
        module = modules.setdefault(point.module, {**{kind: [0, 0] for kind in COLUMNS}, "never": []})
        module[point.kind][1] += 1
        module[point.kind][0] += number > 0
        if number == 0 and point.kind != "toggle":
            text = sources[files[point.text]].lines[point.line - 1]
            scala = _SCALA.search(text)
            module["never"].append(
                {
                    "kind": point.kind,
                    "verilog": point.line,
                    "branch": point.what,
                    "scala": f"{scala[1]}:{scala[2]}" if scala else None,
                }
            )
    for module in modules.values():
        module["never"].sort(key=lambda place: (place["verilog"], place["branch"]))
    sums = {kind: [sum(m[kind][i] for m in modules.values()) for i in (0, 1)] for kind in COLUMNS}
    return {
        **{f"{kind}_percent": _share(*counts) for kind, counts in sums.items()},
        "line_and_arm_percent": _share(*(sums["line"][i] + sums["arm"][i] for i in (0, 1))),
        "line_goal_percent": LINE_GOAL,
        **sums,
        "modules": dict(sorted(modules.items())),
    }


def missed(result: Mapping[str, Any]) -> str | None:
    """The message for a missed goal; None if it is met."""
    reached, goal = result["line_percent"], result["line_goal_percent"]
    return None if reached >= goal else f"line coverage is {reached:.2f} %; the goal is {goal:g} %"


def table(result: Mapping[str, Any]) -> RenderableType:
    """One row per module, lowest coverage first, and the total."""
    grid = Table(
        title="code coverage of the controller's Verilog by the test benches",
        title_justify="left",
        caption=f"goal: {result['line_goal_percent']:g} % of the lines; "
        f"lines and arms of casez together: {result['line_and_arm_percent']:.1f} % reached",
        caption_justify="left",
    )
    grid.add_column("module")
    for all_of, reached in COLUMNS.values():
        for name in (all_of, reached, "%"):
            grid.add_column(name, justify="right")

    def row(name: str, counts: Mapping[str, Any]) -> list[str]:
        cells = [name]
        for kind in COLUMNS:
            hit, of = counts[kind]
            cells += [f"{of:,}", f"{hit:,}", f"{_share(hit, of):.1f}"]
        return cells

    for name, module in sorted(result["modules"].items(), key=lambda item: (_share(*item[1]["line"]), item[0])):
        grid.add_row(*row(name, module))
    grid.add_section()
    grid.add_row(*row("all", result))
    return grid
