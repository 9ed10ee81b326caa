# SPDX-License-Identifier: Apache-2.0
"""Writes the XDC files of constraints/cosmos from the facts: `python -m launcher.boards.cosmos.xdc [--check]`.

One file for each function: clocks, PCIe, and each NAND channel, of which a project takes those that it has.
"""

from __future__ import annotations

import argparse
import sys

from launcher.boards.board import BoardFailed
from launcher.boards.cosmos import board_facts, crossings, names, pins
from launcher.boards.cosmos.board_facts import Facts, Pin

CHANNELS = 8
CLOCKS = "clocks.xdc"
PCIE = "pcie.xdc"
_WIDTH = 120


def nand(channel: int) -> str:
    """Name of a channel's file."""
    return f"nand_ch{channel}.xdc"


def files_of(channels: int) -> list[str]:
    """The files for a project with so many channels, in the order in which they are read."""
    return [PCIE, *map(nand, range(channels)), CLOCKS]


def texts(facts: Facts) -> dict[str, str]:
    """All files, by name."""
    head = [
        "# SPDX-License-Identifier: Apache-2.0",
        "# Written from board.toml and pins.csv. Do not edit: run python -m launcher.boards.cosmos.xdc",
        f"# Part: {facts.part}",
    ]
    bodies = {PCIE: _pcie(facts), CLOCKS: _clocks(facts)}
    bodies |= {nand(channel): _nand(facts, channel) for channel in range(CHANNELS)}
    return {name: "\n".join([*head, *map(_broken, body), ""]) for name, body in bodies.items()}


def _broken(line: str) -> str:
    """A long command in several lines, which end between words that no bracket has around it."""
    if len(line) <= _WIDTH or line.startswith("#"):
        return line
    lines, depth = [""], 0
    for word in line.split(" "):
        if depth == 0 and word.startswith(("-", "[")) and len(lines[-1]) + _bracketed(line, word) > _WIDTH - 2:
            lines.append("   ")
        lines[-1] += f" {word}" if lines[-1] else word
        depth += sum(map(word.count, "[{")) - sum(map(word.count, "]}"))
    return " \\\n".join(lines)


def _bracketed(line: str, word: str) -> int:
    """Characters of a word: an option with its value, or what is in brackets."""
    rest = line[line.index(word) :]
    depth = 0
    for at, character in enumerate(rest):
        depth += (character in "[{") - (character in "]}")
        ends = rest.startswith(" -", at) if word.startswith("-") else at and character == " "
        if depth == 0 and ends:
            return at
    return len(rest)


def _port(pin: Pin) -> str:
    return f"[get_ports {{{pin.signal}}}]"


def _pin_lines(facts: Facts, ports: set[str]) -> list[str]:
    lines = []
    for pin in facts.pins_of(ports):
        properties = [f"PACKAGE_PIN {pin.pin}"]
        properties += [f"IOSTANDARD {pin.standard}"] if pin.standard else []
        properties += [f"SLEW {pin.slew}"] if pin.slew else []
        properties += [f"{pin.pull} TRUE"] if pin.pull else []
        lines.append(f"set_property -dict {{{' '.join(properties)}}} {_port(pin)}")
    return lines


def _period(mhz: float) -> str:
    return f"{1000 / mhz:.3f}"


def _pcie(facts: Facts) -> list[str]:
    ports = set(names.pcie_ports(facts.lanes))
    return [
        "",
        "# Pins. The core's own constraints place its transceivers; these lanes lead to the same ones.",
        *_pin_lines(facts, ports),
        "",
        "# The connector's reference clock. The core's constraints derive the others from it.",
        f"create_clock -name pcie_refclk -period {_period(facts.clocks['pcie_reference'])} [get_ports pcie_ref_clk_p]",
        "",
        "# The core synchronises its reset.",
        "set_false_path -from [get_ports pcie_perst_n]",
    ]


def _clocks(facts: Facts) -> list[str]:
    lines = [
        "",
        "# The processing system's constraints have its clock, the clock wizard's have that of the NAND pins, and the",
        "# PCIe core's have its own. What is left are the paths between controller and PCIe core.",
    ]
    return [*lines, *crossings.constraints(facts)]


