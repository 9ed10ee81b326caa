# SPDX-License-Identifier: Apache-2.0
"""What a table's file says of how it was written, read from its bytes alone (LevelDB's doc/table_format.md)."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

PAGE_BYTES = 4096
FOOTER_BYTES = 48
STOCK_MAGIC = 0xDB4775248B80FB57


@dataclass(frozen=True)
class Layout:
    """Of one table that is not compressed."""

    stock_magic: bool
    meta_blocks: tuple[str, ...]
    described: bool  # the index says more of each block than its place
    blocks: tuple[int, ...]  # where data blocks begin; of several sorted runs, those of the newest

    @property
    def on_pages(self) -> bool:
        return all(offset % PAGE_BYTES == 0 for offset in self.blocks)


def read(path: Path) -> Layout:
    data = path.read_bytes()
    footer = data[-FOOTER_BYTES:]
    meta_offset, at = _varint(footer, 0)
    meta_bytes, at = _varint(footer, at)
    index_offset, at = _varint(footer, at)
    index_bytes, at = _varint(footer, at)
    meta = _entries(data, meta_offset, meta_bytes)
    index = _entries(data, index_offset, index_bytes)
    return Layout(
        struct.unpack("<Q", footer[-8:])[0] == STOCK_MAGIC,
        tuple(key.decode() for key, _ in meta),
        all(_varint(value, _varint(value, 0)[1])[1] < len(value) for _, value in index),
        tuple(_varint(value, 0)[0] for _, value in index),
    )


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _entries(data: bytes, offset: int, size: int) -> list[tuple[bytes, bytes]]:
    """Of a block: keys share what they begin with; behind them the restart points."""
    block = data[offset : offset + size]
    if data[offset + size] != 0:
        raise ValueError(f"a compressed block at {offset}")
    end = size - 4 - 4 * int(struct.unpack("<I", block[-4:])[0])
    entries: list[tuple[bytes, bytes]] = []
    at, key = 0, b""
    while at < end:
        shared, at = _varint(block, at)
        rest, at = _varint(block, at)
        length, at = _varint(block, at)
        key = key[:shared] + block[at : at + rest]
        entries.append((key, block[at + rest : at + rest + length]))
        at += rest + length
    return entries
