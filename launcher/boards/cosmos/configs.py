# SPDX-License-Identifier: Apache-2.0
"""Names: of the board, of its bitstream, and of its configurations (hw/src/top/Presets.scala), of which the first is
the default: 2 channels of 8 ways, and 8 of 8."""

from __future__ import annotations

NAME = "cosmos"
BITSTREAM = "cosmos.bit"
CONFIGS = ("cosmos2", "cosmos8")
