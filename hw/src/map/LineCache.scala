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
    posted: Int = 8,
    writes: Int = 16,
    buckets: Int = 16
) {
  require(isPow2(sets) && isPow2(ways) && sets >= 2, "sets and ways are bit fields of a line number")
  require(ways >= 2, "two words of one set are often wanted together")
  val setBits  = log2Ceil(sets)
  val wayBits  = log2Ceil(ways)
  val lineBits = setBits + wayBits
}

/** The place of a claimed word: its line in the cache and its address in DRAM. */
class CachePlace(val p: Params, val c: CacheParams) extends Bundle {
  val line = UInt(c.lineBits.W)
  val addr = UInt(p.dramAddrBits.W)
}

/** The new value of a bus word: all of it, since the cache keeps whole words, and the bytes that go to DRAM. */
class CacheUpdate(val p: Params) extends Bundle {
  val data = UInt(p.dataBits.W)
  val strb = UInt(p.dataBytes.W)
}

/** Write-through cache of a table in DRAM, for a user that works in order. The user first claims the words that it will
  * need, which starts the misses, many at a time. Later it accesses them one by one. A claimed line stays until it has
  * been accessed as often as it was claimed. So misses overlap, and each access is atomic because it takes one cycle.
  *
  * An access takes two cycles, and one can begin in each cycle: `access` fires, and in the next cycle `row` has the bus
  * word and `update` may replace it. The table is stored in DRAM alone, so all writes to it must come through the
  * cache; DRAM follows within the time of a write.
  *
  * AXI has no order between its read and write channels. So a miss waits until the writes to its line are answered.
  * They are counted in `buckets`, by line. The user stops behind the miss, so other accesses cannot delay it for ever.
  */
class LineCache(p: Params, c: CacheParams) extends Module with Quiesces {
  val io = IO(new Bundle {
    val claim  = Flipped(Decoupled(UInt(p.dramAddrBits.W)))
    val line   = Output(UInt(c.lineBits.W))                                 // of the claim in this cycle
    val access = Flipped(Decoupled(new CachePlace(p, c)))
    val row    = Valid(UInt(p.dataBits.W))
    val update = Flipped(Valid(new CacheUpdate(p)))
    val dram   = new Axi4(AxiParams(p.dramAddrBits, p.dataBits))
    val event  = Output(new Bundle { val hit = Bool(); val miss = Bool() }) // of claims
  })
  private val beats    = c.lineBytes / p.dataBytes
  private val beatBits = log2Ceil(beats)
  private val byteBits = log2Ceil(c.lineBytes)
  private val tagBits  = p.dramAddrBits - byteBits - c.setBits
  require(beats == 2, "a miss is a burst of two")

  // --- what is where. Claims under way = made - done, two memories with one write port each; cleared after reset.
  private val pinBits    = log2Ceil(c.claims + 1)
  private val tags       = Seq.fill(c.ways)(Mem(c.sets, UInt(tagBits.W)))
  private val made, done = Seq.fill(c.ways)(Mem(c.sets, UInt(pinBits.W)))
  private val present    = RegInit(VecInit.fill(c.ways)(0.U(c.sets.W))) // has a tag
  private val filled     = RegInit(VecInit.fill(c.ways)(0.U(c.sets.W))) // and its data
  private val clearAt    = RegInit(0.U((c.setBits + 1).W))
  private val clearing   = !clearAt(c.setBits)
  when(clearing)(clearAt := clearAt + 1.U)

  // --- claims
  private val addr   = io.claim.bits
  private val set    = addr(byteBits + c.setBits - 1, byteBits)
  private val tag    = addr(p.dramAddrBits - 1, byteBits + c.setBits)
  private val hits   = VecInit.tabulate(c.ways)(w => present(w)(set) && tags(w)(set) === tag)
  private val unused = VecInit.tabulate(c.ways)(w => made(w)(set) === done(w)(set))
  // Where the search for a victim begins: behind the last line that came into the set, so lines in a row use all ways.
  private val turns  = Mem(c.sets, UInt(c.wayBits.W))
  private val turn   = turns(set)
  private val search = VecInit.tabulate(c.ways)(i => unused((turn + i.U)(c.wayBits - 1, 0)))
  private val victim = (turn + PriorityEncoder(search))(c.wayBits - 1, 0)
  private val hit    = hits.asUInt.orR
  private val way    = Mux(hit, OHToUInt(hits), victim)

