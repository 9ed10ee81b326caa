// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

object RemapTable {

  /** Who appends entries, and asks whether there is room for them. */
  object Appender extends Clients { val remap, gc = Value }

  /** Who looks at the length of a chain: firmware, to choose victims; GC, when it has one in hand. */
  object Looker extends Clients { val firmware, gc = Value }

  /** Cycles from a question about room to its answer. */
  val answersAfter = 5
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
  * There is one operation at a time, in the order in which `front` takes them. Each request is taken into a register at
  * once, and what frees segments goes before appends, as does what a compaction does before it appends: so no append
  * overtakes the end of the chain that its superblock had before. While one operation runs, `front` looks up the chain
  * of the next one. Consecutive entries for one superblock are one append, with one entry per cycle, up to the end of
  * the segment. Appends do not wait for NVRAM's answer (`RemapWriter` counts the writes under way). A walk waits until
  * all writes are answered, because AXI has no order between its read and write channels.
  *
  * After reset the table clears its memories, one superblock a cycle. Until then it does nothing else.
  *
  * @param cleared
  *   the memories are clear after reset, for a proof that begins there
  */
class RemapTable(p: Params, cleared: Boolean = false) extends Module with Quiesces {
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
  require(p.nvSegBase % p.segBytes == 0, "an item's place in its segment is the low bits of its address")

  private object State extends ChiselEnum {
    val wipe, idle, place, header, entry, settle, address, ask, read, last, link, free = Value
  }
  private object Job extends ChiselEnum { val append, walk, free, setAside, dropOld = Value }
  private val state = RegInit(if (cleared) State.idle else State.wipe)

  // --- on-chip tables
  private class Chain extends Bundle {
    val tail  = UInt(p.segBits.W)
    val fill  = UInt(p.entryIdxBits.W)
    val count = UInt(p.chainSegBits.W) // 0: no chain, nothing else counts
  }
  private def noChain = 0.U.asTypeOf(new Chain)
  private val chains  = SyncReadMem(p.superblocks, new Chain)
  private val prev    = SyncReadMem(p.k.segments, UInt(p.segBits.W))
  private val pool    = Module(new FreeSegments(p))
  private val sizes   = Module(new ChainSizes(p))
  io.freeSegments := pool.io.count
  sizes.io.free   := pool.io.after
  sizes.io.capacity <> io.capacity
  sizes.io.look <> io.look

  private val job   = Reg(Job())
  private val op    = Reg(new ChainEntry(p)) // the append under way; other jobs use op.sb
  private val gen   = Reg(UInt(p.genBits.W)) // of op.sb
  private val epoch = Reg(UInt(p.epochBits.W))
  private val chain = Reg(new Chain)         // of op.sb; a walk or free counts it down
  private val wiped = RegInit(0.U(p.sbBits.W))

  // One write port each. Firmware loads only while the table is idle.
  private val appends   = WireDefault(false.B)         // the entry in hand is on its way
  private val forgets   = WireDefault(Bool(), false.B) // op.sb has no chain any more
  private val forgetsIt = WireDefault(Bool(), false.B) // nor a destaged part
  private val wipes     = state === State.wipe
  private val loads     = io.fw.chain.valid
  private val loaded    = Wire(new Chain)
  loaded.tail  := io.fw.chain.bits.tail
  loaded.fill  := io.fw.chain.bits.fill
  loaded.count := io.fw.chain.bits.count
  private val appendedTo = WireInit(chain)
  appendedTo.fill := chain.fill + 1.U
  private val written   = Mux(loads, loaded, Mux(appends, appendedTo, noChain))
  private val writtenTo = Mux(loads, io.fw.chain.bits.sb, Mux(wipes, wiped, op.sb))
  private val writes    = appends || forgets // what the worker writes
  when(writes || loads || wipes)(chains.write(writtenTo, written))
  sizes.io.write.valid      := writes || loads || wipes
  sizes.io.write.bits.sb    := writtenTo
  sizes.io.write.bits.fill  := written.fill
  sizes.io.write.bits.count := written.count

