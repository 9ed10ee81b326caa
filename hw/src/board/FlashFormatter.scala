// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Finds out after a reset whether DRAM has a flash of this layout, and otherwise makes an empty one. Nobody else uses
  * DRAM before `ready`.
  *
  * The header is erased before the records are written, and written when DRAM has answered all of them. So a reset in
  * between begins again. An error begins again, too: a flash with wrong records is never used.
  */
class FlashFormatter(l: FlashLayout) extends Module {
  import FlashFormatter._
  private val p = l.p
  private val a = AxiParams(p.dramAddrBits)
  val io        = IO(new Bundle {
    val forget = Input(Bool()) // with the reset's end: whatever DRAM holds, it is no flash
    val ready  = Output(Bool())
    val axi    = new Axi4(a)
  })
  private object State extends ChiselEnum {
    val start, ask, answer, wipe, wiped, sweep, swept, sign, signed, ready = Value
  }
  private val state = RegInit(State.start)

  // --- the header
  private val ar    = Wire(Decoupled(new AxiAddr(a)))
  private val r     = RegNext(io.axi.rd.r.bits)
  private val comes = RegNext(io.axi.rd.r.valid, false.B)
  private val fits  = r.data === l.magic.U && r.resp === Axi4.OKAY.U
  ar.valid     := state === State.ask
  ar.bits.addr := l.base.U
  ar.bits.len  := 0.U
  io.axi.rd.ar <> Skid(ar)
  io.axi.rd.r.ready := true.B

  // --- writes: one beat for the header, bursts for the records of blocks, then of pages
  private val bursts   = ((l.spareBase - l.blockBase) / (FlashLayout.burst * p.dataBytes)).toInt
  private val ofBlocks = (l.pageBase - l.blockBase) / p.dataBytes // beats
  private val aw       = Wire(Decoupled(new AxiAddr(a)))
  private val w        = Wire(Decoupled(new AxiWriteData(a)))
  private val beat     = Reg(UInt(log2Ceil(bursts * FlashLayout.burst).W))
  private val within   = beat(log2Ceil(FlashLayout.burst) - 1, 0)
  private val burst    = beat >> log2Ceil(FlashLayout.burst)
  private val blocks   = RegInit(true.B)                          // `beat` is a block's record
  private val under    = RegInit(0.U(log2Ceil(most + 1).W))
  private val room     = RegInit(true.B)                          // under =/= most
  private val broken   = Reg(Bool())
  private val b        = RegNext(io.axi.wr.b.bits)
  private val answered = RegNext(io.axi.wr.b.valid, false.B)
  private val sweeps   = state === State.sweep
  private val header   = state === State.wipe || state === State.sign
  private val opens    = header || sweeps && within === 0.U
  private val goes     = w.fire
  private val record   = Wire(new FlashBlockRecord)
  record.bad        := l.marked.map(m => beat === (m.block * p.g.diesPerChannel + m.die).U).foldLeft(false.B)(_ || _)
  record.half       := false.B
  record.generation := FlashRecord.first.U
  w.valid           := (header || sweeps) && aw.ready && (room || !opens)
  w.bits.data       := Mux(sweeps, Mux(blocks, record.asUInt, 0.U), Mux(state === State.sign, l.magic.U, 0.U))
  w.bits.strb       := Fill(a.strbBits, 1.U)
  w.bits.last       := header || within.andR
  aw.valid          := goes && opens
  aw.bits.addr      := Mux(header, l.base.U, l.blockBase.U + (burst << log2Ceil(FlashLayout.burst * p.dataBytes)))
  aw.bits.len       := Mux(header, 0.U, (FlashLayout.burst - 1).U)
  io.axi.wr.aw <> Skid(aw)
  io.axi.wr.w <> Skid(w)
  io.axi.wr.b.ready := true.B
  when(goes && sweeps) {
    beat := beat + 1.U
    when(beat === (ofBlocks - 1).U)(blocks := false.B)
  }
  under := under + aw.fire - answered
  room  := under + aw.fire - answered =/= most.U
  when(answered && b.resp =/= Axi4.OKAY.U)(broken := true.B)

  // --- steps
  private val done          = under === 0.U && !answered
  private def begin(): Unit = {
    state  := State.wipe
    beat   := 0.U
    blocks := true.B
    broken := false.B
  }
  private def goesOn(next: State.Type): Unit = {
    state := next
    when(broken)(begin())
  }
  switch(state) {
    is(State.start) {
      state := State.ask
      when(io.forget)(begin())
    }
    is(State.ask)(when(ar.ready)(state := State.answer))
    is(State.answer) {
      when(comes) {
        begin()
        when(fits)(state := State.ready)
      }
    }
    is(State.wipe)(when(goes)(state := State.wiped))
    is(State.wiped)(when(done)(goesOn(State.sweep)))
    is(State.sweep)(when(goes && within.andR && burst === (bursts - 1).U)(state := State.swept))
    is(State.swept)(when(done)(goesOn(State.sign)))
    is(State.sign)(when(goes)(state := State.signed))
    is(State.signed)(when(done)(goesOn(State.ready)))
  }
  io.ready := state === State.ready

  cover(state === State.answer && comes && !fits, "FlashFormatter: DRAM holds no flash")
  cover(state === State.answer && comes && fits, "FlashFormatter: DRAM has held a flash over a reset")
  cover(sweeps && opens && !room, "FlashFormatter: DRAM is slow to answer")
  cover(broken && done, "FlashFormatter: an error begins again")
}

object FlashFormatter {
  private val most = 8 // bursts under way
}
