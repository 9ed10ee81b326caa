# SPDX-License-Identifier: Apache-2.0
"""launcher.bench.ioreplay: the program's arguments, and what is refused before it is built."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from launcher.bench import ioreplay
from launcher.bench.bench_options import OptionError
from launcher.env.paths import ROOT


def test_arguments(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    trace.touch()
    given = ioreplay.arguments(ioreplay.Options(traces=(trace, trace)))
    assert given == [
        *("--device", "model", "--placement", "recorded", "--deallocate", "on", "--"),
        *(str(trace), str(trace)),
    ]
    given = ioreplay.arguments(
        ioreplay.Options(
            device=ioreplay.Target.rtl,
            chunk=3,
            split=0,
            placement=ioreplay.Placement.trace,
            deallocate=ioreplay.Switch.off,
            geometry="2x2x64x32",
            superblocks=32,
            over_provisioning=12,
            placement_handles=2,
            read_back=False,
            json=Path("-"),
        )
    )
    assert " ".join(given) == (
        "--device rtl --placement trace --deallocate off --chunk 3 --split 0 --superblocks 32 "
        "--over-provisioning 12 --placement-handles 2 --geometry 2x2x64x32 --no-read-back --json - --"
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"chunk": 0}, "--chunk: 0 is not between 1"),
        ({"split": -1}, "--split"),
        ({"over_provisioning": 100}, "--over-provisioning"),
        ({"placement_handles": 129}, "--placement-handles"),
        ({"superblocks": -1}, "--superblocks"),
        ({"geometry": "2x2"}, "--geometry"),
        ({"device": ioreplay.Target.hdd, "geometry": "2x2x64x32"}, "--geometry: only with"),
        ({"device": ioreplay.Target.hybrid, "placement_handles": 2}, "--placement-handles: only with"),
        ({"json": Path("/proc/a.json")}, "--json"),
        ({"traces": (Path("/no/such/trace"),)}, "TRACE: /no/such/trace"),
    ],
)
def test_what_is_refused(change: dict[str, object], words: str) -> None:
    with pytest.raises(OptionError, match=re.escape(words)):
        ioreplay.arguments(replace(ioreplay.Options(), **change))  # type: ignore[arg-type]


def test_a_trace_is_not_overwritten(tmp_path: Path) -> None:
    trace, link = tmp_path / "a.pages", tmp_path / "link"
    trace.write_text("trace")
    link.symlink_to(trace)
    for json in (trace, link):
        with pytest.raises(OptionError, match=r"--json: .* is a trace, which the results would overwrite"):
            ioreplay.arguments(replace(ioreplay.Options(), traces=(trace,), json=json))


def test_the_programs_answer_is_the_commands(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o755)
    assert ioreplay.run(ioreplay.Options(), program) == 3


def test_choices_and_ranges_are_the_programs() -> None:
    source = (ROOT / "leveldb-host/ioreplay/ioreplay.cc").read_text()
    members = re.search(r"IsMember\(\{(.*?)\}\)", source)
    assert members
    assert re.findall(r'"(\w+)"', members[1]) == [target.value for target in ioreplay.Target]
    placements = ", ".join(f'"{placement}"' for placement in ioreplay.Placement)
    assert f"IsMember({{{placements}}})" in source
    assert f"Range(0u, {ioreplay.OVER_PROVISIONING.high}u)" in source
    assert f"Range(0u, {ioreplay.HANDLES.high}u)" in source
    assert source.count("uint64_t{1} << 40") == 2 and ioreplay.CHUNK.high == ioreplay.SPLIT.high == 1 << 40
