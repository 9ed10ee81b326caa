// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** A write of a dword of the MSI-X table. */
class TableWrite extends Bundle {
  val word = UInt((PcieParams.tableBit - 2).W)
  val data = UInt(32.W)
  val strb = UInt(4.W)
}

/** The writes of TLPs that have been taken, counted modulo 2^bits: a read waits for those that came before it. */
object BarWriter {
  val countBits = 6  // more than twice as many as are under way
  val words     = 16 // that wait
}

/** Memory writes to BAR0, dword by dword: to the controller's registers, one after the other, or to the MSI-X table.
  * Poisoned writes have no effect. It needs nobody's transmit stream, so it always goes on.
  */
class BarWriter extends Module {
  import BarWriter._
  val io = IO(new Bundle {
    val in       = Flipped(Decoupled(new TlpPiece))
    val bus      = new AxiLite(PcieParams.barBits) // its write channels
    val table    = Valid(new TableWrite)
    val taken    = Output(UInt(countBits.W))
    val finished = Output(UInt(countBits.W))
    val poisoned = Output(Bool())
  })
  private class Access extends Bundle {
    val word = UInt((PcieParams.barBits - 2).W)
    val data = UInt(32.W)
    val strb = UInt(4.W)
    val none = Bool() // only the end of a TLP
    val last = Bool()
  }

  // ------------------------------------------------------------------ pieces to dwords
  private val queue   = Module(new HeadQueue(new Access, words))
  private val word    = Reg(UInt((PcieParams.barBits - 2).W))
  private val isFirst = Reg(Bool())
  private val firstBe = Reg(UInt(4.W))
  private val lastBe  = Reg(UInt(4.W))
  private val drop    = Reg(Bool())
  private val have    = RegInit(false.B) // dwords of a piece
  private val dwords  = Reg(Vec(4, UInt(32.W)))
  private val more    = Reg(UInt(2.W))   // behind the first of them
  private val ends    = Reg(Bool())      // with them the TLP
  private val none    = Reg(Bool())

  private val in    = Skid(io.in)
  private val piece = in.bits
  private val steps = have && queue.io.in.ready
  in.ready := !have || steps && more === 0.U
  when(steps) {
    have                           := more =/= 0.U
    more                           := more - 1.U
    word                           := word + 1.U
    isFirst                        := false.B
    for (i <- 0 until 3) dwords(i) := dwords(i + 1)
  }
  private val bad = Tlp.poisoned(piece.dw(0)) || !piece.bar0
  when(in.fire) {
    when(piece.first) {
      word    := Tlp.barWord(piece.data)
      isFirst := true.B
      firstBe := piece.dw(1)(3, 0)
      lastBe  := piece.dw(1)(7, 4)
      drop    := bad
    }
    have   := Mux(piece.first, piece.last, !drop || piece.last)
    none   := piece.first || drop || piece.cut
    ends   := piece.last
    more   := Mux(piece.first || drop || piece.cut, 0.U, piece.words)
    dwords := VecInit(Seq.tabulate(4)(piece.dw))
  }
  private val closes = ends && more === 0.U
  queue.io.in.valid     := have
  queue.io.in.bits.word := word
  queue.io.in.bits.data := dwords(0)
  queue.io.in.bits.strb := Mux(isFirst, firstBe, Mux(closes, lastBe, 15.U))
  queue.io.in.bits.none := none
  queue.io.in.bits.last := closes

  // ------------------------------------------------------------------ dwords to accesses
  private val busy     = RegInit(false.B)
  private val access   = Reg(new Access)
  private val offersAw = RegInit(false.B)
  private val offersW  = RegInit(false.B)
  private val waits    = RegInit(false.B) // for the answer
  private val toTable  = access.word(PcieParams.tableBit - 2)
  private val local    = busy && (access.none || toTable)
  private val done     = local || waits && io.bus.b.valid
  private val head     = queue.io.out
  private val taken    = RegInit(0.U(countBits.W))
  private val finished = RegInit(0.U(countBits.W))

  head.ready := !busy
  when(!busy) {
    access := head.bits
    busy   := head.valid
    val direct = head.valid && !head.bits.none && !head.bits.word(PcieParams.tableBit - 2)
    offersAw := direct
    offersW  := direct
    waits    := direct
  }.otherwise {
    when(io.bus.aw.ready)(offersAw := false.B)
    when(io.bus.w.ready)(offersW   := false.B)
    when(done) {
      busy  := false.B
      waits := false.B
    }
  }
  io.bus.aw.valid     := offersAw
  io.bus.aw.bits.addr := Cat(access.word, 0.U(2.W))
  io.bus.w.valid      := offersW
  io.bus.w.bits.data  := access.data
  io.bus.w.bits.strb  := access.strb
  io.bus.b.ready      := waits
  io.bus.ar.valid     := false.B
  io.bus.ar.bits.addr := 0.U
  io.bus.r.ready      := false.B
  io.table.valid      := RegNext(busy && toTable && !access.none, false.B)
  io.table.bits.word  := RegNext(access.word(PcieParams.tableBit - 3, 0))
  io.table.bits.data  := RegNext(access.data)
  io.table.bits.strb  := RegNext(access.strb)

  taken       := taken + (io.in.fire && io.in.bits.last)
  finished    := finished + (done && access.last)
  io.taken    := taken
  io.finished := finished
  io.poisoned := RegNext(in.fire && piece.first && Tlp.poisoned(piece.dw(0)), false.B)

  assert((taken - finished) < (1 << (countBits - 1)).U, "BarWriter: more writes under way than it can count")
  assert(!io.bus.b.valid || !waits || !(offersAw || offersW), "BarWriter: an answer before the access")
  cover(have && !queue.io.in.ready, "BarWriter: as many dwords wait as it can hold")
  cover(in.fire && piece.first && !piece.bar0, "BarWriter: a write to no register")
  cover(in.fire && piece.cut, "BarWriter: a write ends before its length")
}
