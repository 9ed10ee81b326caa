# SPDX-License-Identifier: Apache-2.0
"""A board's ports as LiteX's platforms take them."""

from __future__ import annotations

from litex.build.generic_platform import Pins, Subsignal

from soc.boards.pins import Port


def records(ports: list[Port], groups: tuple[str, ...]) -> list[tuple[object, ...]]:
    """Ports whose names begin with a name of `groups` are the fields of one record."""
    io: list[tuple[object, ...]] = []
    grouped: dict[str, list[Port]] = {name: [] for name in groups}
    for port in ports:
        group = max((name for name in groups if port.name.startswith(f"{name}_")), key=len, default="")
        if port.unused:
            continue
        if group:
            grouped[group].append(port)
        else:
            io.append((port.name, 0, Pins(" ".join(port.balls))))
    for name, members in grouped.items():
        fields = [Subsignal(p.name.removeprefix(f"{name}_"), Pins(" ".join(p.balls))) for p in members]
        io.append((name, 0, *fields))
    return io
