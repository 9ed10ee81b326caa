# SPDX-License-Identifier: Apache-2.0
"""launcher.env.version: the number in the file VERSION."""

from pathlib import Path

import pytest

from launcher.env import version
from launcher.env.paths import ROOT


def test_the_number_is_read_without_the_end_of_its_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "VERSION").write_text("1.20.3\n")
    monkeypatch.setattr(version, "ROOT", tmp_path)
    assert version.number() == "1.20.3"


def test_the_launcher_has_the_number_that_firmware_and_library_have() -> None:
    header = (ROOT / "interfaces" / "gen" / "c" / "orm_version.h").read_text()
    assert f'#define ORM_VERSION "{version.number()}"\n' in header