  private val links      = io.fw.link.valid
  private val chained    = WireDefault(false.B) // `newSegment` follows the tail
  private val newSegment = Reg(UInt(p.segBits.W))
  when(chained || links) {
    prev.write(Mux(links, io.fw.link.bits.seg, newSegment), Mux(links, io.fw.link.bits.prev, chain.tail))
  }

  private val placed = Mux(io.fw.part.valid, io.fw.part.bits, io.place.bits)
  private val places = io.fw.part.valid || io.place.valid
  sizes.io.part.valid     := places || forgetsIt || wipes
  sizes.io.part.bits.sb   := Mux(places, placed.sb, Mux(wipes, wiped, op.sb))
  sizes.io.part.bits.part := Mux(places, placed.part, 0.U.asTypeOf(new Destaged(p)))

  // --- requests. The remap engine appends an entry a cycle, GC now and then one.
  private val remapSkid = Module(new Skid(new ChainEntry(p)))
  private val ofGc      = Module(new Queue(new ChainEntry(p), 1))
  private def kept      = Module(new Queue(UInt(p.sbBits.W), 1))
  private val walks     = kept
  private val frees     = kept
  private val asides    = kept
  private val drops     = RegInit(false.B)
  remapSkid.io.in <> io.append(Appender.remap).entry
  ofGc.io.enq <> io.append(Appender.gc).entry
  walks.io.enq <> io.walk.start
  frees.io.enq <> io.freeChain
  asides.io.enq <> io.setAside
  io.dropOld.ready := !drops

  // --- the next operation. Its chain and its salt are there from the third cycle on.
  private class Next extends Bundle {
    val valid   = Bool()
    val job     = Job()
    val e       = new ChainEntry(p)
    val same    = Bool() // superblock as the operation before
    val follows = Bool() // an append, too, as that was
    val ready   = Bool() // what follows is the chain and, from the next cycle on, the salt of now
    val chain   = new Chain
    val gen     = UInt(p.genBits.W)
    val epoch   = UInt(p.epochBits.W)
  }
  private val next  = RegInit(0.U.asTypeOf(new Next))
  private val age   = RegInit(0.U(3.W)) // one-hot: cycles since the superblock is named
  private val takes = Wire(Bool())
  // GC's requests go before the remap engine's, whose next command needs what GC is about to free; its walks go last.
  // The first of the former waits for its turn in `early`. So the choice of the next operation is one among three.
  private class Early extends Bundle {
    val job = Job()
    val e   = new ChainEntry(p)
  }
  private val early = RegInit(0.U.asTypeOf(Valid(new Early)))
  private val hasty = Seq(
    asides.io.deq.valid -> Job.setAside,
    drops               -> Job.dropOld,
    frees.io.deq.valid  -> Job.free,
    ofGc.io.deq.valid   -> Job.append
  )
  private val hurries = VecInit(hasty.map(_._1)).asUInt.orR
  private val turn    = PriorityEncoderOH(hasty.map(_._1)).map(_ && !early.valid)
  asides.io.deq.ready := turn(0)
  frees.io.deq.ready  := turn(2)
  ofGc.io.deq.ready   := turn(3)
  drops               := io.dropOld.fire || drops && !turn(1)
  private val mayPick = (!next.valid || takes) && !wipes
  when(!early.valid) {
    early.valid     := hurries
    early.bits.job  := Job.safe(Mux1H(turn, hasty.map(_._2.asUInt)))._1
    early.bits.e    := ofGc.io.deq.bits
    early.bits.e.sb := Mux1H(turn, Seq(asides.io.deq.bits, 0.U, frees.io.deq.bits, ofGc.io.deq.bits.sb))
  }.elsewhen(mayPick)(early.valid := false.B)

