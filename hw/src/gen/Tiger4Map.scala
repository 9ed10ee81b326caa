// SPDX-License-Identifier: Apache-2.0
// Generated from interfaces/registers/tiger4.yaml. Do not edit: run python interfaces/generate.py
// format: off
package openremap

/** The NAND controller of the Cosmos+ board, as its user sees it. */
object Tiger4Map {
  object Registers {
    /** write: carries out the command whose number is in bits 7:0, with the other registers as they are; bit 31: before the other commands */
    val command = 0
    /** 24 bits: LUN in bit 21, block in bits 20:8, row of the block in bits 7:0 */
    val row = 4
    /** address of the values of set_features */
    val userData = 8
    /** address of the page's data */
    val data = 12
    /** address of its spare bytes */
    val spare = 16
    /** address of the ECC's words */
    val ecc = 20
    /** address of the word that ends a transfer, or of a status report */
    val completion = 24
    /** number of the way; it reads as one bit of eight */
    val way = 28
    /** read: a command waits because the queue is full */
    val channelBusy = 32
    /** read: bit w is the pin R/B of way w, 1 when it is ready */
    val ready = 36
    /** read: 1 when there is no command in the queue or under way */
    val idle = 44
  }
  object Commands {
    /** nothing */
    val nop = 0
    /** way: FFh, and the PHY's own resets */
    val reset = 1
    /** way, user_data: sets features 02h, 10h and 01h to the three words there */
    val setFeatures = 6
    /** way, row: reads the row into the die's page register */
    val trigger = 13
    /** way, row, data, spare, ecc, completion: the page register through descrambler and ECC, then the ECC's words, then the completion word */
    val transfer = 18
    /** way, row, data, spare: programs the row; nothing tells of its end */
    val program = 28
    /** way, row: erases the row's block; nothing tells of its end */
    val erase = 37
    /** way, completion: reads the die's status (70h) and writes a report */
    val status = 41
    /** way, data, completion: the page register as it is, then the completion word */
    val raw = 55
  }
  object Sizes {
    /** dies of a channel */
    val ways = 8
    /** commands that wait */
    val queue = 16
    /** data of a page */
    val pageBytes = 16384
    /** spare bytes of a page */
    val spareBytes = 256
    /** of them those that a user may write; the controller's CRC-64 has the rest */
    val spareFree = 248
    /** a row, as `raw` transfers it */
    val rowBytes = 18048
    /** second byte of a bad-block mark, from the row's first byte */
    val markOffset = 16384
    /** rows of a block; in SLC mode 128 of them are used */
    val rowsPerBlock = 256
    /** blocks of a LUN, of those that are no reserve */
    val blocksPerLun = 4096
    /** LUNs of a die */
    val luns = 2
    /** what has an error count of its own */
    val chunkBytes = 512
    /** words about the ECC */
    val eccWords = 11
    /** errors that the ECC corrects in a chunk, 14 in each of its two codewords */
    val mostErrors = 28
    /** more errors in a chunk are a warning */
    val warning = 20
    /** longest burst of the data port, in words; it begins at a multiple of its size */
    val burstBeats = 32
  }
  object Words {
    /** the completion word of a transfer */
    val done = 2768240641L
    /** status byte: both are set when the die is ready */
    val readyBits = 96
    /** status byte: one is set when the operation failed */
    val failBits = 3
    /** value of feature 02h */
    val feature02 = 6
    /** value of feature 10h */
    val feature10 = 8
    /** value of feature 01h */
    val feature01 = 32
  }
  object Fields {
    /** status report: always 1 */
    val reportValid = RegField(0, 1, reset = BigInt(0L))
    /** status report: the status byte; bits above have no meaning */
    val reportStatus = RegField(1, 8, reset = BigInt(0L))
    /** ECC word 0: corrected bits of the page */
    val eccTotal = RegField(0, 10, reset = BigInt(0L))
    /** ECC word 0: corrected bits of the worst chunk */
    val eccWorst = RegField(16, 6, reset = BigInt(0L))
    /** ECC word 0: the spare bytes are decoded */
    val eccSpare = RegField(24, 1, reset = BigInt(0L))
    /** ECC word 0: the CRC-64 of data and spare bytes is good */
    val eccCrc = RegField(28, 1, reset = BigInt(0L))
    /** row of the block */
    val rowPage = RegField(0, 8, reset = BigInt(0L))
    /** block of the LUN */
    val rowBlock = RegField(8, 13, reset = BigInt(0L))
    /** LUN of the die */
    val rowLun = RegField(21, 1, reset = BigInt(0L))
  }
}
