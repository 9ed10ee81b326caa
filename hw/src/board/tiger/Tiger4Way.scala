// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** An array operation of the NAND port, for one way. */
class Tiger4Start extends Bundle {
  val op    = NandOp()
  val row   = UInt(Tiger4Layout.rowBits.W)
  val first = Bool() // the row is its block's first
}

/** One way: carries out one operation of the NAND port at a time, as commands of the NAND controller.
  *
  * The controller says nothing of the end of a trigger, a program or an erase. So a status command follows each of
  * them. Commands are carried out in order, so its report is of the time after the operation has begun, and after a
  * program's data has left its buffer. While the report says busy, the way waits for its pin and asks again.
  *
  * A read is done when its page has been transferred, because only then the ECC's verdict is known. A probe that finds
  * no good spare bytes looks at raw rows: its own, the block's last one, which SLC mode never programs, and the first.
  *
  * After a reset the die is reset and set to its fast interface, once what it was doing has ended.
  */
class Tiger4Way(number: Int) extends Module {
  val io = IO(new Bundle {
    val go      = Input(Bool())                   // the controller can be used
    val start   = Flipped(Valid(new Tiger4Start)) // while `idle`
    val idle    = Output(Bool())
    val command = Decoupled(new Tiger4Command)
    val waits   = Output(Bool())                  // for the pin
    val ready   = Flipped(Valid(Bool()))          // the pin
    val status  = Flipped(Valid(UInt(8.W)))
    val moved   = Flipped(Valid(new Tiger4Verdict))
    val seen    = Flipped(Valid(new Tiger4Row))
    val filled  = Flipped(Valid(UInt(Tiger4Streams.bufBits.W)))
    val freed   = Valid(UInt(Tiger4Streams.bufBits.W))
    val result  = Decoupled(new NandOutcome)
    val short   = Output(Bool())                  // of the slot's words only the spare is good
    val blank   = Output(Bool())                  // and it is zero, whatever the memory holds
  })
  private object State extends ChiselEnum { val off, pin, command, report, transfer, raw, fill, result, idle = Value }
  // What the status that is asked for is of.
  private object Work extends ChiselEnum { val reset, features, sense, program, erase = Value }
  // The row that a probe looks at.
  private object Look extends ChiselEnum { val page, last, first = Value }
  private val state   = RegInit(State.off)
  private val work    = RegInit(Work.reset)
  private val command = RegInit(Tiger4Op.reset)
  private val look    = Reg(Look())
  private val probes  = Reg(Bool())
  private val first   = Reg(Bool())
  private val row     = Reg(UInt(Tiger4Layout.rowBits.W))
  private val buf     = Reg(UInt(Tiger4Streams.bufBits.W))
  private val holds   = RegInit(false.B) // `buf` is this way's
  private val erased  = Reg(Bool())      // the page's row is
  private val outcome = Reg(new NandOutcome)
  private val blank   = RegInit(false.B)
  private val offers  = RegInit(false.B) // state === State.result

  private def give(op: Tiger4Op.Type): Unit = {
    command := op
    state   := State.command
  }
  private def end(status: NandStatus.Type, weak: Bool = false.B): Unit = {
    outcome.status := status
    outcome.weak   := weak
    state          := State.result
    offers         := true.B
  }
  private def lookAt(what: Look.Type, inBlock: Int): Unit = {
    look := what
    row  := Cat(row(Tiger4Layout.rowBits - 1, 8), inBlock.U(8.W))
    give(Tiger4Op.trigger)
  }
  private def endProbe(bad: Bool): Unit = {
    blank := bad
    end(Mux(bad, NandStatus.failed, Mux(erased, NandStatus.erased, NandStatus.uncorrectable)))
  }
  private val reported  = io.status.bits
  private val isReady   = (reported & Tiger4Map.Words.readyBits.U) === Tiger4Map.Words.readyBits.U
  private val hasFailed = (reported & Tiger4Map.Words.failBits.U).orR

