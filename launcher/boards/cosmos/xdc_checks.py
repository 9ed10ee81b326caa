# SPDX-License-Identifier: Apache-2.0
"""Whether recorded constraints are right: pins and standards as the board has them, clocks and times complete."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

from launcher.boards.cosmos import names, pins
from launcher.boards.cosmos.block_design import BlockDesign
from launcher.boards.cosmos.board_facts import Facts

_ELECTRICAL = ("PACKAGE_PIN", "IOSTANDARD", "SLEW", "PULLDOWN", "PULLUP")


def problems(facts: Facts, channels: int, design: BlockDesign, calls: Iterable[list[str]]) -> list[str]:
    """What is wrong with the constraints of a project with this design, one line each."""
    calls = list(calls)
    found = _pins(facts, design, calls) + _objects(design, calls)
    found += _clocks(facts, channels, calls)
    for channel in range(channels):
        found += _channel(facts, channel, calls)
    return found + _crossing(facts, calls)


def _pins(facts: Facts, design: BlockDesign, calls: list[list[str]]) -> list[str]:
    given: dict[str, dict[str, str]] = defaultdict(dict)
    found = []
    for call in calls:
        if call[0] == "set_property" and call[1] in _ELECTRICAL:
            signal = call[3].removeprefix("port:")
            if call[1] in given[signal]:
                found.append(f"{signal}: {call[1]} is set twice")
            given[signal][call[1]] = call[2]
    wanted = {}
    for pin in facts.pins_of(set(design.ports)):
        properties = {
            "PACKAGE_PIN": pin.pin,
            "IOSTANDARD": pin.standard,
            "SLEW": pin.slew,
            pin.pull: pin.pull and "TRUE",
        }
        wanted[pin.signal] = {name: value for name, value in properties.items() if value}
    for signal in wanted.keys() | given.keys():
        if wanted.get(signal) != given.get(signal):
            found.append(f"{signal}: {_shown(given.get(signal))}, the board has {_shown(wanted.get(signal))}")
    places = Counter(properties.get("PACKAGE_PIN") for properties in given.values())
    return found + [f"pin {place}: has {count} signals" for place, count in places.items() if count > 1]


def _shown(properties: dict[str, str] | None) -> str:
    return " ".join(f"{name} {value}" for name, value in (properties or {}).items()) or "nothing"


def _objects(design: BlockDesign, calls: list[list[str]]) -> list[str]:
    """What the constraints name is in the design."""
    found = []
    for call in calls:
        for word in call[1:]:
            for kind, name in re.findall(r"(port|pin|cell):(\S+)", word):
                if kind == "port":
                    if re.sub(r"\[[\d*]+\]$", "", name) not in design.ports:
                        found.append(f"{call[0]}: the design has no port {name}")
                    continue
                instance, cell, *inner = name.split("/")
                if instance != names.INSTANCE or cell not in design.ips:
                    found.append(f"{call[0]}: the design has no {kind} {name}")
                elif kind == "pin" and len(inner) == 1 and inner[0] not in design.ips[cell].pins:
                    found.append(f"{call[0]}: {cell} has no pin {inner[0]}")
    return found


def _clocks(facts: Facts, channels: int, calls: list[list[str]]) -> list[str]:
    """Each port that brings a clock has one, of the board's period; constraints name clocks that exist."""
    period = {}
    known = {names.CONTROLLER_CLOCK}
    for call in calls:
        given = _options(call)
        if call[0] in ("create_clock", "create_generated_clock"):
            known.add(given["-name"])
        if call[0] == "create_clock":
            period[call[-1].removeprefix("port:")] = float(given["-period"])
    wanted = {"pcie_ref_clk_p": 1000 / facts.clocks["pcie_reference"]}
    for channel in range(channels):
        wanted[names.nand_port("IO_NAND_DQS_P", channel)] = facts.nand["dqs_in_period"]
    found = [
        f"{port}: a clock of {period.get(port)} ns, not of {wanted.get(port)} ns"
        for port in sorted(wanted.keys() | period.keys())
        if period.get(port) != wanted.get(port)
    ]
    for call in calls:
        used = [*re.findall(r"clock:(\S+)", " ".join(call)), _options(call).get("-clock", names.CONTROLLER_CLOCK)]
        found += [f"{call[0]}: there is no clock {name}" for name in used if name not in known]
    return found


