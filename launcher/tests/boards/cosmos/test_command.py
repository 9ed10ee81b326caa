# SPDX-License-Identifier: Apache-2.0
"""What `./openremap board ... cosmos` prints, and how it ends."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from launcher.boards import sidecar
from launcher.boards.board import BoardFailed, Options
from launcher.boards.cosmos import board_facts, checks, command, project
from launcher.boards.cosmos.configs import BITSTREAM
from launcher.boards.jtag import bitstream, openocd
from launcher.firmware import images
from launcher.hw import crossings
from launcher.tests.boards import green
from launcher.tests.boards.cosmos import made
from launcher.tests.boards.cosmos.test_boot import CODE, elf

FACTS = board_facts.load()


@pytest.fixture
def prepared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of the test's ports, with a list of crossings, that Verilator has nothing against."""
    listed = [
        {"instance": "bar.ar.tailSeen", "kind": "Synchroniser", "from": "core", "to": "controller", "width": 3},
        {"instance": "bar.ar", "kind": "GrayFifo", "from": "core", "to": "controller", "width": 14},
        {"instance": "coreReset", "kind": "ResetCrossing", "from": "any", "to": "core", "width": 1},
        {"instance": "controllerReset", "kind": "ResetCrossing", "from": "any", "to": "controller", "width": 1},
    ]
    (tmp_path / "crossings.json").write_text(json.dumps(listed))
    built = tmp_path / "built.elf"
    built.write_bytes(elf([(CODE, b"firmware")]))
    monkeypatch.setattr(project, "prepare", lambda config: replace(made.made(config), emitted=tmp_path))
    monkeypatch.setattr(images, "build", lambda ports: None)
    monkeypatch.setattr(images.Port, "elf", lambda port, image: built)
    monkeypatch.setattr(checks, "_lint", lambda project: [])
    verdict = crossings.Verdict("CosmosTop", (), {"controller": 5, "core": 2}, ())
    monkeypatch.setattr(crossings, "of_unit", lambda unit: verdict)
    return tmp_path


def test_a_check_says_what_it_has_looked_at(prepared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command.check(Options(config="cosmos8"))
    said = capsys.readouterr().out
    for what in (
        "block design: 35 cells",
        "constraints: ",
        "crossings between clocks",
        "boot image",
        "nothing is wrong",
    ):
        assert what in said, said


def test_a_check_ends_with_what_is_wrong(prepared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "_lint", lambda project: ["%Error: one"])
    with pytest.raises(BoardFailed, match=r"(?s)1 things are wrong:\n  %Error: one"):
        command.check(Options())
    (prepared / "crossings.json").unlink()
    with pytest.raises(BoardFailed, match=r"crossings\.json"):
        command.check(Options())


@pytest.fixture(autouse=True)
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    green.own_record(tmp_path, monkeypatch)


def test_flash_loads_a_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / BITSTREAM).write_bytes(bitstream.stand_in(FACTS.part, 5000))
    command.flash(tmp_path, Options(dry_run=True))
    said = capsys.readouterr().out
    assert f"{5000 - 48} bytes of configuration came as they are in cosmos.bit" in said
    assert "cosmos.bit: not verified: there is no cosmos.bit.json" in said  # and goes on: no device is touched


def test_without_a_bitstream_one_of_the_parts_size_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []

    def load(devices: object, file: Path) -> list[str]:
        sizes.append(file.stat().st_size)
        return []

    monkeypatch.setattr(openocd, "load_model", load)
    command.flash(tmp_path, Options(dry_run=True))
    assert sizes[0] > FACTS.bitstream == 13321404


def test_a_real_board_needs_a_cable(tmp_path: Path) -> None:
    with pytest.raises(BoardFailed, match="needs --adapter"):
        command.flash(tmp_path, Options())
    with pytest.raises(BoardFailed, match="No such file"):
        command.flash(tmp_path, Options(adapter="ftdi/x"))


def test_a_real_board_gets_what_was_verified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    loaded: list[bytes] = []
    monkeypatch.setattr(openocd, "load", lambda devices, adapter, file: loaded.append(file.read_bytes()))
    file = tmp_path / BITSTREAM
    file.write_bytes(bitstream.stand_in(FACTS.part, 5000))
    sidecar.write(file, "cosmos", "cosmos2", green.HERE)
    green.make(without=("cocotb",))
    with pytest.raises(BoardFailed, match="not verified: no green record of cocotb"):
        command.flash(tmp_path, Options(adapter="ftdi/x"))
    assert loaded == []
    command.flash(tmp_path, Options(adapter="ftdi/x", force=True))
    assert loaded == [file.read_bytes()] and "warning: " in capsys.readouterr().out
    green.make()
    command.flash(tmp_path, Options(adapter="ftdi/x"))
    assert len(loaded) == 2
    file.write_bytes(bitstream.stand_in(FACTS.part, 5000, seed=2))
    with pytest.raises(BoardFailed, match="it has changed since"):
        command.flash(tmp_path, Options(adapter="ftdi/x"))


def test_greedyftl_has_its_sizes() -> None:
    two, eight = (command.baseline(config) for config in command.BOARD.configs)
    assert (two.firmware, two.model) == ("GreedyFTL", "Cosmos+ OpenSSD")
    assert two.most_bytes < 256 << 30 < eight.least_bytes < eight.most_bytes < 1024 << 30
