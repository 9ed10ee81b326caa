# SPDX-License-Identifier: Apache-2.0
"""The project folder: what is in it, what it says is missing, and whose folder it may overwrite."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from launcher.boards import board_packages, sidecar
from launcher.boards.board import BoardFailed
from launcher.boards.cosmos import board_facts, boot, project, tcl_record, tiger4
from launcher.boards.cosmos.configs import BITSTREAM
from launcher.boards.jtag import bitstream
from launcher.firmware import images
from launcher.suites import verified
from launcher.suites.verified import Digests
from launcher.tests.boards import green
from launcher.tests.boards.cosmos import made
from launcher.tests.boards.cosmos.test_boot import CODE, elf
from sim.cocotb.support import orm_formats


@pytest.fixture
def emitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A generator that has emitted one file, and a firmware that is built."""
    folder = tmp_path / "emitted"
    folder.mkdir()
    (folder / "CosmosTop.sv").write_text("module CosmosTop; endmodule\n")
    (folder / "filelist.f").write_text("CosmosTop.sv\n")
    built = tmp_path / "built.elf"
    built.write_bytes(elf([(CODE, b"firmware")]))
    green.own_record(tmp_path, monkeypatch)
    monkeypatch.setattr(project, "prepare", lambda config: replace(made.made(config), emitted=folder))
    monkeypatch.setattr(images, "build", lambda ports: None)
    monkeypatch.setattr(images.Port, "elf", lambda port, image: built)


def build(out: Path, config: str = "cosmos2", fsbl: Path | None = None, bitstream: Path | None = None) -> list[str]:
    return project.build(out, config, None, fsbl, bitstream)


def tells_unverified(out: Path) -> bool:
    """Whether the device that boots from the folder's boot.bin says so of itself: its record is a part of the image."""
    record = (out / "board.bin").read_bytes()
    assert record in (out / "boot.bin").read_bytes()
    return bool(orm_formats.SocBoard.unpack(record).flags & orm_formats.BOARD_UNVERIFIED)


@pytest.mark.usefixtures("emitted")
def test_all_is_there(tmp_path: Path) -> None:
    out = tmp_path / "out"
    lines = build(out)
    wanted = (
        "project.tcl design.tcl build.tcl settings.tcl firmware.elf selftest.elf board.bin boot.bif README.md stamp.txt"
    )
    assert {path.name for path in out.iterdir() if not path.name.startswith(".")} == {
        *wanted.split(),
        "serial.txt",
        "verilog",
        "constraints",
    }
    assert {path.name for path in (out / "verilog").iterdir()} == {"CosmosTop.sv", "cosmos_core.v"}
    assert {path.name for path in (out / "constraints").iterdir()} == set(
        ["pcie.xdc", "clocks.xdc", "nand_ch0.xdc", "nand_ch1.xdc"]
    )
    assert (out / "firmware.elf").read_bytes() == elf([(CODE, b"firmware")])
    assert lines[0] == f"built: {out}"
    assert lines[-1].startswith("missing here: the clone with Tiger4 (--tiger4 PATH)") and "fsbl.elf" in lines[-1]


@pytest.mark.usefixtures("emitted")
def test_a_second_build_keeps_the_identity_and_drops_what_is_old(tmp_path: Path) -> None:
    out = tmp_path / "out"
    build(out, "cosmos8")
    record = (out / "board.bin").read_bytes()
    build(out)
    assert (out / "board.bin").read_bytes() == record
    assert not (out / "constraints" / "nand_ch7.xdc").exists()


