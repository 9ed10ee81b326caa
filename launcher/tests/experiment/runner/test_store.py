# SPDX-License-Identifier: Apache-2.0
"""The folder of results: which files are results of a case, what their addresses depend on, and whose folder it is."""

import hashlib
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from launcher.bench import bench_description, bench_options
from launcher.bench.bench_description import Mode, Workload
from launcher.bench.ioreplay import Options, Target
from launcher.env.paths import ROOT
from launcher.experiment.remapcom.cases import VARIANTS, cases
from launcher.experiment.remapcom.remapcom import REMAPCOM
from launcher.experiment.runner import running, store
from launcher.experiment.runner.baseline import BASELINE
from launcher.experiment.runner.description import USUAL, Case, Scale
from launcher.experiment.runner.steps import Bench, Replay
from launcher.experiment.runner.store import OtherExperiment
from launcher.firmware import images
from launcher.hw import facts
from launcher.spread.cluster import Where
from launcher.tests.experiment.runner.test_baseline import FIRST_ENTRIES

STAND_IN = [sys.executable, str(Path(__file__).parents[2] / "bench" / "db_bench_stand_in.py")]
FEW = [case for case in cases(Scale.small) if case.name in ("1KB", "ycsba-1KB")]


def run(folder: Path, wanted: list[Case]) -> tuple[object, list[str]]:
    said: list[str] = []
    return running.run(wanted, VARIANTS, folder, Where(2), STAND_IN, said.append), said


@pytest.fixture(scope="module")
def of_one_case() -> Iterator[Path]:
    """A folder with the results of one case, for tests that copy it."""
    with tempfile.TemporaryDirectory() as folder:
        run(Path(folder), FEW[:1])
        yield Path(folder)


def finished(path: Path, case: Case, mode: Mode) -> dict[str, Any] | None:
    return store.finished(path, case, next(variant for variant in VARIANTS if variant.mode is mode))


def test_a_result_of_other_puts_or_another_flash_is_not_this_cases(tmp_path: Path) -> None:
    run(tmp_path, FEW[:1])
    path = tmp_path / "runs" / FEW[0].file(Mode.off)
    larger = replace(FEW[0].options, geometry="8x4x64x256")
    assert finished(path, FEW[0], Mode.off)
    assert finished(path, FEW[0], Mode.base) is None
    for other in (
        replace(FEW[0].options, workload=Workload.overwrite),
        replace(FEW[0].options, num=FEW[0].options.num + 1),
        replace(FEW[0].options, operations=7),
        replace(FEW[0].options, value_size=100),
        replace(FEW[0].options, seed=2),
        larger,
    ):
        assert finished(path, replace(FEW[0], options=other), Mode.off) is None
    run(tmp_path, [replace(FEW[0], options=larger)])
    assert finished(path, replace(FEW[0], options=larger), Mode.off)
    for geometry in ("8x4x65x256", "4x8x64x256", "8x4x64x128"):
        other = replace(larger, geometry=geometry)
        assert finished(path, replace(FEW[0], options=other), Mode.off) is None, geometry
    damages: tuple[dict[str, Any], ...] = ({"parameters": []}, {"geometry": None})
    for damage in damages:
        path.write_text(json.dumps(json.loads(path.read_text()) | damage))
        assert finished(path, replace(FEW[0], options=larger), Mode.off) is None, damage


@pytest.mark.parametrize(
    "damage",
    [
        {"keys_verified": "all"},
        {"wa": None},
        {"nand_bytes": True},
        {"host_cpu_seconds": float("nan")},
        {"gc_pages": -1},
        {"gc_pages": 10**400},
        {"nand_bytes": 1e308},
        {"device_seconds": 1e-308},
        {"levels": {"1": {}}},
        {"levels": [1]},
        {"levels": [{"level": 1, "input_blocks": 4}]},
        {"mode": ["off"]},
        {"seed": {}},
        {"workload": 7},
    ],
    ids=str,
)
def test_json_of_another_shape_is_no_result(tmp_path: Path, of_one_case: Path, damage: dict[str, Any]) -> None:
    shutil.copytree(of_one_case, tmp_path, dirs_exist_ok=True)
    path = tmp_path / "runs" / FEW[0].file(Mode.off)
    path.write_text(json.dumps(json.loads(path.read_text()) | damage))
    assert finished(path, FEW[0], Mode.off) is None
    _, said = run(tmp_path, FEW[:1])
    assert said[0] == "6 runs, 5 of them finished before"
    assert finished(path, FEW[0], Mode.off), "it was run again"


@pytest.mark.parametrize("text", ["[]", "7", "null", '"off"', "{}", "\xff", "", "[" * 100_000])
def test_what_is_no_object_is_no_result(tmp_path: Path, text: str) -> None:
    path = tmp_path / "off.json"
    path.write_bytes(text.encode("latin-1"))
    assert finished(path, FEW[0], Mode.off) is None
    path.unlink()
    path.mkdir()
    assert finished(path, FEW[0], Mode.off) is None


