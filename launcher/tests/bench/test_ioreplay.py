# SPDX-License-Identifier: Apache-2.0
"""launcher.bench.ioreplay: the program's arguments, and what is refused before it is built."""

from __future__ import annotations

import os
import re
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from launcher.bench import ioreplay
from launcher.bench.bench import BenchFailed, BenchKilled
from launcher.bench.bench_options import OptionError
from launcher.env.paths import ROOT

STAND_IN = [sys.executable, str(Path(__file__).with_name("ioreplay_stand_in.py"))]


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
            split=4,
            whole=20,
            side=(ioreplay.Side.log, ioreplay.Side.other),
            placement=ioreplay.Placement.trace,
            deallocate=ioreplay.Switch.off,
            geometry="2x2x64x32",
            superblocks=32,
            over_provisioning=12,
            placement_handles=2,
            image_dir=Path("images"),
            precondition=True,
            seed=9,
            read_back=False,
            json=Path("-"),
        )
    )
    assert " ".join(given) == (
        "--device rtl --placement trace --deallocate off --chunk 3 --split 4 --whole 20 --superblocks 32 "
        "--over-provisioning 12 --placement-handles 2 --seed 9 --side log,other --geometry 2x2x64x32 "
        "--image-dir images --precondition --no-read-back --json - --"
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"chunk": 0}, "--chunk: 0 is not between 1"),
        ({"split": -1}, "--split"),
        ({"whole": 101}, "--whole: 101 is not between 0 and 100"),
        ({"over_provisioning": 100}, "--over-provisioning"),
        ({"placement_handles": 129}, "--placement-handles"),
        ({"superblocks": -1}, "--superblocks"),
        ({"geometry": "2x2"}, "--geometry"),
        ({"device": ioreplay.Target.hdd, "geometry": "2x2x64x32"}, "--geometry: only with"),
        ({"device": ioreplay.Target.hybrid, "placement_handles": 2}, "--placement-handles: only with"),
        ({"device": ioreplay.Target.hdd, "precondition": True}, "--precondition: only with"),
        ({"device": ioreplay.Target.hybrid, "image_dir": Path("images")}, "--image-dir: only with"),
        ({"image_dir": Path("/dev/null")}, "--image-dir: /dev/null is not a folder"),
        ({"hybrid_log": 5}, "--hybrid-log: only with --device hybrid"),
        ({"device": ioreplay.Target.hybrid, "hybrid_block": 0}, "--hybrid-block: 0 is not between 1"),
        ({"device": ioreplay.Target.hdd, "window": 9}, "--window: only with --device model or rtl or soc or hybrid"),
        ({"fill": 80}, "--fill: needs --geometry"),
        ({"fill": 101, "geometry": "2x2x64x32"}, "--fill: 101 is not between 0 and 100"),
        ({"fill": 80, "geometry": "2x2x64x32", "superblocks": 24}, "--superblocks: not with --fill"),
        ({"fill": 80, "geometry": "2x2x64x32", "image_dir": Path("images")}, "--image-dir: not with --fill"),
        ({"device": ioreplay.Target.hybrid, "fill": 80}, "--fill: only with --device model"),
        ({"seed": 2}, "--seed: only with --precondition"),
        ({"seed": -1, "precondition": True}, "--seed: -1 is not between 0"),
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


def test_kinds_of_a_side_device() -> None:
    assert ioreplay.parse_side("") == ()
    assert ioreplay.parse_side("other, log") == (ioreplay.Side.log, ioreplay.Side.other)
    with pytest.raises(OptionError, match="--side: 'table' is none of log, other, metadata"):
        ioreplay.parse_side("log,table")
    with pytest.raises(OptionError, match="--side: 'log,log' has a kind twice"):
        ioreplay.parse_side("log,log")


