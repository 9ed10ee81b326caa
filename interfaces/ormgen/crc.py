# SPDX-License-Identifier: Apache-2.0
"""The records' CRCs, defined as in `hw/src/lib/Crc.scala`, and the tables of the generated C."""

CRC32C_POLY = 0x82F63B78
CRC8_POLY = 0x07


def _crc32c_byte(crc: int) -> int:
    for _ in range(8):
        crc = (crc >> 1) ^ (CRC32C_POLY if crc & 1 else 0)
    return crc


def _crc8_byte(crc: int) -> int:
    for _ in range(8):
        crc = ((crc << 1) ^ (CRC8_POLY if crc & 0x80 else 0)) & 0xFF
    return crc


def crc32c_table() -> list[int]:
    """What each value of the low byte adds to a CRC-32C."""
    return [_crc32c_byte(byte) for byte in range(256)]


def crc32c_slices() -> list[list[int]]:
    """What each value of a byte adds to a CRC-32C that goes on by four bytes, of which one, two or three follow it; of
    the last one it is crc32c_table()."""
    tables = [crc32c_table()]
    for _ in range(3):
        tables.append([(crc >> 8) ^ tables[0][crc & 0xFF] for crc in tables[-1]])
    return tables[1:]


def crc8_table() -> list[int]:
    """The CRC-8 that follows each CRC combined with a byte by exclusive or."""
    return [_crc8_byte(byte) for byte in range(256)]


def crc32c(data: bytes) -> int:
    """CRC-32C (Castagnoli, RFC 3720 appendix B.4): reflected, init and xorout all ones."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _crc32c_byte(crc ^ byte)
    return crc ^ 0xFFFFFFFF


def crc8(data: bytes) -> int:
    """CRC-8, polynomial 0x07, init 0xFF, not reflected, no xorout."""
    crc = 0xFF
    for byte in data:
        crc = _crc8_byte(crc ^ byte)
    return crc
