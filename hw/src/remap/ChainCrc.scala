// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

class ChainSalt(val p: Params) extends Bundle {
  val sb    = UInt(p.sbBits.W)
  val gen   = UInt(p.genBits.W)
  val epoch = UInt(p.epochBits.W)
}

/** CRC-32C of the content of RemapTable's segments: of one entry per cycle, whether it is made or checked, and of a
  * header in four cycles. An entry's is there in the next cycle.
  *
  * An entry's CRC covers the entry, then its salt, which all entries of a chain share. So only the entry itself goes
  * through a network of its size. The salt's two words and the three of a header go through a network of one word
  * (Crc.crc32cStep), which has a register before it and one behind it.
  */
class ChainCrc(p: Params) extends Module {
  val io = IO(new Bundle {
    val salt      = Flipped(Valid(new ChainSalt(p))) // of the entries from the third cycle after this one on
    val entry     = Input(new Formats.RemapEntry)
    val entryCrc  = Output(UInt(32.W))               // of the entry a cycle before
    val header    = Input(new Formats.SegmentHeader) // stays as it is while `makes`; that is low between two
    val makes     = Input(Bool())                    // not in the two cycles from `salt` on
    val made      = Output(Bool())                   // from the fourth cycle on, as long as `makes` stays
    val headerCrc = Output(UInt(32.W))               // combinational
  })
  private def words(record: UInt): Vec[UInt] = record.asTypeOf(Vec(record.getWidth / 32, UInt(32.W)))
  private val own    = io.entry.asUInt.getWidth - io.entry.crc.getWidth // bits of an entry itself
  private val salted = Formats.RemapEntry.covered(io.entry, io.salt.bits.sb, io.salt.bits.gen, io.salt.bits.epoch)
  private val salt   = words(salted(salted.getWidth - 1, own))
  private val header = words(Formats.SegmentHeader.covered(io.header))
  require(salt.size == 2 && header.size == 3, "the steps below are those of these words")

  // What goes through the network next: a state exclusive-or a word.
  private val mixed      = Reg(UInt(32.W))
  private val stepped    = Crc.crc32cStep(mixed)
  private val second     = RegEnable(salt(1), io.salt.valid)
  private val salting    = RegNext(io.salt.valid, false.B) // the salt's second word is next
  private val ending     = RegNext(salting, false.B)       // it has gone in
  private val state      = RegEnable(stepped, ending)      // what the salt turns a state of zero into
  private val at         = RegInit(1.U(4.W))               // one-hot: which of the header's words is next, or none
  when(!io.makes)(at := 1.U).elsewhen(!at(3))(at := at << 1)
  private val headerWord = Mux1H(Seq(at(0) -> ~header(0), at(1) -> header(1), at(2) -> header(2)))
  when(io.salt.valid) {
    mixed := salt(0)
  }.elsewhen(salting || io.makes && !at(3)) {
    mixed := Mux(salting, second, headerWord) ^ Mux(salting || !at(0), stepped, 0.U)
  }
  io.made      := io.makes && at(3)
  io.headerCrc := ~stepped
  io.entryCrc  := ~(RegNext(Crc.crc32cState(io.entry.asUInt(own - 1, 0), salt.size * 32)) ^ RegNext(state))

  assert(!((io.salt.valid || salting) && io.makes), "ChainCrc: a header is made while a chain is chosen")
  assert(!(io.salt.valid && salting), "ChainCrc: two salts in successive cycles")
}
