# SPDX-License-Identifier: Apache-2.0
"""The factors of the switches, of results whose factors are known."""

from collections.abc import Callable
from math import sqrt

import pytest

from launcher.experiment.matrix import effects
from launcher.experiment.matrix.effects import STEPS, Step, Values
from launcher.experiment.matrix.measures import COLLECTION
from launcher.experiment.matrix.settings import (
    ALL,
    DEALLOCATE,
    MAPPING,
    MODES,
    PLACEMENT,
    SPACE,
    System,
    Words,
    words_of,
)
from launcher.tests.experiment.matrix.runs import results

OFF, RLSM, _ = MODES
TOLD = Step(DEALLOCATE, "untold", "told")


def product(words: Words) -> float:
    """Switches that do not depend on each other."""
    factors = {"untold": 2.0, "next": 1.5, "anywhere": 1.25, "mixed": 3.0, "levels": 1.2, "5%": 4.0, "12%": 2.0}
    whole = 1.0
    for word in words:
        whole *= factors.get(word, 1.0)
    return whole


def together(words: Words) -> float:
    """Deallocate gains where the allocator is next fit, and nowhere else."""
    return 4.0 if {"untold", "next"} <= set(words) else 1.0


def of(factor: Callable[[Words], float], mode: System = OFF) -> Values:
    return effects.values(results(factor), mode, list(words_of(mode)), COLLECTION)


def test_steps_are_between_neighbours_and_from_end_to_end() -> None:
    assert [step.name for step in STEPS if step.switch is PLACEMENT] == [
        "placement: mixed to levels",
        "placement: levels to tables",
        "placement: mixed to tables",
    ]
    assert sum(step.switch is DEALLOCATE for step in STEPS) == 1 and len(STEPS) == 3 + 3 * 3


def test_independent_switches_have_one_factor_each() -> None:
    found = of(product)
    assert len(found) == 36 * 6
    for step, factor in (
        (TOLD, 2),
        (Step(PLACEMENT, "mixed", "levels"), 2.5),
        (Step(PLACEMENT, "mixed", "tables"), 3),
        (Step(SPACE, "5%", "25%"), 4),
        (Step(MAPPING, "aligned", "pages"), 1),
    ):
        one = effects.effect(found, step)
        assert one is not None
        assert (one.mean, one.least, one.most) == pytest.approx((factor, factor, factor)), step.name
    told = effects.effect(found, TOLD)
    assert told is not None and told.settings == 18 * 6


def test_switches_that_depend_on_each_other_show_it() -> None:
    found = of(together)
    whole, next_fit, first_fit = (effects.effect(found, TOLD, where) for where in ("", "next", "first"))
    assert whole is not None and next_fit is not None and first_fit is not None
    assert (whole.mean, whole.least, whole.most) == pytest.approx((sqrt(4), 1, 4))
    assert (next_fit.mean, first_fit.mean) == pytest.approx((4, 1))
    assert "next" in whole.most_at and "first" in whole.least_at and "told" in whole.most_at
    assert whole.settings == next_fit.settings + first_fit.settings


def test_a_mode_without_a_level_has_no_step_from_it() -> None:
    found = of(product, RLSM)
    assert len(found) == 12 * 6
    assert effects.effect(found, Step(MAPPING, "anywhere", "aligned")) is None
    assert effects.effect(found, TOLD) is not None


def test_runs_without_the_figure_are_left_out() -> None:
    known = results(together)
    for runs in known.values():
        runs["off-told-first-pages-tables"]["host_bytes"] = 0
    assert len(effects.values(known, OFF, list(words_of(OFF)), COLLECTION)) == 35 * 6
    assert effects.values({}, OFF, list(words_of(OFF)), COLLECTION) == {}


def test_a_step_may_depend_on_all_other_switches() -> None:
    others = effects.other_levels(TOLD)
    assert "told" not in others and "untold" not in others
    assert len(others) == sum(len(switch.levels) for switch in ALL) - 2
    assert effects.label(("told", "first", "pages", "mixed", "full", "5%")) == (
        "told, first, pages, mixed, full, 5% over-provisioning"
    )
