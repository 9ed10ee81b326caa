# SPDX-License-Identifier: Apache-2.0
"""Tiger4, the board's NAND controller, in the user's own clone of its authors' repository. Nothing of it is shipped."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from launcher.boards.board import BoardFailed
from launcher.boards.cosmos.board_facts import Facts
from launcher.boards.cosmos.tcl_record import Ip

_MOST_BYTES = 4 << 20  # of a component.xml; those of these IPs have some hundred KB
_SPIRIT = {"s": "http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009"}


@dataclass(frozen=True)
class Clone:
    """What a project needs of the clone."""

    folder: Path
    ips: Path
    microcode: Path


def find(facts: Facts, folder: Path) -> Clone:
    """Raises BoardFailed when the folder is no clone with these IPs."""
    clone = Clone(
        folder.resolve(), (folder / facts.nand["ip_folder"]).resolve(), (folder / facts.nand["microcode"]).resolve()
    )
    if not clone.ips.is_dir():
        raise BoardFailed(f"--tiger4: {folder} has no folder {facts.nand['ip_folder']}")
    if not clone.microcode.is_file():
        raise BoardFailed(f"--tiger4: {folder} has no file {facts.nand['microcode']}")
    return clone


def differences(facts: Facts, clone: Clone, ips: Mapping[str, Ip]) -> list[str]:
    """Where the IPs of the clone are not as the block design expects them, one line each. Raises BoardFailed for a file
    that is no description of an IP."""
    found = []
    described = {}
    for path in sorted(clone.ips.glob("*/component.xml")):
        root = _parse(path)
        described[_text(root, "name")] = root
    for name, version in facts.nand["versions"].items():
        if name not in described:
            found.append(f"{name}: no such IP in {clone.ips}")
            continue
        root = described[name]
        ip = ips[f"{_text(root, 'vendor')}:{_text(root, 'library')}:{name}"]
        if _text(root, "version") != version:
            found.append(f"{name}: version {_text(root, 'version')}, the facts are of {version}")
        found += _compared(name, root, ip)
    return found


def _parse(path: Path) -> ElementTree.Element:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise BoardFailed(f"{path}: is too large for a description of an IP")
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise BoardFailed(f"{path}: {error}") from None
    if "<!DOCTYPE" in text or "<!ENTITY" in text:  # entities may expand without end
        raise BoardFailed(f"{path}: has a document type, which no description of an IP has")
    try:
        return ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise BoardFailed(f"{path}: {error}") from None


def _text(element: ElementTree.Element, tag: str) -> str:
    return element.findtext(f"s:{tag}", "", _SPIRIT).strip()


def _compared(name: str, root: ElementTree.Element, ip: Ip) -> list[str]:
    ports: dict[str, tuple[str, int]] = {}
    for port in root.findall("s:model/s:ports/s:port", _SPIRIT):
        wire = port.find("s:wire", _SPIRIT)
        if wire is not None:
            left = wire.findtext("s:vector/s:left", "0", _SPIRIT).strip()
            ports[_text(port, "name")] = (_text(wire, "direction"), int(left) + 1 if left.isdecimal() else 0)
    found = []
    for pin, wanted in ip.pins.items():
        direction, bits = ports.get(pin, ("", 0))
        if direction != wanted.direction or bits != wanted.bits:
            found.append(
                f"{name}: pin {pin} is '{direction}' of {bits} bits, not '{wanted.direction}' of {wanted.bits}"
            )
    buses: dict[str, tuple[str, str]] = {}
    for bus in root.findall("s:busInterfaces/s:busInterface", _SPIRIT):
        kind = bus.find("s:busType", _SPIRIT)
        mode = next((mode for mode in ("master", "slave") if bus.find(f"s:{mode}", _SPIRIT) is not None), "")
        attributes = {} if kind is None else {key.split("}")[-1]: value for key, value in kind.attrib.items()}
        buses[_text(bus, "name")] = (mode, attributes.get("name", ""))
    for bus_name, interface in ip.interfaces.items():
        if buses.get(bus_name) != (interface.mode, interface.kind):
            found.append(
                f"{name}: interface {bus_name} is {buses.get(bus_name)}, not {interface.mode} {interface.kind}"
            )
    return found
