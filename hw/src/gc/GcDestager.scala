// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** LPNs of the slots that hold a destaged chain: two sets per superblock, above all LPNs that a namespace can have. */
object DestageLpn {
  def apply(p: Params, sb: UInt, set: UInt, index: UInt): UInt = {
    val sets = Cat(sb.pad(p.sbBits)(p.sbBits - 1, 0), set === 2.U)
    p.destageLpn.U(p.lpnBits.W) + Cat(sets, index.pad(log2Ceil(p.destageSlots))(log2Ceil(p.destageSlots) - 1, 0))
  }
}

/** The chain to destage. */
class DestageRequest(val p: Params) extends Bundle {
  val sb     = UInt(p.sbBits.W)
  val forget = Bool() // only unmap its set: the superblock was emptied
}

/** The result of a destaging. */
class DestageOutcome(val p: Params) extends Bundle {
  val ok       = Bool()                   // 0: the chain is as it was
  val refused  = Bool()                   // as it was, because nothing of it is in NVRAM, or its epoch is the last
  val segments = UInt(p.chainSegBits.W)   // given back
  val entries  = UInt(p.chainEntryBits.W) // written to flash
}

/** Destages a chain of the remap table: the live entries, which GcLoader has put into GcLookup, go to slots of GC's
  * stream, and the chain's segments in NVRAM go back to the free list.
  *
  * A superblock has two sets of LPNs for this (DestageLpn). The new slots become the set that is not in use. So the old
  * set stays valid until the superblock's record, 8 bytes, names the new set and ends the old epoch in one write.
  *
  * The order of the steps makes it crash-safe:
  *   1. a fence, as in GcCompactor: the writes that made entries stale are durable before the stale entries go (I7);
  *   2. one seq for all slots is drawn under the mapLock like any other, so that they beat the slots of an earlier use
  *      of the set in flash; slots of GC's stream are programmed;
  *   3. if all programs have succeeded, the LPNs of the set are mapped. If one failed, the destaging ends here: its
  *      slots are garbage, because no LPN maps to them and no record names their set;
  *   4. the chain is set aside, the next epoch begins on chip, and the superblock's record gets epoch and set;
  *   5. the segments go to the free list, and the LPNs of the old set, which no record names any more, are unmapped.
  *
  * It runs under the shareLock, so nobody else appends. It waits for slots with the lock held. So firmware starts it
  * only while GC's stream is sure to find a superblock.
  */
class GcDestager(p: Params) extends Module {
  val io = IO(new Bundle {
    val start     = Flipped(Decoupled(new DestageRequest(p)))
    val done      = Valid(new DestageOutcome(p))
    val live      = Input(UInt(p.chainEntryBits.W)) // entries in GcLookup
    val segments  = Input(UInt(p.chainSegBits.W))   // of the chain in NVRAM
    val destaged  = Input(new Destaged(p))          // the part that is in flash already
    val gen       = Input(UInt(p.genBits.W))        // of the superblock, as the next
    val epoch     = Input(UInt(p.epochBits.W))
    val list      = Decoupled(UInt(p.offsetBits.W))
    val sharer    = Flipped(Decoupled(new GcSharer(p)))
    val bufWrite  = new BufferWritePort(p)
    val alloc     = Flipped(Decoupled(new Allocation(p)))
    val nand      = Decoupled(new NandRequest(p))
    val nandDone  = Flipped(Valid(new NandDone(p))) // of the programs asked for here
    val held      = Input(Bool())                   // what has left `nand` or `bufWrite` is still on its way
    val closes    = Output(Bool())                  // no more slots come: a begun flash page is to be completed
    val map       = new MapPort(p)
    val mapLock   = new LockPort
    val seq       = new SeqPort(p)
    val setAside  = Decoupled(UInt(p.sbBits.W))
    val compacted = Valid(UInt(p.sbBits.W))         // the next epoch begins
    val journal   = new JournalPort(p)
    val fence     = new FencePort
    val dropOld   = Decoupled()
    val place     = Valid(new DestagedOf(p))        // for the table
    val waiting   = Output(Bool())                  // for host programs, a lock, a slot or the NAND
  })
  private object State extends ChiselEnum {
    val idle, measure, fence, draw, drawn, header, list, sharer, entry, pad, alloc, program, programming, fetch,
        fetched, map, mapped, setAside, record, recorded, dropOld, place, unmap, unmapped, report = Value
  }
  require(p.k.gcBuffers >= p.destageSlots, "a chain's slots are in GC's buffers together")
  private val state = RegInit(State.idle)
  private val step  = WireDefault(state) // the next one
  state := step