def test_a_mark_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "experiment.json").mkdir()
    with pytest.raises(OtherExperiment, match=r"experiment.json cannot be read: Is a directory"):
        store.check_mark(tmp_path, REMAPCOM, Scale.small)
    (tmp_path / "experiment.json").rmdir()
    (tmp_path / "experiment.json").write_text("[" * 200_000)
    with pytest.raises(OtherExperiment, match="holds another experiment"):
        store.check_mark(tmp_path, REMAPCOM, Scale.small)


def test_a_folder_is_one_experiments(tmp_path: Path) -> None:
    store.mark(tmp_path, REMAPCOM, Scale.small)
    store.mark(tmp_path, REMAPCOM, Scale.small)
    with pytest.raises(OtherExperiment, match="--out"):
        store.mark(tmp_path, REMAPCOM, Scale.full)
    (tmp_path / "experiment.json").write_text("{")
    with pytest.raises(OtherExperiment):
        store.mark(tmp_path, REMAPCOM, Scale.small)


def test_an_address_is_of_what_decides_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    options = FEW[0].options
    address = store.address(options, Mode.off)
    assert len(address) == 64 and store.address(options, Mode.base) != address
    for other in (replace(options, seed=2), replace(options, blend_runs=9), replace(options, geometry="8x4x64x256")):
        assert store.address(other, Mode.off) != address
    assert store.address(replace(options, image_dir=Path("images"), jobs=1, json=Path("x")), Mode.off) == address


def test_an_address_on_the_soc_is_also_of_the_image_that_its_cpu_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    image = tmp_path / "firmware.bin"
    monkeypatch.setattr(images, "LITEX_IMAGE", image)
    model, soc = FEW[0].options, replace(FEW[0].options, device=bench_options.Device.soc)
    replays = [Replay((Bench(model, Mode.off),), Options(device=device)) for device in (Target.model, Target.soc)]

    def addresses() -> list[str]:
        return [store.address(one, Mode.off) for one in (model, soc)] + [store.address_of(one) for one in replays]

    seen = [addresses()]
    for content in (b"one", b"other", b"one"):
        image.write_bytes(content)
        seen.append(addresses())
    of_model, of_soc, replay_on_model, replay_on_soc = map(list, zip(*seen, strict=True))
    assert len(set(of_model)) == 1 and len(set(replay_on_model)) == 1
    for on_soc in (of_soc, replay_on_soc):
        assert len(set(on_soc)) == 3 and on_soc[1] == on_soc[3]


def defaults(monkeypatch: pytest.MonkeyPatch, name: str, value: int) -> None:
    """db_bench has this default of a number from now on."""
    option = bench_description.OPTIONS.get(name, bench_description.OPTIONS["num"])
    number = bench_description.Number(0, 99, False, value)
    monkeypatch.setitem(bench_description.OPTIONS, name, replace(option, number=number))


def test_a_changed_default_is_another_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    options = FEW[0].options
    address = store.address(options, Mode.off)
    usual = options.blend_runs
    changed = replace(options, blend_runs=usual + 1)
    defaults(monkeypatch, "blend-runs", usual + 1)
    assert store.address(options, Mode.off) == address, "the same run, though its option is no default any more"
    assert store.address(changed, Mode.off) != address, "what is the default now is not what was kept"
    defaults(monkeypatch, "sync-every", 7)  # which no experiment gives
    assert store.address(options, Mode.off) != address
    monkeypatch.undo()
    assert store.address(options, Mode.off) == address
    number = replace(bench_description.REMAP["min_table_bytes"], default=4096)
    monkeypatch.setitem(bench_description.REMAP, "min_table_bytes", number)
    assert store.address(options, Mode.off) != address, "LevelDB's own"
    monkeypatch.undo()
    replay = Replay((Bench(replace(options, geometry="2x2x64x32", over_provisioning=12), Mode.off),), Options())
    disk = replace(replay, options=Options(device=Target.hdd))
    for where, name in ((facts, "geometry"), (store, "_firmware_over_provisioning")):
        before = [store.address_of(run) for run in (replay.recorded[0], replay, disk)]
        monkeypatch.setattr(where, name, lambda: "another")
        assert store.address(options, Mode.off) != address, name
        after = [store.address_of(run) for run in (replay.recorded[0], replay, disk)]
        monkeypatch.undo()
        assert [one == other for one, other in zip(before, after, strict=True)] == [True, False, True]


def test_a_new_option_leaves_the_addresses_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    options = FEW[0].options
    address = store.address(options, Mode.off)
    before = type(options).arguments
    defaults(monkeypatch, "something", 4)
    assert store.address(options, Mode.off) != address, "not until it is in the baseline"
    monkeypatch.setitem(BASELINE, "--something", "4")
    for value, same in ((4, True), (5, False)):
        monkeypatch.setattr(
            type(options), "arguments", lambda *given, value=value: [*before(*given), f"--something={value}"]
        )
        assert (store.address(options, Mode.off) == address) == same