  private class Fill extends Bundle {
    val line = UInt(c.lineBits.W)
    val addr = UInt((p.dramAddrBits - byteBits).W)
  }
  private val misses = Module(new Queue(new Fill, c.fills))
  private val claims = io.claim.fire
  private val miss   = claims && !hit
  io.claim.ready          := !clearing && (hit || unused.asUInt.orR && misses.io.enq.ready)
  io.line                 := way ## set
  misses.io.enq.valid     := miss
  misses.io.enq.bits.line := io.line
  misses.io.enq.bits.addr := addr(p.dramAddrBits - 1, byteBits)
  when(clearing || miss)(turns.write(Mux(clearing, clearAt, set), Mux(clearing, 0.U, way + 1.U)))
  io.event.hit  := claims && hit
  io.event.miss := miss

  // --- accesses: the row is read in the cycle of `access`, here and replaced in the next
  private val rows    = SyncReadMem(c.sets * c.ways * beats, UInt(p.dataBits.W))
  private val place   = io.access.bits
  private val rowOf   = place.line ## place.addr(byteBits - 1, log2Ceil(p.dataBytes))
  private val active  = RegNext(io.access.fire, false.B)
  private val current = RegEnable(place, io.access.fire)
  private val rowAt   = RegEnable(rowOf, io.access.fire)
  private val read    = rows.read(rowOf, io.access.fire)
  private val writes  = active && io.update.valid
  // What the access just before wrote is not in the memory's answer yet.
  private val forward = RegNext(writes, false.B) && RegNext(rowAt) === rowAt
  io.row.valid := active
  io.row.bits  := Mux(forward, RegNext(io.update.bits.data), read)

  // --- writes on their way to DRAM
  private val posted     = c.posted
  private val maxWrites  = c.writes
  private val buckets    = c.buckets
  private val bucketBits = log2Ceil(buckets)
  // Lines of one set, and lines in a row, are in different ones.
  private def bucket(lineAddr: UInt): UInt =
    lineAddr(bucketBits - 1, 0) ^ lineAddr(c.setBits + bucketBits - 1, c.setBits)
  private val a              = AxiParams(p.dramAddrBits, p.dataBits)
  private val aw             = Module(new Queue(new AxiAddr(a), posted))
  private val w              = Module(new Queue(new AxiWriteData(a), posted))
  private val owed           = Module(new Queue(UInt(bucketBits.W), maxWrites))
  private val sent, answered = Mem(buckets, UInt(log2Ceil(maxWrites + 1).W))

  // The access under way may put one write into each queue, this one another.
  private val roomToWrite =
    aw.io.count <= (posted - 2).U && w.io.count <= (posted - 2).U && owed.io.count <= (maxWrites - 2).U
  // One write waits here for others to the same bus word: pages in a row then cost DRAM one write a word.
  private class Pending extends Bundle {
    val addr   = UInt((p.dramAddrBits - log2Ceil(p.dataBytes)).W)
    val update = new CacheUpdate(p)
  }
  private val patience = 2 // cycles without an access
  private val pending  = RegInit(0.U.asTypeOf(Valid(new Pending)))
  private val idleFor  = RegInit(0.U(log2Ceil(patience + 1).W))
  private val rowAddr  = current.addr(p.dramAddrBits - 1, log2Ceil(p.dataBytes))
  private val merges   = writes && pending.valid && pending.bits.addr === rowAddr
  private val leaves   = pending.valid && (writes && !merges || idleFor === patience.U && !active && roomToWrite)
  private val mine     = bucket(current.addr >> byteBits)
  private val its      = bucket(pending.bits.addr >> (byteBits - log2Ceil(p.dataBytes)))
  idleFor := Mux(active, 0.U, idleFor + (idleFor =/= patience.U))
  when(writes) {
    pending.valid            := true.B
    pending.bits.addr        := rowAddr
    pending.bits.update.data := io.update.bits.data
    pending.bits.update.strb := Mux(merges, pending.bits.update.strb, 0.U) | io.update.bits.strb
  }.elsewhen(leaves)(pending.valid := false.B)
  aw.io.enq.valid     := leaves
  aw.io.enq.bits.addr := pending.bits.addr ## 0.U(log2Ceil(p.dataBytes).W)
  aw.io.enq.bits.len  := 0.U
  w.io.enq.valid      := leaves
  w.io.enq.bits.data  := pending.bits.update.data
  w.io.enq.bits.strb  := pending.bits.update.strb
  w.io.enq.bits.last  := true.B
  owed.io.enq.valid   := leaves
  owed.io.enq.bits    := its
  private val isFilled = filled(place.line(c.lineBits - 1, c.setBits))(place.line(c.setBits - 1, 0))
  io.access.ready     := isFilled && roomToWrite
  io.dram.wr.aw <> aw.io.deq
  io.dram.wr.w <> w.io.deq
  io.dram.wr.b.ready := true.B
  owed.io.deq.ready  := io.dram.wr.b.valid
  private val settled = io.dram.wr.b.valid
  private val counted = writes && !merges
  when(clearing || counted)(sent.write(Mux(clearing, clearAt, mine), Mux(clearing, 0.U, sent(mine) + 1.U)))
  when(clearing || settled) {
    answered.write(Mux(clearing, clearAt, owed.io.deq.bits), Mux(clearing, 0.U, answered(owed.io.deq.bits) + 1.U))
  }

