// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Operations of the NAND port (`NandCommand.op`). A read is two operations, so that the bus is free while the array
  * works.
  */
object NandOp extends ChiselEnum {
  // Array -> page register of the die. `ok`: ECC gives the data of slot `sub`. Reading a page that was never programmed
  // is illegal.
  val read = Value
  // As read, for recovery, which looks for the first page that is not programmed. `ok`: data and spare are good;
  // `failed`: the spare only; `erased`: not programmed. A program that was cut off leaves all slots of its page
  // unreadable, spares included. A block with a bad mark answers `failed`, with a spare of zeroes.
  val probe    = Value
  val transfer = Value // page register -> controller: data then spare words of slot `sub` on `rdata`
  val program  = Value // `wdata` (slot by slot: data, then spare words) -> page register -> array
  val erase    = Value // the whole block; `page` is ignored
}

object NandStatus extends ChiselEnum {
  val ok, failed, uncorrectable, erased = Value
}

class NandCommand(val p: Params) extends Bundle {
  val op    = NandOp()
  val die   = UInt(p.dieInChannelBits.max(1).W)
  val block = UInt(p.sbBits.W)
  val page  = UInt(p.pageBits.W)
  val sub   = UInt(p.subBits.max(1).W) // read, probe, transfer: slot of the page; else 0
  val retry = UInt(p.retryBits.W)      // read, probe: read-retry level (ONFI 4.0, feature 89h); 0: none
}

class NandWord(val p: Params) extends Bundle {
  val data = UInt(p.dataBits.W)
  val last = Bool()
}

/** Ends each read, probe, program and erase (a transfer ends with `rdata.last`). */
class NandResult(val p: Params) extends Bundle {
  val die    = UInt(p.dieInChannelBits.max(1).W)
  val status = NandStatus()
  val weak   = Bool() // a read that is `ok`: ECC has corrected nearly as many bits as it can
}

/** One per channel, seen from the controller; behind it a NAND controller with ECC. At most one array operation per die
  * at a time; at most one transfer or program data phase per channel at a time, words in order: `wordsPerSlot` data
  * words then `oobWords` spare words, of one slot (transfer) or of each slot of the page in turn (program). `last`
  * comes with the very last one.
  *
  * `transfer` follows the `ok` of a read or probe of the same die and slot, or the `failed` of a probe. After a probe
  * it delivers the spare words only (who probes wants to know what a page is, not what it holds); after any other
  * status there is nothing to transfer. Of a read the spare words may be wrong: their record has a CRC of its own.
  * `cmd` holds still until it is taken; the words of a program start after its command was taken.
  */
class NandPort(val p: Params) extends Bundle {
  val cmd    = Decoupled(new NandCommand(p))
  val wdata  = Decoupled(new NandWord(p))
  val rdata  = Flipped(Decoupled(new NandWord(p)))
  val result = Flipped(Decoupled(new NandResult(p)))
}
