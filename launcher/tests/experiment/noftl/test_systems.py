# SPDX-License-Identifier: Apache-2.0
"""The systems of `noftl`."""

from launcher.bench.ioreplay import Target
from launcher.experiment.noftl.cases import cases
from launcher.experiment.noftl.systems import (
    ABOUT,
    BEST,
    FIRST,
    JOURNALS,
    NATIVE,
    ON_CONTROLLER,
    ON_FASTER,
    SYSTEMS,
    VARIANTS,
    block_pages,
    block_pages_of,
)
from launcher.experiment.runner.description import Scale
from launcher.experiment.runner.steps import Replay


def test_names_and_targets() -> None:
    assert list(ABOUT) == [variant.name for variant in VARIANTS] == [*ON_FASTER, *ON_CONTROLLER]
    assert (FIRST, NATIVE) == ("faster-data", "noftl") and BEST in ON_CONTROLLER
    case = cases(Scale.small)[0]
    for system in SYSTEMS:
        run = system.variant().run(case)
        assert isinstance(run, Replay) and len(run.recorded) == 1
        assert run.options.device is (Target.hybrid if system.on_faster else Target.model)


def test_both_translations_get_the_same_traces() -> None:
    case = cases(Scale.small)[0]
    runs = {variant.name: variant.run(case) for variant in VARIANTS}
    recorded = {name: run.recorded for name, run in runs.items() if isinstance(run, Replay)}
    for kind in (*JOURNALS, "trim"):
        assert recorded[f"faster-{kind}"] == recorded[f"ssd-{kind}"]
    assert len(set(recorded.values())) == len(JOURNALS) + 3
    assert [recorded[f"ssd-{kind}"][0].options.journal for kind in JOURNALS] == list(JOURNALS)
    assert all(recorded[name][0].options.side == ("all" if name == NATIVE else "files") for name in recorded)
    assert recorded[NATIVE][0].options.placement == "table"


def test_an_erase_is_of_as_many_pages_on_both() -> None:
    for scale in (Scale.small, Scale.full):
        (case, *_) = cases(scale)
        run = VARIANTS[0].run(case)
        assert isinstance(run, Replay)
        assert run.options.hybrid_block == block_pages(case.options)
    assert block_pages_of({"pages_per_block": 32, "slots_per_page": 2}) == 64