  private val entryNext = remapSkid.io.out.valid && !early.valid // of the remap engine
  private val picks     = mayPick && (early.valid || !hurries && (remapSkid.io.out.valid || walks.io.deq.valid))
  private val chosenSb  =
    Mux(early.valid, early.bits.e.sb, Mux(entryNext, remapSkid.io.out.bits.sb, walks.io.deq.bits))
  remapSkid.io.out.ready := mayPick && !hurries && !early.valid
  walks.io.deq.ready     := mayPick && !hurries && !early.valid && !remapSkid.io.out.valid

  private val looked = chains.read(chosenSb)
  io.sbRead.ask.valid              := age(0)
  io.sbRead.ask.bits               := next.e.sb
  age                              := Mux(takes, 0.U, age << 1) | picks
  when(age(0))(next.chain              := looked)
  when(writes && next.same)(next.chain := Mux(state === State.entry, appendedTo, noChain))
  when(age(1))(next.ready              := true.B)
  when(age(2)) {
    next.gen   := io.sbRead.answer.bits.gen
    next.epoch := io.sbRead.answer.bits.epoch
  }
  when(takes) {
    next.valid   := false.B
    next.ready   := false.B
    next.follows := false.B
  }
  when(picks) {
    next.valid   := true.B
    next.job     := Mux(early.valid, early.bits.job, Mux(entryNext, Job.append, Job.walk))
    next.e       := Mux(early.valid, early.bits.e, remapSkid.io.out.bits)
    next.e.sb    := chosenSb
    next.same    := chosenSb === next.e.sb
    next.follows := chosenSb === next.e.sb && (entryNext || early.valid && early.bits.job === Job.append)
    next.ready   := false.B
  }

  // --- what is on its way to NVRAM or comes from there, in two steps: the CRC of its content, and the whole. A step a
  // cycle, whatever comes: entries set out only while RemapWriter has room for them.
  private class Beat extends Bundle {
    val crc  = UInt(32.W)
    val data = UInt(96.W)
  }
  private val record = WireInit(0.U.asTypeOf(new Formats.RemapEntry))
  record.lpn    := op.lpn
  record.offset := op.offset
  record.seq    := op.seq
  private val segHeader = WireInit(0.U.asTypeOf(new Formats.SegmentHeader))
  segHeader.sb    := op.sb
  segHeader.index := chain.count
  segHeader.gen   := gen
  segHeader.prev  := Mux(chain.count === 0.U, newSegment, chain.tail)
  segHeader.epoch := epoch

  private val writer = Module(new RemapWriter(p))
  private val crc    = Module(new ChainCrc(p))
  io.nvram.wr <> writer.io.nvram
  private val r                                    = io.nvram.rd.r
  private def segAddr(seg: UInt, item: UInt): UInt = p.nvSegBase.U(p.nvramAddrBits.W) + Cat(
    seg,
    item.pad(log2Ceil(p.segBytes / p.dataBytes))(log2Ceil(p.segBytes / p.dataBytes) - 1, 0),
    0.U(log2Ceil(p.dataBytes).W)
  )
  private val full      = chain.fill === p.entriesPerSeg.U
  private val begins    = Reg(Bool())   // the entry is the first of its segment
  private val lastPlace = chain.fill === (p.entriesPerSeg - 1).U
  private val makes     = state === State.header
  private val sets      = writer.io.room && state === State.entry
  private val fires     = sets || writer.io.room && crc.io.made
  private val beat      = Reg(new Beat) // without its CRC; what NVRAM gave, with it
  private val isHeader  = RegEnable(makes, fires)
  private val addr    = RegEnable(segAddr(Mux(makes, newSegment, chain.tail), Mux(makes, 0.U, chain.fill + 1.U)), fires)
  private val joins   = state === State.entry && next.follows && !lastPlace
  private val more    = RegEnable(makes || joins, fires) // a header's first entry follows
  private val sealing = RegNext(fires, false.B)          // `beat` is one that is written
  when(fires) {
    beat.data := Mux(makes, segHeader.asUInt(95, 0), record.asUInt(95, 0))
    beat.crc  := crc.io.headerCrc
  }.elsewhen(r.fire) {
    beat := r.bits.data.asTypeOf(new Beat)
  }
  require(record.crc.getWidth == 32 && p.dataBits == 128)
  crc.io.entry  := beat.asUInt.asTypeOf(new Formats.RemapEntry)
  crc.io.header := segHeader
  crc.io.makes  := makes
  private val sealed_ = Wire(new Beat) // with its CRC; what NVRAM gave, with the difference of both
  private val made    = RegNext(sealing && isHeader)
  private val other   = RegNext(Mux(sealing && !isHeader, 0.U, beat.crc))
  sealed_.data            := RegNext(beat.data)
  sealed_.crc             := Mux(made, 0.U, crc.io.entryCrc) ^ other
  writer.io.req.valid     := RegNext(sealing, false.B)
  writer.io.req.bits.addr := RegNext(addr)
  writer.io.req.bits.more := RegNext(more)
  writer.io.req.bits.data := sealed_.asUInt
  private val settled = writer.io.idle && !sealing && !writer.io.req.valid

