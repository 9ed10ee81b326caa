// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The CPU's way to NVRAM. NVRAM writes 8 bytes atomically and the CPU stores 4: the store of a unit's low word is kept
  * here, and the store of its high word writes both; it is answered when they are durable. Anything else (part of a
  * word, a high word without its low one) is a bus error. A read goes to NVRAM.
  *
  * An access to NVRAM starts when the CPU's earlier stores are in DRAM (`drained`): that is what platform.h promises of
  * a barrier. What has started ends there, also if the master gives it up: then nobody gets the answer.
  */
class NvramBridge(a: AxiParams) extends Module {
  val io = IO(new Bundle {
    val bus     = Flipped(new Wishbone)
    val axi     = new Axi4(a)
    val drained = Input(Bool())
    val waits   = Output(Bool()) // for `drained`
  })
  private object Step extends ChiselEnum { val idle, drain, access, done = Value }
  private val step  = RegInit(Step.idle)
  private val gone  = Reg(Bool())      // the master has given it up
  private val kept  = RegInit(false.B) // `low` is the low word of `unit`, and its high word has not been stored
  private val unit  = Reg(UInt(NvramBridge.unitBits.W))
  private val low   = Reg(UInt(32.W))
  private val write = Reg(Bool())
  private val place  = Reg(UInt((NvramBridge.unitBits + 1).W)) // of the word that is accessed
  private val stored = Reg(UInt(32.W))
  private val fits   = Reg(Bool())                             // as a store
  private val arOpen = RegInit(false.B)                        // offered and not taken yet
  private val awOpen = RegInit(false.B)
  private val wOpen  = RegInit(false.B)
  private val data   = Reg(UInt(32.W))
  private val failed = Reg(Bool())

  private val word   = io.bus.adr(NvramBridge.unitBits, 0)
  private val isHigh = word(0)
  private val pairs  = kept && unit === (word >> 1)
  private val addr   = Cat(place >> 1, 0.U(3.W)) // of the unit
  private val lane   = place(1, 0)               // of the word in its beat
  require(a.dataBits == 128 && addr.getWidth <= a.addrBits)

  io.axi.rd.ar.valid     := arOpen
  io.axi.rd.ar.bits.addr := addr
  io.axi.rd.ar.bits.len  := 0.U
  io.axi.rd.r.ready      := true.B
  io.axi.wr.aw.valid     := awOpen
  io.axi.wr.aw.bits.addr := addr
  io.axi.wr.aw.bits.len  := 0.U
  io.axi.wr.w.valid      := wOpen
  io.axi.wr.w.bits.data  := Fill(2, Cat(stored, low))
  io.axi.wr.w.bits.strb  := Cat(Fill(8, lane(1)), Fill(8, !lane(1)))
  io.axi.wr.w.bits.last  := true.B
  io.axi.wr.b.ready      := true.B
  when(io.axi.rd.ar.ready)(arOpen := false.B)
  when(io.axi.wr.aw.ready)(awOpen := false.B)
  when(io.axi.wr.w.ready)(wOpen   := false.B)

  gone := step =/= Step.idle && (gone || !io.bus.asks)
  switch(step) {
    is(Step.idle) {
      place  := word
      write  := io.bus.we
      stored := io.bus.datW
      fits   := io.bus.sel.andR && (!isHigh || pairs)
      when(io.bus.asks)(step := Step.drain)
      when(io.bus.asks && !io.bus.we && io.drained) {
        arOpen := true.B
        step   := Step.access
      }
    }
    is(Step.drain) {
      when(gone) {
        step := Step.idle
      }.elsewhen(write && !(fits && place(0))) {
        failed := !fits
        when(fits) {
          unit := place >> 1
          low  := stored
          kept := true.B
        }
        step := Mux(io.bus.asks, Step.done, Step.idle)
      }.elsewhen(io.drained) {
        arOpen := !write
        awOpen := write
        wOpen  := write
        when(write)(kept := false.B)
        step   := Step.access
      }
    }
    is(Step.access) {
      when(io.axi.rd.r.valid || io.axi.wr.b.valid) {
        data   := (io.axi.rd.r.bits.data >> Cat(lane, 0.U(5.W)))(31, 0)
        failed := Mux(write, io.axi.wr.b.bits.resp, io.axi.rd.r.bits.resp) =/= Axi4.OKAY.U
        step   := Mux(gone || !io.bus.asks, Step.idle, Step.done)
      }
    }
    is(Step.done)(step := Step.idle)
  }
  io.waits    := step === Step.drain
  io.bus.datR := data
  io.bus.answer(step === Step.done, failed)
  assert(step === Step.access || !(io.axi.rd.r.valid || io.axi.wr.b.valid), "an answer that nobody asked for")
  cover(step === Step.done && failed, "NvramBridge: a bus error")
  cover(step === Step.idle && kept && io.bus.asks && !io.bus.we, "NvramBridge: a read between the words of a unit")
  cover(io.waits && !io.drained, "NvramBridge: an access waits for stores to DRAM")
  cover(step === Step.access && gone, "NvramBridge: an access that was given up goes on")
}

object NvramBridge {

  /** Bits of the number of an 8-byte unit: the region `nvram` has 256 MiB. */
  val unitBits = 25
}
