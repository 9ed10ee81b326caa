// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

object RemapTable {

  /** Who appends entries, and asks whether there is room for them. */
  object Appender extends Clients { val remap, gc = Value }

  /** Who looks at the length of a chain: firmware, to choose victims; GC, when it has one in hand. */
  object Looker extends Clients { val firmware, gc = Value }
}

/** The remap table: chains of NVRAM segments, one chain per superblock. On chip are the heads of the chains, the link
  * from each segment to the previous one, and the free list. Each segment's header in NVRAM names its owner, its place
  * in the chain and the owner's generation, so recovery can rebuild the tables on chip.
  *
  * A segment is not wiped when it changes hands. Entries of an earlier owner cannot pass for valid ones, because the
  * CRC is salted with superblock, generation and epoch. A segment is freed only after the generation of its owner
  * (GcErase) or the epoch of its chain (GcCompactor) has gone up, so the salt of its old entries is never valid again.
  *
  * A part of a chain may be in flash (GcDestager). The table knows the length of that part, because the limit of a
  * chain's length includes it, and forgets it with the chain.
  *
  * There is one operation at a time. Consecutive entries for one superblock are one append, with one entry per cycle,
  * up to the end of the segment. Appends do not wait for NVRAM's answer (`RemapWriter` counts the writes under way). A
  * walk waits until all writes are answered, because AXI has no order between its read and write channels.
  */
class RemapTable(p: Params) extends Module with Quiesces {
  import RemapTable.{Appender, Looker}
  val io = IO(new Bundle {
    val append       = Appender.ports(Flipped(new RemapAppendPort(p)))
    val capacity     = Appender.ports(Flipped(new RemapCapacityPort(p)))
    val walk         = Flipped(new RemapWalkPort(p))
    val freeChain    = Flipped(Decoupled(UInt(p.sbBits.W))) // after the erase
    val setAside     = Flipped(Decoupled(UInt(p.sbBits.W))) // compaction: its chain makes room for a new one
    val dropOld      = Flipped(Decoupled())                 // compaction: what was set aside is free
    val place        = Flipped(Valid(new DestagedOf(p)))    // this part of a chain is in flash now
    val sbRead       = new SbSaltPort(p)                    // of the superblock appended to or walked
    val nvram        = new Axi4(AxiParams(p.nvramAddrBits))
    val freeSegments = Output(UInt((p.segBits + 1).W))
    val look         = Looker.ports(Flipped(new RemapLookPort(p)))
    val fw           = Flipped(new RemapTableLoad(p))
    val event        = Output(new Bundle { val appended = Bool(); val freedSegment = Bool(); val badEntry = Bool() })
  })
  require(p.segBits <= 16, "a segment header names the segment before it in 16 bits")
  require(p.segBytes <= 4096 && isPow2(p.segBytes), "a burst over a segment must not cross 4 KiB")
  require(Formats.RemapEntry.bytes == p.dataBytes, "an entry is one beat")

  private object State extends ChiselEnum {
    val idle, place, header, entry, settle, address, read, last, link, free = Value
  }
  private object Job extends ChiselEnum { // what settle and link lead to
    val walk, free, setAside, dropOld = Value
  }
  private val state = RegInit(State.idle)
  private val job   = Reg(Job())

  // --- on-chip tables. A chain without segments has no bit in `has`, so that the memories need no reset.
  private class Chain extends Bundle {
    val tail  = UInt(p.segBits.W)
    val fill  = UInt(p.entryIdxBits.W)
    val count = UInt(p.chainSegBits.W)
  }
  private val has    = RegInit(VecInit.fill(p.superblocks)(false.B))
  private val chains = Mem(p.superblocks, new Chain)
  private val prev   = SyncReadMem(p.k.segments, UInt(p.segBits.W))
  private val pool   = Module(new Queue(UInt(p.segBits.W), p.k.segments, useSyncReadMem = true))
  io.freeSegments := pool.io.count

