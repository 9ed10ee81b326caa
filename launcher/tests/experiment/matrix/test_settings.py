# SPDX-License-Identifier: Apache-2.0
"""The switches of `matrix` and their combinations."""

import pytest

from launcher.bench import bench_options
from launcher.bench.bench_description import Mode
from launcher.experiment.kvssd.cases import SYSTEMS as KVSSD
from launcher.experiment.matrix.cases import cases
from launcher.experiment.matrix.settings import ALL, FIRST, MODES, SWITCHES, VARIANTS, name_of, words_of
from launcher.experiment.runner.description import USUAL, Scale
from launcher.experiment.runner.steps import Bench


def test_words_tell_levels_of_all_switches_apart() -> None:
    words = [level.word for switch in ALL for level in switch.levels]
    assert len(set(words)) == len(words)
    assert not any("-" in word for word in words), "names of variants are taken apart at these"


def test_every_setting_of_a_mode_is_a_variant() -> None:
    assert [len(list(words_of(mode))) for mode in MODES] == [2 * 2 * 3 * 3, 2 * 2 * 3, 2 * 2 * 3]
    assert len({variant.name for variant in VARIANTS}) == len(VARIANTS) == 60
    assert VARIANTS[0].name == FIRST == "off-untold-next-anywhere-mixed"
    assert VARIANTS[-1].name == name_of(MODES[-1], ("told", "first", "pages", "tables"))


@pytest.mark.parametrize("scale", USUAL)
def test_every_option_is_one_that_db_bench_takes(scale: Scale) -> None:
    for case in cases(scale):
        for variant in VARIANTS:
            made = variant.run(case)
            assert isinstance(made, Bench)
            bench_options.check(made.options)


def test_two_settings_of_a_mode_differ_in_the_switches_alone() -> None:
    switched = {name for switch in SWITCHES for level in switch.levels for name in level.changes}
    assert switched == {"deallocate", "allocation", "mapping_unit", "align", "placement"}
    for mode in MODES:
        of = [variant.changes for variant in VARIANTS if variant.name.startswith(f"{mode.name}-")]
        kept = [{name: value for name, value in one.items() if name not in switched} for one in of]
        assert all(one == kept[0] for one in kept) and kept[0]["placement_handles"] == 3
        assert len({tuple(sorted(one.items())) for one in of}) == len(of)


def test_kvssds_systems_are_among_them() -> None:
    """But for the handles, which LSM's device has here, too, and does not use."""
    for theirs, ours in (
        ("lsm", FIRST),
        ("nlsm", "off-told-first-pages-tables"),
        ("rlsm-2", "rlsm-told-first-pages-tables"),
        ("blend-4", "blend-told-first-pages-tables"),
    ):
        (system,) = (one for one in KVSSD if one.name == theirs)
        (variant,) = (one for one in VARIANTS if one.name == ours)
        assert system.mode is variant.mode
        defaults = {"deallocate": "on", "allocation": "first", "align": "on", "mapping_unit": 1, "placement_handles": 3}
        assert variant.changes == {**defaults, **system.changes}
    assert {mode.mode for mode in MODES} == {Mode.off, Mode.blend}
