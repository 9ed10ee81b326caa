# SPDX-License-Identifier: Apache-2.0
"""The memory map of the SoC: read right, and contradictions refused."""

from pathlib import Path

import pytest

from interfaces.ormgen import soc
from interfaces.ormgen.formats import FormatError

ROOT = Path(__file__).resolve().parents[2]
HEAD = 'clock_hz: {value: 5, text: "c"}\ninterrupts: {a: {value: 1, text: "t"}}\nregions:\n'


def region(name: str, address: int, size: int, extra: str = "") -> str:
    cached = "true" if address < 1 << 31 else "false"
    return f'  {name}: {{address: {address:#x}, bytes: {size:#x}, cached: {cached}, text: "t"{extra}}}\n'


def test_regions_and_parts_of_them() -> None:
    clock, regions, interrupts = soc.parse(HEAD + region("a", 0, 0x100) + region("b", 0xC0, 0x40, ", inside: a"))
    assert clock.value == 5
    assert [(r.name, r.address, r.end, r.cached) for r in regions] == [("a", 0, 0x100, True), ("b", 0xC0, 0x100, True)]
    assert [(i.name, i.value) for i in interrupts] == [("a", 1)]


@pytest.mark.parametrize(
    ("regions", "message"),
    [
        (region("a", 0, 0x100) + region("b", 0x80, 0x80), "overlaps a"),
        (region("a", 0x40, 0x100), "a multiple of it"),
        (region("a", 0, 0x30), "a power of two"),
        (region("a", 0, 0x100) + region("b", 0x100, 0x40, ", inside: a"), "does not lie inside a region a"),
        (region("a", 0, 0x100, ", inside: z"), "does not lie inside a region z"),
        (region("a", 0x80000000, 0x100).replace("false", "true"), "the CPU caches"),
        (region("A", 0, 0x100), "snake_case"),
        (region("a", 0, 0x100, ", size: 1"), "expected the keys"),
    ],
)
def test_refuses(regions: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        soc.parse(HEAD + regions)


def test_refuses_two_interrupts_of_one_number() -> None:
    with pytest.raises(FormatError, match="same number"):
        soc.parse(HEAD.replace("}}", '}, b: {value: 1, text: "u"}}') + region("a", 0, 0x100))


def test_the_register_file_lies_in_its_region() -> None:
    found = soc.load(ROOT / "interfaces/registers")
    assert found.region("board").end == found.region("rom").end
    assert {"WAIT", "TIME_LO", "UART_RXTX", "TIMER_LOAD"} <= {r.name for r in found.map.registers}
