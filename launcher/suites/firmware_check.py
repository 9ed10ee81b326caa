# SPDX-License-Identifier: Apache-2.0
"""What the firmware promises of itself, checked at its sources: `python -m launcher.suites.firmware_check stack|analyze`.

stack: the deepest path of calls fits into FW_STACK_BYTES (firmware_limits.h), and nothing recurses. analyze: GCC's static
analyser has nothing to say.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from launcher.env.paths import ROOT

SOURCES = ROOT / "firmware" / "src"
LIMITS = ROOT / "firmware" / "include" / "firmware_limits.h"
INCLUDES = ("firmware/include", "firmware/src", "interfaces/include", "interfaces/gen/c")
COMPILE = ("gcc", "-std=c11", *(f"-I{ROOT / folder}" for folder in INCLUDES), "-c")
# Where execution comes in: fw_watchdog() on top of a poll.
ENTRIES = ("fw_init", "fw_poll", "fw_phase", "fw_describe", "fw_size", "fw_watchdog")
# Of the C library, on the embedded targets; the largest there is formatted output.
LIBRARY = {
    **dict.fromkeys(("memset", "memcpy", "memmove", "memcmp", "strlen", "strrchr", "_setjmp", "setjmp", "longjmp"), 64),
    **dict.fromkeys(("vsnprintf",), 1024),
}
# These call the port through `struct platform`: its members run on a stack that the port has room for.
PORT_CALLS = re.compile(r"hal_\w+|fw_poll|health_temperature")
INDIRECT = "__indirect_call"

_NODE = re.compile(r'node: \{ title: "([^"]+)" label: "([^"]*)"')
_EDGE = re.compile(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"')
_CLONE = re.compile(r"\.(?:constprop|isra|part|cold)\b.*")  # what GCC makes of a function
_BYTES = re.compile(r"\\n(\d+) bytes \((static|dynamic|dynamic,bounded)\)")


class CheckError(Exception):
    """Something that the firmware promises does not hold."""


@dataclass
class Graph:
    """Who calls whom, and the bytes of each function's frame. Static functions are `file:name`."""

    frames: dict[str, int] = field(default_factory=dict)
    calls: dict[str, set[str]] = field(default_factory=dict)
    taken: dict[str, set[str]] = field(default_factory=dict)  # by file: functions whose address is used there

    def add(self, text: str, unit: str) -> None:
        """A unit's call graph, as -fcallgraph-info=su writes it."""

        def named(title: str) -> str:
            # A static function has its file before its name; only the last part of that stays.
            return f"{unit}:{title.rpartition(':')[2]}" if ":" in title else title

        for title, label in _NODE.findall(text):
            size = _BYTES.search(label)
            if size is None:
                continue  # of another unit
            if size[2] == "dynamic":
                raise CheckError(f"{title}: the size of its frame is not bounded")
            self.frames[named(title)] = int(size[1])
        for source, target in _EDGE.findall(text):
            self.calls.setdefault(named(source), set()).add(
                f"{unit}:{INDIRECT}" if target == INDIRECT else named(target)
            )

    def targets(self, function: str) -> Iterator[str]:
        """What it may call. Tables of functions stand in the file that calls through them."""
        for target in sorted(self.calls.get(function, ())):
            if not target.endswith(f":{INDIRECT}"):
                yield target
            elif not PORT_CALLS.fullmatch(_CLONE.sub("", function.rpartition(":")[2])):
                unit = target.rpartition(":")[0]
                if not self.taken.get(unit):
                    raise CheckError(f"{function} calls through a pointer, and {unit} takes the address of no function")
                yield from sorted(self.taken[unit])

    def deepest(self, entry: str) -> tuple[int, list[str]]:
        """Bytes and functions of the deepest path from there."""
        known: dict[str, tuple[int, list[str]]] = {}

        def look(function: str, path: tuple[str, ...]) -> tuple[int, list[str]]:
            if function in path:
                raise CheckError("recursion: " + " -> ".join([*path[path.index(function) :], function]))
            if function not in known:
                frame = self.frames.get(function, LIBRARY.get(function))
                if frame is None:
                    raise CheckError(f"{path[-1] if path else 'the check'} calls {function}, of which nothing is known")
                below = max((look(t, (*path, function)) for t in self.targets(function)), default=(0, []))
                known[function] = (frame + below[0], [function, *below[1]])
            return known[function]

        return look(entry, ())


