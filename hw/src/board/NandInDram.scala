// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The flash of one channel, for boards that have none: NandPort in, AXI4 out. Content and state are in DRAM
  * (FlashLayout), so that a reset finds what was there before. Data goes with DRAM's power.
  *
  * Its dies work side by side and take the time that flash takes (FlashTimes), or that DRAM takes if that is longer. It
  * is as strict as NandModel: what flash does not allow ends the simulation (NandPortRules, FlashRecords).
  *
  * Here the parts are wired; and commands wait for what they need: their die, the bus, and DRAM after a reset.
  */
class NandInDram(l: FlashLayout) extends Module {
  private val p    = l.p
  private val dies = p.g.diesPerChannel
  private val a    = AxiParams(p.dramAddrBits)
  val io           = IO(new Bundle {
    val nand   = Flipped(new NandPort(p))
    val axi    = new Axi4(a)
    val times  = Input(new FlashTimes)
    val forget = Input(Bool())  // FlashFormatter
    val ready  = Output(Bool()) // commands are taken
    val idle   = Output(Bool()) // nothing is under way, and no command came a cycle before
  })
  require(l.end <= (BigInt(1) << p.dramAddrBits), "the flash fits into the DRAM that can be addressed")

  private val formatter = Module(new FlashFormatter(l))
  private val records   = Module(new FlashRecords(l))
  private val loader    = Module(new FlashLoader(l))
  private val registers = Module(new FlashRegisters(p))
  private val storer    = Module(new FlashStorer(l))
  private val die       = Seq.fill(dies)(Module(new FlashDie(l)))
  private val rd        = Module(new AxiReadArbiter(a, 3))
  private val wr        = Module(new AxiWriteArbiter(a, 3))
  private val rules     = Module(new NandPortRules(p))
  rules.io.nand :#= io.nand

  // --- DRAM
  rd.io.stop := false.B
  wr.io.stop := false.B
  rd.io.in.zip(Seq(formatter.io.axi.rd, records.io.axi.rd, loader.io.rd)).foreach { case (to, from) => to <> from }
  wr.io.in.zip(Seq(formatter.io.axi.wr, records.io.axi.wr, storer.io.wr)).foreach { case (to, from) => to <> from }
  io.axi.rd <> rd.io.out
  io.axi.wr <> wr.io.out
  formatter.io.forget := io.forget
  io.ready            := formatter.io.ready

  // --- commands
  private val cmd       = Skid(io.nand.cmd)
  private val storing   = RegInit(false.B) // the words of a program come, or are on their way to DRAM
  private val transfers = cmd.bits.op === NandOp.transfer
  private val programs  = cmd.bits.op === NandOp.program
  private val mine      = Seq.tabulate(dies)(i => cmd.bits.die === i.U)
  private val free      = formatter.io.ready && Mux1H(mine, die.map(_.io.cmd.ready)) && !(programs && storing)
  private val content   = Mux1H(mine, die.map(_.io.content))
  cmd.ready                                           := Mux(transfers, registers.io.send.ready, free)
  registers.io.send.valid                             := cmd.valid && transfers
  registers.io.send.bits.die                          := cmd.bits.die
  registers.io.send.bits.content                      := content
  when(storer.io.stored.valid)(storing                      := false.B)
  when(cmd.valid && !transfers && programs && free)(storing := true.B)

  // --- dies
  private val (job, turn, _) = suppressEnumCastWarning(RoundRobin.joinAhead(die.map(_.io.job)))
  private val worker         = Reg(Vec(dies, Bool())) // whose job it is
  when(job.fire)(worker := turn)
  records.io.job <> job
  storer.io.stream.valid := VecInit(die.map(_.io.stream.valid)).asUInt.orR
  storer.io.stream.bits  := Mux1H(die.map(_.io.stream.valid), die.map(_.io.stream.bits))
  private val writer = Reg(Vec(dies, Bool())) // whose words they are
  when(storer.io.stream.fire)(writer := VecInit(die.map(_.io.stream.valid)))
  for ((d, i) <- die.zipWithIndex) {
    d.io.cmd.valid    := cmd.valid && !transfers && mine(i) && formatter.io.ready && !(programs && storing)
    d.io.cmd.bits     := cmd.bits
    d.io.times        := io.times
    d.io.answer.valid := records.io.answer.valid && worker(i)
    d.io.answer.bits  := records.io.answer.bits
    d.io.stream.ready := storer.io.stream.ready
    d.io.stored.valid := storer.io.stored.valid && writer(i)
    d.io.stored.bits  := storer.io.stored.bits
  }
  loader.io.load <> records.io.load
  records.io.loaded  := loader.io.loaded
  registers.io.write := loader.io.write

  // --- words
  storer.io.words <> Skid(io.nand.wdata)
  storer.io.word    := io.times.word
  registers.io.word := io.times.word
  io.nand.rdata <> registers.io.rdata

  // --- results: a die is busy until its result has been taken
  private val (ended, whose, _) = RoundRobin.joinAhead(die.map(_.io.result))
  private val shown             = RegInit(false.B)
  private val result            = Reg(new NandResult(p))
  private val giver             = Reg(Vec(dies, Bool()))
  ended.ready          := !shown
  io.nand.result.valid := shown
  io.nand.result.bits  := result
  when(ended.fire) {
    shown         := true.B
    result.die    := OHToUInt(whose)
    result.status := ended.bits
    result.weak   := false.B
    giver         := whose
  }
  when(io.nand.result.fire)(shown := false.B)
  for ((d, mine) <- die.zip(giver)) d.io.released := io.nand.result.fire && mine

  private val works = VecInit(die.map(!_.io.cmd.ready)).asUInt.orR
  io.idle := RegNext(!works && registers.io.idle && !cmd.valid && !io.nand.cmd.valid, false.B)

  assert(PopCount(die.map(_.io.stream.valid)) <= 1.U, "words of two programs")
  cover(cmd.valid && !formatter.io.ready, "NandInDram: a command waits for DRAM to be formatted")
  cover(cmd.valid && programs && storing, "NandInDram: a program waits for the words of another")
  cover(shown && !io.nand.result.ready, "NandInDram: the controller does not take a result")
}
