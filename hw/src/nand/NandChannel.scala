// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Drives one NAND port. The channel's dies (NandDie) share commands and the data bus; each has its own queue.
  *
  * Commands go out in this order: transfers, because each frees a die; reads, probes and erases, which cost the bus
  * nothing and keep an array busy; programs, whose data phase holds the bus longest.
  *
  * Timing: registers on all sides. A word takes a cycle to pass, in either direction.
  */
class NandChannel(p: Params) extends Module with Quiesces {
  val io = IO(new Bundle {
    val req      = Flipped(Valid(new NandPageRequest(p))) // who asks has counted the die's places (`dieQueueDepth`)
    val done     = Decoupled(new NandPageDone(p))
    val bufRead  = new BufferReadPort(p)
    val bufWrite = new BufferWritePort(p)
    val nand     = new NandPort(p)
    val weak     = Valid(UInt(p.sbBits.W))                // superblock of a read that nearly failed (NandDie)
    val retried  = Output(Bool())                         // a read is repeated
  })
  private val dies = Seq.tabulate(p.g.diesPerChannel)(i => Module(new NandDie(p, i)))

  // --- requests
  private val target = SlotAddress.die(p, io.req.bits.slot)
  for ((die, i) <- dies.zipWithIndex) {
    die.io.req.valid := io.req.valid && target === i.U
    die.io.req.bits  := io.req.bits
    assert(!die.io.req.valid || die.io.req.ready, "a request for a die that has no place")
  }

  // --- commands
  private object Bus extends ChiselEnum { val idle, command, dataIn, dataOut, spareIn, spareOut = Value }
  private val bus     = RegInit(Bus.idle)
  private val busNext = WireDefault(bus)
  // These two as registers: ports of the buffer RAM depend on them.
  private val dataIn  = RegNext(busNext === Bus.dataIn, false.B)
  private val dataOut = RegNext(busNext === Bus.dataOut, false.B)
  bus := busNext
  private val cmd = Module(
    new Queue(new NandCommand(p), 1)
  ) // keeps the offer still, whatever the choice does meanwhile
  private val ranks  = Seq.fill(3)(Module(new RotatingArbiter(new NandCommand(p), dies.size)))
  private val isBus  = Seq(true, false, true)
  private val toNand = Module(new Skid(new NandWord(p)))
  // The last words of a program leave before the next command that needs the bus.
  private val busFree = bus === Bus.idle && !toNand.io.out.valid
  private val opened  =
    ranks.zip(isBus).map { case (arb, b) => arb.io.out.valid && (if (b) busFree else true.B) }
  private val picked                           = PriorityEncoderOH(opened)
  private def rank(op: NandOp.Type): Seq[Bool] =
    Seq(op === NandOp.transfer, op =/= NandOp.transfer && op =/= NandOp.program, op === NandOp.program)
  for ((die, i) <- dies.zipWithIndex) {
    val mine = rank(die.io.cmd.bits.op)
    for ((arb, k) <- ranks.zipWithIndex) {
      arb.io.in(i).valid := die.io.cmd.valid && mine(k)
      arb.io.in(i).bits  := die.io.cmd.bits
    }
    die.io.cmd.ready := VecInit(ranks.zip(mine).map { case (arb, m) => m && arb.io.in(i).ready }).asUInt.orR
  }
  ranks.zip(picked).foreach { case (arb, pick) => arb.io.out.ready := cmd.io.enq.ready && pick }
  cmd.io.enq.valid := VecInit(opened).asUInt.orR
  cmd.io.enq.bits  := PriorityMux(opened, ranks.map(_.io.out.bits))
  io.nand.cmd <> cmd.io.deq

  // --- data bus: one die's words at a time
  private val owner   = Reg(UInt(log2Ceil(dies.size).max(1).W))
  private val current = Mux1H(UIntToOH(owner, dies.size), dies.map(_.io.current)) // out of distributed RAM
  private val op      = Reg(NandRequestOp())                                      // of the owner's request
  private val asked   = Reg(UInt((p.wordBits + 1).W))                             // addresses given to the buffer RAM
  private val count   = Reg(UInt(p.wordBits.W))                                   // words moved in this phase
  private val at        = Reg(UInt(p.subBits.W)) // slot of the page whose data is programmed, or in
  private val lastSlot  = Reg(Bool())            // `spareOut` the next one; the spare is the last slot's
  private val buf       = Reg(UInt(p.bufBits.W)) // of the slot whose words move
  private val spare     = Reg(Vec(p.oobWords, UInt(p.dataBits.W)))
  private val lastWord  = count === (p.wordsPerSlot - 1).U
  private val lastSpare = count === (p.oobWords - 1).U
  private val fromNand  = Module(new Skid(new NandWord(p)))
  private val (in, out) = (fromNand.io.out, toNand.io.in)
  fromNand.io.in <> io.nand.rdata
  io.nand.wdata <> toNand.io.out

  // A read's one slot is the first.
  private def ofSlot(first: UInt, rest: Seq[UInt]): UInt = if (rest.isEmpty) first else VecInit(first +: rest)(at)
  private def load(): Unit                               = {
    val oob = ofSlot(current.oob, current.rest.map(_.oob))
    buf                                        := ofSlot(current.buf, current.rest.map(_.buf))
    for ((word, i) <- spare.zipWithIndex) word := oob(p.dataBits * (i + 1) - 1, p.dataBits * i)
  }
  private val spareAt = count(log2Ceil(p.oobWords).max(1) - 1, 0)

