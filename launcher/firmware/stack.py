# SPDX-License-Identifier: Apache-2.0
"""The stack that an image needs at most, from the call graph of the very objects that it was linked from.

GCC writes the graph and the frames (-fcallgraph-info=su). What a function calls through a pointer depends on where the
pointer comes from, which the call's place in the sources tells: a member of `struct platform`, a member of `struct
machine`, the console's UART, or a table of functions in the same file.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from launcher.suites.firmware_check import LIBRARY, CheckError, addresses_taken

# Compilers' helpers for 64-bit numbers, and what the C library's formatted output is made of.
FRAMES = {
    **LIBRARY,
    "snprintf": 1024,
    **dict.fromkeys(
        ("__udivdi3", "__umoddi3", "__divdi3", "__moddi3", "__muldi3", "__ashldi3", "__lshrdi3", "__popcountsi2",
         "__popcountdi2", "__ctzdi2", "__clzdi2", "__ctzsi2", "__clzsi2"),
        128,
    ),
    **dict.fromkeys(
        ("__aeabi_uldivmod", "__aeabi_ldivmod", "__aeabi_uidiv", "__aeabi_uidivmod", "__aeabi_idiv", "__aeabi_llsl",
         "__aeabi_llsr", "__aeabi_lmul"),
        128,
    ),
}  # fmt: skip
INDIRECT = "__indirect_call"
# Sources in which calls through pointers go to members of struct platform.
PLATFORM_CALLERS = ("hal.h", "hal.c", "fw.c", "health.c")

_NODE = re.compile(r'node: \{ title: "([^"]+)" label: "([^"]*)"')
_EDGE = re.compile(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"(?: label: "([^"]*)")?')
_BYTES = re.compile(r"\\n(\d+) bytes \((static|dynamic|dynamic,bounded)\)")
_MEMBER = re.compile(r"\b(platform|machine)(?:\.|->)(\w+) = (\w+);")
_CONSOLE = re.compile(r"runner_init\([^;]*?(\w+)\);")


@dataclass
class Members:
    """The functions that a port hands to the firmware and to the runner."""

    platform: list[str] = field(default_factory=list)
    machine: list[str] = field(default_factory=list)
    console: list[str] = field(default_factory=list)

    def add(self, source: str, unit: str, functions: set[str]) -> None:
        """Reads those of a port's source `unit`: `platform.log = log_line;`, `runner_init(..., put);`."""
        handed = [(struct, name) for struct, _, name in _MEMBER.findall(source)]
        handed += [("console", name) for name in _CONSOLE.findall(source)]
        for struct, name in handed:
            if f"{unit}:{name}" in functions:
                getattr(self, struct).append(f"{unit}:{name}")
            elif name in functions:
                getattr(self, struct).append(name)


@dataclass
class CallGraph:
    """Frames and calls of an image. Static functions are named `file:name`."""

    frames: dict[str, int] = field(default_factory=dict)
    calls: dict[str, set[tuple[str, str]]] = field(default_factory=dict)  # function -> (target, file of the call)
    taken: dict[str, set[str]] = field(default_factory=dict)  # file -> functions whose address it takes
    members: Members = field(default_factory=Members)

    def add(self, text: str, unit: str) -> None:
        """Adds a translation unit's graph."""

        def named(title: str) -> str:
            return f"{unit}:{title.rpartition(':')[2]}" if ":" in title else title

        for title, label in _NODE.findall(text):
            size = _BYTES.search(label)
            if size is None:
                continue  # defined in another translation unit
            if size[2] == "dynamic":
                raise CheckError(f"{title}: the size of its stack frame is not bounded")
            self.frames[named(title)] = int(size[1])
        for source, target, label in _EDGE.findall(text):
            place = Path(label.split(":")[0]).name if label else unit
            to = f"{unit}:{INDIRECT}" if target == INDIRECT else named(target)
            self.calls.setdefault(named(source), set()).add((to, place))

    def targets(self, function: str) -> Iterator[str]:
        """What it may call."""
        for target, place in sorted(self.calls.get(function, ())):
            unit, _, name = target.rpartition(":")
            if name != INDIRECT:
                yield target
                continue
            if place in PLATFORM_CALLERS:
                reached = self.members.platform
            elif place == "runner.c":
                reached = [*self.members.machine, *self.members.platform]
            elif place == "console.c":
                reached = self.members.console
            else:
                reached = sorted(self.taken.get(unit, ()))
            if not reached:
                raise CheckError(f"{function} calls through a pointer in {place}, and what it may reach is unknown")
            yield from reached

    def deepest(self, entry: str) -> tuple[int, list[str]]:
        """Bytes and functions of the deepest path from `entry`."""
        known: dict[str, tuple[int, list[str]]] = {}

        def look(function: str, path: tuple[str, ...]) -> tuple[int, list[str]]:
            if function in path:
                raise CheckError("recursion: " + " -> ".join([*path[path.index(function) :], function]))
            if function not in known:
                frame = self.frames.get(function, FRAMES.get(function))
                if frame is None:
                    raise CheckError(f"{path[-1] if path else 'the image'} calls {function}, whose frame is unknown")
                below = max((look(target, (*path, function)) for target in self.targets(function)), default=(0, []))
                known[function] = (frame + below[0], [function, *below[1]])
            return known[function]

        return look(entry, ())


def read(objects: list[Path], mains: list[Path], prefix: str) -> CallGraph:
    """The graph of an image's objects. `mains`: the port's sources that hand functions to the firmware; `prefix`: of
    the binary utilities."""
    graph = CallGraph()
    listings: dict[str, str] = {}
    for made in objects:
        unit = made.name.removesuffix(".obj")
        info = made.with_name(made.name.removesuffix(".obj") + ".ci")
        if not info.exists():
            continue  # assembler
        graph.add(info.read_text(), unit)
        listings[unit] = "".join(
            subprocess.run([f"{prefix}objdump", how, str(made)], capture_output=True, text=True, check=True).stdout
            for how in ("-dr", "-r")
        )
    functions = {name.rpartition(":")[2] for name in graph.frames}
    for unit, listing in listings.items():
        named = {(f"{unit}:{name}", name) for name in addresses_taken(listing, functions)}
        graph.taken[unit] = {own if own in graph.frames else name for own, name in named} & graph.frames.keys()
    for main in mains:
        graph.members.add(main.read_text(), main.name, set(graph.frames))
    return graph
