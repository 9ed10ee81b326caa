// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The part of GcMover that requests reads: of one slot with sharers after the other, while the ring has a place for
  * it.
  */
class GcReader(p: Params) extends Module {
  private val n       = p.k.gcMoves
  private val idxBits = log2Ceil(n).max(1)
  val io              = IO(new Bundle {
    val start  = Flipped(Valid(new GcBatch(p)))
    val end    = Input(Bool())                     // of the batch; `ended` before
    val yields = Input(Bool())                     // the batch is over when it has as many slots as the ring has places
    val stop   = Input(Bool())                     // no more of them
    val free   = Input(Bool())                     // the next place is
    val refs   = Decoupled(UInt(p.slotBits.W))     // whose sharers are asked for
    val count  = Flipped(Valid(UInt(p.refBits.W))) // answer, taken at once
    val counts = Output(Bool())                    // waits for it
    val read   = Decoupled(UInt(p.slotBits.W))
    val place  = Output(UInt(idxBits.W))           // next one, to read into
    val next  = Output(UInt((p.offsetBits + 1).W)) // first slot that was not looked at
    val ended = Output(Bool())                     // no more reads
    val idle  = Output(Bool())
    val waits = Output(Bool())                     // for NAND, or a place
  })
  // `look` is a cycle in which what follows becomes known of the next slot.
  private object State extends ChiselEnum { val idle, look, refs, counted, read = Value }
  private val state = RegInit(State.idle)
  private val step  = WireDefault(state) // the next one
  state := step

  /** It is in one of these steps, as a register. */
  private def now(which: State.Type*): Bool = {
    val inStep = RegNext(which.map(step === _).reduce(_ || _), which.contains(State.idle).B)
    assert(inStep === which.map(state === _).reduce(_ || _), "GcReader: which step it is in")
    inStep
  }
  private val sb     = Reg(UInt(p.sbBits.W))
  private val offset = Reg(UInt((p.offsetBits + 1).W)) // next to look at
  private val place  = Reg(UInt(idxBits.W))
  private val taken  = Reg(UInt(log2Ceil(n + 1).W))    // slots since the start, up to as many as there are places
  private val over   = RegNext(offset === p.slotsPerSb.U || io.stop || (io.yields && taken === n.U), false.B)
  private val free = RegNext(io.free, false.B) // of this place since `look`; it stays free until it is read into

  // What has been offered stays, even when it is over meanwhile.
  private val offered = RegInit(false.B)
  offered := io.refs.valid && !io.refs.ready
  private val atRefs = now(State.refs)
  private val reads  = now(State.read)
  io.refs.valid := atRefs && (offered || !over && free)
  io.refs.bits  := SlotAddress(p, sb, offset)
  io.counts     := now(State.counted)
  io.read.valid := reads
  io.read.bits  := SlotAddress(p, sb, offset)
  io.place      := place
  io.next       := offset
  io.ended      := atRefs && over && !offered
  io.idle       := state === State.idle
  io.waits      := (atRefs && !io.refs.valid && (over || !io.free)) || (io.read.valid && !io.read.ready)

  switch(state) {
    is(State.idle) {
      when(io.start.valid) {
        sb     := io.start.bits.sb
        offset := io.start.bits.from
        place  := 0.U
        taken  := 0.U
        step   := State.look
      }
    }
    is(State.look)(step := State.refs)
    is(State.refs) {
      when(io.refs.fire)(step := State.counted)
      when(io.end)(step       := State.idle)
    }
    is(State.counted) {
      when(io.count.valid) {
        step := Mux(io.count.bits === 0.U || over, State.look, State.read)
        when(io.count.bits === 0.U)(offset := offset + 1.U)
      }
    }
    is(State.read) {
      when(io.read.ready) {
        place  := Mux(place === (n - 1).U, 0.U, place + 1.U)
        offset := offset + 1.U
        step   := State.look
        when(taken =/= n.U)(taken := taken + 1.U)
      }
    }
  }

  assert(!io.end || io.ended, "GcReader: a batch ends before its reads")
  assert(!io.count.valid || state === State.counted, "GcReader: an answer that nobody asked for")
  assert(state =/= State.refs || !free || io.free, "GcReader: a place that was free is not")
  cover(state === State.refs && !over && !free, "GcReader: the ring is full")
  cover(io.ended && io.yields && offset =/= p.slotsPerSb.U && !io.stop, "GcReader: gives way to who waits for the lock")
  cover(io.refs.valid && over, "GcReader: an offer stands although it is over")
}