  io.bufRead.addr.valid     := dataOut && !asked.head(1) // not all of them
  io.bufRead.addr.bits.buf  := buf
  io.bufRead.addr.bits.word := asked(p.wordBits - 1, 0)
  io.bufRead.data.ready     := dataOut && out.ready
  out.valid                 := dataOut && io.bufRead.data.valid || bus === Bus.spareOut
  out.bits.data             := Mux(bus === Bus.spareOut, spare(spareAt), io.bufRead.data.bits)
  out.bits.last             := bus === Bus.spareOut && lastSpare && lastSlot

  io.bufWrite.write.valid        := dataIn && in.valid
  io.bufWrite.write.bits.at.buf  := buf
  io.bufWrite.write.bits.at.word := count
  io.bufWrite.write.bits.data    := in.bits.data
  in.ready                       := dataIn && io.bufWrite.write.ready || bus === Bus.spareIn

  private val moved = in.fire || out.fire
  private val ended =
    moved && lastSpare && (bus === Bus.spareIn || bus === Bus.spareOut && lastSlot)
  when(moved)(count                := count + 1.U)
  when(io.bufRead.addr.fire)(asked := asked + 1.U)
  switch(bus) {
    is(Bus.idle) {
      when(cmd.io.enq.fire && (picked.head || picked.last)) {
        owner   := cmd.io.enq.bits.die
        count   := 0.U
        asked   := 0.U
        at      := 0.U
        busNext := Bus.command
      }
    }
    is(Bus.command) { // words follow their command, which takes at least a cycle
      op := current.op
      load()
      when(!cmd.io.deq.valid) {
        busNext := MuxCase(
          Bus.dataIn,
          Seq((op === NandRequestOp.program) -> Bus.dataOut, (op === NandRequestOp.probe) -> Bus.spareIn)
        )
      }
    }
    is(Bus.dataIn)(when(moved && lastWord)(nextPhase(Bus.spareIn)))
    is(Bus.dataOut) {
      when(moved && lastWord) {
        lastSlot := at === (p.g.slotsPerPage - 1).U
        at       := at + 1.U
        nextPhase(Bus.spareOut)
      }
    }
    is(Bus.spareIn) {
      when(moved)(spare(spareAt) := in.bits.data)
      when(ended)(busNext        := Bus.idle)
    }
    is(Bus.spareOut) {
      when(moved && lastSpare && !lastSlot) {
        asked := 0.U
        load()
        nextPhase(Bus.dataOut)
      }
      when(ended)(busNext := Bus.idle)
    }
  }
  private def nextPhase(b: Bus.Type): Unit = {
    busNext := b
    count   := 0.U
  }
  assert(
    !dataIn && !dataOut && bus =/= Bus.spareOut || op === current.op,
    "words of another request"
  )
  assert(!in.fire || in.bits.last === (bus === Bus.spareIn && lastSpare), "NAND ends a transfer at the wrong word")
  assert(!in.valid || bus =/= Bus.idle, "NAND sends words that nobody asked for")

  // --- results
  io.nand.result.ready := true.B
  for ((die, i) <- dies.zipWithIndex) {
    die.io.result.valid       := io.nand.result.valid && io.nand.result.bits.die === i.U
    die.io.result.bits.status := io.nand.result.bits.status
    die.io.result.bits.weak   := io.nand.result.bits.weak
    die.io.moved              := ended && owner === i.U
    // The last spare word is on its way into the register in the cycle in which the die hears of it.
    die.io.spare := (spare.init :+ in.bits.data).reverse.reduce((a: UInt, b: UInt) => a ## b)
  }
  private val done   = Module(new RotatingArbiter(new NandPageDone(p), dies.size))
  private val answer = Module(new Queue(new NandPageDone(p), 1)) // an offer to the scheduler does not change
  done.io.in.zip(dies).foreach { case (i, die) => i <> die.io.done }
  answer.io.enq <> done.io.out
  io.done <> answer.io.deq

  // One result comes at a time. A read is known to be weak long before its answer goes.
  private val isWeak = VecInit(dies.map(_.io.weak.valid)).asUInt.orR
  io.weak.valid := RegNext(isWeak, false.B)
  io.weak.bits  := RegEnable(Mux1H(dies.map(d => d.io.weak.valid -> d.io.weak.bits)), isWeak)
  io.retried    := RegNext(io.nand.cmd.fire && io.nand.cmd.bits.retry =/= 0.U, false.B)

  quiet := dies.map(_.quiet).reduce(_ && _) && bus === Bus.idle && !cmd.io.deq.valid && !io.nand.result.valid &&
    !io.req.valid && fromNand.quiet && toNand.quiet && !io.done.fire && !io.weak.valid && !io.retried

  cover(VecInit(dies.map(d => d.io.cmd.valid)).asUInt.orR && bus =/= Bus.idle, "a die waits for the bus")
  cover(dataOut && out.valid && !out.ready, "NAND holds program data back")
  cover(dataIn && !in.valid, "the bus waits for read data")
  cover(!VecInit(dies.map(_.io.req.ready)).asUInt.andR, "the queue of a die is full")
  cover(io.done.valid && VecInit(dies.map(_.io.done.valid)).asUInt.orR, "an answer waits for another die's")
}
