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
  * header in three cycles.
  *
  * An entry's CRC covers the entry, then its salt, which all entries of a chain share. So only the entry itself goes
  * through a network of its size. The salt's two words go through a network of one word (Crc.crc32cState): the first
  * word in the cycle of `salt`, the second one when the network is not used for a header.
  */
class ChainCrc(p: Params) extends Module {
  val io = IO(new Bundle {
    val salt      = Flipped(Valid(new ChainSalt(p))) // of the entries from the next cycle on
    val entry     = Input(new Formats.RemapEntry)
    val entryCrc  = Output(UInt(32.W))               // combinational; not while a header is made
    val header    = Input(new Formats.SegmentHeader) // stays as it is while `makes`; that is low between two
    val makes     = Input(Bool())
    val made      = Output(Bool())                   // with the header's last word, and as long as it stays
    val headerCrc = Output(UInt(32.W))
  })
  private def words(record: UInt): Vec[UInt] = record.asTypeOf(Vec(record.getWidth / 32, UInt(32.W)))
  private val own    = io.entry.asUInt.getWidth - io.entry.crc.getWidth // bits of an entry itself
  private val salted = Formats.RemapEntry.covered(io.entry, io.salt.bits.sb, io.salt.bits.gen, io.salt.bits.epoch)
  private val salt   = words(salted(salted.getWidth - 1, own))
  private val header = words(Formats.SegmentHeader.covered(io.header))
  require(salt.size == 2 && header.size >= 2, "the network for one word takes the salt's first word and its second")

  private val first  = Reg(UInt(32.W)) // state that zero becomes with the salt's first word
  private val second = RegEnable(salt(1), io.salt.valid)
  private val state  = Reg(UInt(32.W)) // of the header
  private val at     = RegInit(0.U(log2Ceil(header.size).W))
  private val last   = at === (header.size - 1).U
  private val begun  = Mux(at === 0.U, Fill(32, 1.U), state)
  private val next   = Crc.crc32cStep(Mux(io.salt.valid, salt(0), Mux(io.makes, begun ^ header(at), first ^ second)))
  when(io.salt.valid)(first := next)
  when(!io.makes) {
    at := 0.U
  }.elsewhen(!last) {
    state := next
    at    := at + 1.U
  }
  io.made      := io.makes && last
  io.headerCrc := ~next
  io.entryCrc  := ~(Crc.crc32cState(io.entry.asUInt(own - 1, 0), salt.size * 32) ^ next)

  assert(!(io.salt.valid && io.makes), "ChainCrc: a header is made while a chain is chosen")
}
