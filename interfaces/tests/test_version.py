# SPDX-License-Identifier: Apache-2.0
"""One version number: VERSION, and what is generated from it."""

import re
from pathlib import Path

import pytest

from interfaces.ormgen import version
from interfaces.ormgen.formats import FormatError

ROOT = Path(__file__).resolve().parents[2]


def test_a_version_has_three_numbers(tmp_path: Path) -> None:
    file = tmp_path / "VERSION"
    file.write_text("1.20.3\n")
    assert version.load(file) == "1.20.3"
    file.write_text("10.20.30")
    assert version.load(file) == "10.20.30"


@pytest.mark.parametrize("text", ["", "1.2", "1.2.3.4", "v1.2.3", "1.02.3", "1.2.3-rc1", "1.2.3\n\n", "100.20.30"])
def test_others_are_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "VERSION"
    file.write_text(text)
    with pytest.raises(FormatError, match="VERSION"):
        version.load(file)


def test_firmware_and_library_have_that_of_the_file() -> None:
    header = (ROOT / "interfaces" / "gen" / "c" / "orm_version.h").read_text()
    number = version.load(ROOT / "VERSION")
    assert f'#define ORM_VERSION "{number}"\n' in header
    parts = re.findall(r"#define ORM_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)\n", header)
    assert ".".join(parts) == number
    assert "#define FW_REVISION ORM_VERSION\n" in (ROOT / "firmware" / "src" / "core" / "identity.h").read_text()


def test_the_change_log_tells_of_it() -> None:
    headings = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == "Unreleased"
    assert version.load(ROOT / "VERSION") in headings
