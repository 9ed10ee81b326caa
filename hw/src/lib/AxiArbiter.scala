// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The first access that a memory could not carry out. */
class AxiFailure(val a: AxiParams, val clients: Int) extends Bundle {
  val resp = UInt(2.W)
  val who  = UInt(clients.W)    // whose it was, one-hot
  val addr = UInt(a.addrBits.W) // of its burst
}

/** The answers of a memory. After the first error no client gets an answer any more (`kept`), that one included: none
  * goes on with data that is wrong, or takes a write for done. They wait, as for a memory that is slow. The bus is not
  * kept waiting: all answers are taken.
  */
private class AxiGuard(a: AxiParams, n: Int) extends Module with Quiesces {
  val io = IO(new Bundle {
    val resp    = Input(UInt(2.W)) // what the bus offers
    val taken   = Input(Bool())    // and it is taken
    val who     = Input(UInt(n.W))
    val addr    = Input(UInt(a.addrBits.W))
    val kept    = Output(Bool())
    val failure = Valid(new AxiFailure(a, n))
  })
  private val failed = RegInit(false.B)
  private val first  = Reg(new AxiFailure(a, n))
  private val bad    = io.resp =/= Axi4.OKAY.U
  when(io.taken && bad && !failed) {
    failed     := true.B
    first.resp := io.resp
    first.who  := io.who
    first.addr := io.addr
  }
  io.kept          := failed || bad
  io.failure.valid := failed
  io.failure.bits  := first
  quiet            := !io.taken

  /** Looks at the answers of a bus; `burst`: whose turn it is, the address before the client. */
  def watch(resp: UInt, taken: Bool, burst: UInt): Unit = {
    io.resp  := resp
    io.taken := taken
    io.who   := burst(n - 1, 0)
    io.addr  := burst >> n
  }
  cover(io.taken && failed && !bad, "AxiGuard: a good answer behind an error")
}

/** The address half of both arbiters: offers one of `n` requests at a time, and stays with it until it is taken, as AXI
  * demands of its address channels. `in.ready` and `out` start at registers: who may hand over is decided a cycle
  * before (RoundRobin.ahead), and so is whether there is room. There is none behind `stop`.
  */
private class AxiAddressStage(a: AxiParams, n: Int, outstanding: Int) extends Module with Quiesces {
  val io = IO(new Bundle {
    val in     = Vec(n, Flipped(Decoupled(new AxiAddr(a))))
    val out    = Decoupled(new AxiAddr(a))
    val chosen = Valid(UInt(n.W))           // the input that was taken in this cycle, one-hot
    val addr   = Output(UInt(a.addrBits.W)) // of it
    val ended  = Input(Bool())              // a burst is no longer under way
    val stop   = Input(Bool())              // none is taken from the next cycle on
  })
  private val skid  = Module(new Skid(new AxiAddr(a)))
  private val room  = RegInit(true.B)
  private val under = RegInit(0.U(log2Ceil(outstanding + 1).W)) // bursts under way
  private val taken = io.chosen.valid
  private val turn  = RoundRobin.ahead(io.in.map(_.valid), taken)

  io.in.zip(turn).foreach { case (in, mine) => in.ready := mine && skid.io.in.ready && room }
  skid.io.in.valid := Mux1H(turn, io.in.map(_.valid)) && room
  skid.io.in.bits  := Mux1H(turn, io.in.map(_.bits))
  io.out <> skid.io.out
  io.chosen.valid := skid.io.in.fire
  io.chosen.bits  := turn.asUInt
  io.addr         := skid.io.in.bits.addr

  under := under + taken - io.ended
  room  := !Mux(taken, under === (outstanding - 1).U && !io.ended, under === outstanding.U && !io.ended) && !io.stop
  // Quiet with requests: there is no room for that whose turn it is.
  private val blocked = Mux1H(turn, io.in.map(_.valid)) && !(room && skid.io.in.ready)
  quiet := skid.quiet && (blocked || !VecInit(io.in.map(_.valid)).asUInt.orR)
  assert(room === (under =/= outstanding.U && !RegNext(io.stop, false.B)), "room is counted a cycle ahead")
}

/** `n` readers share one AXI bus. There is one ID, so answers come in the order of the addresses; `outstanding` bounds
  * the bursts under way. A reader that has asked must be able to take its data: otherwise it blocks the others.
  *
  * Timing: both sides of each channel start at registers. An address takes a cycle, one more when the turn has to come
  * to its reader; a beat takes a cycle. Each channel carries an item a cycle.
  *
  * @param guards
  *   an error ends everything (AxiGuard), instead of reaching its reader
  */