_SECTION = re.compile(r"Disassembly of section|RELOCATION RECORDS FOR \[([^]]+)\]")
_RELOCATION = re.compile(r"\s*[0-9a-f]+:?\s+R_\w+\s+(\S+)")


def addresses_taken(listing: str, functions: set[str]) -> set[str]:
    """Of an `objdump -dr` and `objdump -r` of a unit with -ffunction-sections: functions that something else than a call
    names."""
    taken = set()
    instruction = ""
    for line in listing.splitlines():
        section = _SECTION.match(line)
        if section is not None:
            # Relocations of code come with the disassembly; those of tables stand alone.
            instruction = (
                "" if section[1] is None else "skip" if re.match(r"\.text|\.debug|\.eh", section[1]) else "data"
            )
            continue
        relocation = _RELOCATION.match(line)
        if relocation is None:
            if instruction not in ("data", "skip"):
                instruction = line
            continue
        name = re.sub(r"^\.text\.|[-+]0x[0-9a-f]+$", "", relocation[1]).removesuffix("@plt")
        jumps = re.search(r"\t(?:call|jmp|j[a-z]+)", instruction) is not None
        if name in functions and instruction != "skip" and not jumps:
            taken.add(name)
    return taken


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0 or done.stderr:
        raise CheckError(done.stderr or f"{command[0]}: exit code {done.returncode}")
    return done.stdout


def read_graph(sources: list[Path], folder: Path) -> Graph:
    """Compiles them. Without inlining: an inlined frame would count for all of its caller's callees."""
    graph = Graph()
    for source in sources:
        made = folder / f"{source.stem}.o"
        # Not -fPIC: a call through the PLT or GOT would look like an address that is taken.
        flags = ["-O2", "-fno-inline", "-fno-pic", "-ffunction-sections", "-fno-ipa-icf", "-fcallgraph-info=su"]
        _run([*COMPILE, *flags, str(source), "-o", str(made)])
        text = made.with_suffix(".ci").read_text()
        graph.add(text, source.name)
        own = {name.rpartition(":")[2] for name, _ in _NODE.findall(text)} - {INDIRECT}
        names = addresses_taken(_run(["objdump", "-dr", str(made)]) + _run(["objdump", "-r", str(made)]), own)
        graph.taken[source.name] = {
            f"{source.name}:{name}" if f"{source.name}:{name}" in graph.frames else name for name in names
        }
    return graph


def limit() -> int:
    """FW_STACK_BYTES."""
    found = re.search(r"#define FW_STACK_BYTES (\d+)u", LIMITS.read_text())
    if found is None:
        raise CheckError(f"no FW_STACK_BYTES in {LIMITS}")
    return int(found[1])


def stack() -> str:
    """The deepest path; CheckError when it is too deep, or there is none because of a recursion."""
    with tempfile.TemporaryDirectory() as folder:
        graph = read_graph(sorted(SOURCES.rglob("*.c")), Path(folder))
    depths = {entry: graph.deepest(entry) for entry in ENTRIES}
    depth, path = max(value for entry, value in depths.items() if entry != "fw_watchdog")
    watchdog = depths["fw_watchdog"][0]
    text = "\n".join(f"{graph.frames.get(name, LIBRARY.get(name, 0)):6} {name}" for name in path)
    text += f"\n{depth} bytes, and {watchdog} for the watchdog on top of it; {limit()} is the limit"
    if depth + watchdog > limit():
        raise CheckError(text)
    return text


def analyze() -> str:
    """GCC's analyser over each source; CheckError with what it says."""
    sources = sorted(SOURCES.rglob("*.c"))
    for source in sources:
        _run([*COMPILE, "-O1", "-Wall", "-Wextra", "-fanalyzer", str(source), "-o", "/dev/null"])
    return f"{len(sources)} files, nothing found"


def main(arguments: list[str]) -> int:
    checks = {"stack": stack, "analyze": analyze}
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
