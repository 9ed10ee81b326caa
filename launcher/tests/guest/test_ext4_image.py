# SPDX-License-Identifier: Apache-2.0
"""Images of ext4, on machines with and without mkfs.ext4."""

import subprocess
from pathlib import Path

import pytest

from launcher.guest import ext4_image, xfs_image
from launcher.guest.xfs_image import CannotMount


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Puts a stand-in for mkfs.ext4 on the PATH."""
    folder.mkdir()
    program = folder / "mkfs.ext4"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


def test_an_image_is_a_new_file_that_takes_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "bin", monkeypatch, f'for last; do :; done; echo "$last" > {tmp_path}/made')
    image = tmp_path / "an image"
    image.write_text("an earlier one")
    with open(image) as earlier:
        ext4_image.make(image, 1 << 30)
        assert earlier.read() == "an earlier one", "which may be in use"
    assert (image.stat().st_size, image.stat().st_blocks) == (1 << 30, 0)
    assert (tmp_path / "made").read_text() == f"{image}\n"


def test_what_the_machine_cannot_make_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "bin", monkeypatch, "echo 'too small' >&2; exit 1")
    with pytest.raises(CannotMount, match="too small"):
        ext4_image.make(tmp_path / "image", 16 << 20)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CannotMount, match="No such file"):
        ext4_image.make(tmp_path / "image", 16 << 20)


def test_the_kind_of_the_image_is_mounted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        asked.append(command)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", run)
    with xfs_image.mounted(tmp_path / "image", tmp_path, "ext4"):
        pass
    assert asked[0][:3] == ["mount", "-t", "ext4"]
    assert asked[1] == ["umount", str(tmp_path)]
