// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Runs of bytes and messages of interrupts to write requests, and the answers to the bursts. A burst is answered when
  * its last request is on the transmit stream: all that leaves later is behind it. While the host allows no requests, a
  * burst fails, and a message is dropped.
  *
  * Timing: three cycles for a request, and one for each further beat of it.
  */
class WriteRequester(p: PcieParams) extends Module {
  val io = IO(new Bundle {
    val run     = Flipped(Decoupled(new WriteRun(p)))
    val data    = Flipped(Decoupled(UInt(128.W)))
    val message = Flipped(Decoupled(new MsixMessage))
    val id      = Input(UInt(16.W))
    val open    = Input(Bool()) // requests are allowed
    val out     = Decoupled(new TlpBeat)
    val sent    = Input(Bool()) // a request is on the transmit stream
    val b       = Decoupled(new AxiWriteResp(p.axi))
  })
  private object State extends ChiselEnum {
    val idle = Value
    val plan = Value // how many beats, and how far its dwords are to be moved
    val head = Value
    val body = Value
    val drop = Value
    val end  = Value // of a run that sends nothing
  }
  private val most  = 8 // bursts without an answer
  private val state = RegInit(State.idle)
  private val out   = Module(new Skid(new TlpBeat))

  private val runs     = Skid(io.run)
  private val messages = Skid(io.message)
  private val source   = Skid(io.data)

  // ------------------------------------------------------------------ whose turn
  private val run      = Reg(new WriteRun(p))
  private val isRun    = Reg(Bool())
  private val word     = Reg(UInt(32.W)) // a message's data
  private val four     = Reg(Bool())
  private val owed     = RegInit(0.U(log2Ceil(most + 1).W))
  private val runMay   = runs.valid && owed =/= most.U
  private val runNext  = RegInit(false.B)
  private val takesRun = runMay && (runNext || !messages.valid)
  private val idle     = state === State.idle
  private val open     = RegNext(io.open, false.B)
  runs.ready     := idle && takesRun
  messages.ready := idle && !takesRun
  when(idle) {
    isRun := takesRun
    run   := runs.bits
    word  := messages.bits.data
    four  := Mux(takesRun, runs.bits.addr(61, 30), messages.bits.addr(63, 32)).orR
    when(!takesRun) {
      run.addr    := messages.bits.addr >> 2
      run.dwords  := 1.U
      run.firstBe := 15.U
      run.last    := false.B
    }
    when(takesRun || messages.valid) {
      state   := State.plan
      runNext := !takesRun
    }
  }

  // ------------------------------------------------------------------ the plan
  private val skips     = run.addr(1, 0)                            // dwords of the first beat before the run
  private val move      = Reg(UInt(2.W))                            // dwords go up by so many places
  private val headTakes = Reg(Bool())                               // the header's beat takes a beat of data
  private val left      = Reg(UInt((log2Ceil(p.writeBeats) + 1).W)) // beats of data
  private val beats     = Reg(UInt((log2Ceil(p.writeBeats) + 1).W)) // behind the header's
  private val count     = Reg(UInt(2.W))                            // dwords of the last of them, less one
  private val end       = run.dwords +& Mux(four, 3.U, 2.U)         // the last dword's place
  private val nothing   = run.dwords === 0.U
  private val unsent    = RegInit(0.U(log2Ceil(most + 3).W))        // requests that are not on the stream
  private val stopped   = Reg(Bool())                               // the request is not allowed
  when(state === State.plan) {
    move      := Mux(four, 0.U, 3.U) - skips
    headTakes := !four || skips =/= 0.U
    left      := ((run.dwords +& skips + 3.U) >> 2)(log2Ceil(p.writeBeats), 0)
    beats     := (end >> 2)(log2Ceil(p.writeBeats), 0)
    count     := end(1, 0)
    stopped   := !open && !nothing
    state     := Mux(nothing, State.end, Mux(!open, State.drop, State.head))
  }

