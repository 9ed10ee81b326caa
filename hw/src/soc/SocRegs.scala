// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Registers of the SoC beside LiteX's (SocRegMap from TIME_LO on): time, the firmware's state, temperature, and WAIT,
  * a register whose read is answered late. It replaces the CPU's wait-for-interrupt instruction: while `waiting` is
  * high the CPU does nothing but hold its read, so that a simulation may jump to the next event. `skipped` is how many
  * cycles it jumped over, as OpenRemapTop has it; hardware ties it to 0.
  *
  * An access is answered one cycle after it is offered, a read of WAIT when its time has come.
  */
class SocRegs extends Module {
  val io = IO(new Bundle {
    val bus         = Flipped(new Wishbone)
    val irq         = Input(Bool())
    val skipped     = Input(UInt(32.W))
    val temperature = Input(UInt(SocRegMap.Temperature.kelvin.width.W))
    val state       = Output(UInt(SocRegMap.State.state.width.W))
    val waiting     = Output(Bool())
    val idle        = Output(Bool())     // and the firmware waits for nothing but the interrupt
    val left        = Output(UInt(31.W)) // cycles until `waiting` falls by itself
  })
  import SocRegMap._

  private val time  = RegInit(0.U(64.W))
  private val high  = Reg(UInt(32.W))                          // of the time that was read last
  private val state = RegInit(0.U(State.state.width.W))
  private val idle  = RegInit(false.B)
  private val left  = RegInit(0.U(31.W))
  private val felt  = RegInit(0.U(Temperature.kelvin.width.W)) // the temperature at the last answer of WAIT
  private val done  = RegInit(false.B)                         // the access is answered in this cycle
  private val data  = Reg(UInt(32.W))

  time := time + 1.U + io.skipped
  left := Mux(left > io.skipped, left - 1.U - io.skipped, 0.U)

  // Bits 11:2: the registers lie within 4 KiB.
  private def at(reg: RegInfo): Bool = io.bus.adr(9, 0) === ((reg.addr >> 2) & 0x3ff).U
  private val offered                = io.bus.asks && !done
  private val ended                  = left === 0.U
  private val changed                = felt =/= io.temperature
  private val waits                  = offered && !io.bus.we && at(Wait.reg) && !io.irq && !ended && !changed
  private val known                  = VecInit(own.map(at)).asUInt.orR
  private val failed                 = RegNext(!known)
  done := offered && !waits

  when(offered && io.bus.we && io.bus.sel.andR) {
    when(at(State.reg))(state := State.state.of(io.bus.datW))
    when(at(WaitCycles.reg)) {
      left := WaitCycles.cycles.of(io.bus.datW)
      idle := WaitCycles.idle.of(io.bus.datW)
    }
  }
  when(offered && !io.bus.we && at(TimeLo.reg))(high         := time(63, 32))
  when(offered && !io.bus.we && at(Wait.reg) && !waits)(felt := io.temperature)
  data := Mux1H(
    Seq(
      at(TimeLo.reg)      -> time(31, 0),
      at(TimeHi.reg)      -> high,
      at(State.reg)       -> State.state.word(state),
      at(WaitCycles.reg)  -> (WaitCycles.cycles.word(left) | WaitCycles.idle.word(idle)),
      at(Wait.reg)        -> (Wait.irq.word(io.irq) | Wait.deadline.word(ended)),
      at(Temperature.reg) -> Temperature.kelvin.word(io.temperature)
    )
  )
  io.bus.datR := data
  io.bus.answer(done && io.bus.asks, failed)

  io.state   := state
  io.waiting := waits
  io.idle    := waits && idle
  io.left    := left
  cover(waits, "SocRegs: the CPU waits")
  cover(offered && at(Wait.reg) && changed, "SocRegs: another temperature ends a wait")

  /** The registers of the map that are here; the others are LiteX's. */
  private def own = SocRegMap.all.filter(_.addr >= TimeLo.reg.addr)
}
