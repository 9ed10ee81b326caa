# SPDX-License-Identifier: Apache-2.0
"""The report of `matrix`: the factor of each switch, how far it depends on the others, and all settings."""

from __future__ import annotations

from typing import Any

from launcher.experiment.matrix import effects, findings, plot
from launcher.experiment.matrix.effects import STEPS, Effect, Step, Values
from launcher.experiment.matrix.measures import COLLECTION, EXPLAINED, FACTORS, LATENCIES, QUANTITIES, WHOLE
from launcher.experiment.matrix.settings import (
    ALL,
    FILL,
    MODES,
    SPACE,
    SWITCHES,
    VARIANTS,
    System,
    Words,
    name_of,
    words_of,
)
from launcher.experiment.runner import provenance
from launcher.experiment.runner.description import Told
from launcher.experiment.runner.parts import Heading, Part, Picture, Rows, Table, Text
from launcher.experiment.runner.quantities import Quantity, Results
from launcher.experiment.runner.tables import summary_of

_NAMES = tuple(variant.name for variant in VARIANTS)

_NOTE = (
    "LevelDB on PageFS on the fast model, with KVSSD's workload of uniform keys and a superblock as large as a table. "
    "Every setting of six switches is run. The SSD has the same handles in all of them, and the same namespace but for "
    "the fill. Compaction is what LevelDB and the file system write for each byte that is put, log included. "
    "Read-modify-write is what a mapping of 32 KB adds to what the host writes; GC is pages programmed for each page "
    "written, without those of wear levelling and of the controller's metadata. Both together are the flash-level "
    "factor. Compaction times that is the write amplification. Latencies are times of the device for which PageFS "
    "waited in a call, compactions included; the firmware's computing takes no time. Remapping modes write a table by "
    "one call, stock LevelDB by several, so latencies of writes of different modes do not compare. Erases are those of "
    "the measured operations; most less least is of the superblocks' erases since the device was new. Every key of "
    "every database was read back and compared."
)
_METHOD = (
    "A step changes one switch from one level to another. Its factor is the ratio of a figure before and after it, so "
    "above 1 the figure became smaller. The ratio is taken with all other switches the same, for every setting of "
    "these; shown are the geometric mean, and the least and the most. Where these lie apart the step depends on the "
    "other switches. Alone is the ratio with all others at their first level, last with all others at their last one."
)
_DEPENDS = (
    "The geometric mean over those settings alone that have the level of the column. A row whose figures are alike "
    "tells of a step that does not depend on that switch."
)


def _levels() -> Table:
    rows = [[switch.name, level.word, level.about] for switch in ALL for level in switch.levels]
    return ["switch", "level", "what it is"], rows


def _modes() -> Table:
    return ["mode", "what it is"], [[mode.name, mode.about] for mode in MODES]


def _span(found: Effect | None) -> str:
    return "-" if found is None else f"{found.mean:.2f} ({found.least:.2f} to {found.most:.2f})"


def _at(found: Values, step: Step, levels: list[Words]) -> str:
    """The ratio with the others at the first (0) or last (-1) of their levels."""
    words = tuple(step.after if switch is step.switch else of[0] for switch, of in zip(ALL, levels, strict=True))
    ratio = effects.ratios(found, step).get(words)
    return "-" if ratio is None else f"{ratio:.2f}"


def _ends(mode: System, results: Results, end: int) -> list[Words]:
    """Of each switch the first or last level that the mode has, alone in a tuple."""
    settings = list(words_of(mode))
    of_cases = [case.split("-") for case in results]
    return [(word,) for word in (*settings[end], *of_cases[end])]


def _steps(found: Values) -> list[Step]:
    """Those of which there is a pair of settings."""
    return [step for step in STEPS if effects.effect(found, step) is not None]


def _whole(mode: System, results: Results, quantity: Quantity) -> Table:
    """One figure, with where its factors are least and most."""
    found = effects.values(results, mode, list(words_of(mode)), quantity)
    first, last = (_ends(mode, results, end) for end in (0, -1))
    rows = []
    for step in _steps(found):
        one = effects.effect(found, step)
        assert one is not None
        extremes = [f"{one.least:.2f}", effects.label(one.least_at), f"{one.most:.2f}", effects.label(one.most_at)]
        alone, then = _at(found, step, first), _at(found, step, last)
        rows.append([step.name, f"{one.mean:.2f}", alone, then, *extremes, str(one.settings)])
    head = [
        f"{quantity.name}, times less by",
        "mean",
        "alone",
        "last",
        "least",
        "after it",
        "most",
        "after it",
        "pairs",
    ]
    return head, rows


