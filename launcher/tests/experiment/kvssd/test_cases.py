# SPDX-License-Identifier: Apache-2.0
"""The cases and systems of `kvssd`."""

import pytest

from launcher.bench import bench_options
from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import KIB, MIB, Device
from launcher.experiment.kvssd.cases import ABOUT, AMOUNTS, KEYS, SYSTEMS, VARIANTS, cases
from launcher.experiment.runner.description import USUAL, Scale
from launcher.experiment.runner.steps import Bench


def geometry(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split("x")))


@pytest.mark.parametrize("scale", USUAL)
def test_every_option_is_one_that_db_bench_takes(scale: Scale) -> None:
    assert list(ABOUT) == [variant.name for variant in VARIANTS]
    found = cases(scale)
    assert len({case.key for case in found}) == len(found)
    for case in found:
        assert case.options.device is Device.model
        for variant in VARIANTS:
            run = variant.run(case)
            assert isinstance(run, Bench)
            bench_options.check(run.options)


@pytest.mark.parametrize("scale", USUAL)
def test_a_table_fits_a_superblock_and_fills_most_of_it(scale: Scale) -> None:
    for case in cases(scale):
        channels, dies, _, pages, slots = geometry(case.options.geometry)
        unit = channels * dies * pages * slots * bench_options.PAGE_BYTES
        assert unit == AMOUNTS[scale].table
        # Beside its blocks it has an index, of less than a fiftieth.
        assert 0.93 * unit < case.options.max_file_size + 5 * KIB <= unit
        assert case.options.write_buffer <= unit


def test_full_has_the_papers_sizes() -> None:
    (uniform, *_) = cases(Scale.full)
    assert bench_options.flash_bytes(uniform.options) == 15 * 1024 * MIB
    assert (uniform.options.num, uniform.options.level1_bytes) == (10_000_000, 10 * MIB)
    assert AMOUNTS[Scale.full].table == 4 * MIB
    assert [case.options.mix_keys for case in cases(Scale.full)][:3] == list(KEYS)


def test_medium_is_an_eighth_of_it() -> None:
    full, medium = cases(Scale.full)[0].options, cases(Scale.medium)[0].options
    assert bench_options.flash_bytes(full) == 8 * bench_options.flash_bytes(medium)
    for name in ("num", "operations", "level1_bytes", "write_buffer", "max_file_size"):
        assert getattr(full, name) == 8 * getattr(medium, name), name


@pytest.mark.parametrize("scale", USUAL)
def test_more_over_provisioning_leaves_the_namespace_as_it_is(scale: Scale) -> None:
    found = [case.options for case in cases(scale)]
    offered = [bench_options.flash_bytes(one) * (100 - one.over_provisioning) for one in found]
    assert max(offered) / min(offered) < 1.01
    assert {one.over_provisioning for one in found} == set(AMOUNTS[scale].spaces) | {5}


def test_systems_differ_in_what_they_say() -> None:
    by_name = {system.name: system for system in SYSTEMS}
    assert [name for name, system in by_name.items() if system.mode is Mode.off] == ["lsm", "lsm+", "nlsm"]
    changes = {name: system.changes for name, system in by_name.items()}
    assert {name: changes["lsm"][name] for name in ("deallocate", "allocation", "align", "mapping_unit")} == {
        "deallocate": "off",
        "allocation": "next",
        "align": "off",
        "mapping_unit": 8,
    }
    assert "deallocate" not in changes["lsm+"] and changes["lsm+"]["mapping_unit"] == 8
    assert changes["nlsm"]["placement"] == changes["rlsm-2"]["placement"] == "table"
    for most in (1, 2, 3, 4):
        rule = changes[f"rlsm-{most}"]
        assert (rule["blend_rule"], rule["blend_runs"], rule["blend_filter_bits"]) == ("runs", most, 0)
    assert "blend_rule" not in changes["blend-4"] and changes["blend-4"]["blend_runs"] == 4
