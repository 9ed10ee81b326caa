# SPDX-License-Identifier: Apache-2.0
"""Sizes, layouts and codes of the RTL, read from what the generator wrote (`openremap.Emit --top params`).

conftest.py has it written before any test bench is imported, for configuration `small`. In a simulation they are those of
the configuration that is simulated: launcher/suites/cocotb_unit.py names the file.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from launcher.env.paths import RTL_PARAMS, RTL_PARAMS_VARIABLE

_FACTS = json.loads(Path(os.environ.get(RTL_PARAMS_VARIABLE, RTL_PARAMS)).read_text())
_PARAMS: dict[str, int] = _FACTS["params"]
_ENUMS: dict[str, dict[str, int]] = _FACTS["enums"]


def param(name: str) -> int:
    """The number that hw/src/top/Params.scala calls `name` (Params, Geometry or Knobs)."""
    return _PARAMS[name]


def code(enum: str, value: str) -> int:
    """How `value` of the Chisel enumeration `enum` is encoded."""
    return _ENUMS[enum][value]