class AxiReadArbiter(a: AxiParams, n: Int, outstanding: Int = 16, guards: Boolean = false)
    extends Module
    with Quiesces {
  val io = IO(new Bundle {
    val in      = Vec(n, Flipped(new AxiRead(a)))
    val out     = new AxiRead(a)
    val stop    = Input(Bool()) // no further burst begins
    val failure = Option.when(guards)(Valid(new AxiFailure(a, n)))
  })

  /** A beat, and which reader it is for, one-hot. */
  private class Delivery extends Bundle {
    val who  = UInt(n.W)
    val beat = new AxiReadData(a)
  }
  private val address = Module(new AxiAddressStage(a, n, outstanding))
  private val order   = Module(new Queue(UInt((n + (if (guards) a.addrBits else 0)).W), outstanding)) // address, reader
  private val data    = Module(new Skid(new Delivery))
  private val guard   = Option.when(guards)(Module(new AxiGuard(a, n)))
  private val failed  = guard.map(_.io.failure.valid).getOrElse(false.B)

  address.io.in.zip(io.in).foreach { case (to, from) => to <> from.ar }
  io.out.ar <> address.io.out
  order.io.enq.valid := address.io.chosen.valid
  order.io.enq.bits  := (if (guards) address.io.addr ## address.io.chosen.bits else address.io.chosen.bits)
  assert(!order.io.enq.valid || order.io.enq.ready, "room was kept for every burst under way")

  // A burst is over for the order of answers when its last beat is here, although its reader may not have taken it yet:
  // the beats behind it wait in the same place, each with its reader.
  data.io.in.valid     := io.out.r.valid && !guard.map(_.io.kept).getOrElse(false.B)
  data.io.in.bits.who  := order.io.deq.bits(n - 1, 0)
  data.io.in.bits.beat := io.out.r.bits
  io.out.r.ready       := data.io.in.ready || failed
  order.io.deq.ready   := io.out.r.fire && io.out.r.bits.last
  address.io.ended     := order.io.deq.ready
  private val who = data.io.out.bits.who
  io.in.zipWithIndex.foreach { case (in, i) =>
    in.r.valid := data.io.out.valid && who(i)
    in.r.bits  := data.io.out.bits.beat
  }
  data.io.out.ready := Mux1H(who, io.in.map(_.r.ready))

  address.io.stop := io.stop || failed
  for (g <- guard) {
    g.watch(io.out.r.bits.resp, io.out.r.fire, order.io.deq.bits)
    for (in <- io.in)
      assert(!in.r.valid || in.r.bits.resp === Axi4.OKAY.U, "AxiReadArbiter: an error has come to a reader")
  }
  for ((port, g) <- io.failure.zip(guard)) port := g.io.failure

  quiet := address.quiet && data.quiet && guard.map(_.quiet).getOrElse(true.B)
  assert(!io.out.r.valid || order.io.deq.valid, "read data that nobody asked for")
  cover(
    VecInit(io.in.map(_.ar.valid)).asUInt.orR && !order.io.enq.ready,
    "AxiReadArbiter: as many bursts under way as it can follow"
  )
  cover(io.out.r.valid && order.io.deq.valid && !io.out.r.ready, "AxiReadArbiter: a reader keeps the bus waiting")
}

/** `n` writers share one AXI bus. Data follows in the order of the addresses, so a writer that has given its address
  * and not its data blocks the others. Give the address when the data is there.
  *
  * Timing: both sides of each channel start at registers. An address takes a cycle, one more when the turn has to come
  * to its writer; a beat and a response take a cycle. Each channel carries an item a cycle.
  *
  * That data is taken says nothing about where it is; a write is done when its response comes.
  *
  * @param guards
  *   an error ends everything (AxiGuard), instead of reaching its writer
  */
class AxiWriteArbiter(a: AxiParams, n: Int, outstanding: Int = 16, guards: Boolean = false)
    extends Module
    with Quiesces {
  val io = IO(new Bundle {
    val in      = Vec(n, Flipped(new AxiWrite(a)))
    val out     = new AxiWrite(a)
    val stop    = Input(Bool()) // no further burst begins; the data of those that have begun follows
    val failure = Option.when(guards)(Valid(new AxiFailure(a, n)))
  })

  /** A response, and which writer it is for, one-hot. */
  private class Answer extends Bundle {
    val who  = UInt(n.W)
    val resp = new AxiWriteResp(a)
  }
  require(isPow2(outstanding) && outstanding >= 2)
  private val address   = Module(new AxiAddressStage(a, n, outstanding))
  private val respOrder = Module(new Queue(UInt((n + (if (guards) a.addrBits else 0)).W), outstanding))
  private val data      = Module(new Skid(new AxiWriteData(a)))
  private val answer    = Module(new Skid(new Answer))
  private val guard     = Option.when(guards)(Module(new AxiGuard(a, n)))
  private val failed    = guard.map(_.io.failure.valid).getOrElse(false.B)
  private val chosen    = address.io.chosen

  address.io.in.zip(io.in).foreach { case (to, from) => to <> from.aw }
  io.out.aw <> address.io.out
  respOrder.io.enq.valid := chosen.valid
  respOrder.io.enq.bits  := (if (guards) address.io.addr ## chosen.bits else chosen.bits)
  assert(!chosen.valid || respOrder.io.enq.ready, "room was kept for every burst under way")

  // Whose data it is, one-hot: of the burst whose turn it is (zero if there is none), and of the two behind it. The
  // bursts behind these wait in `line`, which is read only into a free third place: so its pointers do not depend on
  // what the writers do in this cycle, and yet a burst can end in each cycle.
  private val turn                = RegInit(0.U(n.W))
  private val second, third       = Reg(UInt(n.W))
  private val hasSecond, hasThird = RegInit(false.B)
  private val line                = Mem(outstanding, UInt(n.W))
  private val last, first         = RegInit(0.U(log2Ceil(outstanding).W)) // places of `line`
  private val some                = RegInit(false.B)                      // `line` is not empty
  private val ends                = data.io.in.ready && Mux1H(turn, io.in.map(in => in.w.valid && in.w.bits.last))
  private val leaves              = !hasThird && some
  private val enters              = chosen.valid && (hasThird || some)
  private val comes               = !hasThird && (some || chosen.valid)
  private val comer               = Mux(some, line(first), chosen.bits)
  private val moves               = ends || !turn.orR
  // Without a second one there is no line, either (`no gaps`): what comes now is next.
  when(moves)(turn                 := Mux(hasSecond, second, Mux(chosen.valid, chosen.bits, 0.U)))
  when(moves || !hasSecond)(second := Mux(hasThird, third, comer))
  when(!hasThird)(third            := comer)
  hasSecond := Mux(moves, hasThird || hasSecond && comes, hasSecond || comes)
  hasThird  := !moves && (hasThird || hasSecond && comes)
  when(leaves)(first               := first + 1.U)
  when(enters) {
    line(last) := chosen.bits
    last       := last + 1.U
  }
  when(enters)(some := true.B).elsewhen(leaves)(some := first + 1.U =/= last)
  assert(some || first === last, "the bursts behind the first ones are in the line")
  assert(turn.orR || !hasSecond, "a burst that lacks data has its turn")
  assert(hasSecond || !hasThird && !some, "no gaps")

  data.io.in.valid := Mux1H(turn, io.in.map(_.w.valid))
  data.io.in.bits  := Mux1H(turn, io.in.map(_.w.bits))
  io.in.zip(turn.asBools).foreach { case (in, mine) => in.w.ready := data.io.in.ready && mine }
  io.out.w <> data.io.out

  answer.io.in.valid     := io.out.b.valid && !guard.map(_.io.kept).getOrElse(false.B)
  answer.io.in.bits.who  := respOrder.io.deq.bits(n - 1, 0)
  answer.io.in.bits.resp := io.out.b.bits
  io.out.b.ready         := answer.io.in.ready || failed
  respOrder.io.deq.ready := io.out.b.fire
  address.io.ended       := io.out.b.fire
  private val who = answer.io.out.bits.who
  io.in.zipWithIndex.foreach { case (in, i) =>
    in.b.valid := answer.io.out.valid && who(i)
    in.b.bits  := answer.io.out.bits.resp
  }
  answer.io.out.ready := Mux1H(who, io.in.map(_.b.ready))

  address.io.stop := io.stop || failed
  for (g <- guard) {
    g.watch(io.out.b.bits.resp, io.out.b.fire, respOrder.io.deq.bits)
    for (in <- io.in)
      assert(!in.b.valid || in.b.bits.resp === Axi4.OKAY.U, "AxiWriteArbiter: an error has come to a writer")
  }
  for ((port, g) <- io.failure.zip(guard)) port := g.io.failure

  quiet := address.quiet && data.quiet && answer.quiet && guard.map(_.quiet).getOrElse(true.B) &&
    !Mux1H(turn, io.in.map(_.w.valid && data.io.in.ready))
  assert(!io.out.b.valid || respOrder.io.deq.valid, "a write response that nobody waits for")
  cover(
    VecInit(io.in.map(_.aw.valid)).asUInt.orR && !respOrder.io.enq.ready,
    "AxiWriteArbiter: as many bursts under way as it can follow"
  )
  cover(turn.orR && !data.io.in.valid, "AxiWriteArbiter: an address waits for its data")
}

/** The arbiters of a memory whose errors nobody can make good: DRAM, NVRAM. */
class MemoryReadArbiter(a: AxiParams, n: Int)  extends AxiReadArbiter(a, n, guards = true)
class MemoryWriteArbiter(a: AxiParams, n: Int) extends AxiWriteArbiter(a, n, guards = true)