def test_a_result_has_the_parameters_of_its_case(tmp_path: Path, of_one_case: Path) -> None:
    path, case = tmp_path / "off.json", FEW[0]
    result = json.loads((of_one_case / "runs" / case.file(Mode.off)).read_text())
    del result["address"]
    told: tuple[tuple[dict[str, Any], bool], ...] = (
        ({"placement": "on", "precondition": "off", "blend_runs": case.options.blend_runs, "unknown": 7}, True),
        ({"placement": "off"}, False),
        ({"precondition": "on"}, False),
        ({"blend_runs": case.options.blend_runs + 1}, False),
    )
    for parameters, same in told:
        path.write_text(json.dumps(result | {"parameters": result["parameters"] | parameters}))
        assert (finished(path, case, Mode.off) is not None) == same, parameters


def test_the_kept_results_are_those_of_the_cases() -> None:
    runs = ROOT / "experiments" / "remapcom" / "full" / "runs"
    wrong = [
        case.file(variant.name)
        for case in cases(Scale.full)
        for variant in VARIANTS
        if store.finished(runs / case.file(variant.name), case, variant) is None
    ]
    assert not wrong and len(cases(Scale.full)) == 46


# Digests of remapcom's addresses with files, and of its files with db_bench's arguments: kept results stay valid.
PLANNED = {
    Scale.small: (
        "dfface92dc98abe1a09bb17653cc0775a809161491c71414cb96c40a011c6590",
        "271eafee694e7fda8b2506af450eb0eb98756a953dd77220c8a4a3fbed95096d",
    ),
    Scale.medium: (
        "165ca46a19e4f9de40986daaac2dde66af1e1064be603445c861cb4e8dce980a",
        "60f08895f3159f6ea83bda166b0f562ac4ec0ec8d9c39ad45d2e5922ecbab2f8",
    ),
    Scale.full: (
        "d16850afcbab8070bf110f92141e045a1306fba7e7f8b7c123a6fac75e200555",
        "0bd3150e7d0a9cb725315b16f7badc07f253ef3e73410483af7b1ad02d5f0565",
    ),
}


@pytest.mark.parametrize("scale", USUAL)
def test_addresses_and_commands_of_kept_results_stay_as_they_were(scale: Scale) -> None:
    # Options that are newer than the digests, at their first defaults.
    newer = {f"{name}={value}" for name, value in list(BASELINE.items())[FIRST_ENTRIES:]}
    newer.add("--firmware-cpu=none")  # by another name in BASELINE
    rows = [
        (
            plan.address,
            list(plan.files),
            [one for one in plan.options.arguments(plan.variant.mode, Path("result")) if one not in newer],
        )
        for plan in running.planned(cases(scale), VARIANTS)
    ]
    digests = [
        hashlib.sha256(json.dumps(part).encode()).hexdigest()
        for part in ([row[:2] for row in rows], [row[1:] for row in rows])
    ]
    assert tuple(digests) == PLANNED[scale]


def test_an_address_of_a_replay_is_of_its_recordings_and_its_options() -> None:
    few = Bench(FEW[0].options, Mode.off)
    addresses = [
        store.address_of(run)
        for run in (
            few,
            Replay((few,), Options()),
            Replay((few, few), Options()),
            Replay((few,), Options(device=Target.hdd)),
            Replay((few,), Options(split=4)),
            Replay((few,), Options(firmware_cpu="none")),
            Replay((Bench(FEW[0].options, Mode.base),), Options()),
        )
    ]
    assert addresses[0] == store.address(FEW[0].options, Mode.off) and len(set(addresses)) == len(addresses)
    pages = Bench(replace(FEW[0].options, trace_pages=Path("pages")), Mode.off)
    assert store.address_of(Replay((pages,), Options(json=Path("x")))) == addresses[1]


def test_a_result_without_an_address_is_told_by_its_parameters(tmp_path: Path, of_one_case: Path) -> None:
    shutil.copytree(of_one_case, tmp_path, dirs_exist_ok=True)
    path = tmp_path / "runs" / FEW[0].file(Mode.off)
    result = json.loads(path.read_text())
    assert result.pop("address") == store.address(FEW[0].options, Mode.off)
    path.write_text(json.dumps(result))
    assert finished(path, FEW[0], Mode.off) == result
    path.write_text(json.dumps(result | {"address": "0" * 64}))
    assert finished(path, FEW[0], Mode.off) is None


def test_a_folder_is_one_commands_alone(tmp_path: Path) -> None:
    with store.alone(tmp_path):
        told = re.escape(f"--out: another command runs in {tmp_path}")
        with pytest.raises(bench_options.OptionError, match=f"^{told}$"), store.alone(tmp_path):
            pass
        with store.alone(tmp_path.parent):  # another folder is free
            pass
    with store.alone(tmp_path):  # as is this one afterwards
        pass
