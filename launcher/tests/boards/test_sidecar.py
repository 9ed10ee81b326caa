# SPDX-License-Identifier: Apache-2.0
"""launcher.boards.sidecar: what is kept about a file that goes onto a board."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from launcher.boards import sidecar
from launcher.boards.board import BoardFailed
from launcher.tests.boards import green
from launcher.tests.boards.green import HERE


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    green.own_record(tmp_path, monkeypatch)
    found = tmp_path / "cosmos.bit"
    found.write_bytes(b"bits")
    return found


def test_it_says_what_the_file_was_made_of(file: Path) -> None:
    assert sidecar.read(file) is None
    sidecar.write(file, "cosmos", "cosmos2", HERE)
    found = sidecar.read(file)
    assert found is not None and found.sha256 == sidecar.hash_of(file)
    assert (found.board, found.config, found.built, found.commit, found.forced) == (
        *("cosmos", "cosmos2", HERE, "0123abc"),
        (),
    )
    assert [path.name for path in file.parent.iterdir() if path.suffix == ".json"] == ["cosmos.bit.json"]


def test_the_mark_of_force_stays_with_the_file(file: Path) -> None:
    sidecar.write(file, "cosmos", "cosmos2", HERE)
    sidecar.mark_forced(file, "cosmos", "cosmos2", "one")
    sidecar.mark_forced(file, "cosmos", "cosmos2", "two")
    sidecar.write(file, "cosmos", "cosmos2", HERE)
    found = sidecar.read(file)
    assert found is not None and [entry.why for entry in found.forced] == ["one", "two"] and found.built == HERE
    file.write_bytes(b"others")
    sidecar.write(file, "cosmos", "cosmos2", HERE)
    found = sidecar.read(file)
    assert found is not None and found.forced == ()


@pytest.mark.parametrize("there", ["", "{", "of another file"])
def test_a_file_that_nobody_knows_can_be_marked(there: str, file: Path) -> None:
    if there == "of another file":
        sidecar.write(file, "cosmos", "cosmos2", HERE)
        file.write_bytes(b"others")
    elif there:
        sidecar.path_of(file).write_text(there)
    sidecar.mark_forced(file, "cosmos", "cosmos2", "why")
    found = sidecar.read(file)
    assert found is not None and found.built is None and found.forced[0].why == "why"
    assert found.sha256 == sidecar.hash_of(file)


def damaged(**changes: Any) -> str:
    whole: dict[str, Any] = {
        **{"version_of_this_file": 1, "board": "cosmos", "config": "cosmos2", "sha256": "0" * 64},
        **{"built": {"rtl": "1" * 64, "firmware": "2" * 64}, "version": "0.1.0", "commit": None, "forced": []},
    }
    return json.dumps({name: value for name, value in (whole | changes).items() if value != "gone"})


def test_a_whole_one_is_read(file: Path) -> None:
    sidecar.path_of(file).write_text(damaged())
    assert sidecar.read(file) is not None


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "[" * 100_000, "null"),
        *(damaged(version_of_this_file=2), damaged(board="gone"), damaged(board=5), damaged(forced=[{}])),
        *(damaged(built={"rtl": "1"}), damaged(built={"rtl": 1, "firmware": 2}), damaged(more=1)),
    ],
)
def test_a_damaged_one_is_named(text: str, file: Path) -> None:
    sidecar.path_of(file).write_text(text)
    with pytest.raises(BoardFailed, match=r"cosmos\.bit\.json: is damaged .*; `./openremap board build` writes it"):
        sidecar.read(file)


def test_what_cannot_be_read_or_written_is_named(file: Path) -> None:
    with pytest.raises(BoardFailed, match="none: No such file"):
        sidecar.hash_of(file.with_name("none"))
    sidecar.path_of(file).mkdir()
    with pytest.raises(BoardFailed, match=r"cosmos\.bit\.json"):
        sidecar.read(file)
    with pytest.raises(BoardFailed, match=r"cosmos\.bit\.json: Is a directory"):
        sidecar.write(file, "cosmos", "cosmos2", HERE)


def test_a_user_id_stands_for_sources() -> None:
    assert sidecar.user_id("acorn", "1", "2") != sidecar.user_id("acorn", "1", "3")
    assert sidecar.user_id("a", "b") != sidecar.user_id("ab")
    assert 0 <= sidecar.user_id("acorn") < 0xFFFF_FFFF


def test_a_stamp_fills_the_header_of_a_boot_image() -> None:
    text = sidecar.stamp(HERE, True)
    assert (len(text), text[:8]) == (76, b"ORMSTAMP")
    assert text[8:40].hex() == HERE.rtl and text[40:72].hex() == HERE.firmware and text[72:] == b"\1\0\0\0"
    assert sidecar.stamp(HERE, False)[72:] == bytes(4)