  /** It is in one of these steps, as a register. */
  private def now(which: State.Type*): Bool = {
    val inStep = RegNext(which.map(step === _).reduce(_ || _), which.contains(State.idle).B)
    assert(inStep === which.map(state === _).reduce(_ || _), "GcDestager: which step it is in")
    inStep
  }
  private val sb      = Reg(UInt(p.sbBits.W))
  private val forget  = Reg(Bool())
  private val outcome = Reg(new DestageOutcome(p))

  private val old     = Reg(new Destaged(p))              // of before
  private val fresh   = Reg(new Destaged(p))              // what takes its place
  private val index   = Reg(UInt(p.destageSlotBits.W))    // slot in hand; while buffers are filled, those begun
  private val offset  = Reg(UInt(p.offsetBits.W))         // slot of the superblock whose list is taken
  private val left    = Reg(UInt(p.chainEntryBits.W))     // entries not yet in a buffer
  private val word    = Reg(UInt(p.wordBits.W))           // next of the buffer; 0: another buffer is to be begun
  private val seq     = Reg(UInt(p.seqBits.W))
  private val to      = Reg(new Allocation(p))            // of `index`, from `alloc` or `fetched` on
  private val pending = RegInit(0.U(p.destageSlotBits.W)) // programs under way
  private val failed  = Reg(Bool())
  private val begun   = Reg(Bool())                       // word is not 0
  // Of what changed two cycles before, at the latest.
  private val last     = RegNext(index === fresh.slots - 1.U)
  private val lastOld  = RegNext(index === old.slots - 1.U)
  private val lastList = RegNext(offset === (p.slotsPerSb - 1).U)
  private val may      = RegNext(io.segments =/= 0.U && !io.epoch.andR)
  private val got      = RegNext(io.alloc.fire, false.B)
  private val epoch    = io.epoch + 1.U // of `fresh`, until `compacted`
  private val place    = index(log2Ceil(p.destageSlots) - 1, 0)
  private val targets  = SyncReadMem(p.destageSlots, new Allocation(p))
  private val target   = targets.read(place)

  io.start.ready     := now(State.idle)
  io.done.valid      := now(State.report)
  io.done.bits       := outcome
  io.fence.req       := now(State.fence)
  io.mapLock.want    := now(State.draw, State.drawn)
  io.seq.take        := now(State.drawn)
  io.setAside.valid  := now(State.setAside)
  io.setAside.bits   := sb
  io.compacted.valid := io.setAside.fire
  io.compacted.bits  := sb
  io.dropOld.valid   := now(State.dropOld)
  io.place.valid     := now(State.place)
  io.place.bits.sb   := sb
  io.place.bits.part := fresh
  io.list.valid      := now(State.list)
  io.list.bits       := offset

  // --- CRCs: one network for all records, as there is time: nobody but the next erase waits for a destaged chain
  private val words = Formats.OobRecord.covered(0.U.asTypeOf(new Formats.OobRecord)).getWidth / 32
  private val crc   = Module(new CrcSerial(words))
  private val sum   = RegNext(crc.io.crc)
  private val made  = RegNext(crc.io.done && !crc.io.taken, false.B) // `sum` is the record's

  // --- buffers: a header and entries, then zeroes
  private val entry  = io.sharer.bits
  private val header = WireInit(0.U.asTypeOf(new Formats.DestageHeader))
  header.sb      := sb
  header.gen     := io.gen
  header.epoch   := epoch
  header.entries := left.min(p.destageEntries.U)
  header.index   := index
  header.slots   := fresh.slots
  private val record = WireInit(0.U.asTypeOf(new Formats.RemapEntry))
  record.lpn    := entry.lpn
  record.offset := offset
  record.seq    := entry.seq
  // A beat of the list is looked at first (`sharer`); then its entry is made and written (`entry`).
  private val (isHeader, isEntry, isPad) = (now(State.header), now(State.entry), now(State.pad))
  private val (isProgram, maps)          = (now(State.program), now(State.map))
  private val writes                     = isEntry && made
  private val write                      = io.bufWrite.write
  write.valid        := (isHeader && made) || writes || isPad
  write.bits.at.buf  := BufferAddr.ofGc(p, Mux(isHeader, index, index - 1.U))
  write.bits.at.word := Mux(isHeader, 0.U, word)
  write.bits.data    := Mux(
    isHeader,
    Formats.DestageHeader.withCrc(header, sum).asUInt,
    Mux(isPad, 0.U, Formats.RemapEntry.withCrc(record, sum).asUInt)
  )
  io.sharer.ready := now(State.sharer) && entry.endOfList || writes && write.ready

