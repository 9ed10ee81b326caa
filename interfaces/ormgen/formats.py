# SPDX-License-Identifier: Apache-2.0
"""Reads the wire formats (`interfaces/formats/*.yaml`) and checks them."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

NAME = re.compile(r"[a-z][a-z0-9_]*$")
RECORD_NAME = re.compile(r"[A-Z][A-Za-z0-9]*$")
CRC_WIDTHS = {"crc32c": 32, "crc8": 8}


class FormatError(Exception):
    """The description is invalid; the message says where."""


@dataclass(frozen=True)
class Constant:
    name: str
    value: int
    text: str


@dataclass(frozen=True)
class Enum:
    name: str
    items: tuple[Constant, ...]


@dataclass(frozen=True)
class Field:
    """A field of a record. `lsb`, counted from the record's start, and `width` are in bits and multiples of 8."""

    name: str
    lsb: int
    width: int
    text: str

    @property
    def offset(self) -> int:
        return self.lsb // 8

    @property
    def bytes(self) -> int:
        return self.width // 8

    @property
    def end(self) -> int:
        return self.lsb + self.width

    @property
    def is_array(self) -> bool:
        """Whether it is an array of bytes: it is wider than the largest integer."""
        return self.width > 64

    @property
    def c_bits(self) -> int:
        """Width of the smallest C integer that holds it."""
        return next(w for w in (8, 16, 32, 64) if w >= self.width)


@dataclass(frozen=True)
class Crc:
    field: Field
    kind: str
    salt: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Record:
    name: str
    text: str
    bytes: int
    fields: tuple[Field, ...]
    crc: Crc | None = None

    @property
    def snake(self) -> str:
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", self.name).lower()

    @property
    def dense(self) -> bool:
        """Whether every byte belongs to a field, so that the record can be a packed bundle."""
        return sum(f.bytes for f in self.fields) == self.bytes

    @property
    def data_fields(self) -> tuple[Field, ...]:
        """The fields without the CRC."""
        return tuple(f for f in self.fields if self.crc is None or f != self.crc.field)


@dataclass(frozen=True)
class Formats:
    constants: tuple[Constant, ...] = ()
    enums: tuple[Enum, ...] = ()
    records: tuple[Record, ...] = field(default=())


def _constants(where: str, table: dict[str, Any]) -> tuple[Constant, ...]:
    out = []
    for name, entry in table.items():
        if not NAME.match(name):
            raise FormatError(f"{where}.{name}: name must be snake_case")
        if set(entry) != {"value", "text"}:
            raise FormatError(f"{where}.{name}: expected exactly the keys value and text")
        out.append(Constant(name, int(entry["value"]), str(entry["text"])))
    return tuple(out)


def _record(name: str, table: dict[str, Any]) -> Record:
    if not RECORD_NAME.match(name):
        raise FormatError(f"{name}: name of a record must be CamelCase")
    unit = {"bits": 1, "bytes": 8}[table.get("unit", "bits")]
    size = int(table["bytes"])
    fields = tuple(
        sorted(
            (
                Field(n, int(at) * unit, int(width) * unit, str(text))
                for n, (at, width, text) in table["fields"].items()
            ),
            key=lambda f: f.lsb,
        )
    )
    position = 0
    for f in fields:
        if not NAME.match(f.name):
            raise FormatError(f"{name}.{f.name}: name must be snake_case")
        if f.lsb % 8 or f.width % 8 or f.width <= 0:
            raise FormatError(f"{name}.{f.name}: field must consist of whole bytes")
        if f.lsb < position:
            raise FormatError(f"{name}.{f.name}: overlaps the field before it")
        if f.lsb > position and not table.get("sparse", False):
            raise FormatError(
                f"{name}.{f.name}: bits {position}..{f.lsb - 1} before it belong to no field (add a reserved one)"
            )
        position = f.end
    if position > size * 8 or (position < size * 8 and not table.get("sparse", False)):
        raise FormatError(f"{name}: fields end at bit {position}; the record ends at bit {size * 8}")
    crc = None
    if "crc" in table:
        spec = table["crc"]
        by_name = {f.name: f for f in fields}
        if spec["field"] not in by_name:
            raise FormatError(f"{name}: crc field {spec['field']} not found")
        crc_field = by_name[spec["field"]]
        if spec["kind"] not in CRC_WIDTHS or crc_field.width != CRC_WIDTHS[spec["kind"]]:
            raise FormatError(f"{name}.{crc_field.name}: kind {spec['kind']} does not fit {crc_field.width} bits")
        if crc_field != fields[-1]:
            raise FormatError(f"{name}.{crc_field.name}: CRC must be the last field, as it covers the bytes before it")
        crc = Crc(crc_field, spec["kind"], tuple((str(n), int(w)) for n, w in spec["salt"]))
    return Record(name, str(table["text"]), size, fields, crc)


def parse(text: str) -> Formats:
    """Parses the formats of one YAML text. Raises FormatError."""
    data = yaml.safe_load(text)
    enums = {**data.get("enums", {}), **{f"vendor_{n}": t for n, t in data.get("vendor", {}).items()}}
    return Formats(
        constants=_constants("constants", data.get("constants", {})),
        enums=tuple(Enum(n, _constants(n, t)) for n, t in enums.items()),
        records=tuple(_record(n, t) for n, t in data.get("records", {}).items()),
    )


def load(path: Path) -> Formats:
    try:
        return parse(path.read_text())
    except FormatError as e:
        raise FormatError(f"{path.name}: {e}") from None
