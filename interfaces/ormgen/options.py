# SPDX-License-Identifier: Apache-2.0
"""Reads the options of db_bench and ioreplay (`interfaces/options`) and checks them."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from .formats import FormatError

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*$")
LARGEST = {"int": 2**31 - 1, "uint32_t": 2**32 - 1, "uint64_t": 2**64 - 1, "size_t": 2**64 - 1}
KINDS = ("number", "optional", "choice", "switch", "text")


@dataclass(frozen=True)
class Number:
    """A C++ type with an inclusive range and a default; `or_zero`: 0 is valid although it is below the range."""

    type: str
    low: int
    high: int
    or_zero: bool
    default: int | None


@dataclass(frozen=True)
class Choice:
    """One value of an option that has a list of them."""

    name: str
    text: str
    stream: bool = False
    own_value_sizes: bool = False


@dataclass(frozen=True)
class Option:
    """An option of db_bench; `number` for the kinds `number` and `optional`, `of` and its `choices` for `choice`."""

    name: str
    kind: str
    text: str
    default: str | bool
    value: str
    number: Number | None
    of: str
    choices: tuple[str, ...]
    excludes: tuple[str, ...]
    workloads: tuple[str, ...]


@dataclass(frozen=True)
class Trace:
    """The first two words of an operation trace."""

    name: str
    version: int


@dataclass(frozen=True)
class Options:
    remap: dict[str, Number]
    trace: Trace
    modes: tuple[Choice, ...]
    workloads: tuple[Choice, ...]
    choices: dict[str, tuple[Choice, ...]]  # the other lists
    options: tuple[Option, ...]


def _number(name: str, table: dict[str, Any]) -> Number:
    number = Number(
        type=str(table["type"]),
        low=int(table["low"]),
        high=int(table["high"]),
        or_zero=bool(table.get("or_zero", False)),
        default=None if table.get("default") is None else int(table["default"]),
    )
    if number.type not in LARGEST:
        raise FormatError(f"{name}: type {number.type} is none of {', '.join(LARGEST)}")
    if not 0 <= number.low <= number.high <= LARGEST[number.type]:
        raise FormatError(f"{name}: range {number.low}..{number.high} does not fit {number.type}")
    if number.or_zero and number.low == 0:
        raise FormatError(f"{name}: or_zero, but the range begins at 0")
    in_range = number.default is None or number.low <= number.default <= number.high
    if not in_range and not (number.or_zero and number.default == 0):
        raise FormatError(f"{name}: default {number.default} is not in {number.low}..{number.high}")
    return number


def _option(
    name: str, table: dict[str, Any], remap: dict[str, Number], choices: dict[str, tuple[Choice, ...]]
) -> Option:
    kind = table["kind"]
    if kind not in KINDS:
        raise FormatError(f"{name}: kind {kind} is none of {', '.join(KINDS)}")
    if not NAME.match(name):
        raise FormatError(f"{name}: names are lower case, their words joined by -")
    number = None
    if kind in ("number", "optional"):
        described = dict(table)
        if "remap" in table:
            range_of = remap[table["remap"]]
            described = {"default": range_of.default, **vars(range_of), **table}
        number = _number(name, described)
        if (number.default is None) != (kind == "optional"):
            raise FormatError(f"{name}: a number has a default, an optional one has none")
    of = table.get("of", "")
    names = tuple(choice.name for choice in choices[of]) if kind == "choice" else ()
    if kind == "choice" and table["default"] not in names:
        raise FormatError(f"{name}: default {table['default']} is none of {of}")
    workloads = table.get("workloads", ())
    if workloads == "stream":
        workloads = [workload.name for workload in choices["workloads"] if workload.stream]
    for workload in workloads:
        if workload not in [choice.name for choice in choices["workloads"]]:
            raise FormatError(f"{name}: no workload {workload}")
    return Option(
        name=name,
        kind=kind,
        text=str(table["text"]),
        default=table.get("default", "") if number is None else "",
        value=str(table.get("value", {"choice": name.upper(), "switch": "on|off"}.get(kind, "N"))),
        number=number,
        of=of,
        choices=names,
        excludes=tuple(table.get("excludes", ())),
        workloads=tuple(workloads),
    )


def parse(text: str) -> Options:
    """Options in one YAML text. Raises FormatError."""
    data = yaml.safe_load(text)
    remap = {name: _number(name, table) for name, table in data["remap"].items()}
    modes = tuple(Choice(name, str(text)) for name, text in data["modes"].items())
    workloads = tuple(Choice(name, **table) for name, table in data["workloads"].items())
    lists = {name: tuple(Choice(str(choice), "") for choice in names) for name, names in data["choices"].items()}
    choices = lists | {"modes": modes, "workloads": workloads}
    options = tuple(_option(name, table, remap, choices) for name, table in data["options"].items())
    names = [option.name for option in options]
    for option in options:
        for other in option.excludes:
            if other not in names:
                raise FormatError(f"{option.name}: excludes {other}, which is no option")
    trace = Trace(str(data["trace"]["name"]), int(data["trace"]["version"]))
    return Options(remap, trace, modes, workloads, lists, options)


def load(path: Path) -> Options:
    try:
        return parse(path.read_text())
    except FormatError as e:
        raise FormatError(f"{path.name}: {e}") from None


@dataclass(frozen=True)
class ReplayNumber:
    """An option of ioreplay that is a number: a C++ type with an inclusive range and a default."""

    type: str
    low: int
    high: int
    default: int
    text: str


def parse_replay(text: str, bench: Options) -> dict[str, ReplayNumber]:
    """Options in one YAML text, by name. Raises FormatError."""
    shared = {option.name: option.number for option in bench.options if option.kind == "number"}
    found = {}
    for name, table in yaml.safe_load(text)["numbers"].items():
        if not NAME.match(name):
            raise FormatError(f"{name}: names are lower case, their words joined by -")
        if "bench" in table and table["bench"] not in shared:
            raise FormatError(f"{name}: {table['bench']} is no number of db_bench")
        number = shared[table["bench"]] if "bench" in table else _number(name, table)
        if number is None or number.default is None or number.or_zero:
            raise FormatError(f"{name}: a number has a range and a default")
        found[name] = ReplayNumber(number.type, number.low, number.high, number.default, str(table["text"]))
    return found


def load_replay(path: Path, bench: Options) -> dict[str, ReplayNumber]:
    try:
        return parse_replay(path.read_text(), bench)
    except FormatError as e:
        raise FormatError(f"{path.name}: {e}") from None
