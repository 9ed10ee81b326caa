# SPDX-License-Identifier: Apache-2.0
"""launcher.suites.fuzz: the program's arguments, its exit code, and several seeds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from launcher.bench.bench_options import OptionError
from launcher.spread.cluster import Where
from launcher.spread.seeds import Seeds
from launcher.suites import fuzz
from launcher.suites.crash import Device


def program(folder: Path, text: str) -> Path:
    path = folder / fuzz.PROGRAM
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_arguments() -> None:
    assert fuzz.arguments(fuzz.Options()) == ["--device", "model", "--entries", "10000", "--seed", "1"]
    given = fuzz.arguments(fuzz.Options(device=Device.rtl, seed=3, geometry="2x2x64x8x4", stalls=True))
    assert given == ["--device", "rtl", "--entries", "10000", "--seed", "3", "--geometry", "2x2x64x8x4", "--stalls"]
    assert fuzz.arguments(fuzz.Options(cache="keep"))[-2:] == ["--cache", "keep"]
    assert fuzz.arguments(fuzz.Options(firmware="remote"))[-2:] == ["--firmware", "remote"]


@pytest.mark.parametrize(
    ("change", "flag"),
    [
        ({"entries": 0}, "--entries"),
        ({"seed": -1}, "--seed"),
        ({"geometry": "2x2"}, "--geometry"),
        ({"cache": "all"}, "--cache"),
        ({"firmware": "far"}, "--firmware: 'far' is not native or remote"),
        ({"stalls": True}, "--stalls: requires --device rtl"),
        ({"device": Device.soc, "geometry": "2x2x64x8x4"}, "--geometry: the soc"),
        ({"device": Device.soc, "cache": "keep"}, "--cache: the soc"),
        ({"device": Device.soc, "firmware": "remote"}, "--firmware: the soc"),
    ],
)
def test_what_is_refused(change: dict[str, int | str | bool], flag: str) -> None:
    with pytest.raises(OptionError, match=flag):
        fuzz.arguments(replace(fuzz.Options(), **change))  # type: ignore[arg-type]


@pytest.mark.parametrize("code", [0, 1])
def test_the_programs_exit_code_is_the_commands(tmp_path: Path, code: int) -> None:
    assert fuzz.run(fuzz.Options(), program(tmp_path, f"exit {code}")) == code


def test_several_seeds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there = program(tmp_path, 'echo "$*"; case "$*" in *"--seed 8") exit 1;; esac')
    assert fuzz.run_seeds(fuzz.Options(entries=5), Seeds(7, 3, Where(jobs=2)), there) == 1
    out = capsys.readouterr().out
    assert out.startswith("seed 7:\n--device model --entries 5 --seed 7\nseed 8:\n")
    assert out.endswith("3 seeds, 1 with findings\n")
