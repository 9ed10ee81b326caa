# SPDX-License-Identifier: Apache-2.0
"""launcher.boards.disk: which disks may be erased. A file stands for a disk, and a folder for what the kernel says."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from launcher.boards import disk
from launcher.boards.board import BoardFailed, Reference

BYTES = 4 << 20
REFERENCE = Reference("GreedyFTL", "Cosmos+ OpenSSD", BYTES - 4096, BYTES)


@dataclass
class Machine:
    """A machine with a disk that nothing speaks against."""

    path: Path
    entry: Path  # in place of /sys/dev/block/7:1
    mounts: Path
    swaps: Path

    def refuse(self, erase: bool = False) -> None:
        disk.refuse(disk.find(self.path), REFERENCE, erase)

    def refusal(self, erase: bool = False) -> str:
        with pytest.raises(BoardFailed) as caught:
            self.refuse(erase)
        return str(caught.value)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    found = Machine(tmp_path / "nvme1n1", tmp_path / "sys" / "7:1", tmp_path / "mountinfo", tmp_path / "swaps")
    found.path.write_bytes(bytes(BYTES))
    (found.entry / "device").mkdir(parents=True)
    (found.entry / "holders").mkdir()
    (found.entry / "size").write_text(f"{BYTES // 512}\n")
    (found.entry / "device" / "model").write_text("Cosmos+ OpenSSD                 \n")
    found.mounts.write_text("22 1 8:1 / / rw - ext4 /dev/sda1 rw\n")
    found.swaps.write_text("Filename Type Size Used Priority\n/dev/sda2 partition 1 0 -2\n")
    monkeypatch.setattr(disk, "SYSFS", tmp_path / "sys")
    monkeypatch.setattr(disk, "MOUNTS", found.mounts)
    monkeypatch.setattr(disk, "SWAPS", found.swaps)
    monkeypatch.setattr(disk, "_number", lambda path: "7:1" if path.stat() else None)
    return found


def test_a_new_disk_is_taken(machine: Machine) -> None:
    machine.refuse()
    assert disk.find(machine.path) == disk.Disk(machine.path, "7:1", BYTES, "Cosmos+ OpenSSD")


def test_a_link_to_a_disk_stands_for_the_disk(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "by-id").symlink_to(machine.path)
    assert disk.find(tmp_path / "by-id").path == machine.path
    machine.swaps.write_text(f"Filename Type Size Used Priority\n{machine.path} partition 1 0 -2\n")
    machine.path = tmp_path / "by-id"
    assert "is swap space" in machine.refusal(erase=True)


def test_another_model_is_never_erased(machine: Machine) -> None:
    (machine.entry / "device" / "model").write_text("Fast SSD\n")
    text = machine.refusal(erase=True)
    assert "its model is 'Fast SSD', and not 'Cosmos+ OpenSSD' as with GreedyFTL" in text
    assert "name a folder on it" in text
    (machine.entry / "device" / "model").unlink()
    assert "its model is 'unknown'" in machine.refusal(erase=True)


@pytest.mark.parametrize("size", [BYTES + 4096, BYTES // 2])
def test_another_size_is_refused(size: int, machine: Machine) -> None:
    (machine.entry / "size").write_text(str(size // 512))
    assert f"has {size:,} bytes; with GreedyFTL the board has 4,190,208 to 4,194,304" in machine.refusal(erase=True)


def test_a_mounted_disk_is_refused(machine: Machine) -> None:
    machine.mounts.write_text("22 1 7:1 / /data rw - ext4 /dev/nvme1n1 rw\n")
    assert "is mounted on /data" in machine.refusal(erase=True)


def test_a_disk_with_partitions_is_refused(machine: Machine) -> None:
    part = machine.entry / "nvme1n1p1"
    part.mkdir()
    (part / "partition").write_text("1\n")
    (part / "dev").write_text("7:2\n")
    assert "has partitions (nvme1n1p1)" in machine.refusal(erase=True)
    machine.mounts.write_text("22 1 7:2 / /data rw - ext4 /dev/nvme1n1p1 rw\n")
    assert "is mounted on /data" in machine.refusal(erase=True)


def test_a_disk_that_others_have_is_refused(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(*_: object) -> int:
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", busy)
        assert "Device or resource busy" in machine.refusal(erase=True)
    (machine.entry / "holders" / "md0").mkdir()
    assert "is used by md0" in machine.refusal(erase=True)
    machine.swaps.write_text(f"Filename Type Size Used Priority\n{machine.path} file 1 0 -2\n")
    assert "is swap space" in machine.refusal(erase=True)


@pytest.mark.parametrize("at", [510, BYTES - 1])
def test_data_is_given_up_by_name_alone(at: int, machine: Machine) -> None:
    with open(machine.path, "r+b") as handle:
        handle.seek(at)
        handle.write(b"\x55")
    assert "has data, or reads as if it had" in machine.refusal() and "--erase gives up" in machine.refusal()
    machine.refuse(erase=True)


def test_what_is_no_disk_is_refused(machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (machine.entry / "size").unlink()
    with pytest.raises(BoardFailed, match="the kernel does not tell its size"):
        disk.find(machine.path)
    (machine.entry / "partition").write_text("1\n")
    with pytest.raises(BoardFailed, match="is a partition; name the whole disk"):
        disk.find(machine.path)
    with pytest.raises(BoardFailed, match="No such file"):
        disk.find(tmp_path / "none")
    monkeypatch.undo()
    with pytest.raises(BoardFailed, match="is neither a disk nor a folder"):
        disk.find(machine.path)


def test_the_model_below_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk, "SYSFS", tmp_path)
    assert disk.model_below(tmp_path) == ""
    number = tmp_path.stat().st_dev
    whole = tmp_path / "nvme1n1"
    (whole / "device").mkdir(parents=True)
    (whole / "device" / "model").write_text("OpenRemap\n")
    link = tmp_path / f"{os.major(number)}:{os.minor(number)}"
    link.symlink_to(whole)
    assert disk.model_below(tmp_path) == "OpenRemap"
    (whole / "nvme1n1p1").mkdir()
    (whole / "nvme1n1p1" / "partition").write_text("1\n")
    link.unlink()
    link.symlink_to(whole / "nvme1n1p1")
    assert disk.model_below(tmp_path) == "OpenRemap"


def test_a_disk_that_cannot_be_read_is_refused(machine: Machine) -> None:
    found = disk.find(machine.path)
    machine.path.unlink()
    with pytest.raises(BoardFailed, match="No such file"):
        disk.refuse(found, REFERENCE, False)
