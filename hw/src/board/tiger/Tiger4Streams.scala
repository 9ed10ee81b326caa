// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** What the NAND port shall get of a way's slot. */
class Tiger4Transfer extends Bundle {
  val way   = UInt(Tiger4Layout.wayBits.W)
  val short = Bool() // the spare words only
  val blank = Bool() // zeroes, because nobody has ever written it
}

/** A word that the NAND port has sent, for a program buffer. */
class Tiger4Store(p: Params) extends Bundle {
  val buf   = UInt(Tiger4Streams.bufBits.W)
  val sub   = UInt(p.subBits.W)
  val spare = Bool()
  val word  = UInt(p.wordBits.W)
  val data  = UInt(p.dataBits.W)
}

/** A word of a way's slot. */
class Tiger4Load(p: Params) extends Bundle {
  val way   = UInt(Tiger4Layout.wayBits.W)
  val spare = Bool()
  val word  = UInt(p.wordBits.W)
}

/** The data phases of the NAND port: words of a way's slot go out, words of a page come into a program buffer. Both are
  * in Tiger4Memory. There are two program buffers, so that a page can come while another one goes to the NAND.
  *
  * Timing: registers on all sides. A word is there three cycles after it was asked for (`load`).
  */
class Tiger4Streams(p: Params) extends Module {
  import Tiger4Streams._
  val io = IO(new Bundle {
    val transfer = Flipped(Decoupled(new Tiger4Transfer))
    val program  = Flipped(Decoupled(UInt(Tiger4Layout.wayBits.W)))
    val wdata    = Flipped(Decoupled(new NandWord(p)))
    val rdata    = Decoupled(new NandWord(p))
    val store    = Valid(new Tiger4Store(p))
    val load     = Valid(new Tiger4Load(p))
    val loaded   = Input(UInt(p.dataBits.W))
    val filled   = Valid(new Bundle { val way = UInt(Tiger4Layout.wayBits.W); val buf = UInt(bufBits.W) })
    val freed    = Flipped(Valid(UInt(bufBits.W)))
  })
  private val last = p.wordsPerSlot + p.oobWords - 1 // number of a slot's last word

  // --- out
  private val moving = RegInit(false.B)
  private val what   = Reg(new Tiger4Transfer)
  private val asks   = Reg(UInt((p.wordBits + 1).W))
  private val room   = RegInit(outPlaces.U(log2Ceil(outPlaces + 1).W)) // places for words that are not asked for
  private val out    = Module(new Queue(new NandWord(p), outPlaces))
  private val border = Module(new Skid(new NandWord(p)))
  private val issues = moving && room =/= 0.U
  private val isLast = asks === last.U
  private val coming = ShiftRegister(issues, loadCycles, false.B, true.B)
  private val comes  = ShiftRegister(isLast, loadCycles)
  private val blanks = ShiftRegister(what.blank, loadCycles)

  io.transfer.ready := !moving
  when(io.transfer.fire) {
    moving := true.B
    what   := io.transfer.bits
    asks   := Mux(io.transfer.bits.short, p.wordsPerSlot.U, 0.U)
  }
  when(issues) {
    asks := asks + 1.U
    when(isLast)(moving := false.B)
  }
  io.load.valid        := issues
  io.load.bits.way     := what.way
  io.load.bits.spare   := asks.head(1)
  io.load.bits.word    := asks(p.wordBits - 1, 0)
  out.io.enq.valid     := coming
  out.io.enq.bits.data := Mux(blanks, 0.U, io.loaded)
  out.io.enq.bits.last := comes
  room                 := room - issues + out.io.deq.fire
  border.io.in <> out.io.deq
  io.rdata <> border.io.out

  // --- in
  private object Phase extends ChiselEnum { val idle, buffer, words = Value }
  private val phase = RegInit(Phase.idle)
  private val taken = RegInit(0.U(buffers.W)) // program buffers that hold a page, or get one
  private val way   = Reg(UInt(Tiger4Layout.wayBits.W))
  private val buf   = Reg(UInt(bufBits.W))
  private val sub   = Reg(UInt(p.subBits.W))
  private val word  = Reg(UInt((p.wordBits + 1).W))
  private val in    = Module(new Skid(new NandWord(p)))
  private val gets  = in.io.out.fire
  private val ends  = gets && word === last.U
  private val done  = ends && sub === (p.g.slotsPerPage - 1).U
  in.io.in <> io.wdata
  in.io.out.ready  := phase === Phase.words
  io.program.ready := phase === Phase.idle
  private val takes = phase === Phase.buffer && !taken.andR
  switch(phase) {
    is(Phase.idle) {
      way := io.program.bits
      when(io.program.valid)(phase := Phase.buffer)
    }
    is(Phase.buffer) {
      buf  := PriorityEncoder(~taken)
      sub  := 0.U
      word := 0.U
      when(takes)(phase := Phase.words)
    }
    is(Phase.words) {
      when(gets)(word  := Mux(ends, 0.U, word + 1.U))
      when(ends)(sub   := sub + 1.U)
      when(done)(phase := Phase.idle)
    }
  }
  private val takesOne = Mux(takes, PriorityEncoderOH(~taken), 0.U(buffers.W))
  private val freesOne = Mux(io.freed.valid, UIntToOH(io.freed.bits, buffers), 0.U(buffers.W))
  taken := (taken | takesOne) & ~freesOne
  private val stored = Wire(new Tiger4Store(p))
  stored.buf         := buf
  stored.sub         := sub
  stored.spare       := word.head(1)
  stored.word        := word(p.wordBits - 1, 0)
  stored.data        := in.io.out.bits.data
  io.store.valid     := RegNext(gets, false.B)
  io.store.bits      := RegNext(stored)
  io.filled.valid    := RegNext(done, false.B)
  io.filled.bits.way := RegNext(way)
  io.filled.bits.buf := RegNext(buf)

  assert(!coming || out.io.enq.ready, "a word that has no place")
  assert(
    !gets || in.io.out.bits.last === (word === last.U && sub === (p.g.slotsPerPage - 1).U),
    "last at the wrong word"
  )
  assert(!io.freed.valid || (taken >> io.freed.bits)(0), "a buffer is freed that holds nothing")
  assert(!moving || phase =/= Phase.words, "two data phases at a time")
  cover(phase === Phase.buffer && taken.andR, "Tiger4Streams: a program waits for a buffer")
  cover(moving && room === 0.U, "Tiger4Streams: read data waits")
  cover(phase =/= Phase.words && in.io.out.valid, "Tiger4Streams: words wait for their command or a buffer")
  cover(phase === Phase.words && !in.io.out.valid, "Tiger4Streams: a buffer waits for words")
}

object Tiger4Streams {

  /** Program buffers. */
  val buffers = 2
  val bufBits = log2Ceil(buffers)

  /** Cycles from a word's address to the word. */
  val loadCycles = 3

  private val outPlaces = loadCycles + 2 // so that a word a cycle goes out
}
