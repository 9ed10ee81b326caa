// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** AXI reads of host memory to read requests. A burst becomes requests that end at multiples of the largest one that
  * both the host and our slots allow; so none crosses 4 KiB. While the host allows no requests, reads fail.
  *
  * Timing: a request takes five cycles.
  */
class ReadRequester(p: PcieParams) extends Module {
  val io = IO(new Bundle {
    val ar     = Flipped(Decoupled(new AxiAddr(p.axi)))
    val config = Input(new PcieConfig)
    val open   = Input(Bool()) // requests are allowed
    val free   = Input(Bool())
    val tag    = Input(UInt(5.W))
    val issue  = Valid(new ReadIssue(p))
    val out    = Decoupled(new TlpBeat)
  })
  private object State extends ChiselEnum {
    val idle  = Value
    val room  = Value // to the next multiple
    val size  = Value
    val hold  = Value // for a slot
    val offer = Value
    val step  = Value
  }
  private val state = RegInit(State.idle)
  private val in    = Skid(io.ar)
  private val out   = Module(new Skid(new TlpBeat))
  private val beat  = Reg(UInt(60.W))               // of host memory
  private val left  = Reg(UInt(9.W))
  private val room  = Reg(UInt((p.beatBits + 1).W))
  private val size  = Reg(UInt((p.beatBits + 1).W))
  private val four  = Reg(Bool())
  private val tag   = Reg(UInt(5.W))
  private val open  = RegInit(false.B)
  private val sizes = (3 to p.beatBits).map(1 << _) // 128 bytes and more
  private val limit = RegNext(
    MuxLookup(io.config.request, sizes.last.U((p.beatBits + 1).W))(sizes.zipWithIndex.map { case (s, i) =>
      i.U -> s.U
    })
  )

  in.ready := state === State.idle
  switch(state) {
    is(State.idle) {
      beat := in.bits.addr >> 4
      left := in.bits.len +& 1.U
      when(in.valid)(state := State.room)
    }
    is(State.room) {
      four  := beat(59, 28).orR
      room  := limit - (beat(p.beatBits - 1, 0) & (limit - 1.U)(p.beatBits - 1, 0))
      state := State.size
    }
    is(State.size) {
      size  := Mux(left > room, room, left)
      state := State.hold
    }
    is(State.hold) {
      tag  := io.tag
      open := io.open
      when(io.free)(state := State.offer)
    }
    is(State.offer)(when(!open || out.io.in.ready)(state := State.step))
    is(State.step) {
      beat  := beat + size
      left  := left - size
      state := Mux(left === size, State.idle, State.room)
    }
  }
  io.issue.valid       := RegNext(state === State.offer && (!open || out.io.in.ready), false.B)
  io.issue.bits.beats  := size
  io.issue.bits.low    := RegNext(beat(2, 0))
  io.issue.bits.last   := RegNext(left === size)
  io.issue.bits.failed := !open

  private val kind = Mux(four, Tlp.MemRead64.U(8.W), Tlp.MemRead32.U(8.W))
  private val low  = Cat(beat(27, 0), 0.U(4.W))
  out.io.in.valid   := state === State.offer && open
  out.io.in.bits.dw := VecInit(
    Tlp.request(Tlp.first(kind, Cat(size, 0.U(2.W))), io.config.id, tag, 15.U(4.W), 15.U(4.W), beat(59, 28), low, four)
  )
  out.io.in.bits.count := Mux(four, 3.U, 2.U)
  out.io.in.bits.last  := true.B
  io.out <> out.io.out

  Transitions("ReadRequester", state, State, State.idle)(
    State.idle  -> Seq(State.room),
    State.room  -> Seq(State.size),
    State.size  -> Seq(State.hold),
    State.hold  -> Seq(State.offer),
    State.offer -> Seq(State.step),
    State.step  -> Seq(State.idle, State.room)
  )
  cover(state === State.hold && !io.free, "ReadRequester: a request waits for a slot")
  cover(state === State.offer && !open, "ReadRequester: the host allows no requests")
  cover(out.io.in.valid && !out.io.in.ready, "ReadRequester: a request waits for the stream")
}
