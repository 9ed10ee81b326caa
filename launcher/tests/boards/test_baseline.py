# SPDX-License-Identifier: Apache-2.0
"""launcher.boards.baseline: db_bench on a board with another firmware. A stand-in takes db_bench's place, and scripts
the places of mkfs, mount and umount."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from launcher.bench.bench import BenchFailed
from launcher.boards import baseline, disk
from launcher.boards.board import BoardFailed, Reference
from launcher.boards.disk import Disk
from launcher.env import build

REFERENCE = Reference("GreedyFTL", "Cosmos+ OpenSSD", 1, 2)
STAND_IN = """
import json, os, pathlib, sys
from launcher.tests.bench.db_bench_stand_in import result
options = dict(argument[2:].split("=", 1) for argument in sys.argv[1:])
folder = pathlib.Path(options["device"].removeprefix("reflink:"))
(folder / "db").mkdir()
pathlib.Path(sys.argv[0] + ".arguments").write_text(" ".join(sys.argv[1:]))
print("progress 50 100 fill", file=sys.stderr)
if os.environ.get("ENDS") == "badly":
    print("db_bench: flash gone", file=sys.stderr)
    sys.exit(1)
defaults = {"geometry": "", "workload": "fillrandom", "operations": "0", "key-size": "16", "value-size": "984"}
defaults |= {"value-size-max": "0", "write-buffer": "1", "max-file-size": "1", "level1-bytes": "1", "level-ratio": "1"}
run = result(defaults | options)
if os.environ.get("ENDS") == "unread":
    run["keys_verified"] = 0
pathlib.Path(options["json"]).write_text("{" if os.environ.get("ENDS") == "damaged" else json.dumps(run))
"""


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))
    monkeypatch.setattr(baseline, "BUILD", tmp_path / "build")
    return script(tmp_path / "db_bench-node", f"#!{sys.executable}\n{STAND_IN}")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = tmp_path / "mounted"
    found.mkdir()
    monkeypatch.setattr(disk, "model_below", lambda folder: "Cosmos+ OpenSSD")
    return found


def options(device: Path, program: Path | None, tmp_path: Path) -> baseline.Options:
    return baseline.Options("cosmos", device, tmp_path / "out", program=program)


def test_a_folder_is_measured(program: Path, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    baseline.run(options(folder, program, tmp_path), REFERENCE)
    said = capsys.readouterr().out
    for words in ("cosmos, Cosmos+ OpenSSD: LevelDB", "bytes written to the disk", "4,100", "4.100", "put, p50, us"):
        assert words in said, said
    document: dict[str, Any] = json.loads((tmp_path / "out" / "baseline.json").read_text())
    assert document["firmware"] == "GreedyFTL" and document["run"]["mode"] == "off"
    assert (document["model"], document["bytes"]) == ("Cosmos+ OpenSSD", None) and document[
        "file_system"
    ] == "as it was"
    arguments = (tmp_path / "db_bench-node.arguments").read_text()
    assert arguments.startswith(f"--device=reflink:{folder} --mode=off --num=4294967 --seed=1 --write-buffer=4194304")
    assert not (folder / "db").exists()


@pytest.mark.parametrize("model", ["OpenRemap", ""])
def test_another_firmware_is_not_called_greedyftl(
    model: str, program: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk, "model_below", lambda folder: model)
    document = baseline.run(options(folder, program, tmp_path), REFERENCE)
    assert (document["firmware"], document["model"]) == (None, model or None)


def test_a_database_that_is_there_stays(program: Path, folder: Path, tmp_path: Path) -> None:
    (folder / "db").mkdir()
    with pytest.raises(BoardFailed, match=r"there is .*db already"):
        baseline.run(options(folder, program, tmp_path), REFERENCE)
    assert (folder / "db").is_dir()


@pytest.mark.parametrize(
    ("ends", "error", "words"),
    [
        ("badly", BoardFailed, r"db_bench: exit code 1:\n  db_bench: flash gone"),
        ("damaged", BoardFailed, "its result cannot be read"),
        ("unread", BenchFailed, "0 of 4294967 keys verified"),
    ],
)
def test_a_run_that_fails_leaves_no_database(
    ends: str,
    error: type[Exception],
    words: str,
    program: Path,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ENDS", ends)
    with pytest.raises(error, match=words):
        baseline.run(options(folder, program, tmp_path), REFERENCE)
    assert not (folder / "db").exists() and not (tmp_path / "out").exists()


def test_a_program_that_does_not_start(folder: Path, tmp_path: Path, program: Path) -> None:
    program.write_text("#!/none\n")
    with pytest.raises(BoardFailed, match="db_bench-node: No such file"):
        baseline.run(options(folder, program, tmp_path), REFERENCE)


def test_the_program_is_built_unless_it_is_named(
    program: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[tuple[str, ...]] = []
    monkeypatch.setattr(build, "everything", built.append)
    monkeypatch.setattr(baseline, "RELEASE", tmp_path / "release")
    script(tmp_path / "release" / "bin" / "db_bench-node", program.read_text())
    baseline.run(options(folder, None, tmp_path), REFERENCE)
    assert built == [("db_bench-node",)]


def test_root_builds_nothing_in_the_folder_of_somebody_else(
    program: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "everything", lambda _: pytest.fail("it builds"))
    monkeypatch.setattr(baseline, "RELEASE", tmp_path / "release")
    monkeypatch.setattr(baseline, "_owner", lambda folder: 1000)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(BoardFailed, match=r"no .*db_bench-node: make it as its folder's owner, by \./openremap build"):
        baseline.run(options(folder, None, tmp_path), REFERENCE)
    script(tmp_path / "release" / "bin" / "db_bench-node", program.read_text())
    baseline.run(options(folder, None, tmp_path), REFERENCE)


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A disk that may be erased, and programs that write down how they are called."""
    log = tmp_path / "calls"
    for name in ("mkfs.ext4", "mount", "umount"):
        script(
            tmp_path / "bin" / name,
            f'#!/bin/sh\necho "{name} $*" >>{log}\n[ "$FAILS" != {name} ] || {{ echo "no {name}" >&2; exit 1; }}\n',
        )
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(disk, "find", lambda path: Disk(path, "7:1", 4096, "Cosmos+ OpenSSD"))
    monkeypatch.setattr(disk, "refuse", lambda found, reference, erase: None)
    return log