  // --- fills
  private val ar      = Module(new Queue(new AxiAddr(a), 2)) // an address that was offered stays
  private val filling = Module(new Queue(UInt(c.lineBits.W), c.fills))
  private val beat    = RegInit(0.U(beatBits.W))
  private val next    = misses.io.deq.bits
  private val hazard  = sent(bucket(next.addr)) =/= answered(bucket(next.addr)) || writes && mine === bucket(next.addr)
  private val asks    = misses.io.deq.valid && !hazard && ar.io.enq.ready && filling.io.enq.ready
  misses.io.deq.ready  := asks
  ar.io.enq.valid      := asks
  ar.io.enq.bits.addr  := next.addr ## 0.U(byteBits.W)
  ar.io.enq.bits.len   := (beats - 1).U
  filling.io.enq.valid := asks
  filling.io.enq.bits  := next.line
  io.dram.rd.ar <> ar.io.deq
  io.dram.rd.r.ready := !writes // one write port
  private val arrives   = io.dram.rd.r.fire
  private val completes = arrives && beat === (beats - 1).U
  filling.io.deq.ready := completes
  when(arrives)(beat := beat + 1.U)
  when(writes || arrives) {
    rows.write(
      Mux(writes, rowAt, filling.io.deq.bits ## beat),
      Mux(writes, io.update.bits.data, io.dram.rd.r.bits.data)
    )
  }

  // --- bookkeeping of both
  private val doneLine = filling.io.deq.bits
  for (i <- 0 until c.ways) {
    val claimedHere = claims && way === i.U
    val missedHere  = claimedHere && !hit
    val leavesHere  = active && current.line(c.lineBits - 1, c.setBits) === i.U
    val left        = current.line(c.setBits - 1, 0)
    when(clearing || claimedHere) {
      made(i).write(Mux(clearing, clearAt, set), Mux(clearing, 0.U, made(i)(set) + 1.U))
    }
    when(clearing || leavesHere) {
      done(i).write(Mux(clearing, clearAt, left), Mux(clearing, 0.U, done(i)(left) + 1.U))
    }
    when(missedHere)(tags(i).write(set, tag))
    val filledHere = completes && doneLine(c.lineBits - 1, c.setBits) === i.U
    present(i) := present(i) | Mux(missedHere, UIntToOH(set, c.sets), 0.U)
    filled(i)  := (filled(i) | Mux(filledHere, UIntToOH(doneLine(c.setBits - 1, 0), c.sets), 0.U)) &
      ~Mux(missedHere, UIntToOH(set, c.sets), 0.U(c.sets.W))
  }

  quiet := !clearing && !misses.io.deq.valid && !filling.io.deq.valid && !active && !owed.io.deq.valid && !pending.valid

  // --- invariants
  require(c.sets >= buckets, "both kinds of counters are cleared in the same sweep")
  assert(!io.update.valid || active, "LineCache: an update without an access")
  assert(!arrives || filling.io.deq.valid, "LineCache: DRAM answered a read that nobody asked for")
  assert(!arrives || io.dram.rd.r.bits.resp === Axi4.OKAY.U, "LineCache: DRAM does not fail")
  assert(!arrives || io.dram.rd.r.bits.last === (beat === (beats - 1).U), "LineCache: a burst of another length")
  assert(!settled || owed.io.deq.valid, "LineCache: DRAM answered a write that nobody made")
  assert(!settled || io.dram.wr.b.bits.resp === Axi4.OKAY.U, "LineCache: DRAM does not fail")
  assert(!leaves || aw.io.enq.ready && w.io.enq.ready && owed.io.enq.ready, "LineCache: no room for a write")
  assert(PopCount(hits) <= 1.U || !io.claim.valid || clearing, "LineCache: a line is there twice")
  cover(io.claim.valid && !clearing && !hit && !unused.asUInt.orR, "LineCache: all ways of a set are claimed")
  cover(io.claim.valid && !clearing && !hit && !misses.io.enq.ready, "LineCache: as many misses as can be under way")
  cover(misses.io.deq.valid && hazard, "LineCache: a miss waits for writes to its line")
  cover(io.access.valid && isFilled && !roomToWrite, "LineCache: an access waits for DRAM to take writes")
  cover(merges, "LineCache: two writes become one")
  cover(forward && active, "LineCache: two accesses to one word in a row")
  cover(io.dram.rd.r.valid && writes, "LineCache: a fill waits for an update")
}