  crc.io.salt.valid      := takes && !(next.follows && state === State.entry)
  crc.io.salt.bits.sb    := next.e.sb
  crc.io.salt.bits.gen   := Mux(age(2), io.sbRead.answer.bits.gen, next.gen)
  crc.io.salt.bits.epoch := Mux(age(2), io.sbRead.answer.bits.epoch, next.epoch)

  // An entry is inside from its acceptance until its write is answered.
  private val isEntry = Seq(State.place, State.header, State.entry).map(_ === state).reduce(_ || _)
  private val inside  = io.append.map(_.entry.fire).reduce(_ || _) || remapSkid.io.out.valid || ofGc.io.deq.valid ||
    early.valid && early.bits.job === Job.append || next.valid && next.job === Job.append || isEntry
  private val drained = RegNext(!inside && settled, true.B)
  for (a <- io.append) a.drained := drained

  // --- walk: entries are checked as they come from NVRAM, one at a time: GC takes longer to look each up
  private val walked  = Module(new Queue(chiselTypeOf(io.walk.entry.bits), 2))
  private val beats   = Reg(UInt(p.entryIdxBits.W)) // of this segment's burst, not yet here
  private val wants   = RegInit(false.B)            // the next of them
  private val came    = RegNext(r.fire, false.B)
  private val whole   = RegNext(came, false.B)      // `sealed_` is it
  private val checked = RegInit(false.B)            // so is `good`
  private val found   = sealed_.asUInt.asTypeOf(new Formats.RemapEntry)
  private val good    = RegEnable(found.crc === 0.U && found.offset < p.slotsPerSb.U, whole)
  private val passes  = checked && (!good || walked.io.enq.ready)
  when(whole)(checked := true.B).elsewhen(passes)(checked := false.B)
  io.walk.entry <> walked.io.deq
  walked.io.enq.valid         := checked && good || state === State.last
  walked.io.enq.bits.valid_   := state =/= State.last
  walked.io.enq.bits.last     := state === State.last
  walked.io.enq.bits.e.sb     := op.sb
  walked.io.enq.bits.e.offset := found.offset(p.offsetBits - 1, 0)
  walked.io.enq.bits.e.lpn    := found.lpn
  walked.io.enq.bits.e.seq    := found.seq
  r.ready                     := wants
  io.nvram.rd.ar.valid        := state === State.ask
  io.nvram.rd.ar.bits.addr    := RegNext(segAddr(chain.tail, 1.U))
  io.nvram.rd.ar.bits.len     := RegNext(chain.fill - 1.U)

  // --- the segment before the current one: read while the current one is dealt with
  private val before           = prev.read(chain.tail)
  private def stepBack(): Unit = {
    chain.tail  := before
    chain.fill  := p.entriesPerSeg.U
    chain.count := chain.count - 1.U
  }

