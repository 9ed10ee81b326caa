# SPDX-License-Identifier: Apache-2.0
"""The stack that an image needs at most, from the call graph of the very objects that it was linked from.

GCC writes the graph and the frames (-fcallgraph-info=su). What a function calls through a pointer depends on where the
pointer comes from, which the call's place in the sources tells: a member of `struct platform`, a member of `struct
machine`, the console's UART, or a table of functions in the same file.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from launcher.suites import call_graph
from launcher.suites.call_graph import LIBRARY

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
# Sources in which calls through pointers go to members of struct platform.
PLATFORM_CALLERS = ("hal.h", "hal.c", "fw.c", "health.c", "board.c")

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
class CallGraph(call_graph.CallGraph):
    """Frames and calls of an image."""

    library: dict[str, int] = field(default_factory=lambda: FRAMES)
    members: Members = field(default_factory=Members)

    def reached(self, function: str, unit: str, place: str) -> list[str] | None:
        """Members of the port's structs, by the call's place; elsewhere what the same file takes addresses of."""
        if place in PLATFORM_CALLERS:
            found = self.members.platform
        elif place == "runner.c":
            found = [*self.members.machine, *self.members.platform]
        elif place == "console.c":
            found = self.members.console
        else:
            found = sorted(self.taken.get(unit, ()))
        return found or None


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
    graph.take(listings)
    for main in mains:
        graph.members.add(main.read_text(), main.name, set(graph.frames))
    return graph
