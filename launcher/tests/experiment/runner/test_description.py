# SPDX-License-Identifier: Apache-2.0
"""What an experiment is: variants of cases; and that the runner knows no paper."""

import re
from dataclasses import replace
from pathlib import Path

from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import BenchOptions, Device
from launcher.bench.ioreplay import Options
from launcher.env.paths import ROOT
from launcher.experiment.remapcom.remapcom import REMAPCOM
from launcher.experiment.runner.description import Case, Variant
from launcher.experiment.runner.steps import Bench, Replay

RUNNER = ROOT / "launcher" / "experiment" / "runner"


def test_a_variant_sets_device_and_options_of_a_case() -> None:
    case = Case("fill", "1KB", BenchOptions(num=7))
    options = Variant("blend-3", Mode.blend, changes={"blend_runs": 3}).options(case)
    assert (options.num, options.device, options.blend_runs) == (7, Device.model, 3)
    assert Variant("rtl", Mode.off, Device.rtl).options(case).device is Device.rtl
    assert case.key == "fill-1KB" and case.file("blend-3") == "fill-1KB-blend-3.json"


def test_a_variant_is_a_run_or_recordings_and_their_replay() -> None:
    case = Case("fill", "1KB", BenchOptions(num=7, seed=5))
    assert Variant("off", Mode.off).run(case) == Bench(replace(case.options, device=Device.model), Mode.off)
    variant = Variant("two", Mode.blend, replay=lambda of, writers: Options(superblocks=of.num + writers), writers=2)
    run = variant.run(case)
    assert isinstance(run, Replay) and run.options == Options(superblocks=9)
    assert [(one.options.seed, one.mode) for one in run.recorded] == [(5, Mode.blend), (6, Mode.blend)]
    twice = variant.run(replace(case, writers=2))
    assert isinstance(twice, Replay) and twice.options == Options(superblocks=11) and len(twice.recorded) == 4
    assert replace(REMAPCOM, variants=(variant,)).programs == ("db_bench", "ioreplay")
    assert REMAPCOM.programs == ("db_bench",)


def test_the_reference_is_the_first_variant() -> None:
    assert REMAPCOM.names[0] == Mode.off and len(REMAPCOM.names) == len(Mode)


def papers(text: str) -> list[str]:
    """The packages of experiments that a source imports."""
    return [name for name in re.findall(r"launcher\.experiment\.?(\w*)", text) if name != "runner"]


def test_the_runner_knows_no_paper() -> None:
    sources = sorted(RUNNER.glob("*.py"))
    assert len(sources) > 8
    assert {path.name: found for path in sources if (found := papers(path.read_text()))} == {}
    assert papers(Path(ROOT / "launcher" / "experiment" / "experiments.py").read_text()) == [
        "cascaded",
        "firmware_time",
        "kvssd",
        "matrix",
        "noftl",
        "page_replay",
        "remapcom",
        "streams",
        "tight",
        "tuned",
        "utxo",
    ]
    assert papers("from launcher.experiment.runner import x\nfrom launcher.experiment import remapcom") == [""]
