// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Reads bursts from an xSPI MRAM. A burst is a transaction; CK rests while there is no room for a beat.
  *
  * Where DS does not come, the rest of the burst is answered with errors.
  */
class XspiReader(part: XspiPart, a: AxiParams) extends Module {
  val io = IO(new Bundle {
    val burst  = Flipped(Decoupled(new XspiBurst(part, a)))
    val r      = Decoupled(new AxiReadData(a))
    val link   = new XspiLink(part)
    val failed = Input(Bool()) // there is no memory
    val busy   = Output(Bool())
  })
  private object State extends ChiselEnum { val idle, ask, data, fail = Value }
  private val state = RegInit(State.idle)
  private val beat  = Reg(UInt(io.burst.bits.beat.getWidth.W))
  private val pairs = a.strbBits / 2 // of a beat
  private val depth = 8

  // --- steps
  private val toAsk  = Reg(UInt(9.W))   // beats
  private val none   = Reg(Bool())      // of them
  private val asking = RegInit(false.B)
  private val asked  = Reg(UInt(log2Ceil(pairs).W))
  private val room   = RegInit(false.B) // for a beat that is not on its way
  private val whole  = asking && io.link.step.ready && asked === (pairs - 1).U
  private val starts = state === State.data && (!asking || whole) && !none && room
  when(asking && io.link.step.ready)(asked := asked + 1.U)
  when(whole)(asking                       := false.B)
  when(starts) {
    asking := true.B
    toAsk  := toAsk - 1.U
    none   := toAsk === 1.U
  }

  // --- beats
  private val toGet = Reg(UInt(8.W)) // beats behind the next one
  private val last  = Reg(Bool())    // there are none
  private val got   = RegInit(0.U(log2Ceil(pairs).W))
  private val word  = Reg(UInt(a.dataBits.W))
  private val full  = RegNext(io.link.pair.valid && got === (pairs - 1).U, false.B)
  private val line  = Module(new Queue(new AxiReadData(a), depth))
  private val fails = state === State.fail && line.io.enq.ready
  when(io.link.pair.valid) {
    word := io.link.pair.bits ## word(a.dataBits - 1, 16)
    got  := got + 1.U
  }
  line.io.enq.valid     := full || fails
  line.io.enq.bits.data := word
  line.io.enq.bits.resp := Mux(state === State.fail, Axi4.SLVERR.U, Axi4.OKAY.U)
  line.io.enq.bits.last := last
  when(line.io.enq.fire) {
    toGet := toGet - 1.U
    last  := toGet === 1.U
  }
  io.r <> Skid(line.io.deq)
  private val away = RegInit(0.U(log2Ceil(depth + 1).W)) // beats that have been asked for and are not in the line
  away := away + starts - full
  // A beat takes at least `pairs` cycles, so what has changed since does not matter.
  room := line.io.count +& away < (depth - 2).U
  assert(!full || line.io.enq.ready, "XspiReader: room was kept for each beat")

  io.burst.ready        := state === State.idle
  io.link.cmd.valid     := state === State.ask
  io.link.cmd.bits.kind := XspiKind.read
  io.link.cmd.bits.addr := beat ## 0.U(a.sizeLog2.W)
  io.link.step.valid    := asking
  io.link.step.bits     := DontCare
  io.link.finish        := none && !asking
  io.busy               := state =/= State.idle
  switch(state) {
    is(State.idle) {
      beat  := io.burst.bits.beat
      toAsk := io.burst.bits.len +& 1.U
      none  := false.B
      toGet := io.burst.bits.len
      last  := io.burst.bits.len === 0.U
      asked := 0.U
      when(io.burst.valid)(state := Mux(io.failed, State.fail, State.ask))
    }
    is(State.ask)(when(io.link.cmd.ready)(state := State.data))
    is(State.data)(when(io.link.done.valid) {
      state := Mux(io.link.done.bits, State.fail, State.idle)
      when(io.link.done.bits) {
        asking := false.B
        got    := 0.U
        away   := 0.U
      }
    })
    is(State.fail)(when(fails && last)(state := State.idle))
  }

  Transitions("XspiReader", state, State, State.idle)(
    State.idle -> Seq(State.ask, State.fail),
    State.ask  -> Seq(State.data),
    State.data -> Seq(State.idle, State.fail),
    State.fail -> Seq(State.idle)
  )
  assert(state =/= State.data || !io.link.done.valid || io.link.done.bits || none && away === 0.U && !full)
  cover(state === State.data && !asking && !none && !room, "XspiReader: CK rests because beats are not taken")
  cover(state === State.fail && !fails, "XspiReader: errors wait until they are taken")
}