  private val op       = Reg(new ChainEntry(p)) // the append under way; walk and free use op.sb
  private val gen      = Reg(UInt(p.genBits.W)) // of op.sb
  private val epoch    = Reg(UInt(p.epochBits.W))
  private val chain    = Reg(new Chain)         // of op.sb; a walk or free counts it down
  private val chainNow = Wire(new Chain)
  chainNow := chains(op.sb)
  when(!has(op.sb))(chainNow := 0.U.asTypeOf(new Chain))
  // One write port each: firmware loads only while the table is idle.
  private val loads      = io.fw.chain.valid
  private val appended   = WireDefault(false.B) // the entry in hand is on its way
  private val appendedTo = WireInit(chain)
  private val loaded     = Wire(new Chain)
  appendedTo.fill := chain.fill + 1.U
  loaded.tail     := io.fw.chain.bits.tail
  loaded.fill     := io.fw.chain.bits.fill
  loaded.count    := io.fw.chain.bits.count
  when(appended || loads)(chains.write(Mux(loads, io.fw.chain.bits.sb, op.sb), Mux(loads, loaded, appendedTo)))
  when(appended)(has(op.sb) := true.B)

  private val links      = io.fw.link.valid
  private val chained    = WireDefault(false.B) // `newSegment` follows the tail
  private val newSegment = Reg(UInt(p.segBits.W))
  when(chained || links) {
    prev.write(Mux(links, io.fw.link.bits.seg, newSegment), Mux(links, io.fw.link.bits.prev, chain.tail))
  }
  for (look <- io.look) look.segments := Mux(has(look.sb), chains(look.sb).count, 0.U)

  // --- destaged parts
  private val hasPart                    = RegInit(VecInit.fill(p.superblocks)(false.B))
  private val parts                      = Mem(p.superblocks, new Destaged(p))
  private def partOf(sb: UInt): Destaged = Mux(hasPart(sb), parts(sb), 0.U.asTypeOf(new Destaged(p)))
  private val placed                     = Mux(io.fw.part.valid, io.fw.part.bits, io.place.bits)
  for (look <- io.look) look.destaged := partOf(look.sb)
  when(io.fw.part.valid || io.place.valid) {
    parts.write(placed.sb, placed.part)
    hasPart(placed.sb) := placed.part.set =/= 0.U
    assert(placed.part.set =/= 3.U, "RemapTable: no such set of slots")
    assert(
      placed.part.set === 0.U || placed.part.slots =/= 0.U && placed.part.slots <= p.destageSlots.U &&
        placed.part.segments <= p.k.segmentsPerChain.U,
      "RemapTable: a destaged part longer than any chain"
    )
  }
  assert(!(io.fw.part.valid && io.place.valid), "RemapTable: loaded while a chain is destaged")

  // --- capacity: how many multiples of a segment lie beyond what is left in the tail
  for ((port, i) <- io.capacity.zipWithIndex) {
    val c        = chains(port.sb)
    val room     = Mux(has(port.sb), p.entriesPerSeg.U - c.fill, 0.U)
    val count    = Mux(has(port.sb), c.count, 0.U)
    val beyond   = Mux(port.entries > room, port.entries - room, 0.U)
    val segments = DivideUp(beyond, p.entriesPerSeg)
    port.segments := segments
    port.begins   := segments =/= DivideUp(Mux(beyond =/= 0.U, beyond - 1.U, 0.U), p.entriesPerSeg)
    port.fits     := count +& segments +& partOf(port.sb).segments <= p.k.segmentsPerChain.U
    val reserve = if (i == Appender.remap.id) p.k.gcReserveSegments else 0
    port.free := Mux(pool.io.count > reserve.U, pool.io.count - reserve.U, 0.U)
  }