def _spans(mode: System, results: Results, quantities: tuple[Quantity, ...]) -> Table:
    """Several figures: mean, least and most."""
    settings = list(words_of(mode))
    of = [effects.values(results, mode, settings, quantity) for quantity in quantities]
    rows = [[step.name, *(_span(effects.effect(found, step)) for found in of)] for step in _steps(of[0])]
    return ["times less by", *(quantity.name for quantity in quantities)], rows


def _depends(mode: System, results: Results, quantity: Quantity) -> Table:
    """The mean effect of each step among the settings with each level of the other switches."""
    found = effects.values(results, mode, list(words_of(mode)), quantity)
    words = [word for switch in ALL for word in (level.word for level in switch.levels)]
    words = [word for word in words if any(word in setting for setting in found)]
    rows = []
    for step in _steps(found):
        there = [effects.effect(found, step, word) if word in effects.other_levels(step) else None for word in words]
        rows.append([step.name, *("-" if one is None else f"{one.mean:.2f}" for one in there)])
    return [f"{quantity.name}, times less by", *words], rows


def settings(mode: System, results: Results) -> Table:
    """Every setting of a mode that was run, with all figures."""
    rows = []
    for case, runs in results.items():
        for words in words_of(mode):
            if name_of(mode, words) not in runs:
                continue
            figures = [one.text(one.value(runs, name_of(mode, words))) for one in QUANTITIES]
            rows.append([*case.split("-"), *words, *figures])
    return [switch.name for switch in (FILL, SPACE, *SWITCHES)] + [one.name for one in QUANTITIES], rows


def tables(told: Told) -> list[Part]:
    """For a page of documentation."""
    parts: list[Part] = [Text(" ".join(provenance.sentences(told))), Text(_NOTE), Rows(_levels()), Rows(_modes())]
    parts += [Rows(provenance.table(told)), Rows(provenance.machines(told))]
    if not told.results:
        return parts
    parts += [Heading("The papers' factors"), Rows(findings.table(told.results))]
    parts += [Heading("What each step contributes"), Text(_METHOD)]
    for mode in MODES:
        parts += [Heading(f"Mode {mode.name}: which step earns which factor")]
        parts += [Rows(_spans(mode, told.results, FACTORS)), Rows(_whole(mode, told.results, WHOLE))]
        parts += [Rows(_spans(mode, told.results, (*LATENCIES, EXPLAINED[-1])))]
        parts += [Heading(f"Mode {mode.name}: how the steps depend on each other"), Text(_DEPENDS)]
        parts += [Rows(_depends(mode, told.results, COLLECTION))]
    for mode in MODES:
        parts += [Heading(f"Mode {mode.name}: all settings")]
        parts += [Rows(settings(mode, told.results), f"mode {mode.name}, all settings")]
    return parts


def page(told: Told) -> list[Part]:
    """The whole report."""
    pictures: list[Part] = []
    if told.results:
        pictures += [Heading("Write amplification of all settings")]
        pictures += [Picture(plot.settings(told.results, mode, WHOLE), f"settings, {mode.name}") for mode in MODES]
        pictures += [Heading("Factors of the steps")]
        pictures += [Picture(plot.steps(told.results, mode, FACTORS), f"steps, {mode.name}") for mode in MODES]
    head, note, *rest = tables(told)
    return [head, note, *pictures, *rest]


def summary(results: Results) -> list[dict[str, Any]]:
    """The figures of all settings, and then the effects, for programs."""
    found = summary_of(results, _NAMES, QUANTITIES)
    for mode in MODES if results else ():
        for quantity in EXPLAINED:
            of = effects.values(results, mode, list(words_of(mode)), quantity)
            for step in _steps(of):
                one = effects.effect(of, step)
                assert one is not None
                found.append(
                    {
                        "mode": mode.name,
                        "quantity": quantity.name,
                        "switch": step.switch.name,
                        "from": step.before,
                        "to": step.after,
                        "mean": one.mean,
                        "least": one.least,
                        "least_at": list(one.least_at),
                        "most": one.most,
                        "most_at": list(one.most_at),
                        "pairs": one.settings,
                    }
                )
    return found
