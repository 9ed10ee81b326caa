# SPDX-License-Identifier: Apache-2.0
"""Sizes, layouts and codes of the RTL, read from what the generator wrote (`openremap.Emit --top params`).

conftest.py has it written before any test bench is imported.
"""

from __future__ import annotations

import json

from launcher.paths import RTL_PARAMS

_FACTS = json.loads(RTL_PARAMS.read_text())
_PARAMS: dict[str, int] = _FACTS["params"]
_ENUMS: dict[str, dict[str, int]] = _FACTS["enums"]


def param(name: str) -> int:
    """The number that hw/src/Params.scala calls `name` (Params, Geometry or Knobs), in configuration `small`."""
    return _PARAMS[name]


def code(enum: str, value: str) -> int:
    """How `value` of the Chisel enumeration `enum` is encoded."""
    return _ENUMS[enum][value]
