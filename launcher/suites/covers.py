# SPDX-License-Identifier: Apache-2.0
"""Functional coverage: which of the RTL's `cover` statements the test benches reach.

A cover's name is its file and its text ("NandDie: a result waits for its client"), in whichever instance and simulation
it is reached. Neither FIRRTL nor Verilog has the text, so it is read from the Scala source at the place that FIRRTL
gives:

    Scala source, FIRRTL  -> declared()  at emission: Verilog name of each cover -> cover
    coverage.dat          -> counts()    after a simulation: Verilog name -> times reached
    all units' reports    -> merge(), judge() at the end of the whole cocotb suite

A cover in a Scala loop becomes several covers, named by the source's text and a number ("outcome $r #2"). A transition
of a state machine (hw/src/lib/Transitions.scala) is named by its unit and label: "GcEngine: lock -> load".
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

_MODULE = re.compile(r"\s*(?:public )?module (\w+) :")
_COVER = re.compile(r"\s*cover\(.*\) : (\w+) @\[(\S+) (\d+):\d+\]")
_COPY = re.compile(r"_\d+$")  # of a module that has been elaborated before
_TRANSITION = re.compile(r"(\w+)_becomes_(\w+)")
_UNIT = re.compile(r"[A-Z]\w+: ")
_STRING = re.compile(r's?"((?:[^"\\]|\\.)*)"')
# Verilator's escape of a character in a name, such as the second of two underscores.
_ESCAPED = re.compile(r"__0([0-9A-F]{2})")


class CoverError(Exception):
    """A cover has no name, or a report cannot be read."""


def declared(firrtl: Path) -> dict[str, str]:
    """The covers of a FIRRTL file: maps `module.label`, as in the Verilog, to the cover's name."""
    found: dict[str, str] = {}
    sources: dict[Path, list[str]] = {}
    repeated: Counter[tuple[str, str]] = Counter()
    module = ""
    with open(firrtl, encoding="utf-8") as lines:
        for line in lines:
            if begun := _MODULE.match(line):
                module = begun[1]
            elif cover := _COVER.match(line):
                label, path, number = cover[1], Path(cover[2]), int(cover[3])
                if transition := _TRANSITION.fullmatch(label):
                    unit = _COPY.sub("", module)
                    found[f"{module}.cover__{label}"] = f"{unit}: {transition[1]} -> {transition[2]}"
                    continue
                if path not in sources:
                    sources[path] = path.read_text().splitlines()
                name = _name(path, sources[path], number)
                if "$" in name:
                    repeated[module, name] += 1
                    name = f"{name} #{repeated[module, name] - 1}"
                found[f"{module}.cover__{label}"] = name
    return found


def _name(path: Path, source: list[str], number: int) -> str:
    """Name (`Unit: text`) of the cover that begins in line `number`."""
    rest = "\n".join(source[number - 1 :])
    at = rest.find("cover(")
    strings: list[str] = []
    depth, here = 0, at + len("cover")
    while at >= 0 and here < len(rest):
        if string := _STRING.match(rest, here):
            strings.append(string[1])
            here = string.end()
            continue
        depth += {"(": 1, ")": -1}.get(rest[here], 0)
        here += 1
        if depth == 0:
            break
    if not strings:
        raise CoverError(f"{path.name}:{number}: a cover without a text")
    text = strings[-1]
    return text if _UNIT.match(text) else f"{path.stem}: {text}"


def counts(coverage: Path) -> Counter[str]:
    """Verilator's hit counts by `module.label`, added up over all instances."""
    seen: Counter[str] = Counter()
    for line in coverage.read_text(encoding="utf-8", errors="replace").splitlines():
        if not line.startswith("C '"):
            continue
        point, number = line[3:].rsplit("' ", 1)
        keys = dict(part.split("\x02", 1) for part in point.split("\x01") if "\x02" in part)
        kind, _, module = keys.get("page", "").partition("/")
        if kind == "v_user":
            label = _ESCAPED.sub(lambda code: chr(int(code[1], 16)), keys["o"])
            seen[f"{module}.{label}"] += int(number)
    return seen


def write_report(names: Path, coverage: Path, report: Path) -> None:
    """Writes a simulation's hit count of each cover. `names` comes from the emission, `coverage` from Verilator."""
    known: dict[str, str] = json.loads(names.read_text())
    seen = counts(coverage)
    if strangers := seen.keys() - known.keys():
        raise CoverError(f"{coverage}: covers that the emission did not name: {sorted(strangers)}")
    total: Counter[str] = Counter(dict.fromkeys(known.values(), 0))
    for point, number in seen.items():
        total[known[point]] += number
    report.write_text(json.dumps(total, indent=1, sort_keys=True))


def merge(reports: Iterable[Path]) -> dict[str, dict[str, int]]:
    """For each cover, the hit counts of the units that reached it; empty if none did."""
    merged: dict[str, dict[str, int]] = {}
    for path in sorted(reports):
        for name, number in json.loads(path.read_text()).items():
            units = merged.setdefault(name, {})
            if number:
                units[path.parent.name] = number
    return merged


def accepted(path: Path) -> dict[str, str]:
    """Reads the list of covers that may stay unreached, with the reasons."""
    known = tomllib.loads(path.read_text())
    bad = [name for name, reason in known.items() if not (isinstance(reason, str) and reason.strip())]
    if bad:
        raise CoverError(f"{path.name}: no reason for {bad}")
    return known


@dataclass
class Verdict:
    """Number of covers, how many were reached, and the failures."""

    hit: int
    total: int
    unhit: list[str]
    failures: list[str] = field(default_factory=list)


def judge(merged: Mapping[str, Mapping[str, int]], known: Mapping[str, str]) -> Verdict:
    """Failures are unreached covers that `known` does not list, and entries of `known` that are reached or unknown."""
    unhit = sorted(name for name, units in merged.items() if not units)
    verdict = Verdict(len(merged) - len(unhit), len(merged), unhit)
    verdict.failures += [f"never reached: {name}" for name in unhit if name not in known]
    verdict.failures += [f"listed as never reached, but reached: {name}" for name in known if merged.get(name)]
    verdict.failures += [f"listed as never reached, but no such cover exists: {name}" for name in known.keys() - merged]
    return verdict
