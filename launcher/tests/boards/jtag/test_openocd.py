# SPDX-License-Identifier: Apache-2.0
"""OpenOCD loads a model of the chain; one that is not as it should be is an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from launcher.boards.board import BoardFailed
from launcher.boards.jtag import bitstream, openocd
from launcher.boards.jtag.openocd import Device
from launcher.boards.jtag.tap import Fpga, Tap

DAP = Device("dap", 4, 0x0BA00477, fpga=False)
PL = Device("fpga", 6, 0x03731093, fpga=True)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "made.bit"
    path.write_bytes(bitstream.stand_in("xc7z045ffg900-3", 20000))
    return path


def test_the_device_nearest_to_tdo_is_declared_first() -> None:
    orders = openocd.commands([DAP, PL], [], Path("x.bit"))
    taps = [order.split()[3] for order in orders if order.startswith("jtag newtap")]
    assert taps == ["fpga", "dap"] and "pld load 0 {x.bit}" in orders


def test_a_bitstream_arrives_whole(file: Path) -> None:
    lines = openocd.load_model([DAP, PL], file)
    assert lines[0].startswith(f"{20000 - 48} bytes")


def test_another_part_is_found(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def other(device: Device) -> Tap:
        return Fpga("fpga", 6, 0x23727093, 0x09) if device.fpga else Tap("dap", 4, 0x4BA00477, 0xE)

    monkeypatch.setattr(openocd, "_model", other)
    with pytest.raises(BoardFailed, match="UNEXPECTED: 0x23727093"):
        openocd.load_model([DAP, PL], file)


def test_a_bit_that_is_lost_is_found(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    take = Fpga._take

    def lossy(self: Fpga, bits: bytes) -> None:
        take(self, bits if len(self.received) < 5000 else bits[1:])

    monkeypatch.setattr(Fpga, "_take", lossy)
    with pytest.raises(BoardFailed, match="differs from the file at byte"):
        openocd.load_model([DAP, PL], file)


def test_what_is_no_bitstream_never_gets_to_openocd(tmp_path: Path) -> None:
    (tmp_path / "bad.bit").write_bytes(b"nothing")
    for load in (openocd.load_model, lambda devices, path: openocd.load(devices, "ftdi/x", path)):
        with pytest.raises(BoardFailed, match="no bitstream"):
            load([DAP, PL], tmp_path / "bad.bit")
        with pytest.raises(BoardFailed, match="No such file"):
            load([DAP, PL], tmp_path / "none.bit")
