// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Pairs of bytes that an xSPI memory sends. DS is high with the first byte of a pair and low with the second one, so a
  * pair is there whenever DS falls. It does not matter in which half of a cycle that is, nor how long CK rests before.
  */
class XspiReceiver extends Module {
  val io = IO(new Bundle {
    val dq   = Input(UInt(16.W))
    val ds   = Input(UInt(2.W))
    val pair = Valid(UInt(16.W))
  })
  private val dq       = RegNext(io.dq)
  private val ds       = RegNext(io.ds, 0.U)
  private val dqBefore = RegNext(dq(15, 8))
  private val dsBefore = RegNext(ds(1), false.B)
  private val straddle = dsBefore && !ds(0) // the first byte came in the cycle before
  private val whole    = ds(0) && !ds(1)
  io.pair.valid := RegNext(straddle || whole, false.B)
  io.pair.bits  := RegNext(Mux(straddle, dq(7, 0) ## dqBefore, dq))
  cover(straddle, "XspiReceiver: a pair in two cycles")
  cover(whole, "XspiReceiver: a pair in a cycle")
}

/** Makes the transactions of an xSPI MRAM whose mode is 8D-8D-8D: opcode twice, four bytes of address, latency, data.
  * Both edges of CK carry a byte. XspiMram has the registers of the pins.
  */
class XspiSequencer(t: XspiCycles) extends Module {
  val io = IO(new Bundle {
    val link = Flipped(new XspiLink(t.part))
    val pins = new XspiPins
  })
  private object State extends ChiselEnum {
    val idle, select, command, high, low, latency, data, drain, hold, rest = Value
  }
  private val state  = RegInit(State.idle)
  private val free   = RegInit(true.B) // state === State.idle
  private val kind   = Reg(XspiKind())
  private val addr   = Reg(UInt(32.W))
  private val counts = Seq(t.setup, t.latency, XspiPart.statusLatency, t.hold, t.rest)
  private val left   = Reg(UInt(log2Ceil(counts.max + 1).W))
  private val over   = left === 1.U
  left := left - 1.U

  private val reads  = kind === XspiKind.read || kind === XspiKind.status
  private val opcode = MuxLookup(kind, XspiPart.writeEnable.U(8.W))(
    Seq(
      XspiKind.status -> XspiPart.readStatus.U,
      XspiKind.read   -> XspiPart.read.U,
      XspiKind.write  -> XspiPart.write.U
    )
  )

  // --- pairs of a read
  private val receiver = Module(new XspiReceiver)
  receiver.io.dq := io.pins.dqIn
  receiver.io.ds := io.pins.ds
  private val most    = 127
  private val asked   = io.link.step.fire && reads
  private val missing = RegInit(0.U(log2Ceil(most + 1).W)) // pairs that have been asked for and are not here
  private val awaits  = RegInit(false.B)                   // there are some
  private val arrives = receiver.io.pair.valid && awaits
  when(asked =/= arrives) {
    missing := Mux(asked, missing + 1.U, missing - 1.U)
    awaits  := asked || missing =/= 1.U
  }
  private val patience = Reg(UInt(log2Ceil(t.strobe + 1).W))
  private val gone     = RegInit(false.B) // they have not come for too long
  patience := Mux(!awaits || arrives, t.strobe.U, patience - 1.U)
  gone     := awaits && !arrives && patience === 1.U
  private val lost = Reg(Bool())
  io.link.pair.valid := arrives
  io.link.pair.bits  := receiver.io.pair.bits

  // --- transaction
  io.link.cmd.ready  := free
  io.link.step.ready := state === State.data
  io.link.done.valid := state === State.rest && over
  io.link.done.bits  := lost

  private def wait(next: State.Type, cycles: Int): Unit = {
    state := next
    left  := cycles.U
  }
  switch(state) {
    is(State.idle) {
      kind := io.link.cmd.bits.kind
      addr := io.link.cmd.bits.addr
      lost := false.B
      when(io.link.cmd.valid) {
        free := false.B
        wait(State.select, t.setup)
      }
    }
    is(State.select)(when(over)(state := State.command))
    is(State.command) {
      state := State.high
      when(kind === XspiKind.status)(wait(State.latency, XspiPart.statusLatency))
      when(kind === XspiKind.order)(wait(State.hold, t.hold))
    }
    is(State.high)(state := State.low)
    is(State.low)(when(reads)(wait(State.latency, t.latency)).otherwise(state := State.data))
    is(State.latency)(when(over)(state := State.data))
    is(State.data) {
      when(io.link.finish)(when(reads)(state := State.drain).otherwise(wait(State.hold, t.hold)))
    }
    is(State.drain)(when(!awaits)(wait(State.hold, t.hold)))
    is(State.hold)(when(over)(wait(State.rest, t.rest)))
    is(State.rest) {
      when(over) {
        state := State.idle
        free  := true.B
      }
    }
  }
  when(gone) { // of data or drain
    lost    := true.B
    missing := 0.U
    awaits  := false.B
    wait(State.hold, t.hold)
  }

  // --- pins
  private val opens = state === State.select || state === State.command
  private val heads = state === State.command || state === State.high || state === State.low
  private val gives = !reads && (state === State.data || state === State.hold)
  io.pins.resetN := true.B
  io.pins.csN    := free || state === State.rest
  io.pins.ck     := heads || state === State.latency || io.link.step.fire // its first half
  io.pins.dqOut  := Mux1H(
    Seq(
      opens                                          -> Fill(2, opcode),
      (state === State.high)                         -> addr(23, 16) ## addr(31, 24),
      (state === State.low)                          -> addr(7, 0) ## addr(15, 8),
      (state === State.data || state === State.hold) -> io.link.step.bits
    )
  )
  io.pins.dqOe := Fill(8, opens || heads || gives)

  Transitions("XspiSequencer", state, State, State.idle)(
    State.idle    -> Seq(State.select),
    State.select  -> Seq(State.command),
    State.command -> Seq(State.high, State.latency, State.hold),
    State.high    -> Seq(State.low),
    State.low     -> Seq(State.latency, State.data),
    State.latency -> Seq(State.data),
    State.data    -> Seq(State.drain, State.hold),
    State.drain   -> Seq(State.hold),
    State.hold    -> Seq(State.rest),
    State.rest    -> Seq(State.idle)
  )
  assert(free === (state === State.idle))
  assert(awaits === (missing =/= 0.U) && missing =/= most.U, "XspiSequencer: pairs that are missing")
  assert(!gone || state === State.data || state === State.drain, "XspiSequencer: pairs are missing in a data phase")
  assert(!(io.link.step.valid && io.link.finish), "XspiSequencer: a step behind the last one")
  cover(state === State.data && !io.link.step.valid && !io.link.finish && reads, "XspiSequencer: CK rests in a read")
  cover(state === State.data && !io.link.step.valid && !io.link.finish && !reads, "XspiSequencer: CK rests in a write")
  cover(receiver.io.pair.valid && !awaits, "XspiSequencer: more pairs than were asked for")
  cover(gone && state === State.data, "XspiSequencer: DS stays away while there are steps")
}
