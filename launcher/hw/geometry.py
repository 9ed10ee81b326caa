# SPDX-License-Identifier: Apache-2.0
"""The flash that the controller is built for, read from where it is decided: `Geometry` in hw/src/top/Params.scala."""

from __future__ import annotations

import re
from functools import cache

from launcher.env.paths import ROOT

_PARAMS = ROOT / "hw" / "src" / "top" / "Params.scala"


@cache
def superblocks() -> int:
    """How many the hardware has: a block of every die each. ValueError when the parameter cannot be found."""
    return _default("Geometry", "blocksPerDie")


def _default(record: str, name: str) -> int:
    """Default value of a parameter of a Scala case class."""
    fields = re.search(rf"case class {record}\((.*?)\n\)", _PARAMS.read_text(), re.DOTALL)
    found = re.search(rf"\b{name}: Int = (\d+)", fields[1]) if fields else None
    if found is None:
        raise ValueError(f"{_PARAMS.name}: no {record}.{name} with a number as its default")
    return int(found[1])