  // --- generation and epoch: an append and a walk wait for them
  private val asked  = RegInit(false.B)
  private val salts  = state === State.place || state === State.settle && job === Job.walk
  private val salted = io.sbRead.answer.valid
  private val known  = RegInit(false.B) // those of the walk in hand
  io.sbRead.ask.valid := salts && !asked
  io.sbRead.ask.bits  := op.sb
  when(salts)(asked := true.B)
  when(salted) {
    gen   := io.sbRead.answer.bits.gen
    epoch := io.sbRead.answer.bits.epoch
    known := true.B
  }
  when(!salts) {
    asked := false.B
    known := false.B
  }

  // --- appends. GC first: the remap engine's next command needs what GC is about to free.
  private val writer = Module(new RemapWriter(p))
  io.nvram.wr <> writer.io.nvram
  private val settled = writer.io.idle
  for (a <- io.append) {
    a.entry.ready := false.B
    a.drained     := settled && !Seq(State.place, State.header, State.entry).map(_ === state).reduce(_ || _)
  }
  private val full                                 = chain.fill === p.entriesPerSeg.U
  private def segAddr(seg: UInt, item: UInt): UInt =
    p.nvSegBase.U(p.nvramAddrBits.W) + (seg << log2Ceil(p.segBytes)) + (item << log2Ceil(Formats.RemapEntry.bytes))

  private val segHeader = WireInit(0.U.asTypeOf(new Formats.SegmentHeader))
  segHeader.sb    := op.sb
  segHeader.index := chain.count
  segHeader.gen   := gen
  segHeader.prev  := Mux(chain.count === 0.U, newSegment, chain.tail)
  segHeader.epoch := epoch
  private val record = WireInit(0.U.asTypeOf(new Formats.RemapEntry))
  record.lpn    := op.lpn
  record.offset := op.offset
  record.seq    := op.seq

  // Entries are made and checked by the same network: a walk waits until what was appended has been written.
  private val found = io.nvram.rd.r.bits.data.asTypeOf(new Formats.RemapEntry)
  private val crc   = Module(new ChainCrc(p))
  crc.io.salt.valid      := salted
  crc.io.salt.bits.sb    := op.sb
  crc.io.salt.bits.gen   := io.sbRead.answer.bits.gen
  crc.io.salt.bits.epoch := io.sbRead.answer.bits.epoch
  crc.io.entry           := Mux(state === State.read, found, record)
  crc.io.header          := segHeader
  crc.io.makes           := state === State.header

  // The next entry joins the append when it is its asker's turn anyway, for the same superblock, and fits the segment.
  private val owner = Reg(Bool()) // of the append under way: 1 GC
  private val asker = Mux(owner, io.append(Appender.gc).entry.bits, io.append(Appender.remap).entry.bits)
  private val joins =
    state === State.entry && Mux(owner, io.append(Appender.gc).entry.valid, io.append(Appender.remap).entry.valid) &&
      asker.sb === op.sb && chain.fill =/= (p.entriesPerSeg - 1).U
  writer.io.req.bits.more := joins || state === State.header // its first entry follows

  writer.io.req.valid     := crc.io.made || state === State.entry
  writer.io.req.bits.addr := Mux(
    state === State.header,
    segAddr(newSegment, 0.U),
    segAddr(chain.tail, chain.fill +& 1.U)
  )
  writer.io.req.bits.data := Mux(
    state === State.header,
    Formats.SegmentHeader.withCrc(segHeader, crc.io.headerCrc).asUInt,
    Formats.RemapEntry.withCrc(record, crc.io.entryCrc).asUInt
  )
  pool.io.deq.ready := state === State.place && salted && (chainNow.count === 0.U || chainNow.fill === p.entriesPerSeg.U)