def _nand(facts: Facts, channel: int) -> list[str]:
    times = facts.nand
    cell = f"{names.INSTANCE}/{names.nfc(channel)}/inst"
    fast = f"[get_pins {names.INSTANCE}/{names.NAND_CLOCK}/inst/clk_out1]"
    master = f"[get_clocks -of_objects {fast}]"
    driver = f"[get_pins {cell}/{times['strobe_driver']}/OQ]"
    port = {pin: names.nand_port(pin, channel) for pin in names.NAND_PINS}
    strobe_in, strobe_out, root = (f"ch{channel}_dqs_in", f"ch{channel}_dqs_out", f"ch{channel}_dqs_root")
    command = f"ch{channel}_we"
    data, strobe = f"[get_ports {{{port['IO_NAND_DQ']}[*]}}]", f"[get_ports {port['IO_NAND_DQS_P']}]"
    derived = "create_generated_clock -add -multiply_by 1"
    lines = [
        "",
        "# Pins",
        *_pin_lines(facts, set(port.values())),
        "",
        "# The strobe from NAND clocks DQ on both edges.",
        f"create_clock -name {strobe_in} -period {times['dqs_in_period']:.3f} {strobe}",
        f"set_clock_uncertainty {times['dqs_in_uncertainty']} [get_clocks {strobe_in}]",
        f"set_clock_latency -source {times['dqs_in_latency']} [get_clocks {strobe_in}]",
    ]
    for edge in ("", " -clock_fall -add_delay"):
        for bound in ("max", "min"):
            add = " -add_delay" if bound == "min" and not edge else ""
            lines.append(f"set_input_delay -clock {strobe_in}{edge}{add} -{bound} {times[f'dq_in_{bound}']} {data}")
    lines += [
        "",
        "# The strobe to NAND, from the serialiser to its pin; DQ goes with it.",
        f"{derived} -name {root} -source {fast} -master_clock {master} {driver}",
        f"{derived} -name {strobe_out} -source {driver} -master_clock [get_clocks {root}] {strobe}",
        f"set_output_delay -clock {strobe_out} {times['dq_out']} {data}",
        f"set_output_delay -clock {strobe_out} -clock_fall -add_delay {times['dq_out']} {data}",
        "",
        "# WE clocks commands and addresses. RE is a clock, too, so that tools keep it one.",
        f"{derived} -name {command} -source {fast} -master_clock {master} [get_ports {port['O_NAND_WE']}]",
        f"{derived} -name ch{channel}_re -source {fast} -master_clock {master} [get_ports {port['O_NAND_RE_P']}]",
        f"set_output_delay -clock {command} {times['command_out']} [get_ports {{{port['O_NAND_CE']}[*]}}]",
    ]
    for pin in ("O_NAND_ALE", "O_NAND_CLE"):
        lines += [
            f"set_output_delay -clock {command} {times['command_out']} [get_ports {port[pin]}]",
            f"set_output_delay -clock {command} -clock_fall -add_delay {times['command_out']} [get_ports {port[pin]}]",
        ]
    lines += ["", "# The PHY orders these by its protocol; no edge of one is near an edge of the other that matters."]
    for one, other in ((names.CONTROLLER_CLOCK, strobe_out), (strobe_in, strobe_out)):
        lines.append(f"set_false_path -from [get_clocks {one}] -to [get_clocks {other}]")
        lines.append(f"set_false_path -from [get_clocks {other}] -to [get_clocks {one}]")
    bank = pins.strobe_bank(facts, channel)
    first = next(c for c in range(CHANNELS) if pins.strobe_bank(facts, c) == bank)
    lines += [
        "",
        "# Places: the FIFO beside DQ, and the delay of the strobe, which one controller calibrates in each bank.",
        f"set_property BEL IN_FIFO [get_cells {cell}/{times['strobe_fifo']}]",
        f"set_property LOC {pins.fifo_place(facts, channel)} [get_cells {cell}/{times['strobe_fifo']}]",
        f"set_property IODELAY_GROUP dqs_bank_{bank} [get_cells {cell}/{times['strobe_delay']}]",
    ]
    group = f"dqs_bank_{bank}" if channel == first else "{}"
    lines.append(f"set_property IODELAY_GROUP {group} [get_cells {cell}/{times['strobe_control']}]")
    return lines


def differing(facts: Facts) -> list[str]:
    """Names of the files that are not as the facts say."""
    return [
        name
        for name, text in texts(facts).items()
        if not (board_facts.FOLDER / name).is_file() or (board_facts.FOLDER / name).read_text() != text
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is out of date")
    arguments = parser.parse_args()
    try:
        facts = board_facts.load()
    except BoardFailed as error:
        print(f"xdc: {error}", file=sys.stderr)
        return 1
    stale = differing(facts)
    if arguments.check:
        for name in stale:
            print(f"{name} is out of date: run python -m launcher.boards.cosmos.xdc", file=sys.stderr)
        return 1 if stale else 0
    for name in stale:
        (board_facts.FOLDER / name).write_text(texts(facts)[name])
        print(f"wrote {board_facts.FOLDER / name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
