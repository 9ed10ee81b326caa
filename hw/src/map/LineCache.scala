// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Size of one cache of the map unit.
  *
  * @param sets
  *   lines of a way
  * @param ways
  *   places for a line; a claim waits while all lines of its set are claimed
  * @param claims
  *   maximum number of claims under way
  * @param fills
  *   maximum number of misses under way
  * @param lineBytes
  *   two bus words
  * @param posted
  *   writes that can wait for the bus
  * @param writes
  *   maximum number of writes without an answer
  * @param buckets
  *   counters of the writes to a line, shared by the lines
  */
case class CacheParams(
    sets: Int,
    ways: Int,
    claims: Int,
    fills: Int,
    lineBytes: Int = 32,
    posted: Int = 16,
    writes: Int = 24,
    buckets: Int = 16
) {
  require(isPow2(sets) && isPow2(ways) && sets >= 2, "sets and ways are bit fields of a line number")
  require(ways >= 2, "two words of one set are often wanted together")
  require(fills >= 2, "a miss is refused a cycle ahead")
  val setBits  = log2Ceil(sets)
  val wayBits  = log2Ceil(ways)
  val lineBits = setBits + wayBits
}

/** Write-through cache of a table of entries in DRAM, for a user that works in order. The user first claims the entries
  * that it will need, which starts the misses, many at a time. Later it accesses them one by one, in the order of the
  * claims. A claimed line stays until all claims on it have been accessed. So misses overlap, and each access is atomic
  * because updates are made in the order of the accesses.
  *
  * A claim passes three stages, one a cycle:
  * {{{
  * look: tags of the set -> compare: hits -> choose: a way, or a victim; the tag is written, a miss starts -> lines
  * }}}
  * Claims of one set may follow each other at once. A claim's choice is not in the tags yet that the two claims behind
  * it have read, so they take it into account (`w`: the last choice made).
  *
  * An access passes four:
  * {{{
  * access: row is read -> pick: the entry in it -> `entry`, `update` -> the row is written, and DRAM's turn comes
  * }}}
  * One can begin in each cycle. `entry` has what the two accesses before it are still writing. The table is stored in
  * DRAM alone, so all writes to it must come through the cache; DRAM follows within the time of a write.
  *
  * Misses end in the order of the claims that made them. A claim that was a hit is accessed after the one that brought
  * its line, so it need not ask whether the line is there. One that was a miss waits until a fill has `arrived`.
  *
  * A line is `busy` while it has a claim that was not accessed. Claims are numbered, and `stamps` has the last number
  * of each line: the access of that claim ends it.
  *
  * AXI has no order between its read and write channels. So a miss waits until the writes to its line are answered.
  * They are counted in `buckets`, by line. No write to a line is made between its eviction and its fill, so it does no
  * harm that the counters are read a cycle before they are compared. The user stops behind the miss, so other accesses
  * cannot delay it for ever.
  */
class LineCache(p: Params, c: CacheParams, entryBytes: Int) extends Module with Quiesces {
  private val entryBits = 8 * entryBytes
  val io                = IO(new Bundle {
    val claim  = Flipped(Decoupled(UInt(p.dramAddrBits.W)))
    val access = Flipped(Decoupled(UInt(p.dramAddrBits.W)))                 // the oldest claim without an access
    val entry  = Valid(UInt(entryBits.W))                                   // two cycles after `access`
    val update = Flipped(Valid(UInt(entryBits.W)))                          // of `entry`, in the same cycle
    val dram   = new Axi4(AxiParams(p.dramAddrBits, p.dataBits))
    val event  = Output(new Bundle { val hit = Bool(); val miss = Bool() }) // of claims
  })
  private val beats        = c.lineBytes / p.dataBytes
  private val beatBits     = log2Ceil(beats)
  private val byteBits     = log2Ceil(c.lineBytes)
  private val wordBits     = log2Ceil(p.dataBytes)
  private val lineAddrBits = p.dramAddrBits - byteBits
  private val tagBits      = lineAddrBits - c.setBits
  require(beats == 2, "a miss is a burst of two")
  private def set(addr: UInt) = addr(c.setBits - 1, 0)
  private def tag(addr: UInt) = addr(lineAddrBits - 1, c.setBits)
  private def wayOf(l: UInt)  = l(c.lineBits - 1, c.setBits)

