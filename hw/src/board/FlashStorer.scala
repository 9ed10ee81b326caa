// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Writes the words of a program to where its page has its place in DRAM, slot by slot: data, then spare words. They go
  * in bursts, whose address is given when all words are there. `stored` comes when DRAM has answered all of them, with
  * whether one has failed.
  *
  * The bus takes a word, and then nothing for `word` cycles. Words that are to be dropped move as all others.
  */
class FlashStorer(l: FlashLayout) extends Module {
  private val p = l.p
  private val a = AxiParams(p.dramAddrBits)
  val io        = IO(new Bundle {
    val stream = Flipped(Decoupled(new FlashStream(l)))
    val words  = Flipped(Decoupled(new NandWord(p)))
    val word   = Input(UInt(FlashTimes.wordBits.W)) // FlashTimes
    val stored = Valid(Bool())
    val wr     = new AxiWrite(a)
  })
  import FlashStorer._
  private class Beat extends Bundle {
    val data = UInt(p.dataBits.W)
    val last = Bool() // of a burst
  }
  private object State extends ChiselEnum { val idle, words, answers = Value }
  private val state  = RegInit(State.idle)
  private val stream = Reg(new FlashStream(l))

  // --- words
  private val sub    = Reg(UInt(p.subBits.max(1).W))
  private val at     = Reg(new FlashPlace(p))
  private val beats  = Module(new HeadQueue(new Beat, room, late = p.k.lateQueues))
  private val aw     = Wire(Decoupled(new AxiAddr(a)))
  private val pause  = RegInit(0.U(FlashTimes.wordBits.W))
  private val paced  = RegInit(true.B)  // pause === 0
  private val takes  = RegInit(false.B) // words are taken
  private val fire   = io.words.fire
  private val slot   = l.slotIndex(stream.page, sub)
  private val inSlot = at.word(p.wordBits - 1, log2Ceil(FlashLayout.burst))
  private val ends   = Mux(             // a burst
    at.spare,
    at.word === (p.oobWords - 1).U,
    at.word(log2Ceil(FlashLayout.burst) - 1, 0).andR
  )
  private val endsSlot = at.spare && ends
  private val last     = endsSlot && sub === (p.g.slotsPerPage - 1).U

  io.words.ready        := takes && beats.io.in.ready && aw.ready && paced
  beats.io.in.valid     := fire && !stream.dropped
  beats.io.in.bits.data := io.words.bits.data
  beats.io.in.bits.last := ends
  aw.valid              := fire && !stream.dropped && ends
  aw.bits.addr          := Mux(at.spare, l.spareAddress(slot), l.dataAddress(slot, inSlot))
  aw.bits.len           := Mux(at.spare, (p.oobWords - 1).U, (FlashLayout.burst - 1).U)
  io.wr.aw <> Skid(aw)
  io.wr.w.valid      := beats.io.out.valid
  beats.io.out.ready := io.wr.w.ready
  io.wr.w.bits.data  := beats.io.out.bits.data
  io.wr.w.bits.last  := beats.io.out.bits.last
  io.wr.w.bits.strb  := Fill(a.strbBits, 1.U)
  when(fire) {
    at.word := Mux(at.spare && ends, 0.U, at.word + 1.U)
    when(at.word === (p.wordsPerSlot - 1).U)(at.spare := true.B)
    when(endsSlot) {
      at.spare := false.B
      sub      := sub + 1.U
    }
  }
  when(fire)(pause := io.word).elsewhen(!paced)(pause := pause - 1.U)
  paced := Mux(fire, io.word === 0.U, paced || pause === 1.U)

  // --- answers
  private val under    = RegInit(0.U(log2Ceil(mostBursts(p) + 1).W)) // bursts that are not answered
  private val broken   = Reg(Bool())
  private val b        = RegNext(io.wr.b.bits)
  private val answered = RegNext(io.wr.b.valid, false.B)
  io.wr.b.ready := true.B
  under         := under + aw.fire - answered
  when(answered && b.resp =/= Axi4.OKAY.U)(broken := true.B)

  io.stream.ready := state === State.idle
  io.stored.valid := RegNext(state === State.answers && under === 0.U, false.B)
  io.stored.bits  := broken
  switch(state) {
    is(State.idle) {
      when(io.stream.fire) {
        state    := State.words
        takes    := true.B
        stream   := io.stream.bits
        sub      := 0.U
        at.spare := false.B
        at.word  := 0.U
        broken   := false.B
      }
    }
    is(State.words) {
      when(fire && last) {
        state := State.answers
        takes := false.B
      }
    }
    is(State.answers)(when(under === 0.U)(state := State.idle))
  }
  assert(takes === (state === State.words), "as the state says")
  assert(paced === (pause === 0.U), "known a cycle ahead")
  assert(!fire || io.words.bits.last === last, "program data: last is at the wrong word")
  assert(!answered || under =/= 0.U, "a write response that nobody waits for")
  cover(takes && io.words.valid && !beats.io.in.ready, "FlashStorer: DRAM does not take the words")
  cover(takes && io.words.valid && !aw.ready, "FlashStorer: DRAM takes no address")
  cover(takes && io.words.valid && !paced, "FlashStorer: a word has its time on the bus")
  cover(state === State.answers && under =/= 0.U, "FlashStorer: all words are on their way")
}

object FlashStorer {
  private val room = 2 * FlashLayout.burst // words on their way to DRAM

  private def mostBursts(p: Params): Int = p.g.slotsPerPage * (p.wordsPerSlot / FlashLayout.burst + 1)
}
