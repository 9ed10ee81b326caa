# SPDX-License-Identifier: Apache-2.0
"""Sizes, layouts and codes of the RTL, read from the output of the generator (`openremap.Emit --top params`).

conftest.py has it written for configuration `small` before any test bench is imported. In a simulation the values are
those of the simulated configuration: launcher/suites/cocotb_unit.py names the file.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from launcher.env.paths import RTL_PARAMS, RTL_PARAMS_VARIABLE

_FACTS = json.loads(Path(os.environ.get(RTL_PARAMS_VARIABLE, RTL_PARAMS)).read_text())
_PARAMS: dict[str, int] = _FACTS["params"]
_FLASH: dict[str, int] = _FACTS["flash"]
_ENUMS: dict[str, dict[str, int]] = _FACTS["enums"]


def param(name: str) -> int:
    """The number that hw/src/top/Params.scala calls `name` (Params, Geometry or Knobs)."""
    return _PARAMS[name]


def code(enum: str, value: str) -> int:
    """Encoding of `value` of the Chisel enumeration `enum`."""
    return _ENUMS[enum][value]


def flash(name: str) -> int:
    """The number that hw/src/board/FlashLayout.scala calls `name`, of the layout that the benches use."""
    return _FLASH[name]