  // --- free list: chains that are given up, and firmware's load at start-up
  private val giveBack     = state === State.free
  private val loadsSegment = Module(new Queue(UInt(p.segBits.W), 1))
  loadsSegment.io.enq <> io.fw.free
  loadsSegment.io.deq.ready := !giveBack
  pool.io.put.valid         := giveBack || loadsSegment.io.deq.valid
  pool.io.put.bits          := Mux(giveBack, chain.tail, loadsSegment.io.deq.bits)
  private val wantsSegment = state === State.place && begins
  pool.io.take := wantsSegment && pool.io.next.valid

  // --- the worker
  private val aside = RegInit(noChain) // set aside by a compaction; without segments: none is
  takes := (state === State.idle && next.ready) || (sets && (next.ready || next.follows))
  private def take(): Unit =
    state := Mux(next.job === Job.append, State.place, State.settle)
  switch(state) {
    is(State.wipe) {
      wiped := wiped + 1.U
      when(wiped === (p.superblocks - 1).U)(state := State.idle)
    }
    is(State.idle)(when(takes)(take()))
    is(State.place) {
      when(!wantsSegment) {
        state := State.entry
      }.elsewhen(pool.io.next.valid) {
        newSegment := pool.io.next.bits
        state      := State.header
      }
    }
    is(State.header) {
      when(fires) {
        chained     := true.B
        chain.tail  := newSegment
        chain.fill  := 0.U
        chain.count := chain.count + 1.U
        state       := State.entry
      }
    }
    is(State.entry) {
      when(sets) {
        appends := true.B
        state   := State.idle
        when(takes && !joins)(take())
        when(joins)(state := State.entry)
      }
    }
    is(State.settle) {
      when(settled)(state := State.link)
      when(job === Job.setAside) {
        aside   := chain
        forgets := true.B
        state   := State.idle
      }
    }
    is(State.address) {
      beats := chain.fill
      when(chain.count === 0.U) {
        state := State.last
      }.elsewhen(chain.fill === 0.U) {
        stepBack() // a segment whose only entry did not survive the power cut
        state := State.link
      }.otherwise(state := State.ask)
    }
    is(State.ask) {
      when(io.nvram.rd.ar.ready) {
        wants := true.B
        state := State.read
      }
    }
    is(State.read) {
      when(r.fire) {
        beats := beats - 1.U
        wants := false.B
      }
      when(passes) {
        wants := beats =/= 0.U
        when(beats === 0.U) {
          stepBack()
          state := State.link
        }
      }
    }
    // One cycle for `before` to follow the new tail.
    is(State.link) {
      val ends = chain.count === 0.U
      state     := Mux(job === Job.walk, State.address, Mux(ends, State.idle, State.free))
      forgets   := ends && job === Job.free
      forgetsIt := ends && job === Job.free
      when(ends && job === Job.dropOld)(aside.count := 0.U)
    }
    is(State.free) {
      stepBack()
      state := State.link
    }
    is(State.last)(when(walked.io.enq.ready)(state := State.idle))
  }
  when(takes) {
    job    := next.job
    op     := next.e
    chain  := Mux(next.same && state === State.entry, appendedTo, next.chain)
    begins := Mux(
      next.same && state === State.entry,
      lastPlace,
      next.chain.count === 0.U || next.chain.fill === p.entriesPerSeg.U
    )
    when(next.job === Job.dropOld)(chain := aside)
    when(crc.io.salt.valid) {
      gen   := crc.io.salt.bits.gen
      epoch := crc.io.salt.bits.epoch
    }
  }

