// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The ports of the superblocks' registers. */
trait FwSuperblockPorts extends Bundle {
  val p: Params
  val handles      = Output(UInt(FwRegMap.AllocHandles.count.width.W)) // placement handles that the host may use
  val sbReady      = Input(Bool())                                     // 0: the superblocks' table is being cleared
  val sbRead       = new SbReadPort(p)                                 // record of the selected superblock
  val sbWrite      = Valid(new SbRecord(p))                            // sets the selected superblock's record
  val sbChain      = new RemapLookPort(p)                              // size of the selected superblock's chain
  val allocReserve = Output(UInt((p.sbBits + 1).W))                    // superblocks that only GC may take
  val allocFree    = Input(UInt((p.sbBits + 1).W))                     // superblocks in the free list
  val allocFreed   = Decoupled(UInt(p.sbBits.W))                       // appends a superblock to the free list
  val allocForget  = Output(Bool())                                    // pulse: empties the free list
  val allocRestore = Valid(new AllocRestore(p))                        // a stream continues in a half-filled superblock
  val allocClose   = Valid(UInt(p.handleBits.W))                       // ends the open superblock of a handle early
  val allocLook    = Flipped(new StreamLookPort(p))                    // state of the stream in ALLOC_STREAM
  val logDue       = Flipped(Valid(new DueLog(p)))                     // a slot log that is due
  val logRelease   = Valid(UInt(p.logBits.W))                          // frees a slot log that was due
}

/** The registers of superblocks: their records and chains by number, the allocator, the slot logs. */
class FwSuperblockRegs(p: Params, w: FwWindow, io: FwSuperblockPorts with FwRemapPorts) {
  import FwRegMap.{SbState => SbStateReg, _}
  import w.data

  // --- one superblock, the selected one
  private val sbSelect = w.stored(SbSelect.reg)
  private val sbGen    = w.written(SbGen.reg)
  private val sbChain  = w.written(SbChain.reg)
  private val selected = SbSelect.sb.of(sbSelect)
  w.holds(!RegNext(io.sbReady, false.B))
  // The table is asked for each read. That waits for the answer.
  private val shown  = Seq(SbStateReg.reg, SbGen.reg, SbChain.reg)
  private val reads  = w.awaits(shown: _*)
  private val asks   = RegInit(false.B)
  private val asked  = RegInit(false.B)
  private val fresh  = RegInit(false.B) // `record` is the answer
  private val record = RegEnable(io.sbRead.answer.bits, io.sbRead.answer.valid)
  w.holds(reads && !fresh)
  io.sbRead.ask.valid := asks
  io.sbRead.ask.bits  := selected
  when(io.sbRead.ask.ready)(asks := false.B)
  when(reads && !asked) {
    asks  := true.B
    asked := true.B
  }
  when(io.sbRead.answer.valid)(fresh := true.B)
  when(w.reads(shown: _*)) {
    asked := false.B
    fresh := false.B
  }
  io.sbWrite.valid      := w.writes(SbStateReg.reg)
  io.sbWrite.bits.sb    := selected
  io.sbWrite.bits.gen   := sbGen
  io.sbWrite.bits.epoch := SbChain.epoch.of(sbChain)
  io.sbWrite.bits.valid := SbStateReg.valid.of(data)
  io.sbWrite.bits.state := SbState.safe(SbStateReg.state.of(data))._1
  w.shows(SbStateReg.reg)(
    SbStateReg.valid.word(record.valid) | SbStateReg.state.word(record.state.asUInt) |
      SbStateReg.failed.word(record.marks.failed.asUInt) | SbStateReg.weak.word(record.marks.weak.asUInt)
  )
  w.shows(SbGen.reg)(record.gen)
  private val chainSegments = io.sbChain.segments
  io.sbChain.sb := selected
  w.shows(SbChain.reg)(SbChain.segments.word(chainSegments) | SbChain.epoch.word(record.epoch))
  private val part = io.sbChain.destaged
  private val load = io.remapLoad.part
  load.valid              := w.writes(SbDestaged.reg)
  load.bits.sb            := selected
  load.bits.part.set      := SbDestaged.set.of(data)
  load.bits.part.slots    := SbDestaged.slots.of(data)
  load.bits.part.segments := SbDestaged.segments.of(data)
  w.shows(SbDestaged.reg)(
    SbDestaged.set.word(part.set) | SbDestaged.slots.word(part.slots) | SbDestaged.segments.word(part.segments)
  )

  // --- allocator
  private val allocFree = w.command(AllocFree.reg)
  private val forgets   = AllocFree.clear.of(data).asBool
  io.allocForget := allocFree && forgets
  w.request(io.allocFreed, allocFree && !forgets, true.B, "ALLOC_FREE")(sb => sb := AllocFree.sb.of(data))
  io.allocRestore.valid       := w.command(AllocRestore.reg)
  io.allocRestore.bits.sb     := AllocRestore.sb.of(data)
  io.allocRestore.bits.next   := AllocRestore.next.of(data)
  io.allocRestore.bits.stream := StreamId(p, AllocRestore.stream.of(data))
  io.allocClose.valid         := w.command(AllocClose.reg)
  io.allocClose.bits          := AllocClose.handle.of(data)
  io.allocLook.stream         := StreamId(p, w.stored(AllocStream.reg, AllocStream.stream))
  w.shows(AllocOpen.reg)(
    AllocOpen.sb.word(io.allocLook.sb) | AllocOpen.next.word(io.allocLook.next) |
      AllocOpen.full.word(io.allocLook.full.asUInt) | AllocOpen.open.word(io.allocLook.open.asUInt)
  )
  io.handles := w.stored(AllocHandles.reg, AllocHandles.count)
  assert(
    !w.writes(AllocHandles.reg) ||
      AllocHandles.count.of(data) =/= 0.U && AllocHandles.count.of(data) <= p.k.placementHandles.U,
    "firmware bug: placement handles that do not exist"
  )
  io.allocReserve := w.stored(AllocReserve.reg, AllocReserve.value)
  private val freeLow = w.stored(FreeLow.reg, FreeLow.value)
  w.shows(AllocCount.reg)(AllocCount.value.word(io.allocFree))
  w.level(IrqStatus.freeLow, io.allocFree < freeLow)

  // --- slot logs
  io.logRelease.valid := w.command(LogRelease.reg)
  io.logRelease.bits  := LogRelease.log.of(data)
  assert(
    !io.logRelease.valid || LogRelease.log.of(data) < p.slotLogs.U,
    "firmware bug: it releases a slot log that does not exist"
  )
  w.shows(LogStatus.reg)(
    Mux(
      io.logDue.valid,
      LogStatus.sb.word(io.logDue.bits.sb) | LogStatus.log.word(io.logDue.bits.log) |
        LogStatus.stream.word(io.logDue.bits.stream) | LogStatus.valid.word(1.U),
      0.U
    )
  )
  w.level(IrqStatus.logDue, io.logDue.valid)
}
