# SPDX-License-Identifier: Apache-2.0
"""Sizes of the firmware's images and the stack that they need, against firmware/ports/limits.toml."""

from __future__ import annotations

import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from launcher.env.paths import ROOT
from launcher.firmware import images, stack
from launcher.firmware.images import Image, Port

LIMITS = images.PORTS / "limits.toml"
SECTIONS = ("text", "data", "bss")
KINDS = (*SECTIONS, "stack", "trap")


@dataclass(frozen=True)
class Sizes:
    """One image. All in bytes; `paths`: the functions of the deepest paths of `stack` and `trap`."""

    port: str
    image: str
    bytes: dict[str, int]
    limits: dict[str, int]
    paths: dict[str, list[str]]

    @property
    def beyond(self) -> list[str]:
        """What is beyond its limit, a line each."""
        return [
            f"{self.port}/{self.image}: {kind} is {self.bytes[kind]} bytes, at most {self.limits[kind]} are allowed "
            f"({LIMITS.relative_to(ROOT)})"
            for kind in self.bytes
            if self.bytes[kind] > self.limits[kind]
        ]


def read_limits(text: str) -> dict[str, dict[str, dict[str, int]]]:
    """Port -> image -> kind -> bytes. Raises ValueError for a kind that is missing or unknown."""
    limits: dict[str, dict[str, dict[str, int]]] = tomllib.loads(text)
    for port, by_image in limits.items():
        for image, kinds in by_image.items():
            if set(kinds) not in (set(KINDS), set(SECTIONS)):
                raise ValueError(f"limits.toml: {port}.{image} needs {', '.join(SECTIONS)}, or these and stack, trap")
    return limits


def measure(ports: tuple[Port, ...] = images.ALL) -> list[Sizes]:
    """The images of these ports, which must have been built. Raises CheckError if a stack has no bound."""
    limits = read_limits(LIMITS.read_text())
    return [_image(port, image, limits[port.name][image.name]) for port in ports for image in port.images]


def _image(port: Port, image: Image, limits: dict[str, int]) -> Sizes:
    sizes = dict(zip(SECTIONS, sections(port.prefix, port.elf(image)), strict=True))
    paths = {}
    if image.entry is not None and image.trap is not None:
        graph = stack.read(port.objects(image), [port.sources / name for name in image.mains], port.prefix)
        for kind, entry in (("stack", image.entry), ("trap", image.trap)):
            sizes[kind], paths[kind] = graph.deepest(entry)
    return Sizes(port.name, image.name, sizes, limits, paths)


def sections(prefix: str, elf: Path) -> tuple[int, int, int]:
    """Bytes of text, data and bss, as the toolchain's `size` counts them."""
    done = subprocess.run([f"{prefix}size", str(elf)], capture_output=True, text=True, check=True)
    text, data, bss = done.stdout.splitlines()[1].split()[:3]
    return int(text), int(data), int(bss)


def document(found: list[Sizes]) -> dict[str, Any]:
    """For JSON: port -> image -> bytes, limits, and the deepest paths of calls."""
    out: dict[str, Any] = {}
    for one in found:
        out.setdefault(one.port, {})[one.image] = {"bytes": one.bytes, "limits": one.limits, "paths": one.paths}
    return out


def table(found: list[Sizes]) -> Table:
    """The sizes for people, each beside its limit."""
    made = Table(title="firmware images, bytes (at most)")
    made.add_column("image")
    for kind in KINDS:
        made.add_column(kind, justify="right")
    for one in found:
        cells = [
            f"[{'red' if one.bytes[kind] > one.limits[kind] else 'default'}]{one.bytes[kind]}[/] ({one.limits[kind]})"
            for kind in one.bytes
        ]
        made.add_row(f"{one.port}/{one.image}", *cells)
    return made
