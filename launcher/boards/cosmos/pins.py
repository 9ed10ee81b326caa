# SPDX-License-Identifier: Apache-2.0
"""Whether the pins can be right: what package, banks and I/O standards say about pins.csv."""

from __future__ import annotations

import re
from collections import Counter

from launcher.boards.cosmos.board_facts import Facts, Pin, Place

_PAIR = re.compile(r"IO_L(\d+)([PN])_")
_GROUP = re.compile(r"_T([0-3])_")
_LANE = re.compile(r"MGTX([RT])X([PN])(\d)_(\d+)")
_REFERENCE = re.compile(r"MGTREFCLK\d([PN])_(\d+)")


def problems(facts: Facts, ports: dict[str, int]) -> list[str]:
    """What is wrong with the pins of a top with these ports (name to bits), one line each."""
    found = _complete(facts, ports)
    twice = [pin for pin, count in Counter(pin.pin for pin in facts.pins).items() if count > 1]
    found += [f"pin {pin}: {', '.join(p.signal for p in facts.pins if p.pin == pin)} are on it" for pin in twice]
    for pin in facts.pins:
        found += _electrical(facts, pin)
    if not found:  # the rules below look pins up
        found += _pairs(facts) + _channels(facts, ports) + _lanes(facts)
    return found


def fifo_place(facts: Facts, channel: int) -> str:
    """Site of the I/O FIFO beside a channel's DQ pins."""
    place = _place(facts, f"IO_NAND_CH{channel}_DQ[0]")
    bank = facts.banks[place.bank]
    group = _GROUP.search(place.function)
    assert group is not None and bank.row is not None
    return f"IN_FIFO_X{bank.column}Y{4 * bank.row + 3 - int(group[1])}"


def strobe_bank(facts: Facts, channel: int) -> int:
    """Bank of a channel's strobe, in which the delay of it is."""
    return _place(facts, f"IO_NAND_CH{channel}_DQS_P").bank


def lane_place(facts: Facts, lane: int) -> tuple[int, int]:
    """Quad and channel of the transceiver of a PCIe lane."""
    match = _LANE.match(_place(facts, f"pcie_rx_p[{lane}]").function)
    assert match is not None
    return int(match[4]), int(match[3])


def _place(facts: Facts, signal: str) -> Place:
    return facts.places[next(pin.pin for pin in facts.pins if pin.signal == signal)]


def _complete(facts: Facts, ports: dict[str, int]) -> list[str]:
    found = []
    signals = Counter(pin.signal for pin in facts.pins)
    found += [f"{signal}: has {count} pins" for signal, count in signals.items() if count > 1]
    for port, bits in ports.items():
        wanted = [port] if bits == 1 else [f"{port}[{i}]" for i in range(bits)]
        found += [f"{signal}: has no pin" for signal in wanted if signal not in signals]
        found += [
            f"{pin.signal}: the port has {bits} bits"
            for pin in facts.pins
            if pin.port == port and pin.signal not in wanted
        ]
    return found


def _electrical(facts: Facts, pin: Pin) -> list[str]:
    place = facts.places.get(pin.pin)
    if place is None:
        return [f"{pin.signal}: {pin.pin} is no pin of {facts.part}"]
    bank = facts.banks.get(place.bank)
    if bank is None or not place.function.endswith(f"_{place.bank}"):
        return [f"{pin.signal}: {pin.pin} is {place.function} of bank {place.bank}, which the board does not use"]
    if bank.kind == "GTX":
        return [f"{pin.signal}: pin {pin.pin} of a transceiver has no I/O standard"] if pin.standard else []
    standard = facts.standards.get(pin.standard)
    if standard is None:
        return [f"{pin.signal}: no I/O standard '{pin.standard}'"]
    found = []
    if bank.kind not in standard.kinds:
        found.append(f"{pin.signal}: {standard.name} is not for a bank of kind {bank.kind} ({bank.number})")
    if bank.volts != standard.volts:
        found.append(f"{pin.signal}: {standard.name} needs {standard.volts} V, bank {bank.number} has {bank.volts} V")
    if pin.slew not in ("", "FAST", "SLOW") or pin.pull not in ("", "PULLUP", "PULLDOWN"):
        found.append(f"{pin.signal}: neither slew '{pin.slew}' nor pull '{pin.pull}' may be something else")
    return found


def _pairs(facts: Facts) -> list[str]:
    """P and N of a differential signal are P and N of one pair of pins."""
    found = []
    for pin in facts.pins:
        standard = facts.standards.get(pin.standard)
        if standard is None or not standard.pair or not pin.signal.endswith("_P"):
            continue
        other = f"{pin.signal[:-2]}_N"
        if other not in {p.signal for p in facts.pins}:
            found.append(f"{pin.signal}: has no {other}")
            continue
        p, n = facts.places[pin.pin], _place(facts, other)
        a, b = _PAIR.match(p.function), _PAIR.match(n.function)
        if a is None or b is None or (p.bank, a[1], a[2], b[2]) != (n.bank, b[1], "P", "N"):
            found.append(f"{pin.signal}, {other}: {p.function} and {n.function} are no pair")
    return found


def _channels(facts: Facts, ports: dict[str, int]) -> list[str]:
    """The data of a channel is in one byte group, whose FIFO takes it; its strobe can clock that bank."""
    found = []
    for channel in range(8):
        if f"IO_NAND_CH{channel}_DQ" not in ports:
            continue
        strobe = _place(facts, f"IO_NAND_CH{channel}_DQS_P")
        if "_SRCC_" not in strobe.function and "_MRCC_" not in strobe.function:
            found.append(f"IO_NAND_CH{channel}_DQS_P: {strobe.function} cannot be a clock")
        for bit in range(8):
            place = _place(facts, f"IO_NAND_CH{channel}_DQ[{bit}]")
            first = _place(facts, f"IO_NAND_CH{channel}_DQ[0]")
            group, first_group = _GROUP.search(place.function), _GROUP.search(first.function)
            if group is None or first_group is None or (place.bank, group[1]) != (first.bank, first_group[1]):
                found.append(
                    f"IO_NAND_CH{channel}_DQ[{bit}]: {place.function} is in another byte group than {first.function}"
                )
            if place.bank != strobe.bank:
                found.append(f"IO_NAND_CH{channel}_DQ[{bit}]: in another bank than its strobe")
    return found


def _lanes(facts: Facts) -> list[str]:
    """Lanes go down the transceivers, one after the other; all four pins of a lane are of its transceiver."""
    found = []
    quads = sorted((b.number for b in facts.banks.values() if b.kind == "GTX"), reverse=True)
    wanted = [(quad, channel) for quad in quads for channel in (3, 2, 1, 0)]
    for lane in range(facts.lanes):
        for direction in "rt":
            for sign in "pn":
                signal = f"pcie_{direction}x_{sign}[{lane}]"
                match = _LANE.match(_place(facts, signal).function)
                shown = (match[1], match[2], (int(match[4]), int(match[3]))) if match else None
                if shown != (direction.upper(), sign.upper(), wanted[lane]):
                    quad, channel = wanted[lane]
                    found.append(
                        f"{signal}: {_place(facts, signal).function} is not {direction.upper()}X{sign.upper()} of "
                        f"transceiver {channel} of quad {quad}"
                    )
    for sign in "pn":
        match = _REFERENCE.match(_place(facts, f"pcie_ref_clk_{sign}").function)
        if match is None or match[1] != sign.upper() or int(match[2]) not in quads:
            found.append(f"pcie_ref_clk_{sign}: is no reference clock of the lanes' quads")
    return found
