// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Puts the NAND controller of a channel of the Cosmos+ board behind a NAND port. `control` leads to the controller's
  * registers, `data` comes from its data port; `window` is the address at which that port finds us. The two have one
  * reset. A die of the port is a way.
  *
  * The controller has no read retry: a read at another level is a read.
  *
  * Timing: registers on all sides. docs/design/tiger4-port.md tells what is known of the controller and what is not.
  */
class Tiger4Port(p: Params, window: BigInt = 0) extends Module {
  val io = IO(new Bundle {
    val nand    = Flipped(new NandPort(p))
    val control = new AxiLite(Tiger4Registers.addrBits)
    val data    = Flipped(new Axi4(AxiParams(Tiger4Layout.windowBits, 32)))
  })
  Tiger4Layout.check(p)
  private val ways      = Seq.tabulate(p.g.diesPerChannel)(i => Module(new Tiger4Way(i)))
  private val registers = Module(new Tiger4Registers(window))
  private val memory    = Module(new Tiger4Memory(p))
  private val streams   = Module(new Tiger4Streams(p))
  io.control <> registers.io.bus
  io.data <> memory.io.bus

  // --- commands of the port, one at a time
  private def dieOf(number: UInt) = number(log2Ceil(ways.size).max(1) - 1, 0)
  private val in                  = Skid(io.nand.cmd)
  private val known               = RegInit(false.B) // a command is looked at
  private val cmd                 = Reg(new NandCommand(p))
  private val start               = Reg(new Tiger4Start)
  private val die                 = dieOf(cmd.die)
  private val isTransfer          = cmd.op === NandOp.transfer
  private val isProgram           = cmd.op === NandOp.program
  // What it needs, a cycle later: nobody else takes it.
  private val free  = RegNext(VecInit(ways.map(_.io.idle))(dieOf(Mux(known, cmd.die, in.bits.die))), false.B)
  private val late  = RegNext(known, false.B)
  private val short = RegNext(VecInit(ways.map(_.io.short))(die))
  private val blank = RegNext(VecInit(ways.map(_.io.blank))(die))
  private val goes  = known && late && free &&
    (!isTransfer || streams.io.transfer.ready) && (!isProgram || streams.io.program.ready)
  private val wanted = Reg(Vec(ways.size, UInt(p.subBits.W)))
  in.ready := !known
  when(!known && in.valid) {
    known       := true.B
    cmd         := in.bits
    start.op    := in.bits.op
    start.row   := Tiger4Layout.row(in.bits.block, Mux(in.bits.op === NandOp.erase, 0.U, in.bits.page))
    start.first := in.bits.page === 0.U
  }
  when(goes) {
    known := false.B
    when(!isTransfer)(wanted(die) := cmd.sub)
  }
  memory.io.wanted               := wanted
  streams.io.transfer.valid      := goes && isTransfer
  streams.io.transfer.bits.way   := cmd.die
  streams.io.transfer.bits.short := short
  streams.io.transfer.bits.blank := blank
  streams.io.program.valid       := goes && isProgram
  streams.io.program.bits        := cmd.die
  for ((way, i) <- ways.zipWithIndex) {
    way.io.start.valid := goes && !isTransfer && die === i.U
    way.io.start.bits  := start
  }
  streams.io.wdata <> io.nand.wdata
  io.nand.rdata <> streams.io.rdata
  memory.io.store   := streams.io.store
  memory.io.load    := streams.io.load
  streams.io.loaded := memory.io.loaded

  // --- commands to the controller and results: each way has its turn
  private def turn(): UInt = RegInit(0.U(log2Ceil(ways.size).max(1).W))
  private def serve[T <: Data](turn: UInt, offers: Seq[DecoupledIO[T]], out: DecoupledIO[T]): Unit = {
    out.valid                                           := VecInit(offers.map(_.valid))(turn)
    out.bits                                            := VecInit(offers.map(_.bits))(turn)
    for ((offer, i) <- offers.zipWithIndex) offer.ready := out.ready && turn === i.U
    when(out.ready || !out.valid)(turn := Mux(turn === (ways.size - 1).U, 0.U, turn + 1.U))
  }
  serve(turn(), ways.map(_.io.command), registers.io.command)
  registers.io.waits := RegNext(VecInit(ways.map(_.io.waits)).asUInt.orR, false.B)

  private val result  = Module(new Skid(new NandResult(p)))
  private val results = turn()
  private val outcome = Wire(Decoupled(new NandOutcome))
  serve(results, ways.map(_.io.result), outcome)
  result.io.in.valid       := outcome.valid
  outcome.ready            := result.io.in.ready
  result.io.in.bits.die    := results
  result.io.in.bits.status := outcome.bits.status
  result.io.in.bits.weak   := outcome.bits.weak
  io.nand.result <> result.io.out

  // --- what the ways hear
  private def hears[T <: Data](to: ValidIO[T], from: ValidIO[OfWay[T]], i: Int): Unit = {
    to.valid := from.valid && from.bits.way === i.U
    to.bits  := from.bits.what
  }
  for ((way, i) <- ways.zipWithIndex) {
    way.io.go          := registers.io.started
    way.io.ready.valid := registers.io.ready.valid
    way.io.ready.bits  := registers.io.ready.bits(i)
    hears(way.io.status, memory.io.status, i)
    hears(way.io.moved, memory.io.moved, i)
    hears(way.io.seen, memory.io.seen, i)
    way.io.filled.valid := streams.io.filled.valid && streams.io.filled.bits.way === i.U
    way.io.filled.bits  := streams.io.filled.bits.buf
  }
  // Reports come one at a time.
  streams.io.freed.valid := VecInit(ways.map(_.io.freed.valid)).asUInt.orR
  streams.io.freed.bits  := Mux1H(ways.map(way => way.io.freed.valid -> way.io.freed.bits))

  assert(PopCount(ways.map(_.io.freed.valid)) <= 1.U, "two reports at a time")
  assert(
    !goes || isTransfer || !streams.io.load.valid || streams.io.load.bits.way =/= cmd.die,
    "a way's slot is still read"
  )
  assert(!goes || !isTransfer || cmd.sub === wanted(die), "a transfer of another slot than was read")
  assert(!goes || cmd.retry === 0.U || cmd.op === NandOp.read || cmd.op === NandOp.probe, "a level of no read")
  cover(known && late && !free, "Tiger4Port: a command waits for its way")
  cover(PopCount(ways.map(_.io.command.valid)) > 1.U, "Tiger4Port: several ways have commands")
  cover(PopCount(ways.map(_.io.result.valid)) > 1.U, "Tiger4Port: several ways have results")
}
