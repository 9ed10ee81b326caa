# SPDX-License-Identifier: Apache-2.0
"""launcher.hw.soc: when the SoC's Verilog is written again, and what a generator that fails leaves. soc/: its parts."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from interfaces.ormgen import soc as description
from launcher.env.paths import ROOT, RTL_SOC_TOP
from launcher.hw import soc
from soc import generate, ports
from soc.openremap_soc import MapError, OpenRemapSoc

PORTS = """
module Other(input a);
endmodule
module Thing(	// here
  input         clock,
                reset,
  input  [15:0] s_addr,	// there
                s_more,
  output        s_ready,
  output [3:0]  m_len
);
endmodule
"""


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Scratch folders, with an emitted controller."""
    monkeypatch.setattr(soc, "SOC", tmp_path / "soc")
    monkeypatch.setattr(soc, "BUILD", tmp_path)
    monkeypatch.setattr(soc, "RTL_SOC", tmp_path / "rtl")
    (tmp_path / "rtl").mkdir()
    (tmp_path / "rtl" / f"{RTL_SOC_TOP}.sv").write_text(PORTS)
    return tmp_path


def inputs(folder: Path) -> list[Path]:
    return [folder / "rtl" / f"{RTL_SOC_TOP}.sv"]


def test_is_written_again_when_an_input_has_changed(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soc, "inputs", lambda: inputs(folders))
    assert not soc.is_current()
    (folders / "soc").mkdir()
    (folders / "soc" / soc._STAMP).write_text(soc.digest(inputs(folders)))
    assert soc.is_current()
    inputs(folders)[0].write_text(PORTS + "// more\n")
    assert not soc.is_current()


def test_depends_on_the_generator_the_map_and_the_pins() -> None:
    names = {path.name for path in soc.inputs()}
    assert {"openremap_soc.py", "generate.py", "soc.yaml", "soc.rdl", "requirements.txt", "SocController.sv"} <= names


