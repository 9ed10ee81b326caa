// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The CPU's way to DRAM, between its write-through cache and a bus of 16-byte beats.
  *
  * A store is answered at once. Stores to one beat are joined and written when a store to another beat or a load
  * follows, when somebody waits for it, or when nothing follows for some cycles. A load waits until all stores are in
  * DRAM, and so does who looks at `drained`. A burst of loads (a cache line) fetches the whole line, and is answered a
  * word a cycle: so in a burst the master offers the next word in the cycle after an answer, or lowers `cyc`.
  *
  * A store that fails has been answered long ago: `lost` tells of it.
  */
class DramBridge(a: AxiParams) extends Module {
  import DramBridge._
  val io = IO(new Bundle {
    val bus     = Flipped(new Wishbone)
    val axi     = new Axi4(a)
    val drained = Output(Bool())                        // every store is in DRAM, or has failed
    val hurry   = Input(Bool())                         // somebody waits for `drained`
    val lost    = Output(Valid(UInt((wordBits + 2).W))) // a store has failed; the address of its beat
  })
  require(a.dataBits == 128 && wordBits + 2 <= a.addrBits)

  private val word  = io.bus.adr(wordBits - 1, 0)
  private val beat  = word >> 2
  private val lane  = word(1, 0)
  private val ack   = RegInit(false.B) // the answer, in the cycle after it was decided
  private val err   = RegInit(false.B)
  private val data  = Reg(UInt(32.W))
  private val asks  = io.bus.asks && !ack && !err
  private val load  = asks && !io.bus.we
  private val store = asks && io.bus.we

  // ------------------------------------------------------------------ stores
  private val open   = RegInit(false.B)                            // stores of `into` have not been handed to the bus
  private val into   = Reg(UInt((wordBits - 2).W))
  private val bytes  = Reg(Vec(16, UInt(8.W)))
  private val strobe = RegInit(0.U(16.W))
  private val age    = Reg(UInt(log2Ceil(patience + 1).W))         // cycles since the last store
  private val under  = RegInit(0.U(log2Ceil(most + 1).W))          // writes that are not answered
  private val aw     = Module(new Queue(new AxiAddr(a), 2))
  private val w      = Module(new Queue(new AxiWriteData(a), 2))
  private val places = Module(new Queue(chiselTypeOf(into), most)) // the beats of the writes under way

  private val joins  = store && (!open || beat === into)
  private val closes = open && (load || store && !joins || io.hurry || age === patience.U)
  private val room   = aw.io.enq.ready && w.io.enq.ready && under =/= most.U
  private val hands  = closes && room
  private val ended  = io.axi.wr.b.valid

  aw.io.enq.valid     := hands
  aw.io.enq.bits.addr := Cat(into, 0.U(4.W))
  aw.io.enq.bits.len  := 0.U
  w.io.enq.valid      := hands
  w.io.enq.bits.data  := bytes.asUInt
  w.io.enq.bits.strb  := strobe
  w.io.enq.bits.last  := true.B
  places.io.enq.valid := hands
  places.io.enq.bits  := into
  places.io.deq.ready := ended
  io.axi.wr.aw <> aw.io.deq
  io.axi.wr.w <> w.io.deq
  io.axi.wr.b.ready := true.B

  when(hands) {
    open   := false.B
    strobe := 0.U
  }
  when(joins) {
    open := true.B
    into := beat
    for (i <- 0 until 16) when(lane === (i / 4).U && io.bus.sel(i % 4)) {
      bytes(i) := io.bus.datW(8 * (i % 4) + 7, 8 * (i % 4))
    }
    strobe := Mux(hands, 0.U, strobe) | (io.bus.sel << Cat(lane, 0.U(2.W)))(15, 0)
  }
  age   := Mux(joins, 0.U, Mux(age === patience.U, age, age + 1.U))
  under := under + hands - ended

  /** Of the next cycle; a store that is answered then is among them. */
  private val none    = !joins && (!open || hands) && !hands && (under === 0.U || under === 1.U && ended)
  private val drained = RegNext(none, true.B)
  io.drained    := drained
  io.lost.valid := RegNext(ended && io.axi.wr.b.bits.resp =/= Axi4.OKAY.U, false.B)
  io.lost.bits  := RegNext(Cat(places.io.deq.bits, 0.U(4.W)))

  // ------------------------------------------------------------------ loads
  private object Step extends ChiselEnum { val idle, ask, fill = Value }
  private val step  = RegInit(Step.idle)
  private val line  = Reg(UInt((wordBits - 3).W)) // 32 bytes
  private val words = Reg(Vec(2, UInt(128.W)))
  private val have  = RegInit(VecInit(false.B, false.B))
  private val bad   = Reg(Vec(2, Bool()))
  private val whole = Reg(Bool())                 // both beats are fetched
  private val next  = Reg(UInt(1.W))              // the beat that comes
  private val late  = RegInit(false.B)            // nobody waits for the beats that are still to come
  private val turn  = RegInit(false.B)            // a load is under way, and
  private val place = Reg(UInt(3.W))              // this word of the line is its next

  private val burst = io.bus.cti === Wishbone.INCREMENTING.U
  // In the cycle of an answer the next one is decided already.
  private val ends = (ack || err) && !burst || !io.bus.cyc
  private val half = place(2)
  private val hit  = turn && have(half) && !ends
  io.axi.rd.ar.valid     := step === Step.ask
  io.axi.rd.ar.bits.addr := Cat(line, next, 0.U(4.W))
  io.axi.rd.ar.bits.len  := whole
  io.axi.rd.r.ready      := true.B
  late                   := step =/= Step.idle && (late || ends)
  switch(step) {
    is(Step.idle) {
      when(load && !turn && drained) {
        line  := word >> 3
        place := word(2, 0)
        turn  := true.B
        whole := burst
        next  := Mux(burst, 0.U, word(2))
        step  := Step.ask
      }
    }
    is(Step.ask)(when(io.axi.rd.ar.ready)(step := Step.fill))
    is(Step.fill) {
      when(io.axi.rd.r.valid) {
        words(next) := io.axi.rd.r.bits.data
        have(next)  := !late
        bad(next)   := io.axi.rd.r.bits.resp =/= Axi4.OKAY.U
        next        := 1.U
        when(io.axi.rd.r.bits.last)(step := Step.idle)
      }
    }
  }
  when(hit) {
    place := place + 1.U
    when(place.andR)(turn := false.B)
  }
  // What was fetched serves one burst: the controller may write the line at any time.
  when(ends || hit && place.andR)(have := VecInit(false.B, false.B))
  when(ends)(turn                      := false.B)

  // ------------------------------------------------------------------ answers
  ack         := joins || hit && !bad(half)
  err         := hit && bad(half)
  data        := (words(half) >> Cat(place(1, 0), 0.U(5.W)))(31, 0)
  io.bus.datR := data
  io.bus.ack  := ack
  io.bus.err  := err

  assert(!ended || under =/= 0.U, "a write response that nobody waits for")
  assert(!io.axi.rd.r.valid || step === Step.fill, "read data that nobody asked for")
  cover(closes && !room, "DramBridge: as many writes under way as it can follow")
  cover(load && !drained, "DramBridge: a load waits for stores")
  cover(open && age === patience.U, "DramBridge: a store that nothing follows is written")
  cover(late && step === Step.fill, "DramBridge: a burst that was given up still comes")
}

object DramBridge {
  val wordBits = 28 // of the number of a word: the region `dram` has 1 GiB
  val patience = 15 // cycles without a store, after which a beat is written
  val most     = 8  // writes under way
}
