// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The CPU's way to the controller's firmware window. An access starts when the CPU's earlier stores are in DRAM
  * (`drained`), so that program order is enough for a register write that lets the hardware read what was stored.
  */
class FwBridge(addrBits: Int) extends Module {
  val io = IO(new Bundle {
    val bus     = Flipped(new Wishbone)
    val window  = new AxiLite(addrBits)
    val drained = Input(Bool())
    val waits   = Output(Bool()) // for `drained`
  })
  private object Step extends ChiselEnum { val idle, answer, done = Value }
  private val step   = RegInit(Step.idle)
  private val awOpen = RegInit(false.B) // offered and not taken yet
  private val wOpen  = RegInit(false.B)
  private val arOpen = RegInit(false.B)
  private val data   = Reg(UInt(32.W))
  private val failed = Reg(Bool())
  private val addr   = Cat(io.bus.adr, 0.U(2.W))(addrBits - 1, 0)

  io.window.aw.valid     := awOpen
  io.window.aw.bits.addr := addr
  io.window.w.valid      := wOpen
  io.window.w.bits.data  := io.bus.datW
  io.window.w.bits.strb  := io.bus.sel
  io.window.ar.valid     := arOpen
  io.window.ar.bits.addr := addr
  io.window.b.ready      := step === Step.answer && io.bus.we
  io.window.r.ready      := step === Step.answer && !io.bus.we
  when(io.window.aw.ready)(awOpen := false.B)
  when(io.window.w.ready)(wOpen   := false.B)
  when(io.window.ar.ready)(arOpen := false.B)

  switch(step) {
    is(Step.idle) {
      when(io.bus.asks && io.drained) {
        awOpen := io.bus.we
        wOpen  := io.bus.we
        arOpen := !io.bus.we
        step   := Step.answer
      }
    }
    is(Step.answer) {
      when(io.window.b.fire || io.window.r.fire) {
        data   := io.window.r.bits.data
        failed := Mux(io.bus.we, io.window.b.bits.resp, io.window.r.bits.resp) =/= Axi4.OKAY.U
        step   := Step.done
      }
    }
    is(Step.done)(step := Step.idle)
  }
  io.waits    := io.bus.asks && step === Step.idle
  io.bus.datR := data
  io.bus.answer(step === Step.done, failed)
  cover(io.waits && !io.drained, "FwBridge: a register access waits for stores")
  assert(step =/= Step.answer || io.bus.asks, "the master holds its access")
}
