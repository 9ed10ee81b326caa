# SPDX-License-Identifier: Apache-2.0
"""The memory map of the Zynq port: read right, and contradictions refused."""

from pathlib import Path

import pytest

from interfaces.ormgen import zynq
from interfaces.ormgen.formats import FormatError

ROOT = Path(__file__).resolve().parents[2]
TAIL = 'interrupts: {a: {value: 1, text: "t"}}\ntimer_hz: {value: 5, text: "t"}\nuart_hz: {value: 6, text: "t"}\n'
MIB = 1 << 20


def region(name: str, address: int, size: int, memory: str = "cached", access: str = "rw") -> str:
    return f'  {name}: {{address: {address}, bytes: {size}, memory: {memory}, access: {access}, text: "t"}}\n'


def part(name: str, address: int, size: int, inside: str) -> str:
    return f'  {name}: {{address: {address}, bytes: {size}, inside: {inside}, text: "t"}}\n'


def parse(regions: str) -> zynq.Zynq:
    return zynq.parse("regions:\n" + regions + TAIL)


def test_regions_and_parts_of_them() -> None:
    found = parse(region("a", MIB, MIB, "device", "rx") + part("b", MIB + 16, 16, "a"))
    assert [(r.name, r.end, r.memory, r.access) for r in found.regions] == [
        ("a", 2 * MIB, "device", "rx"),
        ("b", MIB + 32, "device", "rx"),
    ]
    assert [r.name for r in found.sections] == ["a"]
    assert [r.value for r in found.rates] == [5, 6]


@pytest.mark.parametrize(
    ("regions", "message"),
    [
        (region("a", 0, 2 * MIB) + region("b", MIB, MIB), "overlaps a"),
        (region("a", 16, MIB), "multiples of 1 MiB"),
        (region("a", 0, 16), "multiples of 1 MiB"),
        (region("a", 4095 * MIB, 2 * MIB), "multiples of 1 MiB"),
        (region("a", 0, MIB, "warm"), "memory is one of"),
        (region("a", 0, MIB, access="rwx"), "access of"),
        (region("A", 0, MIB), "snake_case"),
        (region("a", 0, MIB) + part("b", MIB - 8, 16, "a"), "does not lie inside a"),
        (part("b", 0, 16, "a"), "no region a"),
        (region("a", 0, MIB).replace("text", "note"), "expected the keys"),
        (region("a", 0, MIB) + part("b", 0, 16, "a").replace("text", "note"), "a part has the keys"),
    ],
)
def test_refuses(regions: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse(regions)


def test_refuses_two_interrupts_of_one_number() -> None:
    with pytest.raises(FormatError, match="same number"):
        zynq.parse("regions:\n" + region("a", 0, MIB) + TAIL.replace("}}", '}, b: {value: 1, text: "u"}}'))


def test_the_file_maps_what_the_port_needs() -> None:
    found = zynq.load(ROOT / "interfaces/registers/zynq.yaml")
    assert {"code", "data", "nvram", "dram", "fw", "io", "system"} <= {r.name for r in found.sections}
    assert all((r.access == "rx") == (r.name == "code") for r in found.sections)
