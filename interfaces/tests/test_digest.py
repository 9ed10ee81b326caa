# SPDX-License-Identifier: Apache-2.0
"""The digest of the interface changes with what two programs must agree on, and with nothing else."""

from interfaces.ormgen import digest

HEADER = "/* texts */\n#define ORM_X 0x4u /* where */\n"


def test_texts_and_blanks_do_not_count() -> None:
    other = "/* other\n * texts */\n\n#define  ORM_X 0x4u\n"
    assert digest.of([HEADER]) == digest.of([other])


def test_values_names_and_headers_do() -> None:
    same = digest.of([HEADER])
    assert same != digest.of([HEADER.replace("0x4u", "0x8u")])
    assert same != digest.of([HEADER.replace("ORM_X", "ORM_Y")])
    assert digest.of([HEADER, ""]) != digest.of(["", HEADER])


def test_it_has_32_bits_and_is_not_0() -> None:
    assert 0 < digest.of([HEADER]) < 1 << 32