  io.event.appended     := RegNext(appends, false.B)
  io.event.freedSegment := RegNext(giveBack, false.B)
  io.event.badEntry     := RegNext(checked && !good, false.B)
  private val isLoaded = loads || links || places || io.fw.free.valid || loadsSegment.io.deq.valid
  private val isAsked  = io.walk.start.valid || io.freeChain.valid || io.setAside.valid || io.dropOld.valid ||
    io.append.map(_.entry.valid).reduce(_ || _) || hurries || early.valid || remapSkid.io.out.valid ||
    walks.io.deq.valid || next.valid
  private val reported = !io.event.asUInt.orR && drained // what follows the state has followed
  quiet := state === State.idle && settled && walked.io.count === 0.U && !isLoaded && !isAsked && age === 0.U &&
    reported && remapSkid.quiet && pool.quiet && sizes.quiet && !came && !whole && !checked

  // --- invariants
  assert(
    state =/= State.place || begins === (chain.count === 0.U || full),
    "RemapTable: which entry is a segment's first is known when it is taken"
  )
  assert(!wantsSegment || pool.io.next.valid, "RemapTable: the next free segment is there before it is wanted")
  assert(!takes || writes === (state === State.entry), "RemapTable: a chain ends while the next operation is taken")
  assert(
    !(loads || links) || state === State.idle && !next.valid && !early.valid,
    "RemapTable: loaded while it works"
  )
  assert(!io.fw.part.valid || !wipes, "RemapTable: loaded before it is cleared")
  assert(!(io.fw.part.valid && io.place.valid), "RemapTable: loaded while a chain is destaged")
  assert(!(places && forgetsIt), "RemapTable: a chain is destaged and freed at once")
  assert(
    !loads || (loaded.count <= p.k.segmentsPerChain.U && loaded.fill <= p.entriesPerSeg.U),
    "RemapTable: a loaded chain is too long"
  )
  assert(
    !(wantsSegment && pool.io.count === 0.U),
    "RemapTable: no free segment for an append: the room was to be checked before"
  )
  assert(
    !(wantsSegment && chain.count >= p.k.segmentsPerChain.U),
    "RemapTable: a chain grows past its limit: the room was to be checked before"
  )
  assert(!writer.io.req.valid || writer.io.req.ready, "RemapTable: RemapWriter had no room")
  assert(!r.valid || state === State.read, "RemapTable: NVRAM answers a read that nobody asked for")
  assert(!r.fire || r.bits.last === (beats === 1.U), "RemapTable: a burst of another length than asked for")
  assert(!(r.fire && fires), "RemapTable: an append beside a walk")
  assert(!r.fire || r.bits.resp === Axi4.OKAY.U, "RemapTable: an error that its arbiter keeps back")
  assert(state =/= State.entry || !full, "RemapTable: an entry past the end of its segment")
  assert(state =/= State.settle || job === Job.dropOld || op.sb < p.superblocks.U, "RemapTable: no such superblock")
  assert(
    state =/= State.settle || job =/= Job.setAside || aside.count === 0.U,
    "RemapTable: a chain is set aside while another one is"
  )
  cover(io.append(Appender.remap).entry.valid && io.append(Appender.gc).entry.valid, "RemapTable: both engines append")
  cover(joins && sets, "RemapTable: an entry joins the append under way")
  cover(sets && takes && !joins && next.same, "RemapTable: an entry follows into the next segment")
  cover(writes && next.valid && next.same && !takes, "RemapTable: the chain that was looked up changes")
  cover(io.append(Appender.remap).entry.valid && state =/= State.idle, "RemapTable: an append waits for an operation")
  cover(state === State.settle && !settled, "RemapTable: a walk or free waits for writes")
  cover(checked && good && !walked.io.enq.ready, "RemapTable: NVRAM waits for the reader of a walk")
  cover((state === State.entry || crc.io.made) && !writer.io.room, "RemapTable: an append waits for the bus")
  cover(
    state === State.address && chain.count =/= 0.U && chain.fill === 0.U,
    "RemapTable: an empty tail after a power cut"
  )
  cover(checked && !good, "RemapTable: a bad entry")
}
