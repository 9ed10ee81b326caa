# SPDX-License-Identifier: Apache-2.0
"""launcher.hw.hwbench: the program's result document, the table, and failures of the program."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from launcher.bench.bench_options import OptionError
from launcher.hw import hwbench


def document(device: hwbench.Device = hwbench.Device.rtl) -> dict[str, Any]:
    """A document as the program prints it."""
    latency = {"p50": 390, "p99": 402, "max": 500}
    cases = [
        {"name": name, "commands": 10, "pages": 20, "cycles": 5000, "cycles_per_page": 250.0, "gc_pages": 8}
        | {"stall_alloc": 3000, "latency": dict(latency)}
        for name in (hwbench.ON_SOC if device is hwbench.Device.soc else hwbench.CASES)
    ]
    return {"device": device, "clock_ns": 10, "seed": 3, "slots_per_page": 4, "cases": cases}


def test_parse_adds_goals() -> None:
    parsed = hwbench.parse(json.dumps(document()))
    cases = {case["name"]: case for case in parsed["cases"]}
    assert cases["read_qd1"]["goal"] == 400
    assert hwbench.value(cases["read_qd1"]) == 390
    assert hwbench.value(cases["read_qd64"]) == 250


def test_parse_refuses_other_cases() -> None:
    short = document()
    del short["cases"][0]
    with pytest.raises(hwbench.HwbenchFailed, match="expected lookup_cached"):
        hwbench.parse(json.dumps(short))


def test_the_soc_has_remaps_and_copies_only() -> None:
    parsed = hwbench.parse(json.dumps(document(hwbench.Device.soc)))
    assert {case["name"].split("_")[0] for case in parsed["cases"]} == {"remap", "copy"}
    assert parsed["derived"] == []
    with pytest.raises(hwbench.HwbenchFailed, match="expected remap_single"):
        hwbench.parse(json.dumps(document() | {"device": "soc"}))
    out = io.StringIO()
    Console(file=out, width=160).print(hwbench.table(parsed))
    text = " ".join(out.getvalue().split())
    assert "the firmware runs on the soc's CPU" in text and "firmware takes no time" not in text
    assert hwbench.CASES["remap_run"].about in text


@pytest.mark.parametrize("text", ["", "{}", "[1]", "{", '{"cases": [{}]}', '{"cases": []}'])
def test_parse_refuses_what_is_no_document(text: str) -> None:
    with pytest.raises(hwbench.HwbenchFailed, match="no result document"):
        hwbench.parse(text)


def test_rows_of_gc_follow_from_the_writes() -> None:
    raw = document()
    rows = {row["name"]: row for row in hwbench.parse(json.dumps(raw))["derived"]}
    assert rows["gc_page"]["cycles_per_page"] == 625
    assert rows["gc_stall"]["cycles_per_page"] == 150


def test_no_gc_no_figure() -> None:
    raw = document()
    for case in raw["cases"]:
        case["gc_pages"] = 0
    parsed = hwbench.parse(json.dumps(raw))
    assert {row["name"]: row["cycles_per_page"] for row in parsed["derived"]}["gc_page"] is None
    Console(file=io.StringIO()).print(hwbench.table(parsed))


@pytest.mark.parametrize(
    ("cycles", "goal", "shown"),
    [
        (4.04, 4, "! 4.04"),
        (4, 4, "4.00"),
        (3.7, 4, "3.70"),
        (2.5, 4, "2.5"),
        (27.11, 16, "! 27.1"),
        (4867.24, None, "4,867.2"),
    ],
)
def test_figures_that_miss_their_goal_are_marked(cycles: float, goal: float | None, shown: str) -> None:
    assert hwbench.figure(cycles, goal) == shown


def test_table_shows_every_case() -> None:
    out = io.StringIO()
    Console(file=out, width=160).print(hwbench.table(hwbench.parse(json.dumps(document()))))
    text = out.getvalue()
    for case in hwbench.CASES.values():
        assert case.about in text
    for row in hwbench.DERIVED.values():
        assert row.about in text
    assert "100 MHz" in text and "400,000" in text  # 250 cycles of 10 ns a page
    assert "172,800" not in text and "pages of 4 x 4 KiB" in text


def test_rates_at_the_clock_of_synth_but_where_nand_has_its_own_times() -> None:
    out = io.StringIO()
    parsed = hwbench.parse(json.dumps(document())) | {"synth_mhz": 43.2}
    Console(file=out, width=180).print(hwbench.table(parsed))
    rows = {line.split("│")[1].strip(): line for line in out.getvalue().splitlines() if "│" in line}
    assert "43.2 MHz" in out.getvalue()
    for case in hwbench.CASES.values():
        assert ("172,800" in rows[case.about]) == case.scales, case.about  # 43.2 MHz / 250
    assert not hwbench.CASES["write_gc"].scales


def synth_result(unit: str = "OpenRemapTop", **route: float) -> str:
    return json.dumps({"unit": unit, "families": {"ecp5": {"route": route}}})


def test_the_clock_of_synth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hwbench, "SYNTH_RESULT", tmp_path / "usual.json")
    assert hwbench.synth_mhz(None) is None
    (tmp_path / "usual.json").write_text(synth_result(fmax_mhz=43.2))
    assert hwbench.synth_mhz(None) == 43.2
    named = tmp_path / "named.json"
    named.write_text(synth_result(fmax_mhz=51))
    assert hwbench.synth_mhz(named) == 51


@pytest.mark.parametrize("text", ["", "[]", "{}", synth_result(), synth_result("MapUnit", fmax_mhz=50)])
def test_a_named_result_without_a_clock_is_refused(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = tmp_path / "synth.json"
    wrong.write_text(text)
    with pytest.raises(OptionError, match="has no clock of OpenRemapTop; expected a result"):
        hwbench.synth_mhz(wrong)
    with pytest.raises(OptionError, match="has no clock of OpenRemapTop; expected a result"):
        hwbench.synth_mhz(tmp_path / "absent.json")
    monkeypatch.setattr(hwbench, "SYNTH_RESULT", wrong)
    assert hwbench.synth_mhz(None) is None


def test_run_says_why_it_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / hwbench.PROGRAM
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 'hwbench: the controller is lost' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(hwbench, "RELEASE", tmp_path)
    monkeypatch.setattr(hwbench, "BUILD", tmp_path / "build")
    with pytest.raises(hwbench.HwbenchFailed, match="the controller is lost"):
        hwbench.run(1000, 1)


@pytest.mark.parametrize("device", hwbench.Device)
def test_the_program_measures_the_device_that_is_asked_for(
    device: hwbench.Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, printed = tmp_path / "given", tmp_path / "printed"
    printed.write_text(json.dumps(document(device)))
    program = tmp_path / "bin" / hwbench.PROGRAM
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$@" >{given}\ncat {printed}\n')
    program.chmod(0o755)
    monkeypatch.setattr(hwbench, "RELEASE", tmp_path)
    monkeypatch.setattr(hwbench, "BUILD", tmp_path / "build")
    assert hwbench.run(200, 3, device=device)["device"] == device
    assert given.read_text().split() == ["--commands", "200", "--seed", "3", "--device", device]


@pytest.mark.parametrize(("wide", "synth", "words"), [(True, None, "--wide"), (False, Path("s.json"), "--synth")])
def test_what_the_soc_does_not_have_is_refused(wide: bool, synth: Path | None, words: str) -> None:
    hwbench.check_device(hwbench.Device.rtl, wide, synth)
    hwbench.check_device(hwbench.Device.soc, False, None)
    with pytest.raises(OptionError, match=words):
        hwbench.check_device(hwbench.Device.soc, wide, synth)


@pytest.mark.parametrize(("commands", "seed"), [(159, 1), (100_001, 1), (160, -1), (160, 2**64)])
def test_numbers_out_of_range_are_refused(commands: int, seed: int, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="is not between"):
        hwbench.check(commands, seed, tmp_path / "a.json")


def test_a_folder_is_no_result(tmp_path: Path) -> None:
    hwbench.check(160, 0, tmp_path / "a.json")
    with pytest.raises(OptionError, match="is a folder"):
        hwbench.check(160, 0, tmp_path)
