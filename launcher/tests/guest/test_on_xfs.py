# SPDX-License-Identifier: Apache-2.0
"""A command beside an empty XFS: its words, its exit code, and machines that cannot mount."""

from __future__ import annotations

from pathlib import Path

import pytest

from launcher.env import leveldb_packages
from launcher.guest import on_xfs, xfs_image


@pytest.fixture(autouse=True)
def _no_mount(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leveldb_packages, "ensure", lambda: None)
    monkeypatch.setattr(xfs_image, "require_namespace", lambda: None)
    monkeypatch.setattr(xfs_image, "make", lambda packages, image, size: image.write_text(str(size)))
    monkeypatch.setattr(xfs_image, "prefix", lambda image, folder: ["env", f"IMAGE={image}"])


def test_the_command_runs_with_the_folder_in_place_of_its_name(tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = ["sh", "-c", 'test -d "$1" && cat "$IMAGE" >"$2"; exit 7', "sh", "MOUNT", str(out)]
    assert on_xfs.main(["3", *command]) == 7
    assert out.read_text() == str(3 << 20)


@pytest.mark.parametrize("arguments", [[], ["12"], ["much", "true"]])
def test_wrong_use_is_told(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert on_xfs.main(arguments) == 2
    assert "usage:" in capsys.readouterr().err


def test_a_machine_that_cannot_mount_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse() -> None:
        raise xfs_image.CannotMount("this is not root")

    monkeypatch.setattr(xfs_image, "require_namespace", refuse)
    assert on_xfs.main(["12", "true"]) == 1
    assert capsys.readouterr().err == "on_xfs: this is not root\n"
