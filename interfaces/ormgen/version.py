# SPDX-License-Identifier: Apache-2.0
"""The project's version number, which the file VERSION at the root of the repository holds."""

import re
from pathlib import Path

from .formats import FormatError

_REVISION_BYTES = 8  # of Identify Controller's FR, which the firmware fills with it


def load(path: Path) -> str:
    """MAJOR.MINOR.PATCH. Raises FormatError for anything else, and for what is too long for Identify Controller."""
    text = path.read_text().removesuffix("\n")
    if not re.fullmatch(r"(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}", text):
        raise FormatError(f"{path.name}: '{text}' is not MAJOR.MINOR.PATCH")
    if len(text) > _REVISION_BYTES:
        raise FormatError(f"{path.name}: '{text}' is longer than the {_REVISION_BYTES} bytes of a firmware revision")
    return text
