// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Fills GcLookup with the live entries of the victim's chain, from slot offset `from` on. It leaves out entries whose
  * LPN names another slot by now, which keeps the lists short. Entries that become stale later are found when GcMover
  * handles their slot.
  */
class GcLoader(p: Params) extends Module {
  val io = IO(new Bundle {
    val start = Flipped(Decoupled(new Bundle {
      val sb   = UInt(p.sbBits.W)
      val from = UInt(p.offsetBits.W)
    }))
    val done   = Output(Bool())
    val found  = Output(UInt(p.chainEntryBits.W)) // entries of the chain so far
    val walk   = new RemapWalkPort(p)
    val map    = new MapPort(p)
    val clear  = Decoupled()
    val insert = Decoupled(new GcCandidate(p))
  })
  private object State extends ChiselEnum { val idle, clear, walk, entry, ask, answer, judge, insert, end = Value }
  private val state = RegInit(State.idle)
  private val step  = WireDefault(state) // the next one
  state := step

  /** It is in one of these steps, as a register. */
  private def now(which: State.Type*): Bool = {
    val inStep = RegNext(which.map(step === _).reduce(_ || _), which.contains(State.idle).B)
    assert(inStep === which.map(state === _).reduce(_ || _), "GcLoader: which step it is in")
    inStep
  }
  private val sb   = Reg(UInt(p.sbBits.W))
  private val from = Reg(UInt(p.offsetBits.W))
  private val e    = Reg(new ChainEntry(p))
  private val live = Reg(Bool()) // its LPN still names the slot

  io.start.ready           := now(State.idle)
  io.clear.valid           := now(State.clear)
  io.walk.start.valid      := now(State.walk)
  io.walk.start.bits       := sb
  io.walk.entry.ready      := now(State.entry)
  io.map.req.valid         := now(State.ask)
  io.map.req.bits.op       := MapOp.lookup
  io.map.req.bits.lpn      := e.lpn
  io.map.req.bits.slot     := DontCare
  io.map.req.bits.expect   := DontCare
  io.map.resp.ready        := now(State.answer)
  io.insert.valid          := now(State.insert)
  io.insert.bits.offset    := e.offset
  io.insert.bits.lpn       := e.lpn
  io.insert.bits.seq       := e.seq
  io.insert.bits.oob.valid := false.B
  io.insert.bits.oob.bits  := DontCare

  private val got   = io.walk.entry.bits
  private val found = Reg(UInt(p.chainEntryBits.W))
  io.found := found
  when(io.start.fire)(found := 0.U).elsewhen(io.walk.entry.fire && got.valid_)(found := found + 1.U)
  io.done  := now(State.end)
  switch(state) {
    is(State.idle) {
      when(io.start.fire) {
        sb   := io.start.bits.sb
        from := io.start.bits.from
        step := State.clear
      }
    }
    is(State.clear)(when(io.clear.ready)(step := State.walk))
    is(State.walk)(when(io.walk.start.ready)(step := State.entry))
    is(State.entry) {
      when(io.walk.entry.valid) {
        e := got.e
        when(got.last)(step := State.end)
          .elsewhen(got.valid_ && got.e.offset >= from && got.e.lpn < p.lpns.U)(step := State.ask)
      }
    }
    is(State.ask)(when(io.map.req.ready)(step := State.answer))
    is(State.answer) {
      when(io.map.resp.valid) {
        live := io.map.resp.bits.mapped && io.map.resp.bits.slot === SlotAddress(p, sb, e.offset)
        step := State.judge
      }
    }
    is(State.judge)(step := Mux(live, State.insert, State.entry))
    is(State.insert)(when(io.insert.ready)(step := State.entry))
    is(State.end)(step := State.idle)
  }

  assert(!io.walk.entry.fire || got.last || got.e.sb === sb, "GcLoader: an entry of another superblock")
  assert(!io.walk.entry.fire || got.last ^ got.valid_, "GcLoader: the last beat carries no entry")
  cover(io.walk.entry.fire && !got.last && got.e.offset < from, "GcLoader: an entry of a slot that has been moved")
  cover(
    state === State.answer && io.map.resp.valid && !io.map.resp.bits.mapped,
    "GcLoader: an entry of an LPN that is unmapped"
  )
}
