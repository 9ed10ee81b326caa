# SPDX-License-Identifier: Apache-2.0
"""The board's configurations (hw/src/top/Presets.scala): 2 channels of 8 ways, and 8 of 8. The first is the default."""

from __future__ import annotations

CONFIGS = ("cosmos2", "cosmos8")
