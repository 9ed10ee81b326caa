# SPDX-License-Identifier: Apache-2.0
"""The description of the Cosmos+ NAND controller: read right, and contradictions refused."""

from pathlib import Path

import pytest

from interfaces.ormgen import tiger4
from interfaces.ormgen.formats import FormatError

ROOT = Path(__file__).resolve().parents[2]
GOOD = {
    "registers": 'a: {value: 4, text: "t"}, b: {value: 8, text: "t"}',
    "commands": 'x: {value: 1, text: "t"}',
    "sizes": "",
    "words": 'w: {value: 0xFFFFFFFF, text: "t"}',
    "fields": 'f: {bits: [8, 24], text: "t"}',
}


def parse(**parts: str) -> tiger4.Tiger4:
    return tiger4.parse("".join(f"{name}: {{{text}}}\n" for name, text in {**GOOD, **parts}.items()))


def test_groups_and_fields() -> None:
    found = parse()
    assert [(name, [c.value for c in constants]) for name, constants in found.groups] == [
        ("registers", [4, 8]),
        ("commands", [1]),
        ("sizes", []),
        ("words", [(1 << 32) - 1]),
    ]
    assert [(f.name, f.first, f.width) for f in found.fields] == [("f", 8, 24)]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"registers": 'a: {value: 6, text: "t"}'}, "registers.a: is no address of a word"),
        ({"registers": 'a: {value: 4, text: "t"}, b: {value: 4, text: "t"}'}, "registers: two have the same number"),
        ({"commands": 'a: {value: 1, text: "t"}, b: {value: 1, text: "t"}'}, "commands: two have the same number"),
        ({"words": 'w: {value: 0x100000000, text: "t"}'}, "words.w: does not fit into 32 bits"),
        ({"sizes": 'Big: {value: 1, text: "t"}'}, "sizes.Big: name must be snake_case"),
        ({"fields": 'f: {bits: [16, 17], text: "t"}'}, "fields.f: does not lie in a word"),
    ],
)
def test_contradictions_are_refused(parts: dict[str, str], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse(**parts)


def test_the_description_is_read() -> None:
    found = tiger4.load(ROOT / "interfaces" / "registers" / "tiger4.yaml")
    assert {c.name for c in found.commands} >= {"trigger", "transfer", "program", "erase", "status", "raw"}


def test_an_error_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "tiger4.yaml"
    path.write_text(
        "".join(f"{name}: {{{text}}}\n" for name, text in {**GOOD, "fields": 'f: {bits: [0, 0], text: "t"}'}.items())
    )
    with pytest.raises(FormatError, match=r"tiger4.yaml: fields.f"):
        tiger4.load(path)
