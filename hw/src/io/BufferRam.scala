// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

class BufferAddr(val p: Params) extends Bundle {
  val buf  = UInt(p.bufBits.W)
  val word = UInt(p.wordBits.W)
}

object BufferAddr {

  /** Number of the buffer of a place of GC's: as wide as any buffer's, which the base by itself may not be. */
  def ofGc(p: Params, place: UInt): UInt = p.gcBufBase.U(p.bufBits.W) + place
}

/** Client's view of reads. Words come back in order, one for each accepted address. The RAM has a small skid buffer, so
  * a client may hold `data` back.
  */
class BufferReadPort(val p: Params) extends Bundle {
  val addr = Decoupled(new BufferAddr(p))
  val data = Flipped(Decoupled(UInt(p.dataBits.W)))
}

/** Client's view of writes. A write is complete when it is accepted: any read accepted later sees it. */
class BufferWritePort(val p: Params) extends Bundle {
  val write = Decoupled(new Bundle {
    val at   = new BufferAddr(p)
    val data = UInt(p.dataBits.W)
  })
}

/** The clients that share the RAM besides the NAND channels. */
object BufferRam {
  object Reader extends Clients { val hostRead, gc, firmware, fwDma = Value }
  object Writer extends Clients { val hostWrite, gc, fwDma = Value          }
}

/** The page buffers: one RAM with one read and one write port. Its clients share each port round robin. */
class BufferRam(p: Params) extends Module {
  import BufferRam.{Reader, Writer}
  val io = IO(new Bundle {
    val channelRead  = Vec(p.g.channels, Flipped(new BufferReadPort(p)))
    val channelWrite = Vec(p.g.channels, Flipped(new BufferWritePort(p)))
    val read         = Reader.ports(Flipped(new BufferReadPort(p)))
    val write        = Writer.ports(Flipped(new BufferWritePort(p)))
    val wrote        = Valid(new BufferAddr(p)) // the write that happens in this cycle
  })
  private val reads   = io.channelRead ++ io.read
  private val writes  = io.channelWrite ++ io.write
  private val entries = 2 // words a reader may have asked for and not taken: the RAM's latency and one more
  private val ram     = SyncReadMem(p.buffers * p.wordsPerSlot, UInt(p.dataBits.W))

  // --- read side. A reader with a credit has a place in its skid for the word: the RAM's word is never refused.
  private val readArb = Module(new RRArbiter(new BufferAddr(p), reads.size))
  private val skids   = Seq.fill(reads.size)(Module(new Queue(UInt(p.dataBits.W), entries, flow = true)))
  private val word    = ram.read(readArb.io.out.bits.asUInt, readArb.io.out.valid)
  readArb.io.out.ready := true.B
  for (((port, skid), i) <- reads.zip(skids).zipWithIndex) {
    val asked     = port.addr.fire
    val taken     = port.data.fire
    val owed      = RegInit(0.U(log2Ceil(entries + 1).W))
    val hasCredit = owed =/= entries.U
    owed := owed + asked - taken

    readArb.io.in(i).valid := port.addr.valid && hasCredit
    readArb.io.in(i).bits  := port.addr.bits
    port.addr.ready        := readArb.io.in(i).ready && hasCredit
    skid.io.enq.valid      := RegNext(asked, false.B)
    skid.io.enq.bits       := word
    port.data <> skid.io.deq

    assert(!skid.io.enq.valid || skid.io.enq.ready, "a word from the RAM found no place")
    assert(!asked || port.addr.bits.buf < p.buffers.U, "read of a buffer that does not exist")
    cover(port.addr.valid && !hasCredit, "a reader holds its words back")
    cover(port.addr.valid && hasCredit && !port.addr.ready, "a reader waits for another one")
  }

  // --- write side
  private val writeArb = Module(new RRArbiter(chiselTypeOf(writes.head.write.bits), writes.size))
  writeArb.io.in.zip(writes).foreach { case (in, port) => in <> port.write }
  writeArb.io.out.ready := true.B
  when(writeArb.io.out.valid)(ram.write(writeArb.io.out.bits.at.asUInt, writeArb.io.out.bits.data))
  io.wrote.valid := writeArb.io.out.valid
  io.wrote.bits  := writeArb.io.out.bits.at
  assert(!writeArb.io.out.valid || writeArb.io.out.bits.at.buf < p.buffers.U, "write to a buffer that does not exist")
  cover(PopCount(writes.map(_.write.valid)) > 1.U, "writers wait for each other")
}