def test_builds_at_a_time_generate_once(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    running, calls = threading.Lock(), []

    def generator(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        assert running.acquire(blocking=False), "two generators write the same files"
        calls.append(command)
        Path(command[-1], "filelist.f").write_text("OpenRemapSoc.v\n")
        time.sleep(0.05)
        running.release()
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(soc, "inputs", lambda: inputs(folders))
    monkeypatch.setattr(subprocess, "run", generator)
    with ThreadPoolExecutor(4) as builds:
        for done in [builds.submit(soc.generate) for _ in range(4)]:
            done.result()
    assert len(calls) == 1 and soc.is_current()
    assert (folders / "soc" / "filelist.f").read_text() == "OpenRemapSoc.v\n"


def test_a_generator_that_fails_leaves_no_stamp(folders: Path) -> None:
    with pytest.raises(soc.SocError, match="no module SocController"):
        soc.generate()
    assert not soc.is_current()


# A controller with a port of its own and a bus of the CPU: all that the generator looks at.
CONTROLLER = f"""
module {RTL_SOC_TOP}(
  input         clock,
                reset,
  output        irq,
  input         wb_dram_cyc,
                wb_dram_stb,
  input  [29:0] wb_dram_adr,
  output [31:0] wb_dram_datR,
  output        wb_dram_ack
);
endmodule
"""


def generated(folder: Path, controller: str, hash_seed: str) -> dict[str, bytes]:
    """What the generator writes, by name, run in `folder` with another order of Python's sets."""
    (folder / "rtl").mkdir(parents=True)
    (folder / "rtl" / f"{RTL_SOC_TOP}.sv").write_text(controller)
    command = [sys.executable, "-m", "soc.generate", "--rtl", str(folder / "rtl"), "--out", str(folder / "out")]
    environment = os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
    return {file.name: file.read_bytes() for file in (folder / "out").iterdir()}


def test_equal_inputs_give_equal_files(tmp_path: Path) -> None:
    first = generated(tmp_path / "first", CONTROLLER, "1")
    assert generated(tmp_path / "second, elsewhere", CONTROLLER, "2") == first
    assert set(first) == {"OpenRemapSoc.v", "VexRiscv.v", "filelist.f"}
    assert all(str(tmp_path).encode() not in text for text in first.values())
    other = generated(tmp_path / "other", CONTROLLER.replace("irq", "beep"), "1")
    assert other != first and b"beep" in other["OpenRemapSoc.v"]


def described(folder: Path, old: str = "", new: str = "") -> Path:
    """A folder with the descriptions of the SoC, changed at one place of soc.rdl."""
    folder.mkdir()
    for path in sorted(generate.REGISTERS.glob("soc.*")):
        text = path.read_text()
        if path.suffix == ".rdl" and old:
            assert text.count(old) == 1
            text = text.replace(old, new)
        (folder / path.name).write_text(text)
    return folder


@pytest.fixture(scope="module")
def whole() -> OpenRemapSoc:
    """The SoC around CONTROLLER, whose registers LiteX has numbered."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / f"{RTL_SOC_TOP}.sv").write_text(CONTROLLER)
        made = OpenRemapSoc(Path(folder), description.load(generate.REGISTERS))
    made.finalize()
    return made


@pytest.mark.parametrize(
    ("old", "new", "differing"),
    [
        ("UART_RXFULL @ 0x0001C", "UART_RXFULL @ 0x00020", r"\('UART_RXFULL', 28\), \('UART_RXFULL', 32\)"),
        ("TIMER_LOAD @ 0x00800", "TIMER_FIRST @ 0x00800", r"\('TIMER_FIRST', 2048\), \('TIMER_LOAD', 2048\)"),
        (
            "    // ---------------------------------------------------------------- timer (LiteX)",
            "    reg { field { sw=rw; hw=r; } data[7:0]; } UART_MORE @ 0x00020;\n    // timer",
            r"\('UART_MORE', 32\)",
        ),
    ],
)
def test_registers_that_are_elsewhere_are_told(
    whole: OpenRemapSoc, tmp_path: Path, old: str, new: str, differing: str
) -> None:
    whole.check_map(description.load(generate.REGISTERS))
    changed = description.load(described(tmp_path / "changed", old, new))
    with pytest.raises(MapError, match=rf"not those of soc\.rdl: \[{differing}\]$"):
        whole.check_map(changed)


def test_a_register_of_several_words_is_told(whole: OpenRemapSoc, monkeypatch: pytest.MonkeyPatch) -> None:
    wide = SimpleNamespace(origin=0xF000_0000, obj=[SimpleNamespace(name="rxtx", size=64)])
    monkeypatch.setitem(whole.csr_regions, "uart", wide)
    with pytest.raises(MapError, match="uart_rxtx: 64 bits"):
        whole.check_map(description.load(generate.REGISTERS))


def test_nothing_is_written_of_a_map_that_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / f"{RTL_SOC_TOP}.sv").write_text(CONTROLLER)
    changed = described(tmp_path / "changed", "TIMER_LOAD @ 0x00800", "TIMER_FIRST @ 0x00800")
    monkeypatch.setattr(generate, "REGISTERS", changed)
    assert generate.main(["--rtl", str(tmp_path), "--out", str(tmp_path / "out")]) == 1
    assert "soc: LiteX's registers are not those of soc.rdl: [('TIMER_FIRST'" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_ports_as_firtool_writes_them(tmp_path: Path) -> None:
    file = tmp_path / "Thing.sv"
    file.write_text(PORTS)
    found = {p.name: (p.is_input, p.width) for p in ports.ports(file, "Thing")}
    assert found == {
        "clock": (True, 1),
        "reset": (True, 1),
        "s_addr": (True, 16),
        "s_more": (True, 16),
        "s_ready": (False, 1),
        "m_len": (False, 4),
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [("module Else(input a);", "no module"), ("module Thing(input [W-1:0] a);", "not understood")],
)
def test_ports_that_are_not_understood(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "Thing.sv"
    file.write_text(text)
    with pytest.raises(ports.PortError, match=message):
        ports.ports(file, "Thing")
