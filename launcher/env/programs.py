# SPDX-License-Identifier: Apache-2.0
"""Which build a program is: a digest of its file and of the libraries of the build that it loads."""

from __future__ import annotations

import hashlib
import re
import subprocess
from pathlib import Path

from launcher.env.paths import BUILD


def libraries(program: Path, build: Path = BUILD) -> list[Path]:
    """The libraries of the build that a program loads; none for a script."""
    done = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=False)
    found = [Path(path) for path in re.findall(r"=> (/.+) \(0x", done.stdout)]
    return sorted(path for path in found if path.resolve().is_relative_to(build))


def digest(program: Path, build: Path = BUILD) -> str:
    """SHA-256 of the program and its libraries. Raises OSError if it is not there."""
    whole = hashlib.sha256()
    for path in (program, *libraries(program, build)):
        with path.open("rb") as file:
            whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()
