# SPDX-License-Identifier: Apache-2.0
"""The experiment's runs over reflinks: the choice of runs, their order, resuming, and machines that cannot mount."""

import shutil
import sys
from collections import namedtuple
from pathlib import Path
from typing import Any

import pytest

from launcher.bench import bench
from launcher.bench.bench import BenchFailed
from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import BenchOptions, check
from launcher.env import leveldb_packages, setup, steps
from launcher.experiment.remapcom import cases as device
from launcher.experiment.remapcom import reflink
from launcher.experiment.remapcom.cases import VARIANTS
from launcher.experiment.remapcom.reflink import cases
from launcher.experiment.runner import running
from launcher.experiment.runner.description import USUAL, Elsewhere, Scale
from launcher.spread.cluster import Where
from launcher.tests.guest import fake_mount

STAND_IN = [sys.executable, str(Path(__file__).parents[2] / "bench" / "db_bench_stand_in.py")]
MODES = len(Mode)


def run(folder: Path) -> tuple[Elsewhere, list[str]]:
    said: list[str] = []
    return reflink.run(cases(Scale.small), folder, STAND_IN, said.append), said


@pytest.fixture
def mountable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_mount.install(tmp_path / "bin", monkeypatch)


@pytest.mark.parametrize("scale", USUAL)
def test_cases_are_puts_that_the_device_has_too(scale: Scale) -> None:
    puts = {case.name: case for case in device.cases(scale) if case.figure == "fillrandom"}
    files = {case.file(mode) for case in device.cases(scale) for mode in Mode}
    names = [case.name for case in cases(scale)]
    assert names == {Scale.small: ["1KB"], Scale.medium: ["1KB", "4KB"], Scale.full: ["256B", "1KB", "4KB"]}[scale]
    for case in cases(scale):
        check(case.options)
        other = puts[case.name].options
        for option in ("num", "value_size", "write_buffer", "max_file_size", "level1_bytes", "level_ratio", "seed"):
            assert getattr(case.options, option) == getattr(other, option)
        assert "--geometry=" in case.options.arguments(Mode.off, Path("x")), "which is the model's"
        assert files.isdisjoint(case.file(mode) for mode in Mode)
        assert reflink.image_bytes(case) > 3 * other.num * (16 + other.value_size)


@pytest.mark.usefixtures("mountable")
def test_each_run_has_a_file_system_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    images: list[int] = []
    real = bench.run_one

    def watched(options: BenchOptions, mode: Mode, command: list[str], *others: Any) -> dict[str, Any]:
        assert options.reflink
        image = options.reflink.parent / "xfs"
        assert image.is_relative_to(tmp_path / "out") and str(image) in command
        images.append(image.stat().st_ino)
        assert f"--device=reflink:{options.reflink}" in options.arguments(mode, Path("x"))
        result: dict[str, Any] = real(options, mode, command, *others)
        return result

    monkeypatch.setattr(bench, "run_one", watched)
    reflinks, said = run(tmp_path / "out")
    assert len(images) == MODES
    assert said[0] == "6 runs over reflinks, 0 of them finished before" and len(said) == 1 + MODES
    assert reflinks.not_run == "" and set(reflinks.results["fillrandom-1KB"]) == set(Mode)
    assert all(str(tmp_path) not in file.read_text() for file in (tmp_path / "out" / "runs").iterdir())
    assert not list((tmp_path / "out").rglob("*xfs*"))


@pytest.mark.usefixtures("mountable")
def test_what_is_finished_is_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAND_IN_skip", "device error")
    with pytest.raises(BenchFailed, match=r"^reflink 1KB, mode skip"):
        run(tmp_path)  # the others are run all the same
    assert not list(tmp_path.rglob("xfs"))
    monkeypatch.delenv("STAND_IN_skip")
    _, said = run(tmp_path)
    assert said[0] == "6 runs over reflinks, 5 of them finished before"
    # With all of them there, nothing needs to be mounted.
    fake_mount.install(tmp_path / "bin", monkeypatch, unshare=fake_mount.NO_ROOT)
    reflinks, said = run(tmp_path)
    assert said == ["6 runs over reflinks, 6 of them finished before"]
    assert reflinks.not_run == "" and reflinks.results


@pytest.mark.parametrize(
    ("unshare", "mount", "reason"),
    [
        (fake_mount.NO_ROOT, "exit 0", "a mount namespace of its own takes root, and this is not root"),
        (fake_mount.RUNS, fake_mount.NO_XFS, "cannot mount an XFS image: mount: unknown filesystem type 'xfs'."),
    ],
)
def test_where_it_cannot_be_mounted_it_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unshare: str, mount: str, reason: str
) -> None:
    fake_mount.install(tmp_path / "bin", monkeypatch, unshare=unshare, mount=mount)
    reflinks, said = run(tmp_path)
    assert reflinks == Elsewhere({}, reason)
    assert said[1:] == [f"not run over reflinks: {reason}"]
    assert not list((tmp_path / "runs").iterdir())


@pytest.mark.usefixtures("mountable")
def test_neither_is_it_without_room_or_mkfs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(0, 0, 100 << 20))
    assert "100 MiB are free" in run(tmp_path)[0].not_run
    monkeypatch.undo()
    fake_mount.install(tmp_path / "bin", monkeypatch)

    def offline() -> None:
        raise setup.SetupError("no mirror answers\nand more of that", 1)

    monkeypatch.setattr(leveldb_packages, "ensure", offline)
    assert run(tmp_path)[0].not_run == "no mirror answers"

    def refused(*_: object) -> None:
        steps.must("mkfs.xfs", ["sh", "-c", "echo Usage; echo there is no room >&2; exit 3"], tmp_path / "mkfs.log")

    monkeypatch.undo()
    fake_mount.install(tmp_path / "bin", monkeypatch)
    monkeypatch.setattr(leveldb_packages, "make_xfs", refused)
    end = f"the end of {tmp_path / 'mkfs.log'}: there is no room"
    assert run(tmp_path)[0].not_run == f"mkfs.xfs failed (exit code 3); {end}"


@pytest.mark.usefixtures("mountable")
def test_bytes_counted_elsewhere_are_no_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAND_IN_off", "other geometry")
    with pytest.raises(BenchFailed, match="counted at nowhere"):
        run(tmp_path)
    assert Mode.off not in {file.stem.rpartition("-")[2] for file in (tmp_path / "runs").iterdir()}


@pytest.mark.usefixtures("mountable")
def test_the_table_has_the_device_beside_it(tmp_path: Path) -> None:
    reflinks, _ = run(tmp_path)
    wanted = [case for case in device.cases(Scale.small) if case.name == "1KB" and case.figure == "fillrandom"]
    of_puts, _ = running.run(wanted, VARIANTS, tmp_path, Where(1), STAND_IN, lambda _: None)
    head, rows = reflink.table(reflinks, of_puts)
    by_mode = {row[1]: dict(zip(head, row, strict=True)) for row in rows}
    blend = by_mode["blend"]
    assert blend["host bytes / user bytes"] == "2.80"
    assert blend["host bytes saved"] == "31.7 %"  # 2800 of 4100
    assert blend["pages shared, calls"] == "11, 5"
    assert blend["on the device: host bytes saved"] == "0.0 %"
    assert blend["NAND bytes saved"] == "32.5 %"
    assert reflink.table(reflinks, {})[1][0][6:] == ["-", "-", "-"]
