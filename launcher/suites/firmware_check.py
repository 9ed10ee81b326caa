# SPDX-License-Identifier: Apache-2.0
"""Static checks of the firmware's sources: `python -m launcher.suites.firmware_check stack|analyze|layers|owners`.

stack: the deepest call path fits into FW_STACK_BYTES (firmware_limits.h), and no function recurses. analyze: GCC's
static analyser reports nothing. layers: no files call each other in a circle, and no folder calls or includes one above
it. owners: a part of the context is written by the unit that declares it, and by no other (firmware_owners.py). The
suite `style` runs all.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from launcher.env.paths import ROOT
from launcher.suites import graph as graphs
from launcher.suites.call_graph import LIBRARY, CallGraph, CheckError
from launcher.suites.firmware_owners import Declarations, foreign_writes

SOURCES = ROOT / "firmware" / "src"
LIMITS = ROOT / "firmware" / "include" / "firmware_limits.h"
INCLUDES = ("firmware/include", "firmware/src", "interfaces/include", "interfaces/gen/c")
COMPILE = ("gcc", "-std=c11", *(f"-I{ROOT / folder}" for folder in INCLUDES), "-c")
# Entry points of the firmware. fw_watchdog() may interrupt a poll, so its stack use is added.
ENTRIES = ("fw_init", "fw_poll", "fw_phase", "fw_describe", "fw_size", "fw_watchdog")
# These call the port through `struct platform`. The port provides the stack for its functions.
PORT_CALLS = re.compile(r"hal_\w+|fw_poll|health_temperature")
# The folders of SOURCES from the lowest layer to the highest (docs/design/firmware.md). A folder may call and include
# itself and the folders before it.
LAYERS = ("core", "drivers", "media", "trim", "gc", "recovery", "nvme", "top")

_CLONE = re.compile(r"\.(?:constprop|isra|part|cold)\b.*")  # suffixes of GCC's clones of a function


@dataclass
class Graph(CallGraph):
    """The call graph of the firmware's sources."""

    def between_files(self) -> dict[str, set[str]]:
        """By file: the other files whose functions it calls, or takes the addresses of."""
        found: dict[str, set[str]] = {unit: set() for unit in self.homes.values()}
        for source, targets in self.calls.items():
            found[self.homes[source]] |= {self.homes[target] for target, _ in targets if target in self.homes}
        for unit, functions in self.taken.items():
            found[unit] |= {self.homes[function] for function in functions}
        return {unit: others - {unit} for unit, others in found.items()}

    def reached(self, function: str, unit: str, place: str) -> list[str] | None:
        """Any function whose address the file takes; a call of the port is not followed."""
        if PORT_CALLS.fullmatch(_CLONE.sub("", function.rpartition(":")[2])):
            return []
        return sorted(self.taken.get(unit, ())) or None


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0 or done.stderr:
        raise CheckError(done.stderr or f"{command[0]}: exit code {done.returncode}")
    return done.stdout


def read_graph(sources: list[Path], folder: Path) -> Graph:
    """Compiles the sources without inlining: an inlined frame would count for all of its caller's callees."""
    graph = Graph()
    listings: dict[str, str] = {}
    for source in sources:
        made = folder / f"{source.stem}.o"
        # Without -fPIC: a call through the PLT or GOT would look like an address that is taken.
        flags = ["-O2", "-fno-inline", "-fno-pic", "-ffunction-sections", "-fno-ipa-icf", "-fcallgraph-info=su"]
        _run([*COMPILE, *flags, str(source), "-o", str(made)])
        text = made.with_suffix(".ci").read_text()
        graph.add(text, source.name)
        listings[source.name] = _run(["objdump", "-dr", str(made)]) + _run(["objdump", "-r", str(made)])
    graph.take(listings)
    return graph


def limit() -> int:
    """FW_STACK_BYTES."""
    found = re.search(r"#define FW_STACK_BYTES (\d+)u", LIMITS.read_text())
    if found is None:
        raise CheckError(f"{LIMITS}: FW_STACK_BYTES not found")
    return int(found[1])