@pytest.mark.usefixtures("emitted")
def test_another_folder_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("")
    with pytest.raises(BoardFailed, match="is not empty"):
        build(tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["thesis.tex"]


@pytest.mark.usefixtures("emitted")
def test_boot_bin_is_made_with_what_vivado_makes(tmp_path: Path) -> None:
    """The bitstream is a stand-in: bootgen looks at its header alone."""
    (tmp_path / "first.elf").write_bytes(elf([(0, b"first boot stage")], entry=0))
    (tmp_path / "made.bit").write_bytes(bitstream.stand_in("7z045ffg900", 4096))
    out = tmp_path / "out"
    lines = build(out, fsbl=tmp_path / "first.elf", bitstream=tmp_path / "made.bit")
    assert f"built: {out / 'boot.bin'}" in lines and "fsbl.elf" not in lines[-1]
    parts = boot.parts_of((out / "boot.bin").read_bytes())
    assert CODE in [part.load for part in parts] and len(parts) == 4
    assert f"{BITSTREAM}: has no user ID" in "\n".join(lines)
    assert "boot.bin: not verified: there is no boot.bin.json" in "\n".join(lines)
    stamp = boot.stamp_of((out / "boot.bin").read_bytes())
    assert stamp == sidecar.stamp(Digests(sidecar.UNKNOWN, green.HERE.firmware), False)
    assert tells_unverified(out)


@pytest.mark.usefixtures("emitted")
def test_a_bitstream_of_the_project_is_stamped_and_so_is_boot_bin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "first.elf").write_bytes(elf([(0, b"first boot stage")], entry=0))
    out = tmp_path / "out"
    build(out)
    told = re.search(r"USERID 0x([0-9A-F]{8}) ", (out / "build.tcl").read_text())
    assert told
    (out / BITSTREAM).write_bytes(bitstream.stand_in("7z045ffg900", 4096, user_id=int(told[1], 16)))
    green.make()
    lines = build(out, fsbl=tmp_path / "first.elf")
    assert f"{BITSTREAM}: verified: " in "\n".join(lines) and "\nboot.bin: verified: " in "\n".join(lines)
    assert boot.stamp_of((out / "boot.bin").read_bytes()) == sidecar.stamp(green.HERE, True)
    assert not tells_unverified(out)
    # Another firmware: the bitstream is the same one, but nobody has tested the two together.
    newer = Digests(green.HERE.rtl, "c" * 64)
    monkeypatch.setattr(verified, "digests", lambda: newer)
    lines = build(out)
    assert "boot.bin: not verified: no green record of scala, native, soc, cocotb" in "\n".join(lines)
    assert boot.stamp_of((out / "boot.bin").read_bytes()) == sidecar.stamp(newer, False)
    assert tells_unverified(out)
    # Another RTL: the bitstream keeps what is known of it, whatever the sources at hand have.
    monkeypatch.setattr(verified, "digests", lambda: green.OLDER)
    green.make(green.OLDER)
    build(out)
    stamp = sidecar.stamp(Digests(green.HERE.rtl, green.OLDER.firmware), False)
    assert boot.stamp_of((out / "boot.bin").read_bytes()) == stamp
    assert tells_unverified(out)


@pytest.mark.usefixtures("emitted")
def test_sources_that_change_meanwhile_leave_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "build", lambda ports: monkeypatch.setattr(verified, "digests", lambda: green.OLDER))
    with pytest.raises(BoardFailed, match="the sources changed meanwhile"):
        build(tmp_path / "out")
    assert not (tmp_path / "out" / "build.tcl").exists()
    build(tmp_path / "out")
    assert (tmp_path / "out" / "build.tcl").is_file()


@pytest.mark.usefixtures("emitted")
def test_a_bitstream_of_another_configuration_is_not_taken_for_this_one(tmp_path: Path) -> None:
    other = bitstream.stand_in("7z045ffg900", 4096, user_id=project.user_id("cosmos2", green.HERE))
    (tmp_path / "made.bit").write_bytes(other)
    green.make()
    lines = build(tmp_path / "out", "cosmos8", bitstream=tmp_path / "made.bit")
    assert "it is of others, so it gets no sidecar" in "\n".join(lines)


def test_the_scripts_need_the_clone(tmp_path: Path) -> None:
    made.made().write_scripts(tmp_path, None)
    with pytest.raises(BoardFailed, match="set tiger4 to your clone"):
        tcl_record.run([tmp_path / "project.tcl"], {}, {})
    clone = tiger4.Clone(tmp_path / "none", tmp_path, tmp_path)
    made.made().write_scripts(tmp_path, clone)
    with pytest.raises(BoardFailed, match=r"there is no .*IPRepo"):
        tcl_record.run([tmp_path / "project.tcl"], {}, {})


def test_the_tcl_stays_what_it_is(tmp_path: Path) -> None:
    """Two writes are equal: nothing in it depends on time, order of sets or place."""
    for name in ("one", "two"):
        made.made("cosmos8").write_scripts(tmp_path / name, None)
    files = sorted(path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*") if path.is_file())
    assert len(files) == 4 + 10 + 1
    for file in files:
        text = (tmp_path / "one" / file).read_text()
        assert text == (tmp_path / "two" / file).read_text() and str(tmp_path) not in text


def test_programs_are_there() -> None:
    assert shutil.which(board_packages.find("bootgen").path)
    assert board_facts.load().nand["ip_folder"].endswith("IPRepo-1.0.3")
