// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** What a die hands to FlashStorer, once: where the words of its program go. */
class FlashStream(l: FlashLayout) extends Bundle {
  val page    = UInt(l.pageIndexBits.W)
  val dropped = Bool() // the words go nowhere
}

/** What a transfer from a die delivers. */
class FlashContent extends Bundle {
  val spareOnly = Bool()
  val blank     = Bool() // spare words of zeroes, whatever the page register holds
}

/** One die of NandInDram: the operation that is under way, and its time. FlashRecords does what the operation means to
  * DRAM, in jobs: before the array's time (look, admit, open), and at its end (seal, close). A program also hands its
  * words to FlashStorer; when they are in DRAM its page is torn, and its time begins.
  *
  * So while the time runs, DRAM has what an interruption shall leave.
  */
class FlashDie(l: FlashLayout) extends Module {
  private val p = l.p
  val io        = IO(new Bundle {
    val cmd      = Flipped(Decoupled(new NandCommand(p))) // no transfer
    val times    = Input(new FlashTimes)
    val job      = Decoupled(new FlashJob(p))
    val answer   = Flipped(Valid(new FlashAnswer))        // of this die's job
    val stream   = Decoupled(new FlashStream(l))
    val stored   = Flipped(Valid(Bool()))                 // its words are in DRAM; whether that has failed
    val result   = Decoupled(NandStatus())
    val released = Input(Bool())                          // the controller has taken the result
    val content  = Output(new FlashContent)               // of its page register
  })
  private object State extends ChiselEnum { val idle, ask, job, stream, words, array, ended, shown = Value }
  private val state   = RegInit(State.idle)
  private val free    = RegInit(true.B) // state === State.idle
  private val command = Reg(new NandCommand(p))
  private val op      = Reg(FlashJobOp())
  private val status  = Reg(NandStatus())
  private val blank   = Reg(Bool())
  private val probed  = Reg(Bool())
  private val refused = Reg(Bool())     // the program: its page stays as it is

  private val senses   = command.op === NandOp.read || command.op === NandOp.probe
  private val programs = command.op === NandOp.program
  private val ok       = status === NandStatus.ok

  // --- time
  private val left    = Reg(UInt(FlashTimes.arrayBits.W))
  private val running = RegInit(false.B)
  private val times   = io.times
  when(left === 0.U)(running := false.B)
  left := left - running
  when(io.cmd.fire) {
    running := true.B
    left    := Mux(
      io.cmd.bits.op === NandOp.erase,
      times.erase,
      Mux(io.cmd.bits.retry.orR, times.retry, times.read)
    )
  }
  when(io.stored.valid) {
    running := true.B
    left    := times.program
  }

  // --- operation
  io.cmd.ready           := free
  io.job.valid           := state === State.ask
  io.job.bits.op         := op
  io.job.bits.die        := command.die
  io.job.bits.block      := command.block
  io.job.bits.page       := command.page
  io.job.bits.sub        := command.sub
  io.stream.valid        := state === State.stream
  io.stream.bits.page    := l.pageIndex(command.block, command.die, command.page)
  io.stream.bits.dropped := !ok
  io.result.valid        := state === State.ended
  io.result.bits         := status
  io.content.spareOnly   := probed
  io.content.blank       := blank

  private def ask(next: FlashJobOp.Type): Unit = {
    op    := next
    state := State.ask
  }
  private val fails = io.answer.bits.status =/= NandStatus.ok
  switch(state) {
    is(State.idle) {
      when(io.cmd.fire) {
        free    := false.B
        command := io.cmd.bits
        probed  := io.cmd.bits.op === NandOp.probe
        ask(
          MuxLookup(io.cmd.bits.op, FlashJobOp.read)(
            Seq(
              NandOp.probe   -> FlashJobOp.probe,
              NandOp.program -> FlashJobOp.admit,
              NandOp.erase   -> FlashJobOp.open
            )
          )
        )
      }
    }
    is(State.ask)(when(io.job.fire)(state := State.job))
    is(State.job) {
      when(io.answer.valid) {
        // What has failed before stays so: the job only leaves the page torn.
        when(op =/= FlashJobOp.tear || fails)(status := Mux(senses || !fails, io.answer.bits.status, NandStatus.failed))
        refused := io.answer.bits.status === NandStatus.failed
        blank   := io.answer.bits.blank
        state   := Mux(op === FlashJobOp.seal || op === FlashJobOp.close, State.ended, State.array)
        when(op === FlashJobOp.admit)(state          := State.stream)
      }
    }
    is(State.stream)(when(io.stream.fire)(state := State.words))
    is(State.words) {
      when(io.stored.valid) {
        when(io.stored.bits)(status := NandStatus.failed)
        when(refused)(state := State.ended).otherwise(ask(FlashJobOp.tear))
      }
    }
    is(State.array) {
      when(!running) {
        when(senses || !ok)(state := State.ended).otherwise(ask(Mux(programs, FlashJobOp.seal, FlashJobOp.close)))
      }
    }
    is(State.ended)(when(io.result.fire)(state := State.shown))
    is(State.shown)(when(io.released) {
      free  := true.B
      state := State.idle
    })
  }

  Transitions("FlashDie", state, State, State.idle)(
    State.idle   -> Seq(State.ask),
    State.ask    -> Seq(State.job),
    State.job    -> Seq(State.stream, State.array, State.ended),
    State.stream -> Seq(State.words),
    State.words  -> Seq(State.ask, State.ended),
    State.array  -> Seq(State.ask, State.ended),
    State.ended  -> Seq(State.shown),
    State.shown  -> Seq(State.idle)
  )
  assert(free === (state === State.idle))
  assert(!io.cmd.valid || io.cmd.bits.op =/= NandOp.transfer, "a transfer is none of the die's operations")
  assert(!io.answer.valid || state === State.job, "an answer that the die does not wait for")
  assert(!io.stored.valid || state === State.words, "words that the die does not wait for")
  assert(!io.released || state === State.shown, "a result that the die has not given")
  cover(io.job.valid && !io.job.ready, "FlashDie: a job waits for those of others")
  cover(io.stream.valid && !io.stream.ready, "FlashDie: words wait for those of another die")
  cover(io.result.valid && !io.result.ready, "FlashDie: a result waits for another")
  cover(state === State.words && io.stored.valid && io.stored.bits && ok, "FlashDie: DRAM does not store a page")
  cover(state === State.job && !running && op === FlashJobOp.probe, "FlashDie: DRAM takes longer than the array")
}