  // --- walk: entries are checked as they come from NVRAM and queued, so that the CRC is not in the reader's path
  private val walked = Module(new Queue(chiselTypeOf(io.walk.entry.bits), 2))
  private val beats  = Reg(UInt(p.entryIdxBits.W)) // of this segment's burst, not yet here
  private val ar     = io.nvram.rd.ar
  private val r      = io.nvram.rd.r
  io.walk.entry <> walked.io.deq
  ar.valid     := state === State.address && chain.count =/= 0.U && chain.fill =/= 0.U
  ar.bits.addr := segAddr(chain.tail, 1.U)
  ar.bits.len  := chain.fill - 1.U
  private val good =
    found.crc === crc.io.entryCrc && found.offset < p.slotsPerSb.U && r.bits.resp === Axi4.OKAY.U
  r.ready                     := state === State.read && walked.io.enq.ready
  walked.io.enq.valid         := r.fire && good || state === State.last
  walked.io.enq.bits.valid_   := state =/= State.last
  walked.io.enq.bits.last     := state === State.last
  walked.io.enq.bits.e.sb     := op.sb
  walked.io.enq.bits.e.offset := found.offset(p.offsetBits - 1, 0)
  walked.io.enq.bits.e.lpn    := found.lpn
  walked.io.enq.bits.e.seq    := found.seq

  // --- the segment before the current one: read while the current one is dealt with
  private val before           = prev.read(chain.tail)
  private def stepBack(): Unit = {
    chain.tail  := before
    chain.fill  := p.entriesPerSeg.U
    chain.count := chain.count - 1.U
  }

  // --- free list: chains that are given up, and firmware's load at start-up
  private val giveBack = state === State.free
  pool.io.enq.valid := giveBack || io.fw.free.valid
  pool.io.enq.bits  := Mux(giveBack, chain.tail, io.fw.free.bits)
  io.fw.free.ready  := !giveBack && pool.io.enq.ready

  io.walk.start.ready := false.B
  io.freeChain.ready  := false.B
  io.setAside.ready   := false.B
  io.dropOld.ready    := false.B
  private val aside = RegInit(0.U.asTypeOf(new Chain)) // set aside by a compaction; without segments: none is

  switch(state) {
    is(State.idle) {
      when(io.append(Appender.gc).entry.valid || io.append(Appender.remap).entry.valid) {
        val gc = io.append(Appender.gc).entry.valid
        io.append(Appender.gc).entry.ready    := gc
        io.append(Appender.remap).entry.ready := !gc
        op    := Mux(gc, io.append(Appender.gc).entry.bits, io.append(Appender.remap).entry.bits)
        owner := gc
        state := State.place
      }.elsewhen(io.freeChain.valid) {
        io.freeChain.ready := true.B
        op.sb              := io.freeChain.bits
        job                := Job.free
        state              := State.settle
      }.elsewhen(io.setAside.valid) {
        io.setAside.ready := true.B
        op.sb             := io.setAside.bits
        job               := Job.setAside
        state             := State.settle
      }.elsewhen(io.dropOld.valid) {
        io.dropOld.ready := true.B
        job              := Job.dropOld
        state            := State.settle
      }.elsewhen(io.walk.start.valid) {
        io.walk.start.ready := true.B
        op.sb               := io.walk.start.bits
        job                 := Job.walk
        state               := State.settle
      }
    }
    is(State.place) {
      chain := chainNow
      when(salted) {
        when(!pool.io.deq.ready) {
          state := State.entry
        }.elsewhen(pool.io.deq.valid) {
          newSegment := pool.io.deq.bits
          state      := State.header
        }
      }
    }
    is(State.header) {
      when(writer.io.req.fire) {
        chained     := true.B
        chain.tail  := newSegment
        chain.fill  := 0.U
        chain.count := chain.count + 1.U
        state       := State.entry
      }
    }
    is(State.entry) {
      when(writer.io.req.ready) {
        appended := true.B
        state    := State.idle
        when(joins) {
          io.append(Appender.remap).entry.ready := !owner
          io.append(Appender.gc).entry.ready    := owner
          op                                    := asker
          chain                                 := appendedTo
          state                                 := State.entry
        }
      }
    }
    is(State.settle) {
      chain := Mux(job === Job.dropOld, aside, chainNow)
      when(settled && (known || job =/= Job.walk))(state := State.link)
      when(job === Job.setAside) {
        aside      := chainNow
        has(op.sb) := false.B
        state      := State.idle
      }
    }
    is(State.address) {
      beats := chain.fill
      when(chain.count === 0.U) {
        state := State.last
      }.elsewhen(chain.fill === 0.U) {
        stepBack() // a segment whose only entry did not survive the power cut
        state := State.link
      }.elsewhen(ar.ready) {
        state := State.read
      }
    }
    is(State.read) {
      when(r.fire) {
        beats := beats - 1.U
        when(beats === 1.U) {
          stepBack()
          state := State.link
        }
      }
    }
    // One cycle for `before` to follow the new tail.
    is(State.link) {
      val ends = chain.count === 0.U
      state := Mux(job === Job.walk, State.address, Mux(ends, State.idle, State.free))
      when(ends && job === Job.free) {
        has(op.sb)     := false.B
        hasPart(op.sb) := false.B
      }
      when(ends && job === Job.dropOld)(aside.count := 0.U)
    }
    is(State.free) {
      when(pool.io.enq.ready) {
        stepBack()
        state := State.link
      }
    }
    is(State.last)(when(walked.io.enq.ready)(state := State.idle))
  }

