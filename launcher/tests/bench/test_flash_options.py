# SPDX-License-Identifier: Apache-2.0
"""launcher.bench.flash_options: what the programs would refuse, and nothing else."""

from __future__ import annotations

import re

import pytest

from launcher.bench import flash_options
from launcher.env.paths import ROOT


def test_the_names_and_bounds_of_faults_are_those_of_the_model() -> None:
    text = (ROOT / "sim" / "models" / "nand_faults.cc").read_text()
    known = set(re.findall(r'name == "([a-z-]+)"', text))
    assert known == set(flash_options.FAULTS)
    listed = re.search(r"bool is_share.*?\n}", text, re.DOTALL)
    assert listed is not None
    assert set(re.findall(r'"([a-z-]+)"', listed[0])) == set(flash_options.SHARES)
    bounds = {name: float(most) for name, most in re.findall(r'name == "([a-z-]+)"\) {\s+if \(value > (\S+)\)', text)}
    assert re.search(r"value > 1 && is_share\(name\)", text)
    assert bounds | dict.fromkeys(flash_options.SHARES, 1.0) == flash_options.MOST


@pytest.mark.parametrize(
    "text", ["", "erase-fail=1e-4", "program-fail=1,erase-fail=.5", "bit-errors=400", "wear=3000", "factory-bad=0"]
)
def test_faults_that_are_taken(text: str) -> None:
    assert flash_options.wrong_faults(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        *("x=1", "erase-fail", "erase-fail=", "erase-fail=x", "erase-fail=-1", "erase-fail=nan", "erase-fail=inf"),
        *("erase-fail=1.5", "bit-errors=401", "factory-bad=1e7", "wear=0", "erase-fail=0.1,,wear=1", "wear=1e999"),
    ],
)
def test_faults_that_are_refused(text: str) -> None:
    assert flash_options.wrong_faults(text) != ""


def test_the_bounds_of_a_cache_line_are_those_of_the_model() -> None:
    text = (ROOT / "sim" / "models" / "shadow_dram.h").read_text()
    bounds = re.search(r"kLeastLine = (\d+), kMostLine = (\d+)", text)
    assert bounds is not None
    assert (int(bounds[1]), int(bounds[2])) == (flash_options.LEAST_LINE, flash_options.MOST_LINE)


@pytest.mark.parametrize("text", ["", "none", "keep", "evict", "keep,line=16", "evict,line=4096"])
def test_caches_that_are_taken(text: str) -> None:
    assert flash_options.wrong_cache(text) == ""


@pytest.mark.parametrize(
    "text", ["x", "keep,", "keep,line=", "keep,line=48", "keep,line=8", "keep,line=8192", "none,line=32", ",line=32"]
)
def test_caches_that_are_refused(text: str) -> None:
    assert flash_options.wrong_cache(text) != ""


@pytest.mark.parametrize("text", ["", "native", "remote", "remote,image=a/b.elf", "remote,patience=5,image=x"])
def test_what_runs_a_firmware(text: str) -> None:
    assert flash_options.wrong_firmware(text) == ""


@pytest.mark.parametrize(
    "text", ["far", "remote,", "remote,image=", "native,image=x", "remote,patience=-1", "remote,x=1"]
)
def test_what_runs_no_firmware(text: str) -> None:
    assert "is not native or remote" in flash_options.wrong_firmware(text)


@pytest.mark.parametrize("text", ["2x2x64x32", "2x2x64x8x4", "8x8x8192x512", "1x1x5x4", "1x1x8x256x8"])
def test_geometries_that_are_taken(text: str) -> None:
    assert flash_options.wrong_geometry(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        *("", "x", "2x2", "0x0x0x0", "1x1x1x1", "99999x1x1x1", "2x2x64x32x3", "3x2x64x32", "2x2x64x33", "-2x2x64x32"),
        *("64x64x8x8", "2x2x4x32", "2x2x8193x32", "2x2x64x32x16", "8x8x64x1024", "1x1x8x2", "2x2x64x32x1x1"),
    ],
)
def test_geometries_that_are_refused(text: str) -> None:
    assert flash_options.wrong_geometry(text) != ""
