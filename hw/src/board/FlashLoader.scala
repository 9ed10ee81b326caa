// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** A word for the page register of a die. */
class FlashWord(p: Params) extends Bundle {
  val die  = UInt(p.dieInChannelBits.max(1).W)
  val at   = new FlashPlace(p)
  val data = UInt(p.dataBits.W)
}

/** Which word of a slot. */
class FlashPlace(p: Params) extends Bundle {
  val spare = Bool()
  val word  = UInt(p.wordBits.W)
}

/** Fetches a slot from DRAM into a page register: its data and its spare words, or only these. It asks as fast as it
  * can, and takes what comes. If DRAM answers an error to any of it, the slot is lost.
  */
class FlashLoader(l: FlashLayout) extends Module {
  private val p = l.p
  private val a = AxiParams(p.dramAddrBits)
  val io        = IO(new Bundle {
    val load   = Flipped(Decoupled(new FlashLoad(l)))
    val loaded = Valid(Bool()) // whether it has failed
    val write  = Valid(new FlashWord(p))
    val rd     = new AxiRead(a)
  })
  private val bursts  = p.wordsPerSlot / FlashLayout.burst
  private val loading = RegInit(false.B)
  private val load    = Reg(new FlashLoad(l))

  // --- addresses: of the bursts of data, then that of the spare words
  private val asks  = RegInit(false.B)
  private val spare = Reg(Bool())
  private val burst = Reg(UInt(log2Ceil(bursts).W))
  private val ar    = Wire(Decoupled(new AxiAddr(a)))
  ar.valid     := asks
  ar.bits.addr := Mux(spare, l.spareAddress(load.slot), l.dataAddress(load.slot, burst))
  ar.bits.len  := Mux(spare, (p.oobWords - 1).U, (FlashLayout.burst - 1).U)
  io.rd.ar <> Skid(ar)
  when(ar.fire) {
    burst := burst + 1.U
    when(burst === (bursts - 1).U)(spare := true.B)
    when(spare)(asks                     := false.B)
  }

  // --- data
  private val at     = Reg(new FlashPlace(p)) // of the next word
  private val broken = Reg(Bool())
  private val r      = RegNext(io.rd.r.bits)
  private val comes  = RegNext(io.rd.r.valid, false.B)
  private val last   = comes && at.spare && at.word === (p.oobWords - 1).U
  private val failed = broken || r.resp =/= Axi4.OKAY.U
  io.rd.r.ready      := true.B
  io.write.valid     := comes
  io.write.bits.die  := load.die
  io.write.bits.at   := at
  io.write.bits.data := r.data
  when(comes) {
    broken  := failed
    at.word := at.word + 1.U
    when(at.word === (p.wordsPerSlot - 1).U)(at.spare := true.B)
  }
  when(last)(loading := false.B)
  io.loaded.valid := RegNext(last, false.B)
  io.loaded.bits  := RegNext(failed)

  io.load.ready := !loading
  when(io.load.fire) {
    loading  := true.B
    load     := io.load.bits
    asks     := true.B
    spare    := io.load.bits.spareOnly
    burst    := 0.U
    at.spare := io.load.bits.spareOnly
    at.word  := 0.U
    broken   := false.B
  }
  assert(!comes || loading, "words that nobody asked for")
  cover(ar.valid && !ar.ready, "FlashLoader: DRAM takes no address")
  cover(comes && !last && failed, "FlashLoader: a slot is lost before its last word")
}