  // --- programs
  private val oob = WireInit(0.U.asTypeOf(new Formats.OobRecord))
  oob.lpn     := DestageLpn(p, sb, fresh.set, index)
  oob.gen     := to.gen
  oob.seq     := seq
  oob.stream  := Formats.StreamGc.U
  oob.version := Formats.FormatVersion.U
  oob.slot    := to.slot
  // No slot while the request of the one before is still held: SlotLog counts on that.
  private val allocs = RegInit(false.B)
  allocs              := now(State.alloc) && !io.held && !io.alloc.fire && !got
  io.alloc.ready      := allocs
  io.nand.valid       := isProgram && made
  io.nand.bits.op     := NandRequestOp.program
  io.nand.bits.client := NandClient.gc
  io.nand.bits.slot   := to.slot
  io.nand.bits.buf    := BufferAddr.ofGc(p, index)
  io.nand.bits.oob    := Formats.OobRecord.withCrc(oob, sum).asUInt
  io.closes           := state === State.programming
  pending             := pending + io.nand.fire - io.nandDone.valid
  when(io.nandDone.valid && io.nandDone.bits.status =/= NandStatus.ok)(failed := true.B)

  private val covered = Seq(
    Formats.OobRecord.covered(oob),
    Formats.DestageHeader.covered(header),
    Formats.RemapEntry.covered(record, sb, io.gen, epoch)
  )
  private def ofKind[T <: Data](each: Seq[T]): T = Mux(isHeader, each(1), Mux(isEntry, each(2), each(0)))
  // The record is chosen a cycle before its CRC is made of it.
  private val wants = isHeader || isEntry || isProgram
  crc.io.want  := wants && RegNext(wants, false.B)
  crc.io.words := RegNext(ofKind(covered.map(CrcSerial.words(_, words))))
  crc.io.count := RegNext(ofKind(covered.map(r => (r.getWidth / 32).U)))
  crc.io.taken := write.fire && !isPad || io.nand.fire

  // --- mapping, record
  io.map.req.valid       := maps || now(State.unmap)
  io.map.req.bits.op     := Mux(maps, MapOp.set, MapOp.unmap)
  io.map.req.bits.lpn    := DestageLpn(p, sb, Mux(maps, fresh.set, old.set), index)
  io.map.req.bits.slot   := to.slot
  io.map.req.bits.expect := DontCare
  io.map.resp.ready      := now(State.mapped, State.unmapped)

  io.journal.req.valid      := now(State.record)
  io.journal.req.bits.op    := JournalOp.block
  io.journal.req.bits.lpn   := sb
  io.journal.req.bits.gen   := io.gen
  io.journal.req.bits.epoch := io.epoch // the new one, since `compacted`
  io.journal.req.bits.set   := fresh.set
  io.journal.req.bits.pages := DontCare
  io.journal.req.bits.seq   := DontCare

