# SPDX-License-Identifier: Apache-2.0
"""Assertions that no register or memory of a unit changes in a cycle in which its clock would be stopped.

`SimulatedTop` stops the clocks of units that have nothing to do (hw/src/top/Gating.scala). With the macro
OPENREMAP_UNGATED its clocks always run, and each ClockGate only says when it would be needed. write() makes a module
for that build, ClockWatch, from the emitted Verilog. It is bound to the controller and compares each register of a
gated unit, down to its innermost parts, with what it was a cycle before.

The plus argument `wrong_quiet=UNIT` seeds a defect: the unit's gate takes it for quiet all the time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

FILE = "ClockWatch.sv"
_TOP = "OpenRemapTop"
_GATE = "ClockGate"

# What firtool writes, with the options of Emit.scala: a statement a line, local variables nowhere.
_COMMENT = re.compile(r"//[^\n]*")
_INSTANCE = re.compile(
    r"^  (?P<module>\w+) (?:#\([^()]*(?:\([^()]*\)[^()]*)*\) )?(?P<name>\w+) \(\s*$(?P<pins>.*?)^  \);",
    re.MULTILINE | re.DOTALL,
)
_REGISTER = re.compile(r"^  reg\s+(?P<width>\[\d+:0\])?\s*(?P<name>\w+)(?P<memory>\[0:\d+\])?;", re.MULTILINE)
_ASSIGNED = re.compile(r"^\s*(\w+) <=", re.MULTILINE)
_WRITE = re.compile(r"if \((?P<when>[^;]*?)\)\s+(?P<word>Memory\[\w+\](?:\[[^\]]*\])?)\s*<=\s*(?P<data>[^;]*);")
_OF_MEMORY = re.compile(r"\b(Memory|W\d+_\w+)")


class WatchError(Exception):
    """The Verilog does not look as expected."""


@dataclass(frozen=True)
class _Instance:
    module: str
    name: str
    pins: str

    def pin(self, name: str) -> str:
        """The signal at a pin, empty if it is no plain signal."""
        found = re.search(rf"\.{name}\s+\((\w+)\)", self.pins)
        return found[1] if found else ""


@dataclass(frozen=True)
class _Module:
    folder: Path
    name: str

    @cached_property
    def text(self) -> str:
        text = _COMMENT.sub("", (self.folder / f"{self.name}.sv").read_text())
        begin = re.search(rf"^module {self.name}\b", text, re.MULTILINE)
        if begin is None:
            raise WatchError(f"{self.name}.sv has no module {self.name}")
        return text[begin.start() :]

    @cached_property
    def instances(self) -> list[_Instance]:
        found = [_Instance(m["module"], m["name"], m["pins"]) for m in _INSTANCE.finditer(self.text)]
        return [part for part in found if (self.folder / f"{part.module}.sv").is_file()]

    @cached_property
    def registers(self) -> list[tuple[str, str]]:
        """Name and width ("" or "[7:0]"). Variables of combinational blocks are no registers."""
        assigned = set(_ASSIGNED.findall(self.text))
        return [
            (m["name"], m["width"] or "")
            for m in _REGISTER.finditer(self.text)
            if m["memory"] is None and m["name"] in assigned
        ]

    @cached_property
    def writes(self) -> list[tuple[str, str, str]]:
        """Of a memory: the condition of each write, what is written, and the data."""
        found = [(m["when"], m["word"], m["data"]) for m in _WRITE.finditer(self.text)]
        if any(m["memory"] for m in _REGISTER.finditer(self.text)) and not found:
            raise WatchError(f"{self.name} is a memory that is never written")
        return found


class _Watch:
    """Collects the parts of the module ClockWatch."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.modules: dict[str, _Module] = {}
        self.declared: list[str] = []
        self.seeded: list[str] = []
        self.checks: list[str] = []
        self.registers = 0

    def module(self, name: str) -> _Module:
        return self.modules.setdefault(name, _Module(self.folder, name))

    def below(self, module: str, path: str) -> Iterator[tuple[_Module, str]]:
        here = self.module(module)
        yield here, path
        for part in here.instances:
            yield from self.below(part.module, f"{path}.{part.name}")

    def unit(self, module: str, name: str, gate: str) -> None:
        self.seeded.append(f"if (wrong == \"{name}\") begin {gate}.wrong = 1'b1; seeded = 1'b1; end")
        self.declared.append(f"logic held_{name} = 1'b0;")
        stopped = f"{gate}.needed === 1'b0"
        self.checks.append("always @(posedge clock) begin")
        self.checks.append(f"held_{name} <= {stopped};")
        for part, path in self.below(module, name):
            for register, width in part.registers:
                before = f"before_{self.registers}"
                self.registers += 1
                self.declared.append(f"logic {width + ' ' if width else ''}{before};")
                self.checks.append(f"if (held_{name} && {path}.{register} !== {before})")
                self.checks.append(f'  $fatal(1, "{path}.{register} changed while {name} needed no clock");')
                self.checks.append(f"{before} <= {path}.{register};")
            for write in part.writes:
                when, word, data = (_OF_MEMORY.sub(rf"{path}.\1", text) for text in write)
                self.checks.append(f"if ({stopped} && {when} && {word} !== {data})")
                self.checks.append(f'  $fatal(1, "{path} is written while {name} needed no clock");')
        self.checks.append("end")


def write(folder: Path) -> int:
    """Writes FILE for the emitted SimulatedTop in `folder`. Returns the number of registers that it compares;
    WatchError if there are none, or if something is not as firtool writes it."""
    watch = _Watch(folder)
    parts = watch.module(_TOP).instances
    gates = {part.pin("gated"): part.name for part in parts if part.module == _GATE}
    for part in parts:
        if part.module != _GATE and part.pin("clock") in gates:
            watch.unit(part.module, part.name, gates[part.pin("clock")])
    if watch.registers == 0:
        raise WatchError(f"no unit of {_TOP} has a clock that stops")
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        "module ClockWatch (input clock);",
        *(f"  {line}" for line in watch.declared),
        "  string wrong;",
        "  logic seeded = 1'b0;",
        '  initial if ($value$plusargs("wrong_quiet=%s", wrong)) begin',
        *(f"    {line}" for line in watch.seeded),
        '    if (!seeded) $fatal(1, "no unit %s has a clock that stops", wrong);',
        "  end",
        *(f"  {line}" for line in watch.checks),
        "endmodule",
        f"bind {_TOP} ClockWatch clock_watch (.clock(clock));",
    ]
    (folder / FILE).write_text("".join(f"{line}\n" for line in lines))
    return watch.registers
