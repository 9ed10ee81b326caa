# SPDX-License-Identifier: Apache-2.0
"""Descriptions of records: what is accepted and what is refused, and why."""

from pathlib import Path

import pytest

from interfaces.ormgen import crc
from interfaces.ormgen.formats import FormatError, load, parse

ROOT = Path(__file__).resolve().parents[2]

GOOD = """
records:
  Thing:
    text: "t"
    bytes: 8
    fields:
      a: [0, 32, "x"]
      b: [32, 24, "y"]
      crc: [56, 8, "z"]
    crc: {field: crc, kind: crc8, salt: [[sb, 16]]}
"""


def test_reads_a_record() -> None:
    (record,) = parse(GOOD).records
    assert [(f.name, f.offset, f.bytes) for f in record.fields] == [("a", 0, 4), ("b", 4, 3), ("crc", 7, 1)]
    assert record.crc is not None and record.crc.salt == (("sb", 16),)
    assert [f.c_bits for f in record.fields] == [32, 32, 8]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("b: [32, 24", "b: [24, 32", "overlaps"),
        ("b: [32, 24", "b: [40, 16", "belong to no field"),
        ("b: [32, 24", "b: [32, 20", "whole bytes"),
        ("bytes: 8", "bytes: 16", "fields end at bit 64"),
        ("bytes: 8", "bytes: 4", "fields end at bit 64"),
        ("field: crc", "field: crd", "not found"),
        ("kind: crc8", "kind: crc32c", "does not fit"),
        ("field: crc, kind: crc8", "field: a, kind: crc32c", "must be the last field"),
        ("a: [0", "A: [0", "snake_case"),
        ("Thing:", "thing:", "CamelCase"),
    ],
)
def test_refuses(old: str, new: str, message: str) -> None:
    assert old in GOOD
    with pytest.raises(FormatError, match=message):
        parse(GOOD.replace(old, new))


def test_refuses_constant_without_text() -> None:
    with pytest.raises(FormatError, match="expected exactly the keys value and text"):
        parse("constants: {a: {value: 1}}")


def test_error_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text(GOOD.replace("b: [32", "b: [24"))
    with pytest.raises(FormatError, match=r"^broken\.yaml: Thing\.b: overlaps"):
        load(path)


@pytest.mark.parametrize(("data", "value"), [(b"123456789", 0xE3069283), (bytes(32), 0x8A9136AA), (b"", 0)])
def test_crc32c_vectors(data: bytes, value: int) -> None:
    """The check value, and the 32 zero bytes of RFC 3720 appendix B.4."""
    assert crc.crc32c(data) == value


def test_crc8_vector() -> None:
    assert crc.crc8(b"123456789") == 0xFB


def test_our_formats_have_the_sizes_that_hardware_relies_on() -> None:
    sizes = {r.name: r.bytes for r in load(ROOT / "interfaces/formats/formats.yaml").records}
    assert sizes["OobRecord"] == 32 and sizes["RemapEntry"] == 16 and sizes["SegmentHeader"] == 16
    assert sizes["PointerWord"] == 8 and sizes["BlockRecord"] == 8, "NVRAM is atomic at 8 bytes"
