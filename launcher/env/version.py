# SPDX-License-Identifier: Apache-2.0
"""The project's version number; firmware and library have the same (interfaces/gen/c/orm_version.h)."""

from __future__ import annotations

from launcher.env.paths import ROOT


def number() -> str:
    """MAJOR.MINOR.PATCH, as the file VERSION says."""
    return (ROOT / "VERSION").read_text().strip()
