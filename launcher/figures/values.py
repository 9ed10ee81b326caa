# SPDX-License-Identifier: Apache-2.0
"""Expressions that take a figure's values from the output of its command.

An expression is a small part of Python: names, members (`run.wa`), places (`rows[0]`), arithmetic, and the functions of
FUNCTIONS. A member of an object is its JSON member. Nothing else can be reached, so a table of expressions is data.
"""

from __future__ import annotations

import ast
import operator
import re
import textwrap
from collections.abc import Callable, Mapping
from statistics import mean
from typing import Any

from launcher.figures import readings


class ValueFailed(Exception):  # noqa: N818 - reads as what happened
    """An expression has no value; the message names it and says why."""


def find(rows: list[dict[str, Any]], **wanted: Any) -> dict[str, Any]:
    """The one object of a list with these members."""
    found = [row for row in rows if all(row.get(key) == value for key, value in wanted.items())]
    if len(found) != 1:
        raise ValueFailed(f"{len(found)} objects have {wanted}; expected one")
    return found[0]


def member(document: Any, *names: str) -> Any:
    """A member of a member of an object; None where there is none."""
    for name in names:
        document = document.get(name) if isinstance(document, dict) else None
    return document


def pick(rows: list[list[str]], *first: str) -> list[str]:
    """The one row of a table that begins with these cells."""
    found = [row for row in rows if row[: len(first)] == list(first)]
    if len(found) != 1:
        raise ValueFailed(f"{len(found)} rows begin with {first}; expected one")
    return found[0]


def both(*found: str) -> str:
    """Cells side by side, or one `-` where there is nothing to show."""
    return "-" if set(found) == {"-"} else ", ".join(found)


def number(text: str) -> float:
    """A number as programs print it, with commas between thousands."""
    value = float(text.replace(",", ""))
    return int(value) if value.is_integer() and "." not in text else value


def grab(text: str, pattern: str, which: int = 0) -> Any:
    """The groups of a pattern's match in a text: a number if there is one group, else a list of numbers."""
    found = list(re.finditer(pattern, text, re.MULTILINE))
    if len(found) <= which:
        raise ValueFailed(f"no match {which} of {pattern!r}")
    groups = [number(group) for group in found[which].groups()]
    return groups[0] if len(groups) == 1 else groups


def amount(text: str) -> float:
    """The first number of a cell such as `+55.8 %`."""
    return float(grab(text, r"([-+]?[\d.,]+)"))


def wrapped(text: str, width: int = 112) -> list[str]:
    """The last line of a text, as lines of a code block."""
    return textwrap.wrap(text.strip().splitlines()[-1], width)


def table(text: str, head: str) -> list[list[str]]:
    """The rows of the Markdown table in a text whose head begins with a cell."""
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if cells(line)[:1] == [head]:
            rows: list[list[str]] = []
            for later in lines[i + 2 :]:
                if not later.startswith("|"):
                    break
                rows.append(cells(later))
            return rows
    raise ValueFailed(f"no table whose head begins with {head!r}")


def cells(line: str) -> list[str]:
    """The cells of a line of a Markdown table; none if it is no such line."""
    line = line.strip()
    if not line.startswith("|"):
        return []
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))]


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **readings.FUNCTIONS,
    "abs": abs,
    "amount": amount,
    "both": both,
    "find": find,
    "float": float,
    "grab": grab,
    "len": len,
    "max": max,
    "member": member,
    "mean": mean,
    "min": min,
    "pick": pick,
    "round": round,
    "sum": sum,
    "table": table,
    "wrapped": wrapped,
}
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
}


def evaluate(expression: str, names: Mapping[str, Any]) -> Any:
    """The value of an expression. Raises ValueFailed."""
    try:
        return _value(ast.parse(expression, mode="eval").body, names)
    except ValueFailed as error:
        raise ValueFailed(f"{expression}: {error}") from error
    except (SyntaxError, TypeError, ValueError, KeyError, IndexError, StopIteration, ZeroDivisionError) as error:
        raise ValueFailed(f"{expression}: {type(error).__name__}: {error}") from error


def _value(node: ast.expr, names: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant():
            return node.value
        case ast.Name():
            if node.id not in names:
                raise ValueFailed(f"no output or variable '{node.id}'")
            return names[node.id]
        case ast.Attribute():
            return _value(node.value, names)[node.attr]
        case ast.Subscript(slice=ast.Slice() as part):
            ends = [None if end is None else _value(end, names) for end in (part.lower, part.upper)]
            return _value(node.value, names)[ends[0] : ends[1]]
        case ast.Subscript():
            return _value(node.value, names)[_value(node.slice, names)]
        case ast.BinOp() if type(node.op) in _BINARY:
            return _BINARY[type(node.op)](_value(node.left, names), _value(node.right, names))
        case ast.UnaryOp(op=ast.USub()):
            return -_value(node.operand, names)
        case ast.List() | ast.Tuple():
            return [_value(element, names) for element in node.elts]
        case ast.ListComp(generators=[ast.comprehension(target=ast.Name() as target, ifs=[])]):
            return [_value(node.elt, {**names, target.id: item}) for item in _value(node.generators[0].iter, names)]
        case ast.Call(func=ast.Name(id=name)) if name in FUNCTIONS:
            options = {keyword.arg: _value(keyword.value, names) for keyword in node.keywords if keyword.arg}
            return FUNCTIONS[name](*(_value(argument, names) for argument in node.args), **options)
    raise ValueFailed(f"{type(node).__name__} is not allowed")


def text(spec: list[str], names: Mapping[str, Any]) -> str:
    """A piece of text: a format, then an expression for each of its places. A value that does not exist is `-`."""
    form, *expressions = spec
    found = [evaluate(expression, names) for expression in expressions]
    return "-" if None in found else form.format(*found)
