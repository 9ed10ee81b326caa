# SPDX-License-Identifier: Apache-2.0
"""What expressions ask of the outputs of single programs."""

from __future__ import annotations

from launcher.figures import readings

STEPS = [
    {"name": "read header", "ns": 40, "nvram_read": 88, "nvram_written": 0},
    {"name": "clear maps", "ns": 160, "nvram_read": 0, "nvram_written": 0},
    {"name": "probe", "ns": 500000, "nvram_read": 0, "nvram_written": 0},
]


def test_hwbench_shows_a_missed_goal() -> None:
    case = {"figure": "cycles_per_page", "goal": 4, "cycles_per_page": 4.57, "latency": {"p50": 9}}
    assert readings.cost(case) == "! 4.6" and readings.goal(case) == "4"
    assert readings.cost({**case, "goal": None}) == "4.6" and readings.goal({**case, "goal": None}) == "-"


def test_latencies_are_in_milliseconds() -> None:
    device = {"latency_ns": {"read": {"p50": 1_911_120, "max": 9_000_000}, "trim": {"p50": 2_250, "max": 164_960}}}
    assert [readings.latency(device, kind, "p50") for kind in ("read", "trim", "")] == ["1.9", "0.002", "p50"]
    assert readings.latency(device, "trim", "max") == "0.2"
    assert readings.longest(device) == 9_000_000


def test_steps_of_a_start() -> None:
    assert readings.step({"steps": STEPS}, "probe") == 500000 and readings.step({"steps": STEPS}, "gone") == 0
    assert [step["name"] for step in readings.busy(STEPS)] == ["read header", "probe"]


def test_shares_of_metadata() -> None:
    tool = {"host_write_pages": 1000, "nand_program_meta": 4, "nvram_written": {"segments": 2048, "state": 2048}}
    bench = {"host_bytes": 409600, "nvram_bytes": 4096, "metadata_pages": 2}
    assert readings.shares([tool], "flash") == "0.400" and readings.shares([tool], "nvram") == "0.100"
    assert readings.shares([tool, bench], "flash") == "0.400 / 2.000"
    assert readings.shares([bench], "nvram") == "1.000"


def test_settings_are_compared_with_stock() -> None:
    stock = {"host_bytes": 1000, "used_bytes": 200, "host_read_bytes": 0}
    run = {"host_bytes": 600, "used_bytes": 210, "host_read_bytes": 1_500_000_000}
    assert readings.setting({"off_1": stock, "a_1": run}, "a", "_1") == "40.0 %, +5.0 %, 1.5 GB"
    assert readings.setting({"off_1": stock}, "a", "_1") == "-"


def test_words_and_space() -> None:
    assert readings.words(" writes mean\n 10 29\n 60 187\n", "60") == ["60", "187"]
    cases = [["a", "1 %, +2.5 %, x1", "", "", "", "3 %, -4.5 %, x1"]]
    assert readings.space(cases, "a", "base") == 2.5 and readings.space(cases, "a", "blend") == -4.5
