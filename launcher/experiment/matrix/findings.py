# SPDX-License-Identifier: Apache-2.0
"""What the papers' set-ups let one expect of stock LevelDB, and whether the matrix shows it."""

from __future__ import annotations

from dataclasses import dataclass

from launcher.experiment.matrix.cases import key
from launcher.experiment.matrix.measures import COLLECTION, FLASH
from launcher.experiment.matrix.settings import FILL, MODES, SPACE, Words, name_of
from launcher.experiment.runner.parts import Table
from launcher.experiment.runner.quantities import Quantity, Results

OFF = MODES[0]
# KVSSD's LSM has 1.5 x 3.6, the poster on concurrent sequential writes 4.8, the SSD-S of "Cascaded Write Amplification"
# 2.0 to 3.6.
PAPERS = (2.0, 5.4)
ENDED = 1.1  # GC that is this or less counts as ended
NOTHING = 1.01


@dataclass(frozen=True)
class Finding:
    """An expectation of one setting: a quantity within bounds."""

    text: str
    words: Words  # of the switches of a variant, and over-provisioning
    quantity: Quantity
    low: float
    high: float

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high

    @property
    def bounds(self) -> str:
        return f"{self.low:g} to {self.high:g}" if self.low else f"at most {self.high:g}"


def _ends(text: str, words: Words, most: float = ENDED) -> Finding:
    return Finding(text, words, COLLECTION, 0, most)


FINDINGS = (
    Finding(
        "no Deallocate and next fit make the papers' factors",
        ("untold", "next", "anywhere", "mixed", "5%"),
        FLASH,
        *PAPERS,
    ),
    _ends("Deallocate and first fit end GC", ("told", "first", "anywhere", "mixed", "5%")),
    _ends("the same with files that begin at units", ("told", "first", "aligned", "mixed", "5%")),
    _ends("Deallocate alone ends it", ("told", "next", "anywhere", "mixed", "5%")),
    _ends("first fit alone ends it", ("untold", "first", "anywhere", "mixed", "5%")),
    _ends("handles by level alone end it", ("untold", "next", "pages", "levels", "5%")),
    _ends("placement by table alone ends it", ("untold", "next", "pages", "tables", "5%")),
    _ends("placement by table and Deallocate end it whole", ("told", "next", "pages", "tables", "5%"), NOTHING),
    _ends("over-provisioning alone ends it", ("untold", "next", "anywhere", "mixed", "25%")),
)


def measured(results: Results, finding: Finding, fill: str) -> float | None:
    """None if the case was not run."""
    *words, space = finding.words
    return finding.quantity.value(results.get(key(fill, space), {}), name_of(OFF, tuple(words)))


def table(results: Results) -> Table:
    """All expectations of which a case is finished, with the figure on each fill."""
    rows = []
    for finding in FINDINGS:
        values = [measured(results, finding, level.word) for level in FILL.levels]
        if any(value is not None for value in values):
            *words, space = finding.words
            cells = [cell for value in values for cell in _shown(finding, value)]
            setting = ", ".join([*words, f"{space} {SPACE.name}"])
            rows.append([finding.text, setting, finding.quantity.name, finding.bounds, *cells])
    heads = [head for level in FILL.levels for head in (level.word, "shown")]
    return ["expected of `off`", "setting", "figure", "if it is", *heads], rows


def _shown(finding: Finding, value: float | None) -> tuple[str, str]:
    if value is None:
        return "-", "-"
    return finding.quantity.text(value), "yes" if finding.holds(value) else "no"
