# SPDX-License-Identifier: Apache-2.0
"""What the tables of cases of this folder share: running them, and leaving out programs that were not built."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path


def run(
    programs: str, cases: Iterable[tuple[str, list[str], str]], complaint: Callable[[Path, list[str], str], str | None]
) -> int:
    """Exit code: 1 if `complaint` finds something wrong with a case, which is printed. A case is the name of a program
    in the folder `programs`, its options, and a text whose meaning `complaint` knows."""
    found = []
    for name, options, text in cases:
        program = Path(programs).resolve() / name
        if program.exists() and (wrong := complaint(program, options, text)):
            found.append(wrong)
    print(*found, sep="\n", file=sys.stderr)
    return 1 if found else 0
