# SPDX-License-Identifier: Apache-2.0
"""What the papers' set-ups let one expect of stock LevelDB, and whether the matrix shows it."""

from __future__ import annotations

from dataclasses import dataclass

from launcher.experiment.matrix import effects
from launcher.experiment.matrix.cases import FIGURE
from launcher.experiment.matrix.measures import COLLECTION, FLASH
from launcher.experiment.matrix.settings import MODES, Words, name_of
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
    words: Words
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


def measured(results: Results, finding: Finding) -> float | None:
    """None if the case was not run."""
    *words, space = finding.words
    return finding.quantity.value(results.get(f"{FIGURE}-{space}", {}), name_of(OFF, tuple(words)))


def table(results: Results) -> Table:
    """All expectations whose case is finished."""
    rows = []
    for finding in FINDINGS:
        value = measured(results, finding)
        if value is not None:
            shown = finding.quantity.text(value)
            where = effects.label(finding.words)
            rows.append([finding.text, where, finding.quantity.name, finding.bounds, shown, _yes(finding, value)])
    return ["expected of `off`", "setting", "figure", "if it is", "here", "shown"], rows


def _yes(finding: Finding, value: float) -> str:
    return "yes" if finding.holds(value) else "no"