  // --- what is where; cleared after reset
  private val tags     = Seq.fill(c.ways)(Mem(c.sets, UInt((1 + tagBits).W))) // 1, and the tag; 0: no line
  private val turns    = Mem(c.sets, UInt(c.wayBits.W))
  private val busy     = RegInit(VecInit.fill(c.ways)(0.U(c.sets.W)))
  private val clearAt  = RegInit(0.U((c.setBits + 1).W))
  private val clearing = !clearAt(c.setBits)
  when(clearing)(clearAt := clearAt + 1.U)

  // --- claims: look. All stages move together, or none does.
  private val incoming = Module(new Skid(UInt(lineAddrBits.W)))
  private val go       = Wire(Bool())
  private val a        = incoming.io.out
  incoming.io.in.valid := io.claim.valid
  incoming.io.in.bits  := io.claim.bits(p.dramAddrBits - 1, byteBits)
  io.claim.ready       := incoming.io.in.ready
  a.ready              := go

  // --- claims: compare
  private val bValid = RegInit(false.B)
  private val bAddr  = Reg(UInt(lineAddrBits.W))
  private val bTags  = Reg(Vec(c.ways, UInt((1 + tagBits).W)))
  private val bTurn  = Reg(UInt(c.wayBits.W))
  private val wAddr  = Reg(UInt(lineAddrBits.W))
  private val wWay   = Reg(Vec(c.ways, Bool()))
  // Whether the claims in `c` and `w` are of its set, and have its tag: compared when they were one stage behind.
  private val afterC   = RegInit(false.B)
  private val afterW   = RegInit(false.B)
  private val likeC    = Reg(Bool())
  private val likeW    = Reg(Bool())
  private val compared =
    VecInit.tabulate(c.ways)(i => Mux(afterW && wWay(i), likeW, bTags(i) === 1.U(1.W) ## tag(bAddr)))

  // --- claims: choose
  private val cValid  = RegInit(false.B)
  private val cAddr   = Reg(UInt(lineAddrBits.W))
  private val cHits   = Reg(Vec(c.ways, Bool()))
  private val cFree   = Reg(Vec(c.ways, Bool())) // not claimed
  private val cTurn   = Reg(UInt(c.wayBits.W))
  private val blocked = RegInit(false.B)         // in the last cycle; `cFree` is looked up again
  private val hit     = cHits.asUInt.orR
  private val free    = cFree.asUInt.orR
  // The search for a victim begins behind the last line that came into the set, so lines in a row use all ways.
  private val search = VecInit.tabulate(c.ways)(i => cFree((cTurn + i.U)(c.wayBits - 1, 0)))
  private val victim = (cTurn + PriorityEncoder(search))(c.wayBits - 1, 0)
  private val chosen = VecInit.tabulate(c.ways)(i => Mux(hit, cHits(i), victim === i.U))

  private class Fill extends Bundle {
    val line = UInt(c.lineBits.W)
    val addr = UInt(lineAddrBits.W)
  }
  private class Placed extends Bundle {
    val line = UInt(c.lineBits.W)
    val miss = Bool()
  }
  private val misses  = Module(new HeadQueue(new Fill, c.fills))
  private val lines   = Module(new HeadQueue(new Placed, 1 << log2Floor(c.claims))) // claims that wait for their access
  private val commits = cValid && go
  private val miss    = commits && !hit
  private val line    = OHToUInt(chosen) ## set(cAddr)
  go      := !clearing && !blocked && (!cValid || lines.io.in.ready && (hit || free && misses.io.in.ready))
  blocked := !clearing && !blocked && !go
  when(go) {
    bValid                             := a.valid
    bAddr                              := a.bits
    bTags                              := VecInit(tags.map(_.read(set(a.bits))))
    bTurn                              := turns(set(a.bits)) // may be old: it is where a search begins
    afterC                             := bValid && set(a.bits) === set(bAddr)
    afterW                             := cValid && set(a.bits) === set(cAddr)
    likeC                              := tag(a.bits) === tag(bAddr)
    likeW                              := tag(a.bits) === tag(cAddr)
    cValid                             := bValid
    cAddr                              := bAddr
    cTurn                              := bTurn
    for (i <- 0 until c.ways) cHits(i) := Mux(afterC && chosen(i), likeC, compared(i))
    wAddr                              := cAddr
    wWay                               := chosen
  }
  private val freeOf = Mux(blocked, set(cAddr), set(bAddr))
  when(go || blocked) {
    for (i <- 0 until c.ways) cFree(i) := !busy(i)(freeOf) && !(!blocked && afterC && chosen(i))
  }
  misses.io.in.valid     := miss
  misses.io.in.bits.line := line
  misses.io.in.bits.addr := cAddr
  when(clearing || miss) {
    turns.write(Mux(clearing, clearAt, set(cAddr)), Mux(clearing, 0.U, victim + 1.U))
  }
  for (i <- 0 until c.ways)
    when(clearing || miss && victim === i.U) {
      tags(i).write(Mux(clearing, clearAt, set(cAddr)), Mux(clearing, 0.U, 1.U(1.W) ## tag(cAddr)))
    }
  io.event.hit  := commits && hit
  io.event.miss := miss

  // --- accesses: a claim that was a miss waits for its fill
  private val head      = lines.io.out.bits
  private val arrived   = RegInit(0.U(log2Ceil(c.claims + 1).W)) // fills whose miss has not been accessed
  private val completes = Wire(Bool())                           // a fill
  private val room      = RegInit(false.B)                       // for the write that an access may make
  lines.io.in.valid     := commits
  lines.io.in.bits.line := line
  lines.io.in.bits.miss := !hit
  lines.io.out.ready    := io.access.fire
  private val there = lines.io.out.valid && (!head.miss || arrived =/= 0.U)
  io.access.ready := there && room
  arrived         := arrived + completes - (io.access.fire && head.miss)

  // --- accesses: the row is read, the entry in it picked
  private val lanes = p.dataBytes / entryBytes
  private class Access extends Bundle {
    val line       = UInt(c.lineBits.W)
    val addr       = UInt(p.dramAddrBits.W)
    def row: UInt  = line ## addr(byteBits - 1, wordBits)
    def lane: UInt = if (lanes == 1) 0.U else addr(wordBits - 1, log2Ceil(entryBytes))
    def word: UInt = addr(p.dramAddrBits - 1, wordBits)
    def at: UInt   = row ## lane
  }
  private val rows    = SyncReadMem(c.sets * c.ways * beats, Vec(lanes, UInt(entryBits.W)), SyncReadMem.WriteFirst)
  private val offered = Wire(new Access)
  offered.line := head.line
  offered.addr := io.access.bits
  private val pickValid   = RegNext(io.access.fire, false.B)
  private val pick        = RegEnable(offered, io.access.fire)
  private val read        = rows.read(offered.row, io.access.fire)
  private val pickLane    = RegNext(UIntToOH(offered.lane, lanes)) // one-hot: the memory has few levels behind it
  private val pickWay     = RegNext(UIntToOH(wayOf(offered.line), c.ways))
  private val active      = RegNext(pickValid, false.B)
  private val now         = RegNext(pick)
  private val picked      = RegNext(Mux1H(pickLane, read))
  private val writes      = RegNext(active && io.update.valid, false.B)
  private val write       = RegNext(now)
  private val written     = RegNext(io.update.bits)
  private val wrote       = RegNext(written)                       // by the access before that
  private val sameAsWrite = RegNext(pick.at === now.at)
  private val sameAsWrote = RegNext(writes && pick.at === write.at, false.B)
  private val forward     = sameAsWrite && writes
  io.entry.valid := active
  io.entry.bits  := Mux(forward, written, Mux(sameAsWrote, wrote, picked))

  // --- lines whose last claim was accessed are free
  private val numberBits = log2Ceil(c.claims + 4)
  private val stamps     = Seq.fill(c.ways)(Mem(c.sets, UInt(numberBits.W)))
  private val next       = RegInit(0.U(numberBits.W)) // number of the next claim, and of the next access
  private val oldest     = RegInit(0.U(numberBits.W))
  private val pickNumber = RegNext(oldest)
  private val number     = RegNext(pickNumber)
  private val stamp      = RegNext(Mux1H(pickWay, stamps.map(_.read(set(pick.line)))))
  private val committed  = RegNext(commits, false.B)  // `w` has not been in `stamps` when `stamp` was read
  private val again      = committed && set(wAddr) === set(now.line) && wWay(wayOf(now.line))
  private val ends       = active && stamp === number && !again
  next   := next + commits
  oldest := oldest + io.access.fire
  for (i <- 0 until c.ways) {
    val claimed = commits && chosen(i)
    when(claimed)(stamps(i).write(set(cAddr), next))
    busy(i) := busy(i) & ~Mux(ends && wayOf(now.line) === i.U, UIntToOH(set(now.line), c.sets), 0.U(c.sets.W)) |
      Mux(claimed, UIntToOH(set(cAddr), c.sets), 0.U(c.sets.W))
  }

  // --- writes on their way to DRAM
  private val buckets    = c.buckets
  private val bucketBits = log2Ceil(buckets)
  // Lines of one set, and lines in a row, are in different ones.
  private def bucket(lineAddr: UInt): UInt =
    lineAddr(bucketBits - 1, 0) ^ lineAddr(c.setBits + bucketBits - 1, c.setBits)
  private val bus = AxiParams(p.dramAddrBits, p.dataBits)
  private val aw  = Module(
    new HeadQueue(new AxiAddr(bus), c.posted, late = p.k.lateQueues)
  ) // the bus starts at registers
  private val w              = Module(new HeadQueue(new AxiWriteData(bus), c.posted, late = p.k.lateQueues))
  private val owed           = Module(new Queue(UInt(bucketBits.W), c.writes))
  private val sent, answered = Mem(buckets, UInt(log2Ceil(c.writes + 1).W))

  // One write may go into each queue in each cycle: from the one before this look until that of an access that begins
  // in the next cycle, five.
  private val most = 5
  require(c.posted >= most && c.writes >= most, "an access needs room in the queues")
  // The rows have one write port. An update at each access would keep a fill from it until the accesses need that fill
  // and stand still. So they leave out two cycles for its beats, which then come four cycles later.
  private val waits   = io.dram.rd.r.valid && writes
  private val yields  = RegInit(0.U(3.W)) // cycles until they do so again
  private val yieldTo = waits && yields === 0.U
  yields := Mux(yieldTo, 6.U, yields - yields.orR)
  room   := !yieldTo && yields =/= 6.U && aw.io.count <= (c.posted - most).U && w.io.count <= (c.posted - most).U &&
    owed.io.count <= (c.writes - most).U
  // One write waits here for others to the same bus word: pages in a row then cost DRAM one write a word.
  private class Pending extends Bundle {
    val word   = UInt((p.dramAddrBits - wordBits).W)
    val bucket = UInt(bucketBits.W)
    val data   = Vec(lanes, UInt(entryBits.W))
    val strb   = UInt(lanes.W)
  }
  private val patience = 2 // cycles without an access
  private val pending  = RegInit(0.U.asTypeOf(Valid(new Pending)))
  private val idleFor  = RegInit(0.U(log2Ceil(patience + 1).W))
  private val idle     = RegInit(false.B)
  // `pending` has the word of the write before, if there is one.
  private val joins    = RegNext(now.word === Mux(writes, write.word, pending.bits.word))
  private val writeTo  = RegNext(bucket(now.addr >> byteBits))
  private val merges   = writes && pending.valid && joins
  private val counted  = writes && !(pending.valid && joins)
  private val leaves   = pending.valid && Mux(writes, !joins, idle)
  private val accesses = pickValid || active || writes
  idleFor := Mux(accesses, 0.U, idleFor + (idleFor =/= patience.U))
  idle    := idleFor === patience.U && !accesses && room
  when(writes) {
    pending.valid       := true.B
    pending.bits.word   := write.word
    pending.bits.bucket := writeTo
    pending.bits.strb   := Mux(merges, pending.bits.strb, 0.U) | UIntToOH(write.lane, lanes)
    for (i <- 0 until lanes) when(write.lane === i.U)(pending.bits.data(i) := written)
  }.elsewhen(leaves)(pending.valid := false.B)
  aw.io.in.valid     := leaves
  aw.io.in.bits.addr := pending.bits.word ## 0.U(wordBits.W)
  aw.io.in.bits.len  := 0.U
  w.io.in.valid      := leaves
  w.io.in.bits.data  := pending.bits.data.asUInt
  w.io.in.bits.strb  := FillInterleaved(entryBytes, pending.bits.strb)
  w.io.in.bits.last  := true.B
  owed.io.enq.valid  := leaves
  owed.io.enq.bits   := pending.bits.bucket
  io.dram.wr.aw <> aw.io.out
  io.dram.wr.w <> w.io.out
  io.dram.wr.b.ready := true.B
  owed.io.deq.ready  := io.dram.wr.b.valid
  private val settled   = RegNext(io.dram.wr.b.valid, false.B)
  private val settledOf = RegNext(owed.io.deq.bits)
  when(clearing || counted) {
    sent.write(Mux(clearing, clearAt, writeTo), Mux(clearing, 0.U, sent(writeTo) + 1.U))
  }
  when(clearing || settled) {
    answered.write(Mux(clearing, clearAt, settledOf), Mux(clearing, 0.U, answered(settledOf) + 1.U))
  }

  // --- fills: two cycles each, as many as the bus needs for its beats
  private val ar         = Module(new Queue(new AxiAddr(bus), 2)) // an address that was offered stays
  private val filling    = Module(new HeadQueue(UInt(c.lineBits.W), c.fills))
  private val fill       = misses.io.out.bits
  private val looked     = RegInit(false.B)                       // at the counters of its bucket
  private val sentTo     = RegNext(sent(bucket(fill.addr)))
  private val answeredTo = RegNext(answered(bucket(fill.addr)))
  private val hazard     = sentTo =/= answeredTo
  private val asks       = looked && !hazard && ar.io.enq.ready && filling.io.in.ready
  looked              := misses.io.out.valid && !asks
  misses.io.out.ready := asks
  ar.io.enq.valid     := asks
  ar.io.enq.bits.addr := fill.addr ## 0.U(byteBits.W)
  ar.io.enq.bits.len  := (beats - 1).U
  filling.io.in.valid := asks
  filling.io.in.bits  := fill.line
  io.dram.rd.ar <> ar.io.deq
  io.dram.rd.r.ready := !writes // one write port
  private val beat    = RegInit(0.U(beatBits.W))
  private val arrives = io.dram.rd.r.fire
  private val row     =
    VecInit.tabulate(lanes)(i => Mux(writes, written, io.dram.rd.r.bits.data(entryBits * (i + 1) - 1, entryBits * i)))
  completes            := arrives && beat === (beats - 1).U
  filling.io.out.ready := completes
  when(arrives)(beat := beat + 1.U)
  when(writes || arrives) {
    rows.write(
      Mux(writes, write.row, filling.io.out.bits ## beat),
      row,
      Seq.tabulate(lanes)(i => !writes || write.lane === i.U)
    )
  }

  quiet := !clearing && !a.valid && !bValid && !cValid && !committed && incoming.quiet &&
    misses.io.count === 0.U && misses.quiet && filling.io.count === 0.U && filling.quiet && lines.quiet &&
    aw.quiet && w.quiet && !accesses && !owed.io.deq.valid && !settled && !pending.valid

  // --- invariants
  require(c.sets >= buckets, "both kinds of counters are cleared in the same sweep")
  assert(!io.update.valid || active, "LineCache: an update without an access")
  assert(!arrives || filling.io.out.valid, "LineCache: DRAM answered a read that nobody asked for")
  assert(!arrives || io.dram.rd.r.bits.resp === Axi4.OKAY.U, "LineCache: an error that its arbiter keeps back")
  assert(!arrives || io.dram.rd.r.bits.last === (beat === (beats - 1).U), "LineCache: a burst of another length")
  assert(!io.dram.wr.b.valid || owed.io.deq.valid, "LineCache: DRAM answered a write that nobody made")
  assert(
    !io.dram.wr.b.valid || io.dram.wr.b.bits.resp === Axi4.OKAY.U,
    "LineCache: an error that its arbiter keeps back"
  )
  assert(!leaves || aw.io.in.ready && w.io.in.ready && owed.io.enq.ready, "LineCache: no room for a write")
  assert(PopCount(cHits) <= 1.U || !cValid, "LineCache: a line is there twice")
  assert(
    !io.access.valid || !lines.io.out.valid || set(head.line) === set(io.access.bits >> byteBits),
    "LineCache: out of order"
  )
  cover(cValid && !hit && !free, "LineCache: all ways of a set are claimed")
  cover(cValid && !hit && free && !misses.io.in.ready, "LineCache: as many misses as can be under way")
  cover(cValid && !lines.io.in.ready, "LineCache: as many claims as can be under way")
  cover(looked && hazard, "LineCache: a miss waits for writes to its line")
  cover(io.access.valid && there && !room, "LineCache: an access waits for DRAM to take writes")
  cover(merges, "LineCache: two writes become one")
  cover(forward && active, "LineCache: two accesses to one word in a row")
  cover(sameAsWrote && !forward && active, "LineCache: an access to the word of the one but the last")
  cover(waits, "LineCache: a fill waits for an update")
  cover(there && io.access.valid && yields === 6.U, "LineCache: an access waits for a fill")
  cover(go && bValid && afterC && !hit && !likeC, "LineCache: a claim behind a miss of its set")
  cover(go && bValid && afterC && !hit && likeC, "LineCache: a claim behind a miss of its line")
  cover(active && stamp === number && again, "LineCache: a line is claimed again when its last access ends")
}
