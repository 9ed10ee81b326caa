// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Brings an xSPI MRAM from its power-on state to 8D-8D-8D, after each reset of this unit.
  *
  * Nothing is known of the part before, so it gets a pulse of RESET#. Then it listens on one data line (1S-1S-1S):
  * write enable, its latency, and at last its mode. In the new mode it gets a write enable once more, because no later
  * write may go nowhere, and its status is read. What the status says is the only proof that there is a part, that it
  * is in the mode, and that it takes writes: without it `failed` is set until the next reset.
  *
  * `pins` counts until `serial` falls; from then on those of XspiSequencer do.
  */
class XspiStart(t: XspiCycles) extends Module {
  val io = IO(new Bundle {
    val link   = new XspiLink(t.part)
    val pins   = new XspiPins
    val serial = Output(Bool())
    val ready  = Output(Bool()) // `link` is no longer used
    val failed = Output(Bool())
  })
  import XspiPart._

  /** Power, reset pulse, recovery; a command on one line, and the pause behind it; then those in the new mode. */
  private object State extends ChiselEnum {
    val power, pulse, recovery, low, high, tail, pause, order, ordered, ask, answer, ready, failed = Value
  }
  private val state  = RegInit(State.power)
  private val counts = Seq(t.powerUp, t.resetPulse, t.resetRecovery, t.serialHalf, t.rest)
  private val left   = RegInit(t.powerUp.U(log2Ceil(counts.max + 1).W))
  private val over   = RegInit(false.B) // of `left`
  require(t.powerUp > 1)
  left := left - 1.U
  over := left === 2.U

  private def wait(next: State.Type, cycles: Int): Unit = {
    state := next
    left  := cycles.U
    over  := (cycles == 1).B
  }

  // Commands on one line, first bit highest: opcode, three bytes of address (section 5.6: as after a reset), data.
  private val bits                                            = 40
  private def write(register: Int, value: Int): (BigInt, Int) =
    (BigInt(writeConfigReg) << 32 | BigInt(register) << 8 | value, bits)
  private val commands = Seq(
    (BigInt(writeEnable) << 32, 8),
    write(latencyReg, t.latency),
    write(modeReg, octalDtr)
  )
  private val next          = RegInit(0.U(log2Ceil(commands.size + 1).W))
  private val shift         = Reg(UInt(bits.W))
  private val more          = Reg(UInt(log2Ceil(bits).W)) // bits behind the one that is there
  private val last          = Reg(Bool())                 // there are none
  private def begin(): Unit = {
    wait(State.low, t.serialHalf)
    next := next + 1.U
    last := false.B
    for (((word, count), i) <- commands.zipWithIndex) when(next === i.U) {
      shift := word.U
      more  := (count - 1).U
    }
  }

  private val asks = state === State.order || state === State.ask
  private val good = Reg(Bool())
  io.link.cmd.valid     := asks
  io.link.cmd.bits.kind := Mux(state === State.order, XspiKind.order, XspiKind.status)
  io.link.cmd.bits.addr := DontCare
  private val stepped = Reg(Bool())
  private val steps   = state === State.answer && !stepped
  io.link.step.valid := steps
  io.link.step.bits  := DontCare
  io.link.finish     := state === State.answer && stepped
  io.ready           := RegNext(state === State.ready || state === State.failed, false.B)
  io.failed          := RegNext(state === State.failed, false.B)

  switch(state) {
    is(State.power)(when(over)(wait(State.pulse, t.resetPulse)))
    is(State.pulse)(when(over)(wait(State.recovery, t.resetRecovery)))
    is(State.recovery)(when(over)(begin()))
    is(State.low)(when(over)(wait(State.high, t.serialHalf)))
    is(State.high) {
      when(over) {
        wait(State.low, t.serialHalf)
        shift := shift(bits - 2, 0) ## 0.U(1.W)
        more  := more - 1.U
        last  := more === 1.U
        when(last)(wait(State.tail, t.serialHalf))
      }
    }
    is(State.tail)(when(over)(wait(State.pause, t.rest)))
    is(State.pause)(when(over) {
      begin()
      when(next === commands.size.U)(state := State.order)
    })
    is(State.order)(when(io.link.cmd.ready)(state := State.ordered))
    is(State.ordered)(when(io.link.done.valid)(state := State.ask))
    is(State.ask) {
      stepped := false.B
      good    := false.B
      when(io.link.cmd.ready)(state := State.answer)
    }
    is(State.answer) {
      when(io.link.step.ready)(stepped := true.B)
      when(io.link.pair.valid) {
        good := (io.link.pair.bits & (statusBusy | statusWriteEnable | statusProtected).U) === statusWriteEnable.U
      }
      when(io.link.done.valid)(state := Mux(good && !io.link.done.bits, State.ready, State.failed))
    }
  }

  private def isOneOf(states: State.Type*): Bool = states.map(state === _).reduce(_ || _)
  io.serial      := !isOneOf(State.order, State.ordered, State.ask, State.answer, State.ready, State.failed)
  io.pins.resetN := state =/= State.pulse
  io.pins.csN    := !isOneOf(State.low, State.high, State.tail)
  io.pins.ck     := Fill(2, state === State.high)
  // IO0 is the part's input, IO1 its output; the others rest at 1, IO2 because it is WP# in this mode (section 3).
  io.pins.dqOut := Fill(2, "b111111".U(6.W) ## 0.U(1.W) ## shift(bits - 1))
  io.pins.dqOe  := "b11111101".U

  cover(
    state === State.answer && io.link.done.valid && !good && !io.link.done.bits,
    "XspiStart: a status that is wrong"
  )
  cover(state === State.answer && io.link.done.valid && io.link.done.bits, "XspiStart: no status")
}
