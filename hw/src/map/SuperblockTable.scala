// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

object SbState extends ChiselEnum {
  val free, open, closed, bad = Value
}

/** MapUnit's view: at most one increment and one decrement per cycle, never refused. */
class ValidUpdatePort(val p: Params) extends Bundle {
  val inc = Valid(UInt(p.sbBits.W))
  val dec = Valid(UInt(p.sbBits.W))
}

/** Combinational read of one superblock's record. */
class SbReadPort(val p: Params) extends Bundle {
  val sb    = Output(UInt(p.sbBits.W))
  val gen   = Input(UInt(p.genBits.W))
  val epoch = Input(UInt(p.epochBits.W))
  val valid = Input(UInt((p.offsetBits + 1).W))
  val state = Input(SbState())
}

class SbStateWrite(val p: Params) extends Bundle {
  val sb    = UInt(p.sbBits.W)
  val state = SbState()
}

class SbRecord(val p: Params) extends Bundle {
  val sb    = UInt(p.sbBits.W)
  val gen   = UInt(p.genBits.W)
  val epoch = UInt(p.epochBits.W)
  val valid = UInt((p.offsetBits + 1).W)
  val state = SbState()
}

/** Events of a superblock since its erase, or since firmware set its record. */
class SbMarks extends Bundle {
  val failed = Bool() // a program in it failed
  val weak   = Bool() // a read of it nearly failed
}

object SuperblockTable {
  object Reader extends Clients { val allocator, remapTable, gc, gcErase, firmware = Value }
}

/** The on-chip record of each superblock: VALID (number of slots with REF > 0), generation, epoch of its chain, state.
  * Firmware writes every record at start-up, before anything else uses it: the memories have no reset.
  */
class SuperblockTable(p: Params) extends Module {
  import SuperblockTable.Reader
  val io = IO(new Bundle {
    val valid     = Flipped(new ValidUpdatePort(p))
    val read      = Reader.ports(Flipped(new SbReadPort(p)))
    val opened    = Flipped(Valid(UInt(p.sbBits.W)))                    // Allocator took it from the free list
    val closed    = Flipped(Valid(UInt(p.sbBits.W)))                    // its last slot was handed out
    val erased    = Flipped(Valid(UInt(p.sbBits.W)))                    // GC erased it: generation + 1, epoch 0, free
    val retires   = Input(Bool())                                       // and does not give it back: bad
    val compacted = Flipped(Valid(UInt(p.sbBits.W)))                    // its chain begins anew: epoch + 1
    val fwWrite   = Flipped(Valid(new SbRecord(p)))                     // start-up: firmware sets all of it
    val failing   = SlotWriter.ports(Flipped(Valid(UInt(p.sbBits.W))))  // a program in it failed
    val weak      = Vec(p.g.channels, Flipped(Valid(UInt(p.sbBits.W)))) // a read of it nearly did
    val marksOf   = Input(UInt(p.sbBits.W))
    val marks     = Output(new SbMarks)                                 // of this one
  })
  private val validBits = p.offsetBits + 1
  // VALID = gained - lost: two memories with one write port each take an increment and a decrement in one cycle.
  private val gained                  = Mem(p.superblocks, UInt(validBits.W))
  private val lost                    = Mem(p.superblocks, UInt(validBits.W))
  private val gen                     = Mem(p.superblocks, UInt(p.genBits.W))
  private val epoch                   = Mem(p.superblocks, UInt(p.epochBits.W))
  private val state                   = RegInit(VecInit.fill(p.superblocks)(SbState.bad)) // until firmware says better
  private def validOf(sb: UInt): UInt = gained(sb) - lost(sb)

  private val (inc, dec, fw) = (io.valid.inc, io.valid.dec, io.fwWrite)
  when(fw.valid || inc.valid) {
    gained.write(Mux(fw.valid, fw.bits.sb, inc.bits), Mux(fw.valid, fw.bits.valid, gained(inc.bits) + 1.U))
  }
  when(fw.valid || dec.valid) {
    lost.write(Mux(fw.valid, fw.bits.sb, dec.bits), Mux(fw.valid, 0.U, lost(dec.bits) + 1.U))
  }
  when(fw.valid || io.erased.valid) {
    gen.write(Mux(fw.valid, fw.bits.sb, io.erased.bits), Mux(fw.valid, fw.bits.gen, gen(io.erased.bits) + 1.U))
  }
  private val renewed = Mux(fw.valid, fw.bits.sb, Mux(io.erased.valid, io.erased.bits, io.compacted.bits))
  when(fw.valid || io.erased.valid || io.compacted.valid) {
    epoch.write(renewed, Mux(fw.valid, fw.bits.epoch, Mux(io.erased.valid, 0.U, epoch(renewed) + 1.U)))
  }
  // Two write ports: each costs a decoder of every superblock's number.
  private val changed = Mux(fw.valid, fw.bits.sb, Mux(io.opened.valid, io.opened.bits, io.closed.bits))
  private val becomes = Mux(fw.valid, fw.bits.state, Mux(io.opened.valid, SbState.open, SbState.closed))
  when(io.erased.valid)(state(io.erased.bits) := Mux(io.retires, SbState.bad, SbState.free))
  when(fw.valid || io.opened.valid || io.closed.valid)(state(changed) := becomes)

  private def mark(events: Seq[Valid[UInt]]): Bool = {
    val marked = RegInit(VecInit.fill(p.superblocks)(false.B))
    when(io.erased.valid)(marked(io.erased.bits) := false.B)
    when(fw.valid)(marked(fw.bits.sb)            := false.B)
    for (e <- events) when(e.valid)(marked(e.bits) := true.B)
    marked(io.marksOf)
  }
  io.marks.failed := mark(io.failing)
  io.marks.weak   := mark(io.weak)

  for (port <- io.read) {
    port.gen   := gen(port.sb)
    port.epoch := epoch(port.sb)
    port.valid := validOf(port.sb)
    port.state := state(port.sb)
  }

  private val sameSb = inc.valid && dec.valid && inc.bits === dec.bits
  assert(!fw.valid || !(inc.valid || dec.valid || io.erased.valid), "firmware sets superblocks before anything runs")
  assert(
    !io.compacted.valid || !(fw.valid || io.erased.valid) && !epoch(io.compacted.bits).andR,
    "a chain is compacted while its superblock is erased, or past its last epoch"
  )
  assert(!dec.valid || sameSb || validOf(dec.bits) =/= 0.U, "VALID fell below zero")
  assert(!inc.valid || sameSb || validOf(inc.bits) =/= p.slotsPerSb.U, "more valid slots than the superblock has")
  assert(
    PopCount(Seq(fw.valid, io.opened.valid, io.closed.valid)) <= 1.U,
    "one superblock is opened or closed at a time"
  )
  assert(!io.opened.valid || state(io.opened.bits) === SbState.free, "only a free superblock is opened")
  assert(!io.opened.valid || validOf(io.opened.bits) === 0.U, "a free superblock has no valid slot")
  assert(!io.closed.valid || state(io.closed.bits) === SbState.open, "only an open superblock is closed")
  assert(
    !io.erased.valid || state(io.erased.bits) === SbState.closed || io.retires && state(io.erased.bits) === SbState.bad,
    "only a closed superblock is erased"
  )
  assert(!io.erased.valid || validOf(io.erased.bits) === 0.U, "an erased superblock has no valid slot")
}