def test_a_disk_gets_a_file_system(program: Path, tools: Path, tmp_path: Path) -> None:
    document = baseline.run(options(tmp_path / "nvme1n1", program, tmp_path), REFERENCE)
    made, mounted, unmounted = tools.read_text().splitlines()
    assert made == (
        "mkfs.ext4 -q -F -b 4096 -E nodiscard,lazy_itable_init=0,lazy_journal_init=0 " + str(tmp_path / "nvme1n1")
    )
    place = mounted.split()[-1]
    assert mounted.startswith("mount -t ext4 ") and unmounted == f"umount {place}"
    assert (document["model"], document["bytes"], document["file_system"]) == ("Cosmos+ OpenSSD", 4096, "ext4, new")


def test_a_disk_that_changes_while_the_program_is_built_stays(
    program: Path, tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = iter(("7:1", "7:2", "7:1", "7:1"))
    monkeypatch.setattr(disk, "find", lambda path: Disk(path, next(numbers), 4096, "Cosmos+ OpenSSD"))
    with pytest.raises(BoardFailed, match="has become another disk meanwhile"):
        baseline.run(options(tmp_path / "nvme1n1", program, tmp_path), REFERENCE)
    asked: list[Disk] = []

    def refuse(found: Disk, *_: object) -> None:
        asked.append(found)
        if len(asked) == 2:
            raise BoardFailed("is mounted on /data")

    monkeypatch.setattr(disk, "refuse", refuse)
    with pytest.raises(BoardFailed, match="is mounted on /data"):
        baseline.run(options(tmp_path / "nvme1n1", program, tmp_path), REFERENCE)
    assert not tools.exists()


@pytest.mark.parametrize("fails", ["mkfs.ext4", "mount", "umount"])
def test_each_step_can_fail(
    fails: str, program: Path, tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAILS", fails)
    with pytest.raises(BoardFailed, match=rf"{fails}: no {fails}"):
        baseline.run(options(tmp_path / "nvme1n1", program, tmp_path), REFERENCE)
    assert tools.read_text().splitlines()[-1].startswith(fails)


def test_it_is_unmounted_after_a_failure(
    program: Path, tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENDS", "badly")
    with pytest.raises(BoardFailed, match="flash gone"):
        baseline.run(options(tmp_path / "nvme1n1", program, tmp_path), REFERENCE)
    assert tools.read_text().splitlines()[-1].startswith("umount ")


def test_a_disk_takes_root(program: Path, tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(BoardFailed, match="takes root"):
        baseline.run(options(tmp_path / "nvme1n1", program, tmp_path), REFERENCE)
    assert not tools.exists()


def test_a_machine_without_a_tool(program: Path, tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BoardFailed, match=r"make a file system: there is no mkfs\.ext4 on this machine"):
        baseline.run(options(tmp_path / "nvme1n1", program, tmp_path), REFERENCE)


def test_what_is_no_disk_is_refused(program: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BoardFailed, match="is neither a disk nor a folder"):
        baseline.run(options(tmp_path / "file", program, tmp_path), REFERENCE)