def stack() -> str:
    """Describes the deepest call path. Raises CheckError if it exceeds the limit or a function recurses."""
    with tempfile.TemporaryDirectory() as folder:
        graph = read_graph(sorted(SOURCES.rglob("*.c")), Path(folder))
    depths = {entry: graph.deepest(entry) for entry in ENTRIES}
    depth, path = max(value for entry, value in depths.items() if entry != "fw_watchdog")
    watchdog = depths["fw_watchdog"][0]
    text = "\n".join(f"{graph.frames.get(name, LIBRARY.get(name, 0)):6} {name}" for name in path)
    text += f"\n{depth} bytes, plus {watchdog} for the watchdog; the limit is {limit()}"
    if depth + watchdog > limit():
        raise CheckError(text)
    return text


def circles(calls: dict[str, set[str]]) -> list[str]:
    """The shortest circle through each file that is in one, each circle once."""
    return ["circle: " + " -> ".join([*circle, circle[0]]) for circle in graphs.circles(calls)]


def upward(edges: Iterable[tuple[str, str]], layers: tuple[str, ...] = LAYERS) -> list[str]:
    """Of the edges between files, named `folder/file`, those that lead from a folder to one above it."""
    found = []
    for source, target in edges:
        folders = [name.rpartition("/")[0] for name in (source, target)]
        strangers = [folder for folder in folders if folder not in layers]
        if strangers:
            found.append(f"folder '{strangers[0]}' is in no layer: {source} -> {target}")
        elif layers.index(folders[0]) < layers.index(folders[1]):
            found.append(f"upward: {source} -> {target}")
    return found


def includes(root: Path) -> Iterator[tuple[str, str]]:
    """Files of the folders below root and what they include of one another."""
    for path in sorted((*root.glob("*/*.c"), *root.glob("*/*.h"))):
        for target in re.findall(r'#include "(\w+/\w+\.h)"', path.read_text()):
            if (root / target).exists():
                yield f"{path.parent.name}/{path.name}", target


def layers() -> str:
    """Calls and includes go down; CheckError names those that do not, and the circles."""
    sources = sorted(SOURCES.rglob("*.c"))
    names = {source.name: f"{source.parent.name}/{source.name}" for source in sources}
    with tempfile.TemporaryDirectory() as folder:
        graph = read_graph(sources, Path(folder))
    calls = {names[unit]: {names[other] for other in others} for unit, others in graph.between_files().items()}
    edges = [(source, target) for source, targets in sorted(calls.items()) for target in sorted(targets)]
    included = list(includes(SOURCES))
    wrong = circles(calls) + upward(edges) + upward(included)
    if wrong:
        raise CheckError("\n".join(wrong))
    return f"{len(sources)} files, {len(edges)} pairs that call, {len(included)} includes: none goes up, no circle"


def owners() -> str:
    """Each part of the context is written by its own unit; CheckError names the lines where it is not."""
    declared = Declarations()
    for header in (path for folder in INCLUDES for path in (ROOT / folder).rglob("*.h")):
        declared.add(header.read_text(), header.stem)
    sources = sorted(SOURCES.rglob("*.c"))
    wrong = [line for source in sources for line in foreign_writes(source.read_text(), source.stem, declared)]
    if wrong:
        raise CheckError("\n".join(wrong))
    return f"{len(sources)} files, {len(declared.homes)} structs: each is written where it belongs"


def analyze() -> str:
    """Runs GCC's static analyser over each source. Raises CheckError with its reports."""
    sources = sorted(SOURCES.rglob("*.c"))
    for source in sources:
        _run([*COMPILE, "-O1", "-Wall", "-Wextra", "-fanalyzer", str(source), "-o", "/dev/null"])
    return f"{len(sources)} files, nothing found"


def main(arguments: list[str]) -> int:
    checks = {"stack": stack, "analyze": analyze, "layers": layers, "owners": owners}
    if len(arguments) != 1 or arguments[0] not in checks:
        print(f"usage: python -m launcher.suites.firmware_check {'|'.join(checks)}", file=sys.stderr)
        return 2
    try:
        print(checks[arguments[0]]())
    except CheckError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