  when(loads)(has(io.fw.chain.bits.sb) := loaded.count =/= 0.U)

  io.event.appended     := appended
  io.event.freedSegment := giveBack && pool.io.enq.ready
  io.event.badEntry     := r.fire && !good
  private val isLoaded = io.fw.chain.valid || io.fw.link.valid || io.fw.part.valid || io.fw.free.valid || io.place.valid
  private val isAsked  = io.walk.start.valid || io.freeChain.valid || io.setAside.valid || io.dropOld.valid ||
    io.append.map(_.entry.valid).reduce(_ || _)
  quiet := state === State.idle && settled && walked.io.count === 0.U && !isLoaded && !isAsked

  // --- invariants
  assert(!salted || salts && asked, "RemapTable: an answer that nobody waits for")
  assert(!(loads || links) || state === State.idle, "RemapTable: loaded while it works")
  assert(
    !loads || (loaded.count <= p.k.segmentsPerChain.U && loaded.fill <= p.entriesPerSeg.U),
    "RemapTable: a loaded chain is too long"
  )
  assert(
    !(state === State.place && pool.io.deq.ready && !pool.io.deq.valid),
    "RemapTable: no free segment for an append: the room was to be checked before"
  )
  assert(
    !(state === State.header && chain.count +& partOf(op.sb).segments >= p.k.segmentsPerChain.U),
    "RemapTable: a chain grows past its limit: the room was to be checked before"
  )
  assert(!giveBack || pool.io.enq.ready, "RemapTable: more segments freed than there are")
  assert(!r.valid || state === State.read, "RemapTable: NVRAM answers a read that nobody asked for")
  assert(!r.fire || r.bits.last === (beats === 1.U), "RemapTable: a burst of another length than asked for")
  assert(state =/= State.entry || !full, "RemapTable: an entry past the end of its segment")
  assert(state =/= State.settle || job === Job.dropOld || op.sb < p.superblocks.U, "RemapTable: no such superblock")
  assert(
    state =/= State.settle || job =/= Job.setAside || aside.count === 0.U,
    "RemapTable: a chain is set aside while another one is"
  )
  cover(io.append(Appender.remap).entry.valid && io.append(Appender.gc).entry.valid, "RemapTable: both engines append")
  cover(joins && writer.io.req.ready, "RemapTable: an entry joins the append under way")
  cover(io.append(Appender.remap).entry.valid && state =/= State.idle, "RemapTable: an append waits for an operation")
  cover(state === State.settle && !settled, "RemapTable: a walk or free waits for writes")
  cover(r.valid && !r.ready, "RemapTable: NVRAM waits for the reader of a walk")
  cover(writer.io.req.valid && !writer.io.req.ready, "RemapTable: an append waits for the bus")
  cover(
    state === State.address && chain.count =/= 0.U && chain.fill === 0.U,
    "RemapTable: an empty tail after a power cut"
  )
  cover(io.event.badEntry, "RemapTable: a bad entry")
}
