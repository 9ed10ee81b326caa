# SPDX-License-Identifier: Apache-2.0
"""The variants of `tuned`."""

import pytest

from launcher.bench import bench_options
from launcher.bench.bench_description import Mode
from launcher.experiment.runner.description import Scale
from launcher.experiment.tuned.cases import cases
from launcher.experiment.tuned.settings import (
    DEFAULT,
    PLAIN,
    REMAPPING,
    SETTINGS,
    STAYS,
    STOCK,
    TABLES,
    TIERED,
    WRITTEN,
    Setting,
)

BY_NAME = {setting.name: setting for setting in SETTINGS}
(CASE,) = [case for case in cases(Scale.small) if case.key == "uniform-1KB"]


def changed(name: str) -> dict[str, object]:
    """The options in which a variant differs from its case."""
    options = BY_NAME[name].options(CASE)
    return {key: value for key, value in vars(options).items() if value != getattr(CASE.options, key)}


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_each_is_one_that_can_run_and_says_what_it_is(setting: Setting) -> None:
    bench_options.check(setting.options(CASE))
    assert setting.about


def test_every_variant_is_of_one_kind() -> None:
    assert len(BY_NAME) == len(SETTINGS)
    assert sorted([*STOCK, *TIERED, *REMAPPING]) == sorted(BY_NAME)
    assert SETTINGS[0].name == PLAIN, "the reference comes first"
    assert {BY_NAME[name].mode for name in STOCK} == {Mode.off}
    assert {BY_NAME[name].mode for name in TIERED} == {Mode.blend}
    assert Mode.off not in {BY_NAME[name].mode for name in REMAPPING}


def test_stock_has_each_tuning_alone_and_with_the_levels_of_blend() -> None:
    assert changed(PLAIN) == {} and changed(DEFAULT) == {}
    assert [changed(f"ratio-{ratio}") for ratio in (4, 6)] == [{"level_ratio": ratio} for ratio in (4, 6)]
    large = {"max_file_size": TABLES * CASE.options.max_file_size}
    assert changed("tables") == large and changed("filters") == {"bloom_bits": 10}
    follows = {"dynamic_levels": "on"}
    assert changed("dynamic") == follows
    assert changed("dynamic-4") == follows | {"level_ratio": 4, "last_level_ratio": 4}
    assert changed("dynamic-10") == follows | {"last_level_ratio": 10}, "levels grow tenfold anyway"
    assert changed("dynamic-ratio-4") == follows | {"level_ratio": 4}
    assert changed("dynamic-10-ratio-4") == follows | {"level_ratio": 4, "last_level_ratio": 10}
    assert changed("dynamic-tables") == follows | large
    assert changed("dynamic-filters") == follows | {"bloom_bits": 10}


def test_what_is_written_instead_of_remapped() -> None:
    assert changed(WRITTEN) == {"remap_blocks": "none"} and changed(STAYS) == {"remap_blocks": "attached"}
    assert changed("skip-dynamic") == {"dynamic_levels": "on"}
    assert changed("blend-10-fill0-tables") == changed("tables") | {"blend_space": 10, "fill_space": 0}
    assert changed("blend-10-tables") == changed("tables") | {"blend_space": 10}
