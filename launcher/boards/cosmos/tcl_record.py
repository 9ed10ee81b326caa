# SPDX-License-Identifier: Apache-2.0
"""Runs Tcl for Vivado under tclsh, with stubs that write down each call (stubs.tcl)."""

from __future__ import annotations

import subprocess
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from launcher.boards import board_packages
from launcher.boards.board import BoardFailed

STUBS = Path(__file__).with_name("stubs.tcl")
IPS = Path(__file__).with_name("ips.toml")
_PATIENCE = 120  # seconds


@dataclass(frozen=True)
class PinOf:
    """A pin of an IP. `clock`: the pin that it is in step with, or clock, async or pad (ips.toml)."""

    direction: str  # in, out or inout
    bits: int
    clock: str
    optional: bool = False


@dataclass(frozen=True)
class InterfaceOf:
    """An interface of an IP: slave or master, what kind of bus it is, and its clock's pin."""

    mode: str
    kind: str
    clock: str


@dataclass(frozen=True)
class Ip:
    """An IP, or our own module, as the block design sees it. `vlnv`: without the version; a module's name."""

    vlnv: str
    pins: Mapping[str, PinOf]
    interfaces: Mapping[str, InterfaceOf]


@cache
def load_ips(path: Path = IPS) -> dict[str, Ip]:
    """Those of ips.toml, by vlnv."""
    found: dict[str, Ip] = {}
    for entry in tomllib.loads(path.read_text()).values():
        ip = Ip(entry["vlnv"], _pins(entry), _interfaces(entry))
        found[ip.vlnv] = ip
    return found


def _pins(entry: dict[str, Any]) -> dict[str, PinOf]:
    words = {name: str(text).split() for name, text in entry.get("pins", {}).items()}
    return {name: PinOf(w[0].rstrip("?"), int(w[1]), w[2], w[0].endswith("?")) for name, w in words.items()}


def _interfaces(entry: dict[str, Any]) -> dict[str, InterfaceOf]:
    words = {name: str(text).split() for name, text in entry.get("interfaces", {}).items()}
    return {name: InterfaceOf(*w) for name, w in words.items()}


def run(scripts: Sequence[Path], ips: Mapping[str, Ip], modules: Mapping[str, Ip]) -> list[list[str]]:
    """The calls that the scripts make, in order: the command and its words. Raises BoardFailed where one fails."""
    tclsh = board_packages.find("tclsh")
    with tempfile.TemporaryDirectory() as scratch:
        catalogue = Path(scratch) / "catalogue.tcl"
        catalogue.write_text("".join(_entry("stub_ips", ip) for ip in ips.values()))
        with open(catalogue, "a") as handle:
            handle.writelines(_entry("stub_modules", module) for module in modules.values())
        command = [tclsh.path, str(STUBS), str(catalogue), *map(str, scripts)]
        try:
            done = subprocess.run(
                command, env=tclsh.environment, capture_output=True, text=True, timeout=_PATIENCE, check=False
            )
        except subprocess.TimeoutExpired:
            raise BoardFailed(f"{scripts[-1].name}: has not ended after {_PATIENCE} s") from None
    if done.returncode != 0:
        raise BoardFailed(done.stderr.strip())
    return [line.split("\x1f") for line in done.stdout.splitlines()]


def _entry(array: str, ip: Ip) -> str:
    return f"set {array}({ip.vlnv}) {{{{{' '.join(ip.pins)}}} {{{' '.join(ip.interfaces)}}}}}\n"
