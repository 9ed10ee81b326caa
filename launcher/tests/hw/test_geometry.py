# SPDX-License-Identifier: Apache-2.0
"""launcher.hw.geometry: the launcher's limits equal the hardware's."""

from pathlib import Path

import pytest

from launcher.bench.bench_options import LIMITS
from launcher.hw import geometry


def test_the_number_of_superblocks_is_that_of_the_hardware() -> None:
    assert geometry.superblocks() == LIMITS["superblocks"].high
    assert f"blocksPerDie: Int = {geometry.superblocks()}" in geometry._PARAMS.read_text()


def test_a_parameter_that_is_gone_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    params = tmp_path / "Params.scala"
    params.write_text(
        "case class Geometry(\n    channels: Int = 2\n)\ncase class Knobs(\n    blocksPerDie: Int = 9\n)\n"
    )
    monkeypatch.setattr(geometry, "_PARAMS", params)
    assert geometry._default("Geometry", "channels") == 2
    with pytest.raises(ValueError, match=r"Geometry\.blocksPerDie"):
        geometry._default("Geometry", "blocksPerDie")
