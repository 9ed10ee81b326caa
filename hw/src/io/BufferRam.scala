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

/** Client's view of reads. Words come back in order, one for each accepted address. The RAM has a few places for words,
  * so a client may hold `data` back.
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

/** The page buffers: one RAM with one read and one write port, each of which its clients use in turn.
  *
  * Timing: registers on all sides. A port has one client at a time, which a register names: only this one is `ready`. A
  * client that waits gets the port two cycles after it has asked at the earliest, round robin. Clients that ask all the
  * time share it evenly: two of them for two cycles each, more of them for a cycle each. A client that asks alone keeps
  * the port: it has a word a cycle, and after a pause it does not wait.
  *
  * A word is there two cycles after its address was accepted: it passes a few places of distributed RAM that each
  * reader has. A write happens in the cycle after it was accepted, and `wrote` tells of it. A read sees each write that
  * was accepted before it.
  */
class BufferRam(p: Params) extends Module {
  import BufferRam.{Reader, Writer}
  val io = IO(new Bundle {
    val channelRead  = Vec(p.g.channels, Flipped(new BufferReadPort(p)))
    val channelWrite = Vec(p.g.channels, Flipped(new BufferWritePort(p)))
    val read         = Reader.ports(Flipped(new BufferReadPort(p)))
    val write        = Writer.ports(Flipped(new BufferWritePort(p)))
    val wrote        = Valid(new BufferAddr(p)) // the write that was accepted in the last cycle
  })
  private val reads   = io.channelRead ++ io.read
  private val writes  = io.channelWrite ++ io.write
  private val entries = 4 // words a reader may have asked for and not taken: three for a word a cycle; a power of two
  private val ram     = SyncReadMem(p.buffers * p.wordsPerSlot, UInt(p.dataBits.W))

  /** Whose turn it is, one-hot: the next one behind the present one that had to wait in the last cycle, else the
    * present one.
    */
  private def turns(asks: Seq[Bool]): UInt = {
    val turn  = RegInit(1.U(asks.size.W))
    val wants = RegNext(VecInit(asks).asUInt & (~turn).asUInt, 0.U(asks.size.W))
    val after = RegInit(((BigInt(1) << asks.size) - 2).U(asks.size.W)) // those behind the present one
    // The first one that asks has all those behind it that have one that asks before them.
    def behindFirst(of: UInt): UInt = VecInit.tabulate(asks.size)(i => if (i == 0) false.B else of(i - 1, 0).orR).asUInt
    val among                       = Mux((wants & after).orR, wants & after, wants)
    val next                        = Mux((wants & after).orR, behindFirst(wants & after), behindFirst(wants))
    when(wants.orR) {
      turn  := among & (~next).asUInt
      after := next
    }
    assert(PopCount(turn) === 1.U, "a port has one client at a time")
    assert(after === behindFirst(turn), "who is behind the client of a port")
    cover(PopCount(asks) > 1.U, "clients of the page buffers wait for each other")
    turn
  }

  // --- read side. A reader with a credit has a place for the word: the RAM's word is never refused.
  private val credits  = Seq.fill(reads.size)(RegInit(true.B))
  private val readTurn = turns(reads.zip(credits).map { case (port, credit) => port.addr.valid && credit })
  private val readAt   = Mux1H(readTurn, reads.map(_.addr.bits.asUInt))
  private val word     = ram.read(readAt)
  for (((port, credit), i) <- reads.zip(credits).zipWithIndex) {
    val asked = port.addr.fire
    val taken = port.data.fire
    val comes = RegNext(asked, false.B)               // `word` is its word
    val owed  = RegInit(0.U(log2Ceil(entries + 1).W)) // words asked for and not taken
    val next  = owed + asked - taken
    owed   := next
    credit := next =/= entries.U

    port.addr.ready := readTurn(i) && credit

    // The words that wait
    val places   = Mem(entries, UInt(p.dataBits.W))
    val (in, _)  = Counter(comes, entries)
    val (out, _) = Counter(taken, entries)
    val held     = RegInit(0.U(log2Ceil(entries + 1).W))
    val has      = RegInit(false.B)
    val holds    = held + comes - taken
    held := holds
    has  := holds =/= 0.U
    when(comes)(places.write(in, word))
    port.data.valid := has
    port.data.bits  := places.read(out)

    assert(!comes || held =/= entries.U || taken, "a word from the RAM found no place")
    assert(held +& comes === owed, "words that were asked for are on their way or wait")
    assert(!asked || port.addr.bits.buf < p.buffers.U, "read of a buffer that does not exist")
    cover(port.addr.valid && !credit, "a reader holds its words back")
    cover(port.addr.valid && credit && !port.addr.ready, "a reader waits for another one")
  }

  // --- write side
  private val writeTurn = turns(writes.map(_.write.valid))
  private val write     = Mux1H(writeTurn, writes.map(_.write.bits))
  private val writing   = VecInit(writes.map(_.write.fire)).asUInt.orR
  for ((port, i) <- writes.zipWithIndex) port.write.ready := writeTurn(i)
  // It happens in the next cycle. A read that is accepted then sees it: the RAM gives the word that is written. Until
  // the next write it is repeated, which changes nothing. So the comparison of addresses need not know whether there is
  // one.
  private val now  = RegNext(writing, false.B)
  private val at   = RegEnable(write.at, writing)
  private val data = RegEnable(write.data, writing)
  ram.write(at.asUInt, data)
  io.wrote.valid := now
  io.wrote.bits  := at
  assert(!writing || write.at.buf < p.buffers.U, "write to a buffer that does not exist")
  cover(PopCount(writes.map(_.write.valid)) > 1.U, "writers wait for each other")
}
