# SPDX-License-Identifier: Apache-2.0
"""What an experiment is: variants of cases; and that the runner knows no paper."""

import re
from pathlib import Path

from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import BenchOptions, Device
from launcher.env.paths import ROOT
from launcher.experiment.remapcom.remapcom import REMAPCOM
from launcher.experiment.runner.description import Case, Variant

RUNNER = ROOT / "launcher" / "experiment" / "runner"


def test_a_variant_sets_device_and_options_of_a_case() -> None:
    case = Case("fill", "1KB", BenchOptions(num=7))
    options = Variant("blend-3", Mode.blend, changes={"blend_runs": 3}).options(case)
    assert (options.num, options.device, options.blend_runs) == (7, Device.model, 3)
    assert Variant("rtl", Mode.off, Device.rtl).options(case).device is Device.rtl
    assert case.key == "fill-1KB" and case.file("blend-3") == "fill-1KB-blend-3.json"


def test_the_reference_is_the_first_variant() -> None:
    assert REMAPCOM.names[0] == Mode.off and len(REMAPCOM.names) == len(Mode)


def papers(text: str) -> list[str]:
    """The packages of experiments that a source imports."""
    return [name for name in re.findall(r"launcher\.experiment\.?(\w*)", text) if name != "runner"]


def test_the_runner_knows_no_paper() -> None:
    sources = sorted(RUNNER.glob("*.py"))
    assert len(sources) > 8
    assert {path.name: found for path in sources if (found := papers(path.read_text()))} == {}
    assert papers(Path(ROOT / "launcher" / "experiment" / "experiments.py").read_text()) == ["remapcom"]
    assert papers("from launcher.experiment.runner import x\nfrom launcher.experiment import remapcom") == [""]
