# SPDX-License-Identifier: Apache-2.0
"""The table of docs/developing/formal.md, written from hw/formal/proofs.toml.

python -m launcher.hw.formal_table            write it
python -m launcher.hw.formal_table --check    exit code 1 if the page differs
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from launcher.env.paths import ROOT
from launcher.hw import formal
from launcher.hw.formal_tools import Proof

PAGE = ROOT / "docs" / "developing" / "formal.md"
BEGIN = "<!-- proofs: from hw/formal/proofs.toml by `python -m launcher.hw.formal_table` -->\n\n"
END = "\n<!-- end of proofs -->"


def method(proof: Proof) -> str:
    """How far the proof reaches: for ever by induction, or as many cycles as its bounded check has."""
    if proof.induction is None:
        return f"bounded: {proof.bounded} cycles from reset"
    apart = f"; {', '.join(proof.leaves)}: {proof.bounded} cycles from reset" if proof.leaves else ""
    return f"for ever, k = {proof.induction}{apart}"


def table(proofs: Iterable[Proof]) -> str:
    """The table in Markdown, a row for each proof."""
    rows = ["| unit | shown | size | method |", "|---|---|---|---|"]
    for proof in proofs:
        rows.append(f"| {proof.unit} | {' '.join(proof.statement.split())} | {proof.size} | {method(proof)} |")
    return "\n".join(rows) + "\n"


def written(page: str, proofs: Iterable[Proof]) -> str:
    """The page with the table put between its marks."""
    before, mark, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not mark or not end:
        raise ValueError(f"{PAGE.name}: the marks of the table of proofs are missing")
    return before + BEGIN + table(proofs) + END + after


def main(arguments: list[str], page: Path = PAGE) -> int:
    if arguments not in ([], ["--check"]):
        print("usage: python -m launcher.hw.formal_table [--check]", file=sys.stderr)
        return 2
    present = page.read_text()
    wanted = written(present, formal.known().values())
    if wanted == present:
        return 0
    if arguments:
        print(
            f"{page.name} differs from hw/formal/proofs.toml: run python -m launcher.hw.formal_table", file=sys.stderr
        )
        return 1
    page.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
