# SPDX-License-Identifier: Apache-2.0
"""Files with a bitstream, good and bad."""

from __future__ import annotations

import pytest

from launcher.boards.board import BoardFailed
from launcher.boards.jtag import bitstream


def test_a_file_made_here_has_its_size_and_its_header() -> None:
    file = bitstream.stand_in("xc7z045ffg900-3", 1000)
    data = bitstream.configuration(file)
    assert file.endswith(data) and len(data) == 1000 - 48 and data.startswith(bitstream.SYNC)
    assert b"xc7z045ffg900-3\0" in file
    assert bitstream.stand_in("xc7z045ffg900-3", 1000, seed=2) != file


def test_a_file_without_a_header_is_taken_as_it_is() -> None:
    assert bitstream.configuration(b"\xff" * 16 + bitstream.SYNC + b"abc") == bitstream.SYNC + b"abc"


@pytest.mark.parametrize(
    ("file", "why"),
    [
        (b"", "does not come"),
        (b"\xff" * 8192 + bitstream.SYNC, "does not come"),
        (bitstream.stand_in("x", 100)[:-1], "length"),
        (bitstream.stand_in("x", 100) + b"\0", "length"),
        (bitstream.stand_in("x", 100).replace(b"b\0", b"q\0", 1), "field 'b'"),
        (bitstream.stand_in("x", 100)[:20], "field"),
    ],
)
def test_what_is_no_bitstream_is_refused(file: bytes, why: str) -> None:
    with pytest.raises(BoardFailed, match=why):
        bitstream.configuration(file)


def test_the_header_has_the_user_id() -> None:
    assert bitstream.user_id(bitstream.stand_in("x", 100, user_id=0xABCD)) == 0xABCD
    assert bitstream.user_id(bitstream.stand_in("x", 100)) is None
    assert bitstream.user_id(bitstream.SYNC + b"UserID=0X00000001") is None
    without = bitstream.stand_in("x", 100, user_id=1).replace(b"UserID=0X00000001", b"a" * 17)
    assert bitstream.user_id(without) is None
    assert bitstream.user_id(bitstream.stand_in("x", 100, user_id=1)[:14]) is None
