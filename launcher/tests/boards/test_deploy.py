# SPDX-License-Identifier: Apache-2.0
"""launcher.boards.deploy: what may go onto a board, what is said of the rest, and what --force leaves."""

from __future__ import annotations

from pathlib import Path

import pytest

from launcher.boards import deploy, sidecar
from launcher.boards.board import BoardFailed
from launcher.boards.jtag import bitstream
from launcher.suites import verified
from launcher.tests.boards import green
from launcher.tests.boards.green import HERE, OLDER


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bitstream with its sidecar."""
    green.own_record(tmp_path, monkeypatch)
    found = tmp_path / "cosmos.bit"
    found.write_bytes(bitstream.stand_in("part", 4000, user_id=0x1234ABCD))
    sidecar.write(found, "cosmos", "cosmos2", HERE)
    return found


def refused(file: Path) -> str:
    with pytest.raises(BoardFailed) as caught:
        deploy.require(deploy.judge(file, "cosmos"), "cosmos", "cosmos2", False, print)
    return str(caught.value)


def test_what_is_green_is_loaded(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    green.make()
    deploy.require(deploy.judge(file, "cosmos"), "cosmos", "cosmos2", False, print)
    said = "cosmos.bit: verified: scala, native, soc, cocotb are green on its sources\n"
    assert capsys.readouterr().out == said
    assert deploy.remarks(file) == []


def test_missing_suites_are_named_with_the_command(file: Path) -> None:
    green.make(without=("soc", "cocotb"))
    assert refused(file).splitlines() == [
        f"{file}: not verified: no green record of soc, cocotb on its sources (RTL 111111111111, "
        "firmware aaaaaaaaaaaa)",
        "  this makes the record: ./openremap test soc cocotb",
        f"  {deploy.FORCE}",
    ]


def test_sources_that_are_not_at_hand_are_named_by_their_commit(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as then:
        then.setattr(verified, "digests", lambda: OLDER)
        sidecar.write(file, "cosmos", "cosmos2", OLDER)
    assert "  check out 0123abc, then: ./openremap test scala native soc cocotb" in refused(file)
    sidecar.write(file, "cosmos", "cosmos2", OLDER)  # the commit that is checked out has other sources
    assert "  the sources here are others; with those that it is of: ./openremap test" in refused(file)
    green.make(OLDER)
    assert deploy.judge(file, "cosmos").why == ""


def test_another_firmware_needs_a_record_of_its_own(file: Path) -> None:
    green.make()
    assert deploy.judge(file, "cosmos", HERE.firmware).why == ""
    assert "no green record of scala" in deploy.judge(file, "cosmos", OLDER.firmware).why


def test_a_bitstream_that_was_changed_is_refused(file: Path) -> None:
    green.make()
    data = bytearray(file.read_bytes())
    data[2000] ^= 1
    file.write_bytes(data)
    assert "not verified: it has changed since cosmos.bit.json was written" in refused(file)


def test_without_a_sidecar_it_is_refused(file: Path) -> None:
    green.make()
    sidecar.path_of(file).unlink()
    text = refused(file)
    assert "there is no cosmos.bit.json, so nobody knows what it was made of" in text
    assert "`./openremap board build cosmos` writes cosmos.bit.json" in text


def test_a_sidecar_or_a_record_that_is_damaged_is_refused(file: Path) -> None:
    verified.FILE.write_text("{")
    assert "verified.json: is damaged" in refused(file)
    sidecar.path_of(file).write_text("{")
    assert "cosmos.bit.json: is damaged" in refused(file)


def test_a_bitstream_of_another_board_is_refused(file: Path) -> None:
    green.make()
    sidecar.write(file, "acorn", "acorn", HERE)
    assert "it is for the board acorn, not for cosmos" in refused(file)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BoardFailed, match=r"none\.bit: No such file or directory"):
        deploy.judge(tmp_path / "none.bit", "cosmos")


def test_force_leaves_a_mark_that_is_told_from_then_on(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        deploy.require(deploy.judge(file, "cosmos"), "cosmos", "cosmos2", True, print)
    said = capsys.readouterr().out
    assert said.startswith(f"warning: {file}: not verified: no green record of scala, native, soc, cocotb")
    assert f"it is used because of --force; the mark is in {sidecar.path_of(file)}" in said
    (remark,) = deploy.remarks(file)
    assert remark.startswith("warning: cosmos.bit was loaded by --force on 20") and ", 2 times in all: no " in remark
    green.make()
    deploy.require(deploy.judge(file, "cosmos"), "cosmos", "cosmos2", True, print)  # needs no force any more
    found = sidecar.read(file)
    assert found is not None and len(found.forced) == 2


def test_force_on_a_file_that_nobody_knows_does_not_verify_it(file: Path) -> None:
    green.make()
    sidecar.path_of(file).unlink()
    deploy.require(deploy.judge(file, "cosmos"), "cosmos", "cosmos2", True, print)
    assert "it was loaded by --force before, and nobody knows what it was made of" in refused(file)


def test_without_a_place_for_the_mark_force_does_nothing(file: Path) -> None:
    sidecar.path_of(file).unlink()
    sidecar.path_of(file).mkdir()
    with pytest.raises(BoardFailed, match=r"cosmos\.bit\.json"):
        deploy.require(deploy.judge(file, "cosmos"), "cosmos", "cosmos2", True, print)


def test_what_is_loaded_is_what_was_looked_at(file: Path, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    verdict = deploy.judge(file, "cosmos")
    found = deploy.copy(verdict, scratch)
    assert found == scratch / "cosmos.bit" and found.read_bytes() == file.read_bytes()
    file.write_bytes(bitstream.stand_in("part", 4000, seed=2))
    with pytest.raises(BoardFailed, match=r"cosmos\.bit: has just changed"):
        deploy.copy(verdict, scratch)
    file.unlink()
    with pytest.raises(BoardFailed, match=r"cosmos\.bit: No such file"):
        deploy.copy(verdict, scratch)


def test_remarks_name_a_damaged_sidecar(file: Path, tmp_path: Path) -> None:
    sidecar.path_of(file).write_text("{")
    assert deploy.remarks(file)[0].startswith("warning: ")
    assert deploy.remarks(tmp_path / "none.bit") == []


def test_a_bitstream_of_these_sources_gets_its_sidecar(file: Path) -> None:
    sidecar.path_of(file).unlink()
    green.make()
    told = deploy.note_bitstream(file, "cosmos", "cosmos2", HERE, 0x1234ABCD)
    assert told.startswith("cosmos.bit: verified")
    found = sidecar.read(file)
    assert found is not None and found.built == HERE


def test_a_bitstream_of_others_gets_none(file: Path) -> None:
    sidecar.path_of(file).unlink()
    told = deploy.note_bitstream(file, "cosmos", "cosmos2", HERE, 7)
    assert told.startswith("cosmos.bit: has the user ID 1234ABCDh, these sources 00000007h: it is of others")
    file.write_bytes(bitstream.stand_in("part", 4000))
    assert "has no user ID" in deploy.note_bitstream(file, "cosmos", "cosmos2", HERE, 7)
    assert sidecar.read(file) is None


def test_an_older_bitstream_keeps_the_sidecar_that_fits_it(file: Path) -> None:
    sidecar.write(file, "cosmos", "cosmos2", OLDER)
    green.make(OLDER)
    assert deploy.note_bitstream(file, "cosmos", "cosmos2", HERE, 7).startswith("cosmos.bit: verified")
    found = sidecar.read(file)
    assert found is not None and found.built == OLDER
    file.write_bytes(bitstream.stand_in("part", 4001, user_id=0x1234ABCD))
    assert "it is of others" in deploy.note_bitstream(file, "cosmos", "cosmos2", HERE, 7)
