# SPDX-License-Identifier: Apache-2.0
"""The report of `utxo`: what each mode writes a day."""

from __future__ import annotations

from typing import Any

from launcher.bench.bench_description import Mode
from launcher.experiment.remapcom.measures import SAVED
from launcher.experiment.runner import plots, provenance
from launcher.experiment.runner.description import Told
from launcher.experiment.runner.parts import Heading, Part, Picture, Rows, Text
from launcher.experiment.runner.quantities import Results
from launcher.experiment.runner.reported import Paper
from launcher.experiment.runner.tables import by_variant, summary_of
from launcher.experiment.utxo.cases import ABOUT, BLOCKS_A_DAY, MODES, OUTPUTS
from launcher.experiment.utxo.measures import NAND_A_DAY, QUANTITIES, USER_A_DAY, blocks

_NOTE = (
    "The unspent coins of Bitcoin in a LevelDB, as a node keeps them: each block makes coins and spends as many. Bytes "
    f"a day are those of {BLOCKS_A_DAY} blocks that make {OUTPUTS:,} coins each; blocks of the run make fewer, as the "
    "set is smaller. Log, manifest, padding, metadata and GC's copies are counted. Every coin was looked for at the "
    "end: those that were spent are gone, and all others are there."
)
_NO_PAPER = Paper(MODES, ())  # nobody has published these


def tables(told: Told) -> list[Part]:
    """For a page of documentation."""
    parts: list[Part] = [Text(" ".join(provenance.sentences(told))), Text(_NOTE)]
    parts += [Rows(provenance.table(told)), Rows(provenance.machines(told))]
    for name, runs in told.results.items():
        run = runs[Mode.off]
        put = USER_A_DAY.text(USER_A_DAY.value(runs, Mode.off))
        parts += [
            Heading(f"{name}: {ABOUT[name]}"),
            Text(
                f"{run['parameters']['num']:,} coins, {blocks(run):,} blocks of {run['parameters']['utxo_outputs']} "
                f"coins; {put} GB of keys and values are put and deleted a day."
            ),
            Rows(by_variant(runs, {mode: f"`{mode}`" for mode in MODES}, QUANTITIES, name)),
        ]
    return parts


def page(told: Told) -> list[Part]:
    """The whole report."""
    head, note, *rest = tables(told)
    if not told.results:
        return [head, note, *rest]
    drawn = plots.of_figure(told.results, "utxo", (NAND_A_DAY, SAVED), MODES, _NO_PAPER)
    return [head, note, Heading("Bytes a day"), Picture(drawn, "bytes written a day, by case and mode"), *rest]


def summary(results: Results) -> list[dict[str, Any]]:
    """The same for programs."""
    return summary_of(results, MODES, (USER_A_DAY, *QUANTITIES))
