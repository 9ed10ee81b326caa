# SPDX-License-Identifier: Apache-2.0
"""Images that are mounted for one command, on machines with and without the rights to mount."""

import subprocess
from pathlib import Path

import pytest

from launcher.env.unpacked_packages import Packages
from launcher.guest import xfs_image
from launcher.guest.xfs_image import CannotMount
from launcher.tests.guest import fake_mount


def test_a_command_runs_with_the_image_mounted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_mount.install(tmp_path / "bin", monkeypatch, mount=f'echo "$@" > {tmp_path}/mounted')
    image, folder = tmp_path / "an image", tmp_path / "folder"
    command = [*xfs_image.prefix(image, folder), "sh", "-c", 'echo "$1 $2"; exit 3', "sh", "one two", "three"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, "one two three\n")
    assert (tmp_path / "mounted").read_text() == f"-t xfs -o loop {image} {folder}\n"


def test_no_command_runs_without_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_mount.install(tmp_path / "bin", monkeypatch, mount=fake_mount.NO_XFS)
    command = [*xfs_image.prefix(tmp_path / "image", tmp_path), "touch", str(tmp_path / "ran")]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 32
    assert not (tmp_path / "ran").exists()
    with pytest.raises(CannotMount, match="unknown filesystem type"), xfs_image.mounted(tmp_path / "image", tmp_path):
        raise AssertionError("nothing is mounted")


def test_what_the_machine_does_not_let_us_do_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packages = Packages(tmp_path)
    fake_mount.install(tmp_path / "bin", monkeypatch)
    xfs_image.require_namespace()
    xfs_image.require_mount(packages, tmp_path)
    fake_mount.install(tmp_path / "bin", monkeypatch, mount=fake_mount.NO_XFS)
    with pytest.raises(CannotMount, match="unknown filesystem type 'xfs'"):
        xfs_image.require_mount(packages, tmp_path)
    assert not (tmp_path / "try.xfs").exists()
    fake_mount.install(tmp_path / "bin", monkeypatch, unshare=fake_mount.NO_ROOT)
    with pytest.raises(CannotMount, match="takes root"):
        xfs_image.require_namespace()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CannotMount, match="namespace"):
        xfs_image.require_namespace()


def test_an_image_is_a_new_file_that_takes_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_mount.install(tmp_path / "bin", monkeypatch)
    image = tmp_path / "xfs"
    image.write_text("an earlier one")
    with open(image) as earlier:
        xfs_image.make(Packages(tmp_path), image, 1 << 30)
        assert earlier.read() == "an earlier one", "which may be in use"
    assert image.stat().st_size == 1 << 30
    assert image.stat().st_blocks == 0


def test_an_image_may_have_a_relative_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "root" / "sbin" / "mkfs.xfs"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nfor last; do :; done\ntest -f "$last" && echo "$last" > {tmp_path}/made\n')
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    xfs_image.make(Packages(tmp_path), Path("xfs"), 1 << 20)  # mkfs.xfs runs in the folder of the sources
    assert (tmp_path / "made").read_text() == f"{tmp_path}/xfs\n"
