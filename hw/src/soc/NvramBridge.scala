// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The CPU's way to NVRAM. NVRAM writes 8 bytes atomically and the CPU stores 4: the store of a unit's low word is kept
  * here, and the store of its high word writes both; it is answered when they are durable. Anything else (part of a
  * word, a high word without its low one) is a bus error. A read goes to NVRAM.
  */
class NvramBridge(a: AxiParams) extends Module {
  val io = IO(new Bundle {
    val bus = Flipped(new Wishbone)
    val axi = new Axi4(a)
  })
  private object Step extends ChiselEnum { val idle, read, write, done = Value }
  private val step   = RegInit(Step.idle)
  private val kept   = RegInit(false.B) // `low` is the low word of `unit`, and its high word has not been stored
  private val unit   = Reg(UInt(NvramBridge.unitBits.W))
  private val low    = Reg(UInt(32.W))
  private val arOpen = RegInit(false.B) // offered and not taken yet
  private val awOpen = RegInit(false.B)
  private val wOpen  = RegInit(false.B)
  private val data   = Reg(UInt(32.W))
  private val failed = Reg(Bool())

  private val word   = io.bus.adr(NvramBridge.unitBits, 0)
  private val isHigh = word(0)
  private val pairs  = kept && unit === (word >> 1)
  private val addr   = Cat(word >> 1, 0.U(3.W)) // of the unit
  private val lane   = word(1, 0)               // of the word in its beat
  require(a.dataBits == 128 && addr.getWidth <= a.addrBits)

  io.axi.rd.ar.valid     := arOpen
  io.axi.rd.ar.bits.addr := addr
  io.axi.rd.ar.bits.len  := 0.U
  io.axi.rd.r.ready      := true.B
  io.axi.wr.aw.valid     := awOpen
  io.axi.wr.aw.bits.addr := addr
  io.axi.wr.aw.bits.len  := 0.U
  io.axi.wr.w.valid      := wOpen
  io.axi.wr.w.bits.data  := Fill(2, Cat(io.bus.datW, low))
  io.axi.wr.w.bits.strb  := Mux(lane(1), 0xff00.U, 0x00ff.U)
  io.axi.wr.w.bits.last  := true.B
  io.axi.wr.b.ready      := true.B
  when(io.axi.rd.ar.ready)(arOpen := false.B)
  when(io.axi.wr.aw.ready)(awOpen := false.B)
  when(io.axi.wr.w.ready)(wOpen   := false.B)

  switch(step) {
    is(Step.idle) {
      when(io.bus.asks && !io.bus.we) {
        arOpen := true.B
        step   := Step.read
      }.elsewhen(io.bus.asks && !(io.bus.sel.andR && (!isHigh || pairs))) {
        failed := true.B
        step   := Step.done
      }.elsewhen(io.bus.asks && isHigh) {
        awOpen := true.B
        wOpen  := true.B
        kept   := false.B
        step   := Step.write
      }.elsewhen(io.bus.asks) {
        unit   := word >> 1
        low    := io.bus.datW
        kept   := true.B
        failed := false.B
        step   := Step.done
      }
    }
    is(Step.read) {
      when(io.axi.rd.r.valid) {
        data   := (io.axi.rd.r.bits.data >> Cat(lane, 0.U(5.W)))(31, 0)
        failed := io.axi.rd.r.bits.resp =/= Axi4.OKAY.U
        step   := Step.done
      }
    }
    is(Step.write) {
      when(io.axi.wr.b.valid) {
        failed := io.axi.wr.b.bits.resp =/= Axi4.OKAY.U
        step   := Step.done
      }
    }
    is(Step.done)(step := Step.idle)
  }
  io.bus.datR := data
  io.bus.answer(step === Step.done, failed)
  assert(!(step === Step.read || step === Step.write) || io.bus.asks, "the master holds its access")
  cover(step === Step.done && failed, "NvramBridge: a bus error")
  cover(step === Step.idle && kept && io.bus.asks && !io.bus.we, "NvramBridge: a read between the words of a unit")
}

object NvramBridge {

  /** Bits of the number of an 8-byte unit: the region `nvram` has 256 MiB. */
  val unitBits = 25
}
