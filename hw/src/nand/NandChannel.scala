// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Drives one NAND port. The channel's dies (NandDie) share commands and the data bus; each has its own queue.
  *
  * Commands go out in this order: transfers, because each frees a die; reads, probes and erases, which cost the bus
  * nothing and keep an array busy; programs, whose data phase holds the bus longest.
  */
class NandChannel(p: Params) extends Module with Quiesces {
  val io = IO(new Bundle {
    val req      = Flipped(Decoupled(new NandPageRequest(p)))
    val room     = Output(Vec(p.g.diesPerChannel, Bool())) // the die takes a request
    val done     = Decoupled(new NandPageDone(p))
    val bufRead  = new BufferReadPort(p)
    val bufWrite = new BufferWritePort(p)
    val nand     = new NandPort(p)
    val weak     = Valid(UInt(p.sbBits.W))                 // superblock of a read that nearly failed (NandDie)
    val retried  = Output(Bool())                          // a read is repeated
  })
  private val dies = Seq.tabulate(p.g.diesPerChannel)(i => Module(new NandDie(p, i)))

  // --- requests
  private val target = SlotAddress.die(p, io.req.bits.slot)
  for ((die, i) <- dies.zipWithIndex) {
    die.io.req.valid := io.req.valid && target === i.U
    die.io.req.bits  := io.req.bits
    io.room(i)       := die.io.req.ready
  }
  io.req.ready := VecInit(dies.map(_.io.req.ready))(if (dies.size == 1) 0.U else target)

  // --- commands
  private object Bus extends ChiselEnum { val idle, command, dataIn, dataOut, spareIn, spareOut = Value }
  private val bus = RegInit(Bus.idle)
  private val cmd = Module(
    new Queue(new NandCommand(p), 1)
  ) // keeps the offer still, whatever the choice does meanwhile
  private val ranks  = Seq.fill(3)(Module(new RotatingArbiter(new NandCommand(p), dies.size)))
  private val isBus  = Seq(true, false, true)
  private val opened =
    ranks.zip(isBus).map { case (arb, b) => arb.io.out.valid && (if (b) bus === Bus.idle else true.B) }
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
  private val owner     = Reg(UInt(log2Ceil(dies.size).max(1).W))
  private val current   = Mux1H(UIntToOH(owner, dies.size), dies.map(_.io.current))
  private val asked     = Reg(UInt((p.wordBits + 1).W)) // addresses given to the buffer RAM
  private val count     = Reg(UInt(p.wordBits.W))       // words moved in this phase
  private val at        = Reg(UInt(p.subBits.W))        // slot of the page whose data and spare are programmed
  private val spare     = Reg(Vec(p.oobWords, UInt(p.dataBits.W)))
  private val lastWord  = count === (p.wordsPerSlot - 1).U
  private val lastSpare = count === (p.oobWords - 1).U
  private val lastSlot  = at === (p.g.slotsPerPage - 1).U
  private val (in, out) = (io.nand.rdata, io.nand.wdata)

  // A read's one slot is the first.
  private def ofSlot(first: UInt, rest: Seq[UInt]): UInt = if (rest.isEmpty) first else VecInit(first +: rest)(at)
  private val buf                                        = ofSlot(current.buf, current.rest.map(_.buf))
  private val oob                                        = ofSlot(current.oob, current.rest.map(_.oob))

  io.bufRead.addr.valid     := bus === Bus.dataOut && asked =/= p.wordsPerSlot.U
  io.bufRead.addr.bits.buf  := buf
  io.bufRead.addr.bits.word := asked(p.wordBits - 1, 0)
  io.bufRead.data.ready     := bus === Bus.dataOut && out.ready
  out.valid                 := bus === Bus.dataOut && io.bufRead.data.valid || bus === Bus.spareOut
  out.bits.data             := Mux(
    bus === Bus.spareOut,
    VecInit.tabulate(p.oobWords)(i => oob(p.dataBits * (i + 1) - 1, p.dataBits * i))(
      count(log2Ceil(p.oobWords).max(1) - 1, 0)
    ),
    io.bufRead.data.bits
  )
  out.bits.last := bus === Bus.spareOut && lastSpare && lastSlot

  io.bufWrite.write.valid        := bus === Bus.dataIn && in.valid
  io.bufWrite.write.bits.at.buf  := buf
  io.bufWrite.write.bits.at.word := count
  io.bufWrite.write.bits.data    := in.bits.data
  in.ready                       := bus === Bus.dataIn && io.bufWrite.write.ready || bus === Bus.spareIn

  private val moved = in.fire || out.fire
  private val ended =
    moved && lastSpare && (bus === Bus.spareIn || bus === Bus.spareOut && lastSlot)
  when(moved)(count                := count + 1.U)
  when(io.bufRead.addr.fire)(asked := asked + 1.U)
  switch(bus) {
    is(Bus.idle) {
      when(cmd.io.enq.fire && (picked.head || picked.last)) {
        owner := cmd.io.enq.bits.die
        count := 0.U
        asked := 0.U
        at    := 0.U
        bus   := Bus.command
      }
    }
    is(Bus.command) { // words follow their command
      when(!cmd.io.deq.valid) {
        bus := MuxCase(
          Bus.dataIn,
          Seq(
            (current.op === NandRequestOp.program) -> Bus.dataOut,
            (current.op === NandRequestOp.probe)   -> Bus.spareIn
          )
        )
      }
    }
    is(Bus.dataIn)(when(moved && lastWord)(nextPhase(Bus.spareIn)))
    is(Bus.dataOut)(when(moved && lastWord)(nextPhase(Bus.spareOut)))
    is(Bus.spareIn) {
      when(moved)(spare(count(log2Ceil(p.oobWords).max(1) - 1, 0)) := in.bits.data)
      when(ended)(bus                                              := Bus.idle)
    }
    is(Bus.spareOut) {
      when(moved && lastSpare && !lastSlot) {
        asked := 0.U
        at    := at + 1.U
        nextPhase(Bus.dataOut)
      }
      when(ended)(bus := Bus.idle)
    }
  }
  private def nextPhase(b: Bus.Type): Unit = {
    bus   := b
    count := 0.U
  }
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
  private val done = Module(new RotatingArbiter(new NandPageDone(p), dies.size))
  done.io.in.zip(dies).foreach { case (i, die) => i <> die.io.done }
  io.done <> done.io.out

  // One result comes at a time.
  io.weak.valid := VecInit(dies.map(_.io.weak.valid)).asUInt.orR
  io.weak.bits  := Mux1H(dies.map(d => d.io.weak.valid -> d.io.weak.bits))
  io.retried    := io.nand.cmd.fire && io.nand.cmd.bits.retry =/= 0.U

  quiet := dies.map(_.quiet).reduce(_ && _) && bus === Bus.idle && !cmd.io.deq.valid && !io.nand.result.valid &&
    !io.req.fire

  cover(VecInit(dies.map(d => d.io.cmd.valid)).asUInt.orR && bus =/= Bus.idle, "a die waits for the bus")
  cover(bus === Bus.dataOut && out.valid && !out.ready, "NAND holds program data back")
  cover(bus === Bus.dataIn && !in.valid, "the bus waits for read data")
  cover(io.req.valid && !io.req.ready, "the queue of a die is full")
}