  // ------------------------------------------------------------------ beats
  private val sends  = state === State.head || state === State.body
  private val takes  = left =/= 0.U && (state === State.body || headTakes) && isRun
  private val room   = out.io.in.ready && unsent =/= (most + 1).U
  private val steps  = sends && room && (!takes || source.valid)
  private val isHead = state === State.head
  private val isLast = beats === 0.U
  private val data   = VecInit(Seq.tabulate(4)(i => Tlp.swap(Mux(isRun, source.bits(32 * i + 31, 32 * i), word))))
  private val moved  = RotateDwords(data.asUInt, move)
  private val carry  = Reg(Vec(4, UInt(32.W)))
  private val kind   = Mux(four, Tlp.MemWrite64.U(8.W), Tlp.MemWrite32.U(8.W))
  private val lastBe = Mux(run.dwords === 1.U, 0.U(4.W), run.lastBe)
  private val header = Tlp.request(
    Tlp.first(kind, run.dwords),
    io.id,
    0.U(8.W),
    lastBe,
    run.firstBe,
    run.addr(61, 30),
    Cat(run.addr(29, 0), 0.U(2.W)),
    four
  )
  private val dwords = Seq.tabulate(4)(i => Mux(i.U < move, carry(i), moved(i)))
  source.ready      := sends && room && takes || state === State.drop && isRun && left =/= 0.U
  out.io.in.valid   := sends && unsent =/= (most + 1).U && (!takes || source.valid)
  out.io.in.bits.dw := VecInit(
    Seq.tabulate(4)(i => Mux(isHead, if (i == 3) Mux(four, header(3), moved(3)) else header(i), dwords(i)))
  )
  out.io.in.bits.count := Mux(isLast, count, 3.U)
  out.io.in.bits.last  := isLast
  io.out <> out.io.out
  when(steps) {
    when(takes)(left := left - 1.U)
    carry := moved
    beats := beats - 1.U
    state := Mux(isLast, State.idle, State.body)
  }
  when(state === State.drop) {
    when(source.fire)(left             := left - 1.U)
    when(left === 0.U || !isRun)(state := State.end)
  }

  // ------------------------------------------------------------------ answers
  private class Answer extends Bundle {
    val due    = Bool()
    val failed = Bool()
  }
  private val sentBursts = Module(new HeadQueue(new Answer, most + 2)) // by request
  private val answers    = Module(new HeadQueue(UInt(2.W), most + 1))
  private val failed     = RegInit(false.B)                            // a part of the burst has
  private val leaves     = steps && isLast
  private val ends       = state === State.end && unsent === 0.U
  private val sent       = RegNext(io.sent, false.B)
  sentBursts.io.in.valid       := leaves
  sentBursts.io.in.bits.due    := run.last
  sentBursts.io.in.bits.failed := failed
  sentBursts.io.out.ready      := sent
  unsent                       := unsent + leaves - sent
  answers.io.in.valid          := sent && sentBursts.io.out.bits.due || ends && run.last
  answers.io.in.bits           := Mux(
    Mux(sent, sentBursts.io.out.bits.failed, failed || stopped),
    Axi4.SLVERR.U,
    Axi4.OKAY.U
  )
  when(ends)(state                       := State.idle)
  when(isRun && (leaves || ends))(failed := !run.last && (failed || ends && stopped))
  owed                 := owed + (runs.fire && runs.bits.last) - io.b.fire
  io.b.valid           := answers.io.out.valid
  io.b.bits.resp       := answers.io.out.bits
  answers.io.out.ready := io.b.ready

  Transitions("WriteRequester", state, State, State.idle)(
    State.idle -> Seq(State.plan),
    State.plan -> Seq(State.head, State.drop, State.end),
    State.head -> Seq(State.body, State.idle),
    State.body -> Seq(State.idle),
    State.drop -> Seq(State.end),
    State.end  -> Seq(State.idle)
  )
  assert(!sent || sentBursts.io.out.valid, "WriteRequester: more requests are sent than there were")
  assert(!answers.io.in.valid || answers.io.in.ready, "WriteRequester: an answer that nobody is owed")
  cover(runs.valid && owed === most.U, "WriteRequester: as many bursts without an answer as it can follow")
  cover(out.io.in.valid && !out.io.in.ready, "WriteRequester: a request waits for the stream")
  cover(idle && messages.valid && takesRun, "WriteRequester: a message waits for data")
  cover(state === State.drop && !isRun, "WriteRequester: a message is dropped")
  cover(state === State.drop && isRun, "WriteRequester: data are dropped")
  cover(ends && nothing, "WriteRequester: a burst without bytes")
}
