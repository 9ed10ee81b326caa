# SPDX-License-Identifier: Apache-2.0
"""launcher.firmware.costs: costs are found in windows, and the committed table is whole."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from launcher.env.paths import ROOT
from launcher.firmware import costs
from launcher.firmware.costs import PRIOR, Error, Window


def kinds() -> list[str]:
    """Those of the firmware's header."""
    text = (ROOT / "firmware" / "include" / "fw_work.h").read_text()
    return re.findall(r'X\(FW_WORK_\w+, "(\w+)"', text)


def windows(true: dict[str, float], seed: int, count: int = 60) -> list[tuple[Window, Window]]:
    """Pairs whose times are what these costs make of random work."""
    draw = random.Random(seed)
    pairs = []
    for i in range(count):
        work = {kind: draw.choice((0, draw.randrange(1, 1000))) for kind in PRIOR}
        cycles = sum(true[kind] * n for kind, n in work.items())
        cycles += costs.ACCESS_CYCLES * (work["register_read"] + work["register_write"])
        busy = round(cycles * costs.PS_PER_CYCLE / 1000)
        pairs.append((Window(f"w{i}", busy, busy, {}), Window(f"w{i}", 0, 0, work)))
    return pairs


def test_the_table_has_all_kinds_and_says_what_is_an_estimate() -> None:
    table = costs.read_table()
    assert set(table["cpus"]) == {costs.CPU, costs.A9}
    for cpu in table["cpus"].values():
        assert sorted(cpu["ps"]) == sorted(kinds())
        assert all(isinstance(ps, int) and ps >= 0 for ps in cpu["ps"].values())
    assert sorted(PRIOR) == sorted(kinds())
    assert [name for name, cpu in table["cpus"].items() if cpu["estimate"]] == [costs.A9]
    assert re.fullmatch("[0-9a-f]{64}", table["firmware"])


def test_the_estimate_follows_from_the_measurement() -> None:
    cpus = costs.read_table()["cpus"]
    cycles = {kind: ps / costs.PS_PER_CYCLE for kind, ps in cpus[costs.CPU]["ps"].items()}
    again = costs.document(cycles, "")["cpus"]
    for name, cpu in cpus.items():
        assert {k: pytest.approx(v, abs=1) for k, v in cpu["ps"].items()} == again[name]["ps"]
    assert all(cpus[costs.A9]["ps"][kind] <= ps for kind, ps in cpus[costs.CPU]["ps"].items())


@pytest.mark.parametrize("seed", [1, 2])
def test_costs_are_found_in_windows(seed: int) -> None:
    draw = random.Random(seed)
    true = {kind: cost * draw.uniform(0.3, 3) for kind, cost in PRIOR.items()}
    pairs = windows(true, seed)
    found = costs.fit(pairs, PRIOR)
    for soc, counted in pairs:
        cycles = sum(found[kind] * n for kind, n in counted.work.items())
        cycles += costs.ACCESS_CYCLES * (counted.work["register_read"] + counted.work["register_write"])
        assert cycles * costs.PS_PER_CYCLE / 1000 == pytest.approx(soc.busy_ns, rel=0.05)  # the estimates pull


def test_no_cost_is_negative_and_what_never_occurs_stays_the_estimate() -> None:
    true = dict(PRIOR, die=0.0)
    pairs = [(soc, Window(w.name, 0, 0, dict(w.work, crc=0))) for soc, w in windows(dict(true, crc=0.0), 3)]
    found = costs.fit(pairs, PRIOR)
    assert min(found.values()) >= 0
    assert found["crc"] == pytest.approx(PRIOR["crc"])


def test_windows_of_other_loads_are_refused() -> None:
    one, other = Window("a", 1, 1, {}), Window("b", 1, 1, {})
    with pytest.raises(costs.CostsError):
        costs.pair([one], [other])
    with pytest.raises(costs.CostsError):
        costs.pair([], [])


def test_a_cpu_that_worked_for_less_than_its_accesses_is_refused() -> None:
    work = dict.fromkeys(PRIOR, 0) | {"register_read": 100}
    with pytest.raises(costs.CostsError, match="w: "):
        costs.fit([(Window("w", 1, 1, {}), Window("w", 1, 1, work))], PRIOR)


def test_what_is_too_far_is_told() -> None:
    near, far = Error("near", 1000, 1050), Error("far", 1000, 1200)
    assert costs.too_far([near]) == ""
    assert (
        costs.too_far([near, far])
        == "the model's device time differs from the soc's by +12.5 %, at most 10 % are allowed"
    )
    assert costs.too_far([Error("short", 1000, 880)]) != ""
    assert costs.table([near]).row_count == 2


def test_another_firmware_makes_the_table_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = (
        "firmware/src/nvme/a.c",
        "firmware/include/a.h",
        "firmware/ports/bare/a.S",
        "firmware/ports/litex/litex.ld.in",
        "firmware/ports/litex/CMakeLists.txt",
        "firmware/ports/image.cmake",
        "firmware/sources.cmake",
        "interfaces/gen/c/a.h",
        "soc/a.py",
        "hw/src/soc/A.scala",
    )
    pins = tmp_path / "requirements.in"
    pins.write_text("pytest==1  # runs\nlitex==1  # makes\n")
    for name in (*names, "firmware/ports/zynq/a.c", "soc/tests/test_a.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("old")
    monkeypatch.setattr(costs, "ROOT", tmp_path)
    for name in names:
        made = {"firmware": costs.firmware_digest()}
        assert not costs.is_stale(made)
        (tmp_path / name).write_text("new")
        assert costs.is_stale(made), name
    made = {"firmware": costs.firmware_digest()}
    (tmp_path / "firmware/ports/zynq/a.c").write_text("new")
    (tmp_path / "soc/tests/test_a.py").write_text("new")
    pins.write_text("pytest==2  # runs\nlitex==1  # generates\n")
    assert not costs.is_stale(made)
    pins.write_text("pytest==2  # runs\nlitex==2  # generates\n")
    assert costs.is_stale(made)


def test_what_the_soc_said_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "FOLDER", tmp_path)
    (tmp_path / "soc-starts.json").write_text('[{"name": "a", "device_ns": 1, "busy_ns": 1, "work": {}}]')
    with pytest.raises(costs.CostsError, match="--keep"):
        costs.kept_loads("soc")
    (tmp_path / "soc-commands.json").write_text('[{"name": "b", "device_ns": 2, "busy_ns": 1, "work": {}}]')
    (tmp_path / "soc-trims.json").write_text('[{"name": "c", "device_ns": 2, "busy_ns": 1, "work": {}}]')
    assert [w.name for w in costs.kept_loads("soc")] == ["a", "b", "c"]
    with pytest.raises(costs.CostsError, match="of which firmware"):
        costs.kept_digest()
    (tmp_path / "soc-firmware.txt").write_text("12ab\n")
    assert costs.kept_digest() == "12ab"


def test_windows_are_read() -> None:
    text = '[{"name": "a b", "device_ns": 5, "busy_ns": 3, "work": {"poll": 2}}]'
    assert costs.read_windows(text) == [Window("a b", 5, 3, {"poll": 2})]
