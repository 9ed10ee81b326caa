# SPDX-License-Identifier: Apache-2.0
"""The flash geometry that the controller is built for, read from `Geometry` in hw/src/top/Params.scala."""

from __future__ import annotations

import re
from functools import cache

from launcher.env.paths import ROOT

_PARAMS = ROOT / "hw" / "src" / "top" / "Params.scala"


@cache
def superblocks() -> int:
    """Number of superblocks (one block of every die each). Raises ValueError if Params.scala has no such parameter."""
    return _default("Geometry", "blocksPerDie")


def _default(record: str, name: str) -> int:
    """Default value of the parameter `name` of the Scala case class `record`."""
    fields = re.search(rf"case class {record}\((.*?)\n\)", _PARAMS.read_text(), re.DOTALL)
    found = re.search(rf"\b{name}: Int = (\d+)", fields[1]) if fields else None
    if found is None:
        raise ValueError(f"{_PARAMS.name}: {record}.{name} with a numeric default not found")
    return int(found[1])