def _options(call: list[str]) -> dict[str, str]:
    """Options with the words behind them. An option without a value has the next word, which nobody looks up."""
    return {word: call[at + 1] for at, word in enumerate(call[:-1]) if at and word.startswith("-")}


def _channel(facts: Facts, channel: int, calls: list[list[str]]) -> list[str]:
    """Times of a channel's pins on both edges, and the place of its FIFO."""
    times = facts.nand
    data = f"port:{names.nand_port('IO_NAND_DQ', channel)}[*]"
    strobe_in, strobe_out, command = (f"ch{channel}_{name}" for name in ("dqs_in", "dqs_out", "we"))
    wanted = Counter[tuple[str, str, bool, str, float, str]]()
    for falls in (False, True):
        wanted[("set_input_delay", strobe_in, falls, "max", times["dq_in_max"], data)] += 1
        wanted[("set_input_delay", strobe_in, falls, "min", times["dq_in_min"], data)] += 1
        wanted[("set_output_delay", strobe_out, falls, "", times["dq_out"], data)] += 1
        for pin in ("O_NAND_ALE", "O_NAND_CLE"):
            port = f"port:{names.nand_port(pin, channel)}"
            wanted[("set_output_delay", command, falls, "", times["command_out"], port)] += 1
    enable = f"port:{names.nand_port('O_NAND_CE', channel)}[*]"
    wanted[("set_output_delay", command, False, "", times["command_out"], enable)] += 1
    given = Counter[tuple[str, str, bool, str, float, str]]()
    places = []
    for call in calls:
        if call[0] in ("set_input_delay", "set_output_delay") and f"CH{channel}_" in call[-1]:
            bound = next((word[1:] for word in ("-max", "-min") if word in call), "")
            given[(call[0], _options(call)["-clock"], "-clock_fall" in call, bound, float(call[-2]), call[-1])] += 1
        if call[:2] == ["set_property", "LOC"] and f"/{names.nfc(channel)}/" in call[3]:
            places.append(call[2])
    found = [f"channel {channel}: lacks {_line(entry)}" for entry in wanted - given]
    found += [f"channel {channel}: has {_line(entry)}" for entry in given - wanted]
    if places != [pins.fifo_place(facts, channel)]:
        found.append(f"channel {channel}: FIFO at {', '.join(places)}, DQ is beside {pins.fifo_place(facts, channel)}")
    return found


def _line(entry: tuple[str, str, bool, str, float, str]) -> str:
    command, clock, falls, bound, value, port = entry
    edge = "fall" if falls else "rise"
    return f"{command} of {port.removeprefix('port:')}, {value} ns {bound}, at the {edge} of {clock}"


def _crossing(facts: Facts, calls: list[list[str]]) -> list[str]:
    """Paths between the two clocks of the core have a bound in both directions, and no path of theirs is false."""
    bound = 1000 / max(facts.clocks["controller"], facts.clocks["pcie_user"])
    core = f"clock of pin:{names.INSTANCE}/{names.PCIE}/user_clk_out"
    controller = f"clock:{names.CONTROLLER_CLOCK}"
    given = {}
    found = []
    for call in calls:
        options = _options(call)
        ends = (options.get("-from"), options.get("-to"))
        if call[0] == "set_max_delay":
            given[ends] = ("-datapath_only" in call, float(call[-1]))
        if call[0] == "set_false_path" and set(ends) <= {core, controller}:
            found.append("paths between controller and PCIe core are false: nothing bounds the skew of Gray codes")
    for ends in ((core, controller), (controller, core)):
        if given.get(ends) != (True, bound):
            found.append(f"no bound of {bound} ns from {ends[0]} to {ends[1]}")
    return found