  /** Unmaps the old set, if there is one, and reports. */
  private def unmapOld(part: Destaged): Unit = {
    index := 0.U
    step  := Mux(part.set === 0.U, State.report, State.unmap)
  }
  switch(state) {
    is(State.idle) {
      when(io.start.fire) {
        sb     := io.start.bits.sb
        forget := io.start.bits.forget
        step   := State.measure
      }
    }
    is(State.measure) {
      old              := io.destaged
      fresh.slots      := DivideUp(io.live, p.destageEntries)
      fresh.segments   := DivideUp(io.live, p.entriesPerSeg)
      fresh.set        := Mux(io.live === 0.U, 0.U, Mux(io.destaged.set === 1.U, 2.U, 1.U))
      outcome.ok       := may || forget
      outcome.refused  := !may && !forget
      outcome.segments := Mux(may && !forget, io.segments, 0.U)
      outcome.entries  := Mux(may && !forget, io.live, 0.U)
      left             := io.live
      index            := 0.U
      offset           := 0.U
      word             := 0.U
      begun            := false.B
      failed           := false.B
      step             := Mux(may, State.fence, State.report)
      when(forget)(unmapOld(io.destaged))
    }
    is(State.fence)(when(io.fence.done)(step := Mux(fresh.set === 0.U, State.setAside, State.draw)))
    is(State.draw) {
      when(io.mapLock.granted) {
        seq  := io.seq.next
        step := State.drawn
      }
    }
    is(State.drawn)(step := State.list)
    is(State.header) {
      when(write.fire) {
        index := index + 1.U
        word  := 1.U
        begun := true.B
        step  := State.sharer
      }
    }
    is(State.list)(when(io.list.ready)(step := State.sharer))
    is(State.sharer) {
      when(io.sharer.valid) {
        when(entry.endOfList) {
          offset := offset + 1.U
          step   := State.list
          when(lastList) {
            step := Mux(begun, State.pad, State.alloc)
            when(!begun)(index := 0.U)
          }
        }.otherwise(step := Mux(begun, State.entry, State.header))
      }
    }
    is(State.entry) {
      when(writes && write.ready) {
        word  := word + 1.U
        begun := !word.andR
        left  := left - 1.U
        step  := State.sharer
      }
    }
    is(State.pad) {
      when(write.ready) {
        word := word + 1.U
        when(word.andR) {
          index := 0.U
          step  := State.alloc
        }
      }
    }
    is(State.alloc) {
      when(io.alloc.fire) {
        targets.write(place, io.alloc.bits)
        to := io.alloc.bits
      }
      when(got)(step := State.program)
    }
    is(State.program) {
      when(io.nand.fire) {
        index := index + 1.U
        step  := Mux(last, State.programming, State.alloc)
      }
    }
    is(State.programming) {
      when(pending === 0.U) {
        index := 0.U
        step  := State.fetch
        when(failed) {
          outcome := 0.U.asTypeOf(outcome)
          step    := State.report
        }
      }
    }
    // The address goes to the memory, its word into `to`.
    is(State.fetch)(step := State.fetched)
    is(State.fetched) {
      to   := target
      step := State.map
    }
    is(State.map)(when(io.map.req.ready)(step := State.mapped))
    is(State.mapped) {
      when(io.map.resp.valid) {
        index := index + 1.U
        step  := Mux(last, State.setAside, State.fetch)
      }
    }
    is(State.setAside)(when(io.setAside.ready)(step := State.record))
    is(State.record)(when(io.journal.req.ready)(step := State.recorded))
    is(State.recorded)(when(io.journal.done)(step := State.dropOld))
    is(State.dropOld)(when(io.dropOld.ready)(step := State.place))
    is(State.place)(unmapOld(old))
    is(State.unmap)(when(io.map.req.ready)(step := State.unmapped))
    is(State.unmapped) {
      when(io.map.resp.valid) {
        index := index + 1.U
        step  := Mux(lastOld, State.report, State.unmap)
      }
    }
    is(State.report)(step := State.idle)
  }
  io.waiting := (state === State.fence && !io.fence.done) || (state === State.draw && !io.mapLock.granted) ||
    (state === State.alloc && Mux(
      allocs,
      !io.alloc.valid,
      io.held
    )) || (io.nand.valid && !io.nand.ready && !io.nandDone.valid) ||
    (state === State.programming && pending =/= 0.U && !io.nandDone.valid)

  assert(!io.nandDone.valid || pending =/= 0.U, "GcDestager: NAND answers what nobody asked for")
  assert(state =/= State.alloc || left === 0.U, "GcDestager: not as many entries as were counted")
  assert(state =/= State.sharer || begun === (word =/= 0.U), "GcDestager: whether a buffer is begun")
  assert(
    !(state === State.program || state === State.mapped) || last === (index === fresh.slots - 1.U),
    "GcDestager: which slot is the last one"
  )
  assert(state =/= State.unmapped || lastOld === (index === old.slots - 1.U), "GcDestager: which old slot is the last")
  assert(
    state =/= State.measure || may === (io.segments =/= 0.U && !io.epoch.andR),
    "GcDestager: the chain has changed"
  )
  assert(!writes || left =/= 0.U, "GcDestager: more entries than were counted")
  assert(!writes || entry.live, "GcDestager: an entry that GcLoader left out")
  assert(state =/= State.header || index < fresh.slots, "GcDestager: more slots than were counted")
  assert(state =/= State.setAside || pending === 0.U, "GcDestager: the new set counts before it is durable")
  assert(
    state =/= State.measure || io.live <= p.chainEntries.U,
    "GcDestager: a chain whose destaged part and segments are longer than any may be"
  )
  assert(
    !(state === State.mapped && io.map.resp.valid) || io.map.resp.bits.ok,
    "GcDestager: a slot of its own that cannot be mapped"
  )
  cover(state === State.fence && !io.fence.done, "GcDestager: waits for host programs")
  cover(state === State.draw && !io.mapLock.granted, "GcDestager: waits for the mapLock")
  cover(write.valid && !write.ready, "GcDestager: waits for the buffer RAM")
  cover(allocs && !io.alloc.valid, "GcDestager: waits for a slot")
  cover(io.nand.valid && !io.nand.ready, "GcDestager: waits for a die")
  cover(state === State.report && outcome.refused, "GcDestager: nothing to give back")
  cover(state === State.programming && pending === 0.U && failed, "GcDestager: a program failed")
  cover(state === State.place && fresh.set === 0.U, "GcDestager: nothing of a chain is live")
  cover(state === State.place && old.set =/= 0.U && fresh.set =/= 0.U, "GcDestager: a set takes another one's place")
  cover(state === State.place && fresh.slots > 1.U, "GcDestager: a set of several slots")
  cover(state === State.unmap && forget, "GcDestager: a set of a superblock that was emptied")
}
