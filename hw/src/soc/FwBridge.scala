// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The CPU's way to the controller's firmware window. An access starts when the CPU's earlier stores are in DRAM
  * (`drained`), so that program order is enough for a register write that lets the hardware read what was stored.
  *
  * What has started ends at the controller, also if the master gives it up: then nobody gets the answer.
  */
class FwBridge(addrBits: Int) extends Module {
  val io = IO(new Bundle {
    val bus     = Flipped(new Wishbone)
    val window  = new AxiLite(addrBits)
    val drained = Input(Bool())
    val waits   = Output(Bool()) // for `drained`
  })
  private object Step extends ChiselEnum { val idle, drain, answer, done = Value }
  private val step   = RegInit(Step.idle)
  private val gone   = Reg(Bool())      // the master has given it up
  private val write  = Reg(Bool())
  private val addr   = Reg(UInt(addrBits.W))
  private val data   = Reg(UInt(32.W))  // to write
  private val strb   = Reg(UInt(4.W))
  private val awOpen = RegInit(false.B) // offered and not taken yet
  private val wOpen  = RegInit(false.B)
  private val arOpen = RegInit(false.B)
  private val answer = Reg(UInt(32.W))
  private val failed = Reg(Bool())

  io.window.aw.valid     := awOpen
  io.window.aw.bits.addr := addr
  io.window.w.valid      := wOpen
  io.window.w.bits.data  := data
  io.window.w.bits.strb  := strb
  io.window.ar.valid     := arOpen
  io.window.ar.bits.addr := addr
  io.window.b.ready      := true.B
  io.window.r.ready      := true.B
  when(io.window.aw.ready)(awOpen := false.B)
  when(io.window.w.ready)(wOpen   := false.B)
  when(io.window.ar.ready)(arOpen := false.B)

  private def open(we: Bool): Unit = {
    awOpen := we
    wOpen  := we
    arOpen := !we
    step   := Step.answer
  }
  gone := step =/= Step.idle && (gone || !io.bus.asks)
  switch(step) {
    is(Step.idle) {
      addr  := Cat(io.bus.adr, 0.U(2.W))
      data  := io.bus.datW
      strb  := io.bus.sel
      write := io.bus.we
      when(io.bus.asks)(step := Step.drain)
      when(io.bus.asks && io.drained)(open(io.bus.we))
    }
    is(Step.drain) {
      when(!io.bus.asks)(step := Step.idle).elsewhen(io.drained)(open(write))
    }
    is(Step.answer) {
      when(io.window.b.valid || io.window.r.valid) {
        answer := io.window.r.bits.data
        failed := Mux(write, io.window.b.bits.resp, io.window.r.bits.resp) =/= Axi4.OKAY.U
        step   := Mux(gone || !io.bus.asks, Step.idle, Step.done)
      }
    }
    is(Step.done)(step := Step.idle)
  }
  io.waits    := step === Step.drain
  io.bus.datR := answer
  io.bus.answer(step === Step.done, failed)
  assert(step === Step.answer || !(io.window.b.valid || io.window.r.valid), "an answer that nobody asked for")
  cover(io.waits && !io.drained, "FwBridge: a register access waits for stores")
  cover(step === Step.answer && gone, "FwBridge: an access that was given up goes on")
}
