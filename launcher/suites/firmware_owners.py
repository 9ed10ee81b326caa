# SPDX-License-Identifier: Apache-2.0
"""The check `owners` of firmware_check: which lines of a firmware source write a struct of another unit.

A unit owns the structs that its header declares. Assignments through pointers are writes, and so are calls that are
given a pointer through which the callee may write, unless the callee is a function of the owner.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

# The context: it has the structs of all units, and all units include it.
CONTEXT = "fw.h"
# By header: the other units than its own that write the structs that it declares, and why.
SHARED = {
    "crash": (("fw",), "setjmp() fills the buffer in the stack frame of fw_poll(), which longjmp() returns to"),
    "recovery": (
        (
            "damage",
            "read_only",
            "recovery_chains",
            "recovery_destaged",
            "recovery_election",
            "recovery_format",
            "recovery_intents",
            "recovery_mend",
            "recovery_probe",
            "recovery_snapshot",
            "recovery_summary",
        ),
        "the steps of a start fill its tables one after the other",
    ),
    "recovery_summary": (("recovery_probe",), "it knows when each superblock has its turn"),
    "snapshot": (("recovery_snapshot",), "a start reads with it what a shutdown has written"),
}

_STRUCT = re.compile(r"^struct (\w+) \{\n(.*?)^\}", re.M | re.S)
_MEMBER = re.compile(r"^\s+struct (\w+) (\w+)(?:\[[^;]*\])?;", re.M)
_POINTER = re.compile(r"\bstruct (\w+) \*(\w+)\b")
_PATH = r"(?P<name>\w+)->(?P<path>\w+(?:\[[^\]]*\])*(?:\.\w+(?:\[[^\]]*\])*)*)"
_WRITE = re.compile(rf"(?P<before>--|\+\+)?\b{_PATH}\s*(?P<after>(?:[-+*/|&^]|<<|>>)?=(?!=)|--|\+\+)?")
_FUNCTION = re.compile(
    r"^(?!return\b|else\b)\w[\w ]*[ *](?P<name>\w+)\((?P<parameters>[^()]*)\)\s*(?:;|\{|__attr)", re.M
)
_CALL = re.compile(r"\b(?P<name>\w+)\(")
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
_PART = re.compile(rf"&?{_PATH}")
_WHOLE = re.compile(r"(?P<name>\w+)")


@dataclass
class Function:
    """What a prototype says of a function."""

    home: str  # stem of the file that declares it
    writes: tuple[bool, ...]  # by parameter: whether it is a pointer through which the function may write


# Of the C library: those that write where their first argument points.
LIBRARY_HOME = "the C library"
_LIBRARY_WRITES = {
    name: Function(LIBRARY_HOME, (True,)) for name in ("memset", "memcpy", "memmove", "setjmp", "vsnprintf")
}


def without_comments(text: str) -> str:
    """The text with blanks in place of its comments, so that lines keep their numbers."""
    return _COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), text)


def functions_of(text: str, home: str) -> dict[str, Function]:
    """The functions that a text without comments declares or defines, by name."""
    return {
        function["name"]: Function(
            home,
            tuple(
                ("*" in parameter or "[" in parameter) and "const" not in parameter
                for parameter in function["parameters"].split(",")
            ),
        )
        for function in _FUNCTION.finditer(text)
    }


def arguments_of(text: str, start: int) -> list[str]:
    """The arguments of a call whose opening parenthesis is before `start`."""
    found, depth, begin = [], 0, start
    for at in range(start, len(text)):
        if text[at] in "([{":
            depth += 1
        elif depth > 0 and text[at] in ")]}":
            depth -= 1
        elif depth == 0 and text[at] in ",)":
            found.append(text[begin:at].strip())
            begin = at + 1
            if text[at] == ")":
                break
    return found


@dataclass
class Declarations:
    """What headers declare: structs, with those of their members that are structs again, and functions."""

    homes: dict[str, str] = field(default_factory=dict)  # by struct: stem of its header
    members: dict[str, dict[str, str]] = field(default_factory=dict)  # by struct: struct by member
    functions: dict[str, Function] = field(default_factory=lambda: dict(_LIBRARY_WRITES))

    def add(self, text: str, home: str) -> None:
        self.functions.update(functions_of(without_comments(text), home))
        for name, body in _STRUCT.findall(text):
            self.homes[name] = home
            self.members[name] = {member: kind for kind, member in _MEMBER.findall(body)}

    def owned(self, kind: str) -> bool:
        """Whether it belongs to the unit that declares it: the context, a part of it, or named after the unit. Others
        are values, which belong to what they are a part of."""
        parts = self.members.get(Path(CONTEXT).stem, {}).values()
        return kind in self.homes and (kind in parts or kind.startswith(self.homes[kind]))

    def written(self, kind: str, path: str) -> str:
        """The innermost struct with an owner that a write to `path` of a struct changes."""
        found = kind
        for member in re.sub(r"\[[^\]]*\]", "", path).split("."):
            if member not in self.members.get(kind, {}):
                break
            kind = self.members[kind][member]
            found = kind if self.owned(kind) else found
        return found


def given_away(arguments: list[str], function: Function) -> Iterator[tuple[str, str]]:
    """The pointers through which a call may write: the variable that each comes from, and the path from there, which is
    empty for the variable itself."""
    for argument, writes in zip(arguments, function.writes, strict=False):
        if not writes:
            continue
        whole = _WHOLE.fullmatch(argument)
        if whole is not None:
            yield whole["name"], ""
        part = _PART.match(argument)
        if part is not None:
            yield part["name"], part["path"]


def foreign_writes(text: str, unit: str, declared: Declarations) -> list[str]:
    """Where a file writes a struct that another unit declares, and that SHARED does not let it write.

    Writes are assignments, and calls that may write through a pointer to the struct or a part of it, unless the
    function is one of the struct's own unit. Any function may be given the context as a whole. So may one of the same
    file be given a struct: what it writes is found there.
    """
    text = without_comments(text)
    lines = text.splitlines()
    functions = {**declared.functions, **functions_of(text, unit)}
    found = []
    kinds: dict[str, str] = {}  # of the pointers that were declared last

    def check(number: int, name: str, path: str, callee: str) -> None:
        if name not in kinds:
            return
        kind = declared.written(kinds[name], path)
        home = declared.homes[kind] if declared.owned(kind) else unit
        if home not in (unit, callee) and unit not in SHARED.get(home, ((), ""))[0]:
            found.append(f"{unit}.c:{number} writes struct {kind} of {home}.h: {lines[number - 1].strip()}")

    begin = 0
    for number, line in enumerate(lines, 1):
        kinds.update({name: kind for kind, name in _POINTER.findall(line)})
        for write in _WRITE.finditer(line):
            if write["before"] or write["after"]:
                check(number, write["name"], write["path"], "")
        for call in _CALL.finditer(text, begin, begin + len(line)):
            function = functions.get(call["name"])
            if function is None:
                continue
            for name, path in given_away(arguments_of(text, call.end()), function):
                harmless = path == "" and (function.home == unit or kinds.get(name) == Path(CONTEXT).stem)
                if not harmless or function.home == LIBRARY_HOME:
                    check(number, name, path, function.home)
        begin += len(line) + 1
    return found
