# SPDX-License-Identifier: Apache-2.0
"""What each switch contributes: ratios of a quantity between two of its levels, with all other switches the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import exp, log

from launcher.experiment.matrix.settings import ALL, SPACE, Switch, System, Words, name_of
from launcher.experiment.runner.quantities import Quantity, Results

Values = Mapping[Words, float]  # of a quantity, by the levels of ALL


@dataclass(frozen=True)
class Step:
    """From one level of a switch to another."""

    switch: Switch
    before: str
    after: str

    @property
    def place(self) -> int:
        """Of the switch, among the words of a setting."""
        return ALL.index(self.switch)

    @property
    def name(self) -> str:
        return f"{self.switch.name}: {self.before} to {self.after}"


def _steps(switch: Switch) -> list[Step]:
    """Each level and the next one, and, where there are more than two, the first and the last."""
    words = [level.word for level in switch.levels]
    ends = [(words[0], words[-1])] if len(words) > 2 else []
    return [Step(switch, before, after) for before, after in [*pairwise(words), *ends]]


STEPS = tuple(step for switch in ALL for step in _steps(switch))


@dataclass(frozen=True)
class Effect:
    """How many times smaller a quantity becomes by a step, over all settings of the other switches."""

    mean: float  # geometric
    least: float
    most: float
    least_at: Words  # the setting after the step
    most_at: Words
    settings: int


def values(results: Results, mode: System, settings: list[Words], quantity: Quantity) -> Values:
    """Of all settings whose run has the quantity and a value above 0, of which alone there are ratios."""
    found = {}
    for case, runs in results.items():
        of_case = case.split("-")
        for words in settings:
            value = quantity.value(runs, name_of(mode, words))
            if value is not None and value > 0:
                found[(*words, *of_case)] = value
    return found


def ratios(found: Values, step: Step) -> dict[Words, float]:
    """By the setting after the step: its value before the step over that after it."""
    pairs = {}
    for words, after in found.items():
        before = found.get((*words[: step.place], step.before, *words[step.place + 1 :]))
        if words[step.place] == step.after and before is not None:
            pairs[words] = before / after
    return pairs


def effect(found: Values, step: Step, where: str = "") -> Effect | None:
    """Over all settings, or those that have the level `where`; None: there is no such pair of settings."""
    pairs = {words: ratio for words, ratio in ratios(found, step).items() if not where or where in words}
    if not pairs:
        return None
    least, most = min(pairs, key=lambda words: pairs[words]), max(pairs, key=lambda words: pairs[words])
    mean = exp(sum(map(log, pairs.values())) / len(pairs))
    mean = min(max(mean, pairs[least]), pairs[most])  # which rounding may pass
    return Effect(mean, pairs[least], pairs[most], least, most, len(pairs))


def other_levels(step: Step) -> list[str]:
    """Those that the effect of a step may depend on."""
    return [level.word for switch in ALL if switch is not step.switch for level in switch.levels]


def label(words: Words) -> str:
    """A setting for people; over-provisioning is named as such."""
    *rest, space = words
    return ", ".join([*rest, f"{space} {SPACE.name}"])
