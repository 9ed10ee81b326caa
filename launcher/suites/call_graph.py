# SPDX-License-Identifier: Apache-2.0
"""Call graphs of compiled C, as GCC's -fcallgraph-info=su and objdump tell them: the deepest path on the stack.

Static functions are named `file:name`. What a call through a pointer reaches depends on the program, so each user of
CallGraph says it (`reached`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

# Stack bytes of the C library's functions on embedded targets. Formatted output needs the most.
LIBRARY = {
    **dict.fromkeys(("memset", "memcpy", "memmove", "memcmp", "strlen", "strrchr", "_setjmp", "setjmp", "longjmp"), 64),
    **dict.fromkeys(("vsnprintf",), 1024),
}
INDIRECT = "__indirect_call"

_NODE = re.compile(r'node: \{ title: "([^"]+)" label: "([^"]*)"')
_EDGE = re.compile(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"(?: label: "([^"]*)")?')
_BYTES = re.compile(r"\\n(\d+) bytes \((static|dynamic|dynamic,bounded)\)")
_SECTION = re.compile(r"Disassembly of section (\S+):|RELOCATION RECORDS FOR \[([^]]+)\]")
_RELOCATION = re.compile(r"\s*[0-9a-f]+:?\s+R_(\w+)\s+(\S+)")
# Relocations that only calls and jumps have. x86-64 has none, so its instructions are looked at.
_CALLS = re.compile(r"RISCV_(CALL|CALL_PLT|JAL|BRANCH|RVC_JUMP|RVC_BRANCH)|ARM_(CALL|JUMP24|THM_CALL|THM_JUMP\d+)")


class CheckError(Exception):
    """A check failed."""


@dataclass
class CallGraph:
    """Stack frames in bytes, and calls."""

    library: dict[str, int] = field(default_factory=lambda: LIBRARY)  # frames of functions that no unit has
    frames: dict[str, int] = field(default_factory=dict)
    calls: dict[str, set[tuple[str, str]]] = field(default_factory=dict)  # function -> (target, file of the call)
    taken: dict[str, set[str]] = field(default_factory=dict)  # file -> functions whose address it takes
    homes: dict[str, str] = field(default_factory=dict)  # function -> the file that defines it

    def add(self, text: str, unit: str) -> None:
        """Adds a translation unit's graph."""

        def named(title: str) -> str:
            # A static function's title has the path of its file; the path's last part is kept.
            return f"{unit}:{title.rpartition(':')[2]}" if ":" in title else title

        for title, label in _NODE.findall(text):
            size = _BYTES.search(label)
            if size is None:
                continue  # defined in another translation unit
            if size[2] == "dynamic":
                raise CheckError(f"{title}: the size of its stack frame is not bounded")
            self.frames[named(title)] = int(size[1])
            self.homes[named(title)] = unit
        for source, target, label in _EDGE.findall(text):
            place = Path(label.split(":")[0]).name if label else unit
            to = f"{unit}:{INDIRECT}" if target == INDIRECT else named(target)
            self.calls.setdefault(named(source), set()).add((to, place))

    def take(self, listings: dict[str, str]) -> None:
        """Finds the functions whose addresses are taken, in each unit's `objdump -dr` and `objdump -r`.

        A table may name functions of any unit, so all units are added before.
        """
        functions = {name.rpartition(":")[2] for name in self.frames}
        for unit, listing in listings.items():
            named = {(f"{unit}:{name}", name) for name in addresses_taken(listing, functions)}
            self.taken[unit] = {own if own in self.frames else name for own, name in named} & self.frames.keys()

    def reached(self, function: str, unit: str, place: str) -> Iterable[str] | None:
        """What a call through a pointer in `place`, a file of `unit`, may reach. None: that is not known."""
        raise NotImplementedError

    def targets(self, function: str) -> Iterator[str]:
        """What it may call."""
        for target, place in sorted(self.calls.get(function, ())):
            unit, _, name = target.rpartition(":")
            if name != INDIRECT:
                yield target
                continue
            reached = self.reached(function, unit, place)
            if reached is None:
                raise CheckError(f"{function} calls through a pointer in {place}, and what it may reach is unknown")
            yield from reached

    def deepest(self, entry: str) -> tuple[int, list[str]]:
        """Bytes and functions of the deepest path from `entry`."""
        known: dict[str, tuple[int, list[str]]] = {}

        def look(function: str, path: tuple[str, ...]) -> tuple[int, list[str]]:
            if function in path:
                raise CheckError("recursion: " + " -> ".join([*path[path.index(function) :], function]))
            if function not in known:
                frame = self.frames.get(function, self.library.get(function))
                if frame is None:
                    raise CheckError(f"{path[-1] if path else 'the check'} calls {function}, whose frame is unknown")
                below = max((look(target, (*path, function)) for target in self.targets(function)), default=(0, []))
                known[function] = (frame + below[0], [function, *below[1]])
            return known[function]

        return look(entry, ())


def addresses_taken(listing: str, functions: set[str]) -> set[str]:
    """The functions whose address a translation unit takes: those that a relocation other than a call refers to.

    `listing`: output of `objdump -dr` and `objdump -r` for a unit compiled with -ffunction-sections. A function that
    takes its own address by the name of its section is not seen.
    """
    taken = set()
    here = instruction = ""
    for line in listing.splitlines():
        section = _SECTION.match(line)
        if section is not None:
            # `objdump -dr` has the relocations of code; `objdump -r` lists those of tables.
            here = section[1] or section[2]
            instruction = (
                "" if section[2] is None else "skip" if re.match(r"\.text|\.debug|\.eh", section[2]) else "data"
            )
            continue
        relocation = _RELOCATION.match(line)
        if relocation is None:
            if instruction not in ("data", "skip"):
                instruction = line
            continue
        name = re.sub(r"^\.text\.|[-+]0x[0-9a-f]+$", "", relocation[2]).removesuffix("@plt")
        jumps = (
            _CALLS.fullmatch(relocation[1]) is not None or re.search(r"\t(?:call|jmp|j[a-z]+)", instruction) is not None
        )
        # A table of jumps between a function's instructions refers to the function's own section.
        own = re.sub(r"[-+]0x[0-9a-f]+$", "", relocation[2]) == here
        if name in functions and instruction != "skip" and not jumps and not own:
            taken.add(name)
    return taken
