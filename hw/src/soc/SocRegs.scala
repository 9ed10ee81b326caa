// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** What the firmware shall do wrong: SocTrialValue. */
class SocTrial extends Bundle {
  val log  = UInt(SocRegMap.Trial.log.width.W)
  val poll = UInt(SocRegMap.Trial.poll.width.W)
}

/** How the CPU waits in WAIT. */
class CpuWaits extends Bundle {
  val waiting = Bool()
  val idle    = Bool()     // and the firmware waits for nothing but the interrupt
  val left    = UInt(31.W) // cycles until `waiting` falls by itself
}

/** Registers of the SoC beside LiteX's (SocRegMap from TIME_LO on): time, the firmware's state, temperature, what
  * BusFaults has found, and WAIT, a register whose read is answered late. It replaces the CPU's wait-for-interrupt
  * instruction: while `sim.waiting` is high the CPU does nothing but hold its read, so that a simulation may jump to
  * the next event. `skipped` is how many cycles it jumped over, as OpenRemapTop has it; hardware ties it to 0, and
  * `trial` too.
  *
  * An access is answered one cycle after it is offered, a read of WAIT when its time has come.
  */
class SocRegs extends Module {
  val io = IO(new Bundle {
    val bus         = Flipped(new Wishbone)
    val irq         = Input(Bool())
    val skipped     = Input(UInt(32.W))
    val temperature = Input(UInt(SocRegMap.Temperature.kelvin.width.W))
    val trial       = Input(new SocTrial)
    val fault       = Input(new BusFault)
    val faultClear  = Output(Bool())
    val state       = Output(UInt(SocRegMap.State.state.width.W))
    val sim         = Output(new CpuWaits) // for simulations only
  })
  import SocRegMap._

  private val time  = RegInit(0.U(64.W))
  private val high  = Reg(UInt(32.W)) // of the time that was read last
  private val state = RegInit(0.U(State.state.width.W))
  private val idle  = RegInit(false.B)
  private val left  = RegInit(0.U(31.W))
  private val clear = RegInit(false.B)
  // Temperature and trial at the last answer of WAIT.
  private val felt = RegInit(0.U((io.temperature.getWidth + io.trial.getWidth).W))
  private val done = RegInit(false.B) // the access is answered in this cycle
  private val data = Reg(UInt(32.W))

  time := time + 1.U + io.skipped
  left := Mux(left > io.skipped, left - 1.U - io.skipped, 0.U)

  // Bits 11:2: the registers lie within 4 KiB.
  private def at(reg: RegInfo): Bool = io.bus.adr(9, 0) === ((reg.addr >> 2) & 0x3ff).U
  private val offered                = io.bus.asks && !done
  private val ended                  = left === 0.U
  private val feels                  = Cat(io.temperature, io.trial.asUInt)
  private val changed                = RegNext(felt =/= feels, false.B)
  private val waits                  = offered && !io.bus.we && at(Wait.reg) && !io.irq && !ended && !changed
  private val known                  = VecInit(own.map(at)).asUInt.orR
  private val failed                 = RegNext(!known)
  done := offered && !waits

  // A write takes effect when it is answered.
  private val writes = RegNext(offered && io.bus.we && io.bus.sel.andR, false.B)
  private val word   = RegNext(io.bus.datW)
  when(writes && RegNext(at(State.reg)))(state := State.state.of(word))
  when(writes && RegNext(at(WaitCycles.reg))) {
    left := WaitCycles.cycles.of(word)
    idle := WaitCycles.idle.of(word)
  }
  clear         := offered && io.bus.we && at(Fault.reg)
  when(offered && !io.bus.we && at(TimeLo.reg))(high         := time(63, 32))
  when(offered && !io.bus.we && at(Wait.reg) && !waits)(felt := feels)

  // Data of what does not exist do not matter.
  require(own.map(_.addr >> 2 & 0xf).distinct.size == own.size, "four bits tell the registers apart")
  private def near(reg: RegInfo): Bool = io.bus.adr(3, 0) === ((reg.addr >> 2) & 0xf).U
  data := Mux1H(
    Seq(
      near(TimeLo.reg)     -> time(31, 0),
      near(TimeHi.reg)     -> high,
      near(State.reg)      -> State.state.word(state),
      near(WaitCycles.reg) -> (WaitCycles.cycles.word(left) | WaitCycles.idle.word(idle)),
      near(Wait.reg) -> (Wait.irq.word(io.irq) | Wait.deadline.word(ended) | Wait.trial.word(io.trial.asUInt.orR)),
      near(Temperature.reg) -> Temperature.kelvin.word(io.temperature),
      near(Fault.reg)       -> (Fault.cause.word(io.fault.cause) | Fault.store.word(io.fault.store) |
        Fault.fetch.word(io.fault.fetch)),
      near(FaultAddr.reg) -> io.fault.address,
      near(Trial.reg)     -> (Trial.poll.word(io.trial.poll) | Trial.log.word(io.trial.log))
    )
  )
  io.bus.datR := data
  io.bus.answer(done, failed)

  io.state      := state
  io.faultClear := clear
  // A simulation must not jump in the cycle before `changed` is known.
  private val rests = waits && felt === feels
  io.sim.waiting := rests
  io.sim.idle    := rests && idle
  io.sim.left    := left
  cover(waits, "SocRegs: the CPU waits")
  cover(offered && at(Wait.reg) && changed, "SocRegs: another temperature ends a wait")

  /** The registers of the map that are here; the others are LiteX's. */
  private def own = SocRegMap.all.filter(_.addr >= TimeLo.reg.addr)
}
