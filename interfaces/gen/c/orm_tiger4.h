/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from interfaces/registers/tiger4.yaml. Do not edit: run python interfaces/generate.py */
/* clang-format off */
/*
 * The NAND controller of the Cosmos+ board. ORM_TIGER4_<GROUP>_<NAME>: registers as addresses, commands, sizes, words;
 * of a field the first bit (_LSB) and its bits, shifted down (_MASK).
 */
#ifndef OPENREMAP_ORM_TIGER4_H
#define OPENREMAP_ORM_TIGER4_H

/* registers */
/* write: carries out the command whose number is in bits 7:0, with the other registers as they are; bit 31: before the other commands */
#define ORM_TIGER4_REGISTER_COMMAND 0x0u
/* 24 bits: LUN in bit 21, block in bits 20:8, row of the block in bits 7:0 */
#define ORM_TIGER4_REGISTER_ROW 0x4u
/* address of the values of set_features */
#define ORM_TIGER4_REGISTER_USER_DATA 0x8u
/* address of the page's data */
#define ORM_TIGER4_REGISTER_DATA 0xCu
/* address of its spare bytes */
#define ORM_TIGER4_REGISTER_SPARE 0x10u
/* address of the ECC's words */
#define ORM_TIGER4_REGISTER_ECC 0x14u
/* address of the word that ends a transfer, or of a status report */
#define ORM_TIGER4_REGISTER_COMPLETION 0x18u
/* number of the way; it reads as one bit of eight */
#define ORM_TIGER4_REGISTER_WAY 0x1Cu
/* read: a command waits because the queue is full */
#define ORM_TIGER4_REGISTER_CHANNEL_BUSY 0x20u
/* read: bit w is the pin R/B of way w, 1 when it is ready */
#define ORM_TIGER4_REGISTER_READY 0x24u
/* read: 1 when there is no command in the queue or under way */
#define ORM_TIGER4_REGISTER_IDLE 0x2Cu

/* commands */
/* nothing */
#define ORM_TIGER4_COMMAND_NOP 0x0u
/* way: FFh, and the PHY's own resets */
#define ORM_TIGER4_COMMAND_RESET 0x1u
/* way, user_data: sets features 02h, 10h and 01h to the three words there */
#define ORM_TIGER4_COMMAND_SET_FEATURES 0x6u
/* way, row: reads the row into the die's page register */
#define ORM_TIGER4_COMMAND_TRIGGER 0xDu
/* way, row, data, spare, ecc, completion: the page register through descrambler and ECC, then the ECC's words, then the completion word */
#define ORM_TIGER4_COMMAND_TRANSFER 0x12u
/* way, row, data, spare: programs the row; nothing tells of its end */
#define ORM_TIGER4_COMMAND_PROGRAM 0x1Cu
/* way, row: erases the row's block; nothing tells of its end */
#define ORM_TIGER4_COMMAND_ERASE 0x25u
/* way, completion: reads the die's status (70h) and writes a report */
#define ORM_TIGER4_COMMAND_STATUS 0x29u
/* way, data, completion: the page register as it is, then the completion word */
#define ORM_TIGER4_COMMAND_RAW 0x37u

/* sizes */
/* dies of a channel */
#define ORM_TIGER4_SIZE_WAYS 0x8u
/* commands that wait */
#define ORM_TIGER4_SIZE_QUEUE 0x10u
/* data of a page */
#define ORM_TIGER4_SIZE_PAGE_BYTES 0x4000u
/* spare bytes of a page */
#define ORM_TIGER4_SIZE_SPARE_BYTES 0x100u
/* of them those that a user may write; the controller's CRC-64 has the rest */
#define ORM_TIGER4_SIZE_SPARE_FREE 0xF8u
/* a row, as `raw` transfers it */
#define ORM_TIGER4_SIZE_ROW_BYTES 0x4680u
/* second byte of a bad-block mark, from the row's first byte */
#define ORM_TIGER4_SIZE_MARK_OFFSET 0x4000u
/* rows of a block; in SLC mode 128 of them are used */
#define ORM_TIGER4_SIZE_ROWS_PER_BLOCK 0x100u
/* blocks of a LUN, of those that are no reserve */
#define ORM_TIGER4_SIZE_BLOCKS_PER_LUN 0x1000u
/* LUNs of a die */
#define ORM_TIGER4_SIZE_LUNS 0x2u
/* what has an error count of its own */
#define ORM_TIGER4_SIZE_CHUNK_BYTES 0x200u
/* words about the ECC */
#define ORM_TIGER4_SIZE_ECC_WORDS 0xBu
/* errors that the ECC corrects in a chunk, 14 in each of its two codewords */
#define ORM_TIGER4_SIZE_MOST_ERRORS 0x1Cu
/* more errors in a chunk are a warning */
#define ORM_TIGER4_SIZE_WARNING 0x14u
/* longest burst of the data port, in words; it begins at a multiple of its size */
#define ORM_TIGER4_SIZE_BURST_BEATS 0x20u

/* words */
/* the completion word of a transfer */
#define ORM_TIGER4_WORD_DONE 0xA5000001u
/* status byte: both are set when the die is ready */
#define ORM_TIGER4_WORD_READY_BITS 0x60u
/* status byte: one is set when the operation failed */
#define ORM_TIGER4_WORD_FAIL_BITS 0x3u
/* value of feature 02h */
#define ORM_TIGER4_WORD_FEATURE_02 0x6u
/* value of feature 10h */
#define ORM_TIGER4_WORD_FEATURE_10 0x8u
/* value of feature 01h */
#define ORM_TIGER4_WORD_FEATURE_01 0x20u

/* fields */
/* status report: always 1 */
#define ORM_TIGER4_REPORT_VALID_LSB 0
#define ORM_TIGER4_REPORT_VALID_MASK 0x1u
/* status report: the status byte; bits above have no meaning */
#define ORM_TIGER4_REPORT_STATUS_LSB 1
#define ORM_TIGER4_REPORT_STATUS_MASK 0xFFu
/* ECC word 0: corrected bits of the page */
#define ORM_TIGER4_ECC_TOTAL_LSB 0
#define ORM_TIGER4_ECC_TOTAL_MASK 0x3FFu
/* ECC word 0: corrected bits of the worst chunk */
#define ORM_TIGER4_ECC_WORST_LSB 16
#define ORM_TIGER4_ECC_WORST_MASK 0x3Fu
/* ECC word 0: the spare bytes are decoded */
#define ORM_TIGER4_ECC_SPARE_LSB 24
#define ORM_TIGER4_ECC_SPARE_MASK 0x1u
/* ECC word 0: the CRC-64 of data and spare bytes is good */
#define ORM_TIGER4_ECC_CRC_LSB 28
#define ORM_TIGER4_ECC_CRC_MASK 0x1u
/* row of the block */
#define ORM_TIGER4_ROW_PAGE_LSB 0
#define ORM_TIGER4_ROW_PAGE_MASK 0xFFu
/* block of the LUN */
#define ORM_TIGER4_ROW_BLOCK_LSB 8
#define ORM_TIGER4_ROW_BLOCK_MASK 0x1FFFu
/* LUN of the die */
#define ORM_TIGER4_ROW_LUN_LSB 21
#define ORM_TIGER4_ROW_LUN_MASK 0x1u

#endif /* OPENREMAP_ORM_TIGER4_H */
