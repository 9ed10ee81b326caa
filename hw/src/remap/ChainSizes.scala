// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The part of RemapTable that answers questions about the length of chains: whether more entries fit (`capacity`), and
  * how long a chain is (`look`).
  *
  * It has its own copy of the chains' lengths, and the lengths of their destaged parts. A write shows in the questions
  * of the cycles after it.
  */
class ChainSizes(p: Params) extends Module with Quiesces {
  import RemapTable.{Appender, Looker}
  val io = IO(new Bundle {
    val write    = Flipped(Valid(new ChainSize(p)))
    val part     = Flipped(Valid(new DestagedOf(p)))
    val free     = Input(UInt((p.segBits + 1).W)) // segments on the free list in the next cycle
    val capacity = Appender.ports(Flipped(new RemapCapacityPort(p)))
    val look     = Looker.ports(Flipped(new RemapLookPort(p)))
  })
  private class Size extends Bundle {
    val fill  = UInt(p.entryIdxBits.W)
    val count = UInt(p.chainSegBits.W)
  }
  private val sizes = SyncReadMem(p.superblocks, new Size)
  private val parts = SyncReadMem(p.superblocks, new Destaged(p))
  private val size  = Wire(new Size)
  size.fill  := io.write.bits.fill
  size.count := io.write.bits.count
  when(io.write.valid)(sizes.write(io.write.bits.sb, size))
  when(io.part.valid)(parts.write(io.part.bits.sb, io.part.bits.part))
  private def segmentsOf(part: Destaged): UInt = Mux(part.set =/= 0.U, part.segments, 0.U)

  // --- looks
  private val steady = for (look <- io.look) yield {
    val part = parts.read(look.sb)
    look.segments          := RegNext(sizes.read(look.sb).count)
    look.destaged          := RegNext(part)
    look.destaged.segments := RegNext(segmentsOf(part))
    val asked = RegNext(look.sb)
    asked === look.sb && RegNext(asked) === asked // what it shows has followed
  }

  // --- capacity: how many multiples of a segment lie beyond what is left in the tail. One question a cycle, in steps:
  // look up, what lies beyond, segments, answer.
  require(isPow2(p.entriesPerSeg + 1), "a multiple of it is a shift and a subtraction")
  private def times(segments: UInt): UInt         = (segments << log2Ceil(p.entriesPerSeg + 1)) - segments
  private def notNegative(difference: UInt): UInt = Mux(difference.head(1).asBool, 0.U, difference.tail(1))
  private val asks                                = io.capacity.map(_.ask)
  private val ask     = Mux(asks(Appender.remap.id).valid, asks(Appender.remap.id).bits, asks(Appender.gc.id).bits)
  private val found   = RegNext(sizes.read(ask.sb))
  private val foundOf = RegNext(segmentsOf(parts.read(ask.sb)))
  private val entries = RegNext(RegNext(ask.entries))
  private val room    = Mux(found.count =/= 0.U, p.entriesPerSeg.U - found.fill, 0.U)
  private val beyond  = Reg(UInt(p.chainEntryBits.W))
  beyond := notNegative(entries -& room)
  private val length   = RegNext(found.count +& foundOf)
  private val segments = RegNext(DivideUp(beyond, p.entriesPerSeg))
  private val was      = RegNext(beyond)
  private val begins   = RegNext(times(segments) === was +& (p.entriesPerSeg - 1).U)
  private val fits     = RegNext(RegNext(length) +& segments <= p.k.segmentsPerChain.U)
  private val answer   = RegNext(segments)
  require(RemapTable.answersAfter == 5, "the steps above")
  for ((port, i) <- io.capacity.zipWithIndex) {
    val reserve = if (i == Appender.remap.id) p.k.gcReserveSegments else 0
    port.segments := answer
    port.begins   := begins
    port.fits     := fits
    val spare = RegInit(0.U((p.segBits + 2).W)) // less than none while the reserve is not whole
    spare     := io.free -& reserve.U
    port.free := notNegative(spare)
  }
  private val asked    = asks.map(_.valid).reduce(_ || _)
  private val underWay = RegInit(0.U(RemapTable.answersAfter.W))
  private val changes  = io.write.valid || io.part.valid
  private val follows  = RegNext(changes, false.B) // what looks show
  underWay := (underWay << 1) | asked
  quiet    := !asked && underWay === 0.U && steady.reduce(_ && _) && !changes && !follows

  assert(PopCount(asks.map(_.valid)) <= 1.U, "RemapTable: both engines ask for room")
  assert(
    !io.part.valid || io.part.bits.part.set =/= 3.U,
    "RemapTable: no such set of slots"
  )
  assert(
    !io.part.valid || io.part.bits.part.set === 0.U || io.part.bits.part.slots =/= 0.U &&
      io.part.bits.part.slots <= p.destageSlots.U && io.part.bits.part.segments <= p.k.segmentsPerChain.U,
    "RemapTable: a destaged part longer than any chain"
  )
}