def test_choices_and_ranges_are_the_programs() -> None:
    source = (ROOT / "leveldb-host/ioreplay/ioreplay.cc").read_text()
    members = re.search(r"IsMember\(\{(.*?)\}\)", source)
    assert members
    assert re.findall(r'"(\w+)"', members[1]) == [target.value for target in ioreplay.Target]
    placements = ", ".join(f'"{placement}"' for placement in ioreplay.Placement)
    assert f"IsMember({{{placements}}})" in source
    sides = ", ".join(f'"{side}"' for side in ioreplay.Side)
    assert f"IsMember({{{sides}}})" in source


@pytest.mark.parametrize("cpu", ["", "none"])
def test_whose_time_the_firmware_takes_is_in_the_environment(tmp_path: Path, cpu: str) -> None:
    trace, said = tmp_path / "trace", tmp_path / "said"
    trace.write_bytes(b"7 pages")
    telling = ["sh", "-c", f'echo "$OPENREMAP_FW_CPU" > {said}; exec "$@"', "sh", *STAND_IN]
    ioreplay.measure(ioreplay.Options((trace,), firmware_cpu=cpu), telling, tmp_path, threading.Event())
    assert said.read_text().strip() == (cpu or os.environ.get("OPENREMAP_FW_CPU", ""))


def measure(folder: Path, device: ioreplay.Target) -> dict[str, object]:
    trace = folder / "a.pages"
    trace.write_text("four")
    return ioreplay.measure(ioreplay.Options((trace,), device), STAND_IN, folder, threading.Event())


@pytest.mark.parametrize("device", list(ioreplay.Target))
def test_a_result_is_that_of_the_program(tmp_path: Path, device: ioreplay.Target) -> None:
    found = measure(tmp_path, device)
    assert found["written_pages"] == 4 and found["device"] == device
    assert ioreplay.check(found, device) is found
    with pytest.raises(BenchFailed, match="device"):
        ioreplay.check(found | {"device": "tape"}, device)
    damages: list[dict[str, object]] = [{"wrong_pages": None}, {"figures": {}}, {"figures": [1]}, {"records": -1}]
    for damage in damages:
        if device != ioreplay.Target.hdd or damage != {"figures": {}}:
            with pytest.raises(BenchFailed, match="result"):
                ioreplay.check(found | damage, device)
    if device != ioreplay.Target.hdd:
        with pytest.raises(BenchFailed, match="0 of 0 pages"):
            ioreplay.check(found | {"pages_verified": 0}, device)
    other: object
    for other in (None, [], "four"):
        with pytest.raises(BenchFailed, match="not a JSON object"):
            ioreplay.check(other, device)


@pytest.mark.parametrize(
    ("behaviour", "error", "words"),
    [
        ("device error", BenchFailed, r"replay onto model: exit code 1:\n  ioreplay: flash gone"),
        ("bad option", OptionError, "^the device has 7 pages$"),
        ("killed", BenchKilled, "SIGKILL"),
        ("silent", BenchFailed, "its result cannot be read"),
        ("wrong", BenchFailed, "1 of 4 pages are wrong"),
        ("incomplete", BenchFailed, "nand_program_pages"),
    ],
)
def test_what_fails_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, behaviour: str, error: type[Exception], words: str
) -> None:
    monkeypatch.setenv("STAND_IN_model", behaviour)
    with pytest.raises(error, match=words) as raised:
        measure(tmp_path, ioreplay.Target.model)
    assert isinstance(raised.value, BenchKilled) == (error is BenchKilled)


def test_memory_of_a_replay() -> None:
    assert ioreplay.flash_bytes(ioreplay.Options()) == 0, "the RTL's"
    assert ioreplay.flash_bytes(ioreplay.Options(geometry="2x2x64x32x2")) == 2 * 2 * 64 * 32 * 2 * 4096
    assert ioreplay.flash_bytes(ioreplay.Options(geometry="2x2x64x32", superblocks=32)) == 2 * 2 * 32 * 32 * 4096