  switch(state) {
    is(State.off)(when(io.go)(state := State.pin))
    is(State.pin)(when(io.ready.valid && io.ready.bits)(state := State.command))
    is(State.command) {
      when(io.command.ready) {
        command := Tiger4Op.status
        switch(command) {
          is(Tiger4Op.status)(state   := State.report)
          is(Tiger4Op.transfer)(state := State.transfer)
          is(Tiger4Op.raw)(state      := State.raw)
        }
      }
    }
    is(State.report) {
      when(io.status.valid) {
        holds := false.B
        state := State.pin
        when(isReady) {
          switch(work) {
            is(Work.reset) {
              work := Work.features
              give(Tiger4Op.features)
            }
            is(Work.features)(state := State.idle)
            is(Work.sense)(give(Mux(look === Look.page, Tiger4Op.transfer, Tiger4Op.raw)))
            is(Work.program, Work.erase)(end(Mux(hasFailed, NandStatus.failed, NandStatus.ok)))
          }
        }
      }
    }
    is(State.transfer) {
      when(io.moved.valid) {
        when(io.moved.bits.pass)(end(NandStatus.ok, io.moved.bits.weak && !probes))
          .elsewhen(!probes)(end(NandStatus.uncorrectable))
          .elsewhen(io.moved.bits.spare)(end(NandStatus.failed))
          .otherwise(give(Tiger4Op.raw))
      }
    }
    is(State.raw) {
      when(io.seen.valid) {
        // A mark in the block's first row counts if the rest of the row was never programmed.
        val mark = io.seen.bits.marked && io.seen.bits.erased
        switch(look) {
          is(Look.page) {
            erased := io.seen.bits.erased
            lookAt(Look.last, Tiger4Map.Sizes.rowsPerBlock - 1)
            when(first && mark)(endProbe(true.B))
          }
          is(Look.last) {
            lookAt(Look.first, 0)
            when(io.seen.bits.marked || first)(endProbe(io.seen.bits.marked))
          }
          is(Look.first)(endProbe(mark))
        }
      }
    }
    is(State.fill) {
      when(io.filled.valid) {
        buf   := io.filled.bits
        holds := true.B
        give(Tiger4Op.program)
      }
    }
    is(State.result) {
      when(io.result.ready) {
        state  := State.idle
        offers := false.B
      }
    }
    is(State.idle) {
      when(io.start.valid) {
        row    := io.start.bits.row
        first  := io.start.bits.first
        probes := io.start.bits.op === NandOp.probe
        look   := Look.page
        blank  := false.B
        work   := Work.sense
        give(Tiger4Op.trigger)
        when(io.start.bits.op === NandOp.erase) {
          work := Work.erase
          give(Tiger4Op.erase)
        }
        when(io.start.bits.op === NandOp.program) {
          work  := Work.program
          state := State.fill
        }
      }
    }
  }
  io.idle             := state === State.idle
  io.command.valid    := state === State.command
  io.command.bits.op  := command
  io.command.bits.way := number.U
  io.command.bits.row := row
  io.command.bits.buf := buf
  io.waits            := RegNext(state === State.pin, false.B)
  io.freed.valid      := RegNext(state === State.report && io.status.valid && holds, false.B)
  io.freed.bits       := RegNext(buf)
  io.result.valid     := offers
  io.result.bits      := outcome
  io.short            := probes
  io.blank            := blank

  assert(offers === (state === State.result), "a result without its state")
  assert(!io.start.valid || io.idle && io.start.bits.op =/= NandOp.transfer, "an operation for a way that has one")
  assert(!io.status.valid || state === State.report, "a report that nobody asked for")
  assert(!io.moved.valid || state === State.transfer, "a transfer that nobody asked for")
  assert(!io.seen.valid || state === State.raw, "a raw row that nobody asked for")
  assert(!io.filled.valid || state === State.fill, "a page for a way that programs nothing")
  Transitions("Tiger4Way", state, State, State.off)(
    State.off      -> Seq(State.pin),
    State.pin      -> Seq(State.command),
    State.command  -> Seq(State.report, State.transfer, State.raw),
    State.report   -> Seq(State.pin, State.command, State.result, State.idle),
    State.transfer -> Seq(State.command, State.result),
    State.raw      -> Seq(State.command, State.result),
    State.fill     -> Seq(State.command),
    State.result   -> Seq(State.idle),
    State.idle     -> Seq(State.command, State.fill)
  )
  cover(state === State.command && !io.command.ready, "Tiger4Way: a command waits for others")
  cover(state === State.report && io.status.valid && !isReady, "Tiger4Way: a report says busy")
  cover(state === State.result && !io.result.ready, "Tiger4Way: a result waits")
  cover(state === State.result && blank, "Tiger4Way: a bad block")
}
