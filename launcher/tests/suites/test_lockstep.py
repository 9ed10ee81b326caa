# SPDX-License-Identifier: Apache-2.0
"""launcher.suites.lockstep: the program's arguments, and what becomes of its answers for mutated models."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from launcher.bench.bench_options import OptionError
from launcher.env.paths import ROOT
from launcher.spread.cluster import Where
from launcher.spread.seeds import Seeds
from launcher.suites import crash, lockstep


def program(folder: Path, script: str) -> Path:
    """The folder of a build, whose program is this script."""
    path = folder / "bin" / lockstep.PROGRAM
    path.parent.mkdir()
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return folder


def test_arguments() -> None:
    given = lockstep.arguments(lockstep.Options(commands=5, seed=7, mix=lockstep.Mix.quick, wide=True, faults="wear=9"))
    assert given[:9] == ["--commands", "5", "--seed", "7", "--mix", "quick", "--wide", "--faults", "wear=9"]
    assert not {"--wide", "--faults", "--first", "--second"} & set(lockstep.arguments(lockstep.Options()))
    soc = lockstep.arguments(lockstep.Options(first=crash.Device.soc, second=crash.Device.rtl))
    assert lockstep.arguments(lockstep.Options(firmware="remote"))[-4:-2] == ["--firmware", "remote"]
    assert soc[soc.index("--first") + 1] == "soc" and soc[soc.index("--second") + 1] == "rtl"


@pytest.mark.parametrize(
    ("change", "flag"),
    [
        ({"commands": 0}, "--commands"),
        ({"seed": -1}, "--seed"),
        ({"faults": "x=1"}, "--faults"),
        ({"firmware": "far"}, "--firmware"),
        ({"wide": True, "second": crash.Device.soc}, "--wide"),
    ],
)
def test_what_is_refused(change: dict[str, Any], flag: str) -> None:
    with pytest.raises(OptionError, match=flag):
        lockstep.arguments(replace(lockstep.Options(), **change))


def test_several_seeds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build = program(tmp_path, 'case "$*" in *"--seed 2 "*) echo different after 5 commands; exit 1;; esac; echo equal')
    chosen = Seeds(1, 2, Where(jobs=2))
    assert lockstep.run_seeds(lockstep.Options(), chosen, build / "bin" / lockstep.PROGRAM) == 1
    expected = "seed 1:\nequal\nseed 2:\ndifferent after 5 commands\n2 seeds, 1 with findings\n"
    assert capsys.readouterr().out == expected


def test_mutants_are_those_of_the_header() -> None:
    name, macro = lockstep.MUTANT_LIST
    text = (ROOT / name).read_text()
    listed = text[text.index(f"#define {macro}") : text.index("enum class Mutant")]
    mutants = lockstep.mutants()
    assert len(mutants) == listed.count("X(k") >= 15
    assert {"copy-next-seq", "list-older-seq", "limit-above", "limit-below"} <= {mutant.name for mutant in mutants}
    assert all(mutant.run in lockstep.MUTANT_RUNS for mutant in mutants)
    assert all(mutant.what.startswith(("a ", "an ", "the ")) for mutant in mutants)
    names = [mutant.name for mutant in mutants] + [mutant.name for mutant in crash.mutants()]
    assert len(set(names)) == len(names)


def test_a_mutant_is_found_when_the_devices_differ(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = tmp_path / "said"
    script = f'echo "$OPENREMAP_MUTANT $LD_LIBRARY_PATH: $*" >> {said}\necho different after 12 commands\nexit 1'
    build = program(tmp_path, script)
    assert lockstep.run_mutants(lockstep.Options(seed=3), build) == 0
    runs = dict(zip((mutant.name for mutant in lockstep.mutants()), said.read_text().splitlines(), strict=True))
    for name, run in runs.items():
        assert run.startswith(f"{name} {build}/sim/mutants: --commands ") and run.endswith(" --shrink-runs 0")
        assert " --seed 3 " in run
    assert "--wide" in runs["padding-named"] and "--faults" in runs["retries-fewer"]
    lines = capsys.readouterr().out.splitlines()
    count = len(lockstep.mutants())
    assert len(lines) == count + 1 and lines[-1] == f"{count} mutants, {count} found"
    assert lines[0].startswith("copy-next-seq: ") and lines[0].endswith(": found after 12 commands")


def test_a_mutant_is_missed_when_they_are_equal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build = program(tmp_path, "echo 'equal: 7 steps with 30 commands (5 of them in bursts), seeds 1 to 1; 1 of 1'")
    assert lockstep.run_mutants(lockstep.Options(), build) == 1
    out = capsys.readouterr().out
    assert "NOT found in 30 commands" in out and out.endswith("mutants, 0 found\n")


@pytest.mark.parametrize("script", ["exit 1", "exit 2", "echo different after 3 commands", "kill -9 $$"])
def test_a_program_that_fails_finds_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str], script: str) -> None:
    assert lockstep.run_mutants(lockstep.Options(), program(tmp_path, script)) == 1
    out = capsys.readouterr().out
    assert "lockstep failed (exit code" in out and out.endswith("0 found\n")


@pytest.mark.parametrize("code", [0, 1])
def test_the_programs_exit_code_is_the_commands(tmp_path: Path, code: int) -> None:
    build = program(tmp_path, f"exit {code}")
    assert lockstep.run(lockstep.Options(), build / "bin" / lockstep.PROGRAM) == code
