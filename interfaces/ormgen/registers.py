# SPDX-License-Identifier: Apache-2.0
"""Reads the register maps and the list of counters. SystemRDL's compiler checks the maps' overlaps and resets."""

import re
from dataclasses import dataclass
from pathlib import Path

import yaml
from systemrdl.compiler import RDLCompiler
from systemrdl.node import AddrmapNode, FieldNode, RegNode

from .formats import NAME, Constant, FormatError


@dataclass(frozen=True)
class RegisterField:
    name: str
    lsb: int
    width: int
    text: str
    access: str  # of software: r, w, rw; rw1c: writing 1 clears
    reset: int
    enum: str | None

    @property
    def mask(self) -> int:
        return ((1 << self.width) - 1) << self.lsb


@dataclass(frozen=True)
class Register:
    name: str
    address: int
    count: int  # 1, or the elements of an array
    stride: int
    text: str
    fields: tuple[RegisterField, ...]

    @property
    def reset(self) -> int:
        return sum(f.reset << f.lsb for f in self.fields)


@dataclass(frozen=True)
class RegisterEnum:
    name: str
    items: tuple[Constant, ...]


@dataclass(frozen=True)
class RegisterMap:
    name: str
    title: str
    text: str
    registers: tuple[Register, ...]
    enums: tuple[RegisterEnum, ...]


def _text(node: AddrmapNode | RegNode | FieldNode) -> str:
    """A description as one line; in the source it may be broken over several."""
    return " ".join(str(node.get_property("desc") or "").split())


def _field(node: FieldNode) -> RegisterField:
    access = str(node.get_property("sw").name)
    if node.get_property("onwrite") is not None:
        access = "rw1c"
    encode = node.get_property("encode")
    reset = node.get_property("reset")
    return RegisterField(
        name=node.inst_name,
        lsb=node.lsb,
        width=node.width,
        text=_text(node),
        access=access,
        reset=reset if isinstance(reset, int) else 0,
        enum=encode.type_name if encode is not None else None,
    )


def _register(node: RegNode) -> Register:
    count = 1
    stride = 4
    if node.is_array:
        assert node.array_dimensions is not None and node.array_stride is not None
        count, stride = node.array_dimensions[0], node.array_stride
    if node.size != 4:
        raise FormatError(f"{node.inst_name}: register must have 32 bits")
    return Register(
        name=node.inst_name,
        address=node.raw_address_offset,
        count=count,
        stride=stride,
        text=_text(node),
        fields=tuple(_field(f) for f in node.fields()),
    )


def load(path: Path) -> RegisterMap:
    """Compiles one SystemRDL file. On errors it prints them and raises systemrdl.RDLCompileError."""
    compiler = RDLCompiler()
    compiler.compile_file(str(path))
    top = compiler.elaborate().top
    assert isinstance(top, AddrmapNode)
    enums: dict[str, RegisterEnum] = {}
    registers = []
    for node in top.children(unroll=False):
        if not isinstance(node, RegNode):
            raise FormatError(f"{path.name}: {node.inst_name} is not a register")
        for f in node.fields():
            encode = f.get_property("encode")
            if encode is not None:
                items = tuple(Constant(m.name, int(m.value), "") for m in encode)
                enums[encode.type_name] = RegisterEnum(re.sub(r"_e$", "", encode.type_name), items)
        registers.append(_register(node))
    return RegisterMap(
        name=top.inst_name,
        title=str(top.get_property("name")),
        text=_text(top),
        registers=tuple(registers),
        enums=tuple(enums.values()),
    )


def load_counters(path: Path) -> tuple[Constant, ...]:
    """Reads the list of hardware counters; a counter's value is its index."""
    rows = yaml.safe_load(path.read_text())["counters"]
    names = [str(r[0]) for r in rows]
    for name in names:
        if not NAME.match(name):
            raise FormatError(f"{path.name}: {name}: name must be snake_case")
    if len(set(names)) != len(names):
        raise FormatError(f"{path.name}: counter names must be unique")
    return tuple(Constant(str(n), i, str(t)) for i, (n, t) in enumerate(rows))
