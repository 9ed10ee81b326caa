# SPDX-License-Identifier: Apache-2.0
# Generated from interfaces/registers/tiger4.yaml. Do not edit: run python interfaces/generate.py
# fmt: off
# ruff: noqa
"""The NAND controller of the Cosmos+ board, as its user sees it. Fields are (first bit, bits)."""

from enum import IntEnum


class Register(IntEnum):
    COMMAND = 0x0  # write: carries out the command whose number is in bits 7:0, with the other registers as they are; bit 31: before the other commands
    ROW = 0x4  # 24 bits: LUN in bit 21, block in bits 20:8, row of the block in bits 7:0
    USER_DATA = 0x8  # address of the values of set_features
    DATA = 0xC  # address of the page's data
    SPARE = 0x10  # address of its spare bytes
    ECC = 0x14  # address of the ECC's words
    COMPLETION = 0x18  # address of the word that ends a transfer, or of a status report
    WAY = 0x1C  # number of the way; it reads as one bit of eight
    CHANNEL_BUSY = 0x20  # read: a command waits because the queue is full
    READY = 0x24  # read: bit w is the pin R/B of way w, 1 when it is ready
    IDLE = 0x2C  # read: 1 when there is no command in the queue or under way


class Command(IntEnum):
    NOP = 0x0  # nothing
    RESET = 0x1  # way: FFh, and the PHY's own resets
    SET_FEATURES = 0x6  # way, user_data: sets features 02h, 10h and 01h to the three words there
    TRIGGER = 0xD  # way, row: reads the row into the die's page register
    TRANSFER = 0x12  # way, row, data, spare, ecc, completion: the page register through descrambler and ECC, then the ECC's words, then the completion word
    PROGRAM = 0x1C  # way, row, data, spare: programs the row; nothing tells of its end
    ERASE = 0x25  # way, row: erases the row's block; nothing tells of its end
    STATUS = 0x29  # way, completion: reads the die's status (70h) and writes a report
    RAW = 0x37  # way, data, completion: the page register as it is, then the completion word


SIZE_WAYS = 0x8  # dies of a channel
SIZE_QUEUE = 0x10  # commands that wait
SIZE_PAGE_BYTES = 0x4000  # data of a page
SIZE_SPARE_BYTES = 0x100  # spare bytes of a page
SIZE_SPARE_FREE = 0xF8  # of them those that a user may write; the controller's CRC-64 has the rest
SIZE_ROW_BYTES = 0x4680  # a row, as `raw` transfers it
SIZE_MARK_OFFSET = 0x4000  # second byte of a bad-block mark, from the row's first byte
SIZE_ROWS_PER_BLOCK = 0x100  # rows of a block; in SLC mode 128 of them are used
SIZE_BLOCKS_PER_LUN = 0x1000  # blocks of a LUN, of those that are no reserve
SIZE_LUNS = 0x2  # LUNs of a die
SIZE_CHUNK_BYTES = 0x200  # what has an error count of its own
SIZE_ECC_WORDS = 0xB  # words about the ECC
SIZE_MOST_ERRORS = 0x1C  # errors that the ECC corrects in a chunk, 14 in each of its two codewords
SIZE_WARNING = 0x14  # more errors in a chunk are a warning
SIZE_BURST_BEATS = 0x20  # longest burst of the data port, in words; it begins at a multiple of its size

WORD_DONE = 0xA5000001  # the completion word of a transfer
WORD_READY_BITS = 0x60  # status byte: both are set when the die is ready
WORD_FAIL_BITS = 0x3  # status byte: one is set when the operation failed
WORD_FEATURE_02 = 0x6  # value of feature 02h
WORD_FEATURE_10 = 0x8  # value of feature 10h
WORD_FEATURE_01 = 0x20  # value of feature 01h

REPORT_VALID = (0, 1)  # status report: always 1
REPORT_STATUS = (1, 8)  # status report: the status byte; bits above have no meaning
ECC_TOTAL = (0, 10)  # ECC word 0: corrected bits of the page
ECC_WORST = (16, 6)  # ECC word 0: corrected bits of the worst chunk
ECC_SPARE = (24, 1)  # ECC word 0: the spare bytes are decoded
ECC_CRC = (28, 1)  # ECC word 0: the CRC-64 of data and spare bytes is good
ROW_PAGE = (0, 8)  # row of the block
ROW_BLOCK = (8, 13)  # block of the LUN
ROW_LUN = (21, 1)  # LUN of the die
