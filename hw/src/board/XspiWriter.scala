// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Writes units to an xSPI MRAM, and answers their bursts. Units that follow each other in the memory share a
  * transaction, also those of different bursts, as long as the next one is there when the one before ends. Nothing is
  * reordered.
  *
  * The answer of a burst is given when the transaction with its last unit is over and its content durable.
  *
  * While `stop` is set, no transaction begins, and one that is open ends behind the unit that is under way. So a board
  * that sees its supply fail keeps whole units in the memory. Nothing is lost if `stop` falls again.
  */
class XspiWriter(part: XspiPart, a: AxiParams) extends Module {
  val io = IO(new Bundle {
    val in     = Flipped(Decoupled(new XspiUnit(part)))
    val more   = Input(Bool())  // units will come, or a burst of them
    val b      = Decoupled(new AxiWriteResp(a))
    val link   = new XspiLink(part)
    val failed = Input(Bool())  // there is no memory: each burst is answered with an error
    val stop   = Input(Bool())
    val busy   = Output(Bool()) // a write is not durable
  })
  private object State extends ChiselEnum { val closed, open, closing = Value }
  private val state = RegInit(State.closed)
  private val most  = 16 // bursts that a transaction can end

  // --- the unit that is being written
  private val has    = RegInit(false.B)
  private val unit   = Reg(new XspiUnit(part))
  private val joins  = Reg(Bool())                     // it follows the one before
  private val expect = Reg(UInt(unit.unit.getWidth.W)) // the number behind that of the one before
  private val pair   = RegInit(0.U(2.W))               // of the unit: which is next
  private val inside = RegInit(false.B)                // more units of its burst come behind it

  // --- answers: an error or none for each burst, and how many may be given
  private val resps   = Module(new Queue(Bool(), most))
  private val owed    = RegInit(0.U(log2Ceil(most + 1).W)) // bursts that the open transaction ends
  private val granted = RegInit(0.U(log2Ceil(most + 1).W))
  private val some    = RegInit(false.B)                   // granted =/= 0
  private val held    = RegInit(0.U(log2Ceil(most + 1).W)) // in `resps`
  private val space   = RegInit(true.B)                    // held =/= most
  private val answer  = Module(new Skid(new AxiWriteResp(a)))
  answer.io.in.valid     := some
  answer.io.in.bits.resp := Mux(resps.io.deq.bits, Axi4.SLVERR.U, Axi4.OKAY.U)
  resps.io.deq.ready     := some && answer.io.in.ready
  io.b <> answer.io.out

  private val stop   = RegNext(io.stop, false.B)
  private val room   = space || !unit.last
  private val steps  = state === State.open && has && room && unit.writes && joins
  private val skips  = state =/= State.closing && has && room && !unit.writes
  private val sent   = steps && io.link.step.ready && pair === 3.U
  private val leaves = sent || skips
  // In an open transaction the first unit is there until it is sent: the memory gets no address without data.
  private val closes = state === State.open && !steps && !skips && (has || stop || !inside && !io.more)

  io.in.ready           := !has || leaves
  io.link.cmd.valid     := state === State.closed && has && room && unit.writes && !stop
  io.link.cmd.bits.kind := XspiKind.write
  io.link.cmd.bits.addr := unit.unit ## 0.U(3.W)
  io.link.step.valid    := steps
  io.link.step.bits     := unit.data(15, 0)
  io.link.finish        := closes
  io.busy               := has || state =/= State.closed

  when(io.in.ready)(has := io.in.valid)
  when(steps && io.link.step.ready) {
    pair      := pair + 1.U
    unit.data := unit.data >> 16
  }
  when(io.in.fire) {
    unit        := io.in.bits
    unit.writes := io.in.bits.writes && !io.failed
    unit.failed := io.in.bits.failed || io.failed
    joins       := io.in.bits.unit === expect && !stop // what is here goes on at once
    when(io.in.bits.writes)(expect := io.in.bits.unit + 1.U)
  }
  when(leaves)(inside := !unit.last)
  resps.io.enq.valid := leaves && unit.last
  resps.io.enq.bits  := unit.failed

  private val over   = state === State.closing && io.link.done.valid
  private val ended  = leaves && unit.last
  private val grants = Mux(over, owed, (ended && state === State.closed).asUInt)
  private val handed = some && answer.io.in.ready
  when(over)(owed := 0.U).elsewhen(ended && state === State.open)(owed := owed + 1.U)
  private val after  = granted + grants - handed
  granted := after
  some := after =/= 0.U
  private val kept   = held + ended - handed
  held := kept
  space := kept =/= most.U

  switch(state) {
    is(State.closed)(when(io.link.cmd.fire) {
      state := State.open
      joins := true.B
    })
    is(State.open)(when(closes && io.link.step.ready)(state := State.closing))
    is(State.closing)(when(io.link.done.valid)(state := State.closed))
  }

  Transitions("XspiWriter", state, State, State.closed)(
    State.closed  -> Seq(State.open),
    State.open    -> Seq(State.closing),
    State.closing -> Seq(State.closed)
  )
  assert(some === (granted =/= 0.U) && (!some || resps.io.deq.valid), "XspiWriter: an answer to no burst")
  assert(resps.io.enq.ready === space && resps.io.count === held, "XspiWriter: room for an answer")
  assert(!over || !io.link.done.bits, "XspiWriter: a write waits for no DS")
  assert(!io.link.pair.valid, "XspiWriter: a write reads nothing")
  cover(has && !room && state === State.open, "XspiWriter: a transaction ends because answers are not taken")
  cover(has && !room && state === State.closed, "XspiWriter: a write waits until answers are taken")
  cover(over && owed > 1.U, "XspiWriter: bursts that share a transaction")
  cover(state === State.open && has && unit.writes && !joins && !stop, "XspiWriter: a unit somewhere else")
  cover(state === State.open && inside && !has && !stop, "XspiWriter: a transaction waits for its burst's data")
  cover(
    state === State.open && stop && has && unit.writes && !joins,
    "XspiWriter: a transaction is stopped between units"
  )
  cover(state === State.closed && stop && has, "XspiWriter: a write waits while the supply fails")
  cover(skips && state === State.open, "XspiWriter: a unit without data in a transaction")
}
