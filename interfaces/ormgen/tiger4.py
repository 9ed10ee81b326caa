# SPDX-License-Identifier: Apache-2.0
"""Reads the description of the Cosmos+ NAND controller (`interfaces/registers/tiger4.yaml`) and checks it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from .formats import NAME, Constant, FormatError

GROUPS = ("registers", "commands", "sizes", "words")


@dataclass(frozen=True)
class Field:
    """`width` bits of a word, from bit `first` on."""

    name: str
    first: int
    width: int
    text: str


@dataclass(frozen=True)
class Tiger4:
    registers: tuple[Constant, ...]
    commands: tuple[Constant, ...]
    sizes: tuple[Constant, ...]
    words: tuple[Constant, ...]
    fields: tuple[Field, ...]

    @property
    def groups(self) -> tuple[tuple[str, tuple[Constant, ...]], ...]:
        """The constants, by what they are."""
        return tuple((name, getattr(self, name)) for name in GROUPS)


def _name(group: str, name: str) -> str:
    if not NAME.match(name):
        raise FormatError(f"{group}.{name}: name must be snake_case")
    return name


def _constant(group: str, name: str, entry: dict[str, Any]) -> Constant:
    value = int(entry["value"])
    if value < 0 or value >> 32:
        raise FormatError(f"{group}.{name}: does not fit into 32 bits")
    return Constant(_name(group, name), value, str(entry["text"]))


def _field(name: str, entry: dict[str, Any]) -> Field:
    first, width = entry["bits"]
    if width < 1 or first < 0 or first + width > 32:
        raise FormatError(f"fields.{name}: does not lie in a word")
    return Field(_name("fields", name), int(first), int(width), str(entry["text"]))


def parse(text: str) -> Tiger4:
    """Parses the description. Raises FormatError."""
    data = yaml.safe_load(text)
    found = {group: tuple(_constant(group, str(n), e) for n, e in data[group].items()) for group in GROUPS}
    for group in ("registers", "commands"):
        if len({c.value for c in found[group]}) != len(found[group]):
            raise FormatError(f"{group}: two have the same number")
    for register in found["registers"]:
        if register.value % 4:
            raise FormatError(f"registers.{register.name}: is no address of a word")
    return Tiger4(fields=tuple(_field(str(n), e) for n, e in data["fields"].items()), **found)


def load(path: Path) -> Tiger4:
    """Reads tiger4.yaml. Raises FormatError."""
    try:
        return parse(path.read_text())
    except FormatError as e:
        raise FormatError(f"{path.name}: {e}") from None
