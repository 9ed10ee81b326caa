# SPDX-License-Identifier: Apache-2.0
"""RemapCom's cases: the options of each at each scale, and the runs that are kept of the paper's amounts."""

import json
from pathlib import Path

import pytest

from launcher.bench import bench_description, bench_options
from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import check
from launcher.env.paths import ROOT
from launcher.experiment.remapcom import reflink, tables
from launcher.experiment.remapcom.cases import SEED, VARIANTS, cases
from launcher.experiment.runner import running, store
from launcher.experiment.runner.description import USUAL, Case, Scale

RECORDED = Path(__file__).with_name("planned.txt")
NAMED_BY_RUN = {"--mode", "--json", "--device", "--firmware-cpu"}


def given(case: Case, mode: Mode) -> str:
    """What a case passes to db_bench beside its defaults, as RECORDED has it."""
    defaults = {f"--{name}": option.number.default if option.number else option.default
                for name, option in bench_description.OPTIONS.items()}  # fmt: skip
    arguments = case.options.arguments(mode, Path("result.json"))
    assert f"--mode={mode}" in arguments and "--device=model" in arguments
    assert "--firmware-cpu=none" in arguments, "as before there was the option"
    split = [argument.split("=", 1) for argument in arguments]
    kept = [f"{name}={value}" for name, value in split if name not in NAMED_BY_RUN and value != str(defaults[name])]
    return " ".join([case.figure, case.name, *kept])


@pytest.mark.parametrize("scale", USUAL)
def test_the_runs_are_those_that_were_recorded(scale: Scale) -> None:
    recorded = [line.removeprefix(f"{scale} ") for line in RECORDED.read_text().splitlines() if line.startswith(scale)]
    assert len(recorded) == {Scale.small: 23, Scale.medium: 45, Scale.full: 49}[scale]
    wanted = [*cases(scale), *reflink.cases(scale)]
    for variant in VARIANTS:
        assert variant.name == variant.mode
        assert [given(case, variant.mode) for case in wanted] == recorded


@pytest.mark.parametrize("scale", USUAL)
def test_every_case_can_be_run_and_has_files_of_its_own(scale: Scale) -> None:
    files = [case.file(mode) for case in cases(scale) for mode in Mode]
    assert len(set(files)) == len(files)
    assert all(name.replace("-", "").replace(".", "").isalnum() for name in files)
    for case in cases(scale):
        check(case.options)
        assert case.options.modes[0] == Mode.off
    assert {case.figure for case in cases(scale)} == set(tables.FIGURES)
    assert len(running.planned(cases(scale), VARIANTS)) == len(files), "no two cases ask for the same"


def test_flash_is_two_and_a_half_times_the_data_but_of_some_ycsb() -> None:
    for case in cases(Scale.full):
        if case.figure in ("ycsb", "mixgraph"):
            continue
        options = case.options
        mean = 16 + (options.value_size + (options.value_size_max or options.value_size)) // 2
        share = bench_options.flash_bytes(options) / (options.num * mean)
        assert 2.4 < share < 2.8, (case.figure, case.name, share)


def test_ycsb_of_one_kilobyte_has_a_larger_flash() -> None:
    flash = {
        case.name: bench_options.flash_bytes(case.options) / (case.options.num * (16 + case.options.value_size))
        for case in cases(Scale.full)
        if case.figure == "ycsb"
    }
    assert 3.9 < flash["ycsba-1KB"] < 4.5 and 2.4 < flash["ycsba-256B"] < 2.8


def test_what_is_kept_of_the_papers_amounts_is_of_these_cases() -> None:
    kept = ROOT / "experiments" / "remapcom" / "full"
    assert json.loads((kept / store.MARK).read_text())["scale"] == Scale.full  # mark() would make one
    wanted = cases(Scale.full) + reflink.cases(Scale.full)
    known = {case.file(variant.name): (case, variant) for case in wanted for variant in VARIANTS}
    files = sorted((kept / "runs").iterdir())
    assert files
    for path in files:
        case, variant = known[path.name]
        found = store.finished(path, case, variant)
        assert found is not None, path.name
        assert found["commit"] and found["mode"] == variant.mode and found["seed"] == SEED
        for name in ("blend_runs", "blend_space"):
            assert found["parameters"][name] == getattr(case.options, name), (path.name, name)
