# SPDX-License-Identifier: Apache-2.0
"""Register maps: read right, and contradictions refused."""

from pathlib import Path

import pytest
from systemrdl.messages import RDLCompileError

from interfaces.ormgen import registers
from interfaces.ormgen.formats import FormatError

ROOT = Path(__file__).resolve().parents[2]


def compile_map(tmp_path: Path, body: str) -> registers.RegisterMap:
    path = tmp_path / "m.rdl"
    path.write_text(f'addrmap m {{ name="M"; desc="D"; default regwidth = 32; default accesswidth = 32; {body} }};')
    return registers.load(path)


def test_fields_arrays_and_enums(tmp_path: Path) -> None:
    m = compile_map(
        tmp_path,
        """enum e_e { p = 0; q = 2; };
        reg { desc="R"; field { sw=rw; desc="f"; } f[7:4] = 3;
              field { sw=rw; onwrite=woclr; hw=w; encode=e_e; } g[9:8]; } R @ 0x10;
        reg { field { sw=r; hw=w; } v[31:0]; } A[4] @ 0x20;""",
    )
    r, a = m.registers
    assert (r.address, r.reset, r.count) == (0x10, 0x30, 1)
    assert [(f.name, f.lsb, f.width, f.access, f.mask) for f in r.fields] == [
        ("f", 4, 4, "rw", 0xF0),
        ("g", 8, 2, "rw1c", 0x300),
    ]
    assert (a.address, a.count, a.stride) == (0x20, 4, 4)
    assert [(i.name, i.value) for i in m.enums[0].items] == [("p", 0), ("q", 2)]


def test_refuses_overlapping_registers(tmp_path: Path) -> None:
    reg = "reg { field { sw=r; hw=w; } v[31:0]; }"
    with pytest.raises(RDLCompileError):
        compile_map(tmp_path, f"{reg} A @ 0x10; {reg} B @ 0x10;")


def test_refuses_overlapping_fields(tmp_path: Path) -> None:
    with pytest.raises(RDLCompileError):
        compile_map(tmp_path, "reg { field { sw=r; hw=w; } v[7:0]; field { sw=r; hw=w; } w[8:4]; } A @ 0x10;")


def test_refuses_a_counter_named_twice(tmp_path: Path) -> None:
    path = tmp_path / "counters.yaml"
    path.write_text('counters: [[a, "x"], [a, "y"]]')
    with pytest.raises(FormatError, match="counter names must be unique"):
        registers.load_counters(path)


def test_counters_fit_the_select_field() -> None:
    fw = registers.load(ROOT / "interfaces/registers/openremap.rdl")
    select = next(r for r in fw.registers if r.name == "COUNTER_SELECT")
    index = next(f for f in select.fields if f.name == "index")
    assert len(registers.load_counters(ROOT / "interfaces/registers/counters.yaml")) <= 1 << index.width
