// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

object MapOp extends ChiselEnum {
  val lookup  = Value // slot := L2P[lpn]
  val set     = Value // L2P[lpn] := slot, REF[slot] + 1, what lpn held before loses a sharer (host write)
  val unmap   = Value // L2P[lpn] := UNMAPPED, what lpn held before loses a sharer
  val reserve = Value // REF[slot] + 1 unless it is at the limit: then ok = 0 and nothing changes
  val release = Value // REF[slot] - 1 (gives a reservation back)
  val link    = Value // L2P[lpn] := slot with the reference reserved before; the old slot loses a sharer
  val cas     = Value // if L2P[lpn] = expect: as set; else ok = 0 and nothing changes (GC)
  val refs    = Value // count := REF[slot]
  val share = Value // slot := L2P[lpn], and a reserve of that slot: not mapped, or ok = 0, and nothing changes (remap)
  val peek  = Value // slot := L2P[lpn], count := its REF: brings the lines of both (remap)
}

class MapRequest(val p: Params) extends Bundle {
  val op     = MapOp()
  val lpn    = UInt(32.W) // < p.lpns, checked by the asker
  val slot   = UInt(p.slotBits.W)
  val expect = UInt(p.slotBits.W)
}

class MapResponse(val p: Params) extends Bundle {
  val ok     = Bool()
  val mapped = Bool()             // lookup: lpn is mapped; set/unmap/link: it was
  val slot   = UInt(p.slotBits.W) // lookup: its slot; set/unmap/link: the slot it had
  val count  = UInt(p.refBits.W)
}

class MapEvents extends Bundle {
  val lookup, update                            = Bool()
  val l2pHit, l2pMiss                           = Bool()
  val sharers2, sharers4, sharers8, sharersMore = Bool() // a reserve gave a slot this number of sharers, or up to it
}

/** A client's requests, and their answers in the order of the requests. The client's `depth` in MapUnit bounds the
  * requests under way.
  */
class MapPort(val p: Params) extends Bundle {
  val req  = Decoupled(new MapRequest(p))
  val resp = Flipped(Decoupled(new MapResponse(p)))
}

object MapUnit {
  object Client extends Clients { val read, write, trim, remap, gc = Value }

  /** Requests that each client may have under way. A remap has many pages; the others wait for each answer. */
  def depths(p: Params): Seq[Int] = Client.values.toSeq.map {
    case Client.remap => p.k.remapInFlight
    case _            => 1
  }
}

/** L2P and REF in DRAM behind a cache each, VALID on chip (SuperblockTable). Requests take effect one after the other,
  * in the order in which the arbiter takes them, so each is atomic against all others. A client's requests keep their
  * order. Between clients nothing is promised but that a request takes effect before it is answered: who depends on
  * another client's change has waited for the answer to it.
  *
  * {{{
  * clients -> arbiter -> claim L2P line -> [steps] -> L2P stage -> [changes] -> claim REF line -> [counts] -> REF stage
  *                                                     |  lookup, set, unmap, link answered     the others answered
  * }}}
  *
  * Lines are claimed well ahead of the stage that needs them. That keeps many misses in flight while the stages
  * themselves work in order, one request a cycle. REF lines are claimed after the L2P stage, because only that stage
  * knows which slot lost a sharer. No queue needs later requests in order to drain, so there is no deadlock.
  *
  * A stage begins a request only if there is room for what it leads to. Behind that nothing waits: two cycles until the
  * cache has the entry, one to decide, one until what was decided leaves from registers. So an access of a line that is
  * there, for a request that finds nothing before it, is answered eight cycles after the request.
  *
  * A client's answers come from one stage at a time: a request that the other stage answers waits until all requests
  * before it are answered. This keeps the answers in order.
  *
  * @param depths
  *   requests that each client may have under way; in the controller MapUnit.depths
  */
class MapUnit(p: Params, depths: Seq[Int]) extends Module with Quiesces {
  private val clients = depths.size
  val io              = IO(new Bundle {
    val client = Vec(clients, Flipped(new MapPort(p)))
    val l2p    = new Axi4(AxiParams(p.dramAddrBits)) // DRAM, the table of this name alone
    val ref    = new Axi4(AxiParams(p.dramAddrBits)) // the same
    val valid  = new ValidUpdatePort(p)
    val event  = Output(new MapEvents)
  })
  private val clientBits                                    = log2Ceil(clients).max(1)
  private def among(op: MapOp.Type, ops: MapOp.Type*): Bool = ops.map(op === _).reduce(_ || _)
  private def usesL2p(op: MapOp.Type): Bool                 =
    among(op, MapOp.lookup, MapOp.set, MapOp.unmap, MapOp.link, MapOp.cas, MapOp.share, MapOp.peek)
  private def answeredByRef(op: MapOp.Type): Bool =
    among(op, MapOp.reserve, MapOp.release, MapOp.cas, MapOp.refs, MapOp.share, MapOp.peek)

  // ------------------------------------------------------------------ clients
  private class Answer extends Bundle {
    val valid  = Bool()
    val client = UInt(clientBits.W)
    val resp   = new MapResponse(p)
  }
  private class Ask extends Bundle {
    val req    = new MapRequest(p)
    val claims = Bool() // a line of L2P
    val late   = Bool() // the REF stage answers
  }
  private val fromL2p, fromRef = Wire(new Answer)
  private val arbiter          = Module(new RRArbiter(new Ask, clients))
  private val clientStates     = for (i <- 0 until clients) yield {
    val port = io.client(i)
    val many = depths(i) > 1
    val ask  = Wire(Decoupled(new Ask))
    ask.valid       := port.req.valid
    ask.bits.req    := port.req.bits
    ask.bits.claims := usesL2p(port.req.bits.op)
    ask.bits.late   := answeredByRef(port.req.bits.op)
    port.req.ready  := ask.ready
    // A border: the arbiter's choice starts at registers.
    val waitingSkid  = Option.when(many)(Module(new Skid(new Ask)))
    val waiting      = waitingSkid.fold(Queue(ask, 1)) { skid => skid.io.in <> ask; skid.io.out }
    val answers      = Wire(Decoupled(new MapResponse(p)))
    val leavingQueue = Option.when(many)(
      Module(new HeadQueue(new MapResponse(p), depths(i)) { override def desiredName = "MapAnswers" })
    )
    val leaving   = leavingQueue.fold(Queue(answers, 1)) { queue => queue.io.in <> answers; queue.io.out }
    val open      = RegInit(0.U(log2Ceil(depths(i) + 1).W)) // requests without an answer in `answers`
    val none      = RegInit(true.B)                         // open = 0
    val kept      = RegInit(0.U(log2Ceil(depths(i) + 1).W)) // room for answers: requests whose answer was not taken
    val room      = RegInit(true.B)                         // kept < depth
    val fromStage = RegInit(false.B)                        // which stage answers them: 1 REF
    val other     = fromStage =/= waiting.bits.late && !none
    // Room for each answer is kept from the start, so that no client can keep the stages from working.
    val may     = room && !other
    val granted = arbiter.io.in(i).fire
    val l2p     = fromL2p.valid && fromL2p.client === i.U
    val ref     = fromRef.valid && fromRef.client === i.U
    arbiter.io.in(i).valid := waiting.valid && may
    arbiter.io.in(i).bits  := waiting.bits
    waiting.ready          := arbiter.io.in(i).ready && may
    answers.valid          := l2p || ref
    answers.bits           := Mux(ref, fromRef.resp, fromL2p.resp)
    port.resp <> leaving
    open := open + granted - answers.valid
    none := Mux(granted, false.B, open === answers.valid)
    kept := kept + granted - port.resp.fire
    room := Mux(granted, port.resp.fire || kept =/= (depths(i) - 1).U, port.resp.fire || kept =/= depths(i).U)
    when(granted)(fromStage := waiting.bits.late)
    assert(!(l2p && ref), "MapUnit: two stages answer one client")
    assert(!answers.valid || answers.ready && open =/= 0.U, "MapUnit: an answer that nobody waits for")
    assert(none === (open === 0.U) && room === (kept =/= depths(i).U), "MapUnit: counts of requests, a cycle ahead")
    assert(!port.req.fire || !usesL2p(port.req.bits.op) || port.req.bits.lpn < p.lpns.U, "LPN beyond the L2P")
    (
      !port.req.valid && !waiting.valid && waitingSkid.fold(true.B)(_.quiet) && leavingQueue.fold(true.B)(
        _.quiet
      ) && open === 0.U && !leaving.valid,
      waiting.valid && other // waits for the other stage
    )
  }

  // ------------------------------------------------------------------ L2P
  private val l2p                 = Module(new LineCache(p, p.mapCache, entryBytes = 4))
  private val ref                 = Module(new LineCache(p, p.mapCache, entryBytes = 1))
  private def l2pAddr(lpn: UInt)  = (p.l2pBase.U(p.dramAddrBits.W) + (lpn << 2))(p.dramAddrBits - 1, 0)
  private def refAddr(slot: UInt) = p.refBase.U(p.dramAddrBits.W) + slot

  private class Step extends Bundle {
    val client = UInt(clientBits.W)
    val ask    = new Ask
  }
  private val steps     = Module(new Queue(new Step, p.k.mapInFlight))
  private val stepsRoom = RegNext(steps.io.count <= (p.k.mapInFlight - 2).U, false.B) // also after one in this cycle
  private val chosen    = arbiter.io.out
  // Both have room, even for a request that needs no line: who is taken is not looked at for that.
  chosen.ready             := stepsRoom && l2p.io.claim.ready
  l2p.io.claim.valid       := chosen.valid && chosen.bits.claims && stepsRoom
  l2p.io.claim.bits        := l2pAddr(chosen.bits.req.lpn)
  steps.io.enq.valid       := chosen.fire
  steps.io.enq.bits.client := arbiter.io.chosen
  steps.io.enq.bits.ask    := chosen.bits
  assert(!steps.io.enq.valid || steps.io.enq.ready, "MapUnit: room for each step was kept")

  // What a request means for REF: a first slot, and one that loses a sharer.
  private object Count extends ChiselEnum { val none, gain, reserve, release, refs = Value }
  private class Change extends Bundle     {
    val client = UInt(clientBits.W)
    val count  = Count()
    val slot   = UInt(p.slotBits.W)
    val drop   = Valid(UInt(p.slotBits.W))
    val answer = Bool() // the REF stage answers
    val ok     = Bool() // cas: hit; share, peek: mapped
  }
  // The proofs know this queue and two others by the names of their modules.
  // A request may add to `changes` in each cycle from the one before this look until its own, three after it begins.
  private val ahead   = 5
  private val most    = (p.k.mapInFlight / 2).max(ahead + 3)
  private val changes = Module(new HeadQueue(new Change, most) { override def desiredName = "MapChanges" })
  private val room    = RegNext(changes.io.count <= (most - ahead).U, false.B)

  private val stepsSkid = Module(new Skid(new Step))
  private val stepsOut  = stepsSkid.io.out
  stepsSkid.io.in <> steps.io.deq
  private val step = stepsOut.bits
  l2p.io.access.valid := stepsOut.valid && step.ask.claims && room
  l2p.io.access.bits  := l2pAddr(step.ask.req.lpn)
  stepsOut.ready      := room && (!step.ask.claims || l2p.io.access.ready)

  private val reading                    = RegNext(stepsOut.fire, false.B)
  private val acting                     = RegNext(reading, false.B)
  private val now                        = RegNext(RegEnable(step, stepsOut.fire))
  private val req                        = now.ask.req
  private def is(ops: MapOp.Type*): Bool = among(req.op, ops: _*)
  private val word                       = l2p.io.entry.bits
  private val oldSlot                    = word(p.slotBits - 1, 0)
  private val mapped                     = word =/= Formats.Unmapped.U
  private val hit                        = mapped && oldSlot === req.expect
  private val same                       = mapped && oldSlot === req.slot
  private val sets                       = is(MapOp.set) || is(MapOp.cas) && hit
  private val changesL2p                 = sets || is(MapOp.link) || is(MapOp.unmap) && mapped
  l2p.io.update.valid := acting && changesL2p
  l2p.io.update.bits  := Mux(is(MapOp.unmap), Formats.Unmapped.U(32.W), req.slot.pad(32))

  fromL2p.valid       := acting && !now.ask.late
  fromL2p.client      := now.client
  fromL2p.resp        := DontCare
  fromL2p.resp.ok     := true.B
  fromL2p.resp.mapped := mapped
  fromL2p.resp.slot   := oldSlot

  // Decided. What the step means for REF leaves from registers.
  private class Decided extends Bundle {
    val client                        = UInt(clientBits.W)
    val late                          = Bool()
    val slot, old                     = UInt(p.slotBits.W)
    val mapped, hit, same             = Bool()
    val set, cas, unmap, link         = Bool()
    val reserve, release, refs, ofOld = Bool() // ofOld: share, peek
  }
  private val decided = RegNext(acting, false.B)
  private val d       = Reg(new Decided)
  private val dSets   = d.set || d.cas && d.hit
  private val change  = changes.io.in.bits
  d.client      := now.client
  d.late        := now.ask.late
  d.slot        := req.slot
  d.old         := oldSlot
  d.mapped      := mapped
  d.hit         := hit
  d.same        := same
  d.set         := is(MapOp.set)
  d.cas         := is(MapOp.cas)
  d.unmap       := is(MapOp.unmap)
  d.link        := is(MapOp.link)
  d.reserve     := is(MapOp.reserve, MapOp.share)
  d.release     := is(MapOp.release)
  d.refs        := is(MapOp.refs, MapOp.peek)
  d.ofOld       := is(MapOp.share, MapOp.peek)
  change.client := d.client
  change.slot   := Mux(d.ofOld, d.old, d.slot)
  change.count  := MuxCase(
    Count.none,
    Seq(
      (dSets && !d.same)                    -> Count.gain,
      (d.reserve && (!d.ofOld || d.mapped)) -> Count.reserve,
      d.release                             -> Count.release,
      (d.refs && (!d.ofOld || d.mapped))    -> Count.refs
    )
  )
  // link: the reference to the new slot was reserved before, so the old one loses its own even when it is the same.
  change.drop.valid   := d.mapped && (dSets && !d.same || d.unmap || d.link)
  change.drop.bits    := d.old
  change.answer       := d.late
  change.ok           := Mux(d.ofOld, d.mapped, d.hit)
  changes.io.in.valid := decided && (change.count =/= Count.none || change.drop.valid || change.answer)
  assert(!changes.io.in.valid || changes.io.in.ready, "MapUnit: room for each change was kept")

  // ------------------------------------------------------------------ REF
  private object Act     extends ChiselEnum { val pass, gain, drop, reserve, refs = Value }
  private class Counting extends Bundle     {
    val client = UInt(clientBits.W)
    val act    = Act()
    val slot   = UInt(p.slotBits.W)
    val answer = Bool()
    val ok     = Bool()
  }
  // Deep enough that a miss of REF is over before the slots ahead of it, two lines of them, are counted.
  private val counts   = Module(new HeadQueue(new Counting, p.k.mapInFlight) { override def desiredName = "MapCounts" })
  private val changing = changes.io.out
  private val second   = RegInit(false.B) // the slot that loses a sharer comes after the first
  private val onlyDrop = changing.bits.count === Count.none
  private val dropping = changing.bits.drop.valid && (second || onlyDrop)
  private val last     = !changing.bits.drop.valid || dropping
  private val counting = counts.io.in.bits
  counting.client := changing.bits.client
  counting.slot   := Mux(dropping, changing.bits.drop.bits, changing.bits.slot)
  counting.answer := changing.bits.answer && last
  counting.ok     := changing.bits.ok
  counting.act    := Mux(
    dropping,
    Act.drop,
    MuxLookup(changing.bits.count, Act.pass)(
      Seq(Count.gain -> Act.gain, Count.reserve -> Act.reserve, Count.release -> Act.drop, Count.refs -> Act.refs)
    )
  )
  private val claimsRef = dropping || !onlyDrop
  ref.io.claim.valid := changing.valid && claimsRef && counts.io.in.ready
  ref.io.claim.bits  := refAddr(counting.slot)
  counts.io.in.valid := changing.valid && ref.io.claim.ready
  changing.ready     := last && counts.io.in.ready && ref.io.claim.ready
  when(counts.io.in.fire)(second := !last)

  private val countsOut = counts.io.out
  private val countHead = countsOut.bits
  private val headUses  = countHead.act =/= Act.pass
  ref.io.access.valid := countsOut.valid && headUses
  ref.io.access.bits  := refAddr(countHead.slot)
  countsOut.ready     := !headUses || ref.io.access.ready

  private val fetching = RegNext(countsOut.fire, false.B)
  private val tallying = RegNext(fetching, false.B)
  private val tally    = RegNext(RegEnable(countHead, countsOut.fire))
  private val count    = ref.io.entry.bits
  private val gains    = tally.act === Act.gain || tally.act === Act.reserve && count < p.k.refLimit.U
  private val drops    = tally.act === Act.drop
  ref.io.update.valid := tallying && (gains || drops)
  ref.io.update.bits  := count + Mux(drops, 255.U, 1.U)
  private val superblock = RegNext(SlotAddress.superblock(p, tally.slot))
  io.valid.inc.valid := RegNext(tallying && gains && count === 0.U, false.B)
  io.valid.inc.bits  := superblock
  io.valid.dec.valid := RegNext(tallying && drops && count === 1.U, false.B)
  io.valid.dec.bits  := superblock

  // A cas is answered when VALID shows it: GC looks at VALID next. Both leave from registers in the same cycle.
  private val answer = Reg(new Answer)
  answer.valid       := tallying && tally.answer && !reset.asBool
  answer.client      := tally.client
  answer.resp        := DontCare
  answer.resp.ok     := Mux(tally.act === Act.reserve, gains, tally.act === Act.refs || drops || tally.ok)
  answer.resp.mapped := tally.ok
  answer.resp.slot   := tally.slot
  answer.resp.count  := count
  fromRef            := answer
  assert(!(tallying && drops && count === 0.U), "MapUnit: a slot loses a reference that it has not")
  assert(!(tallying && gains && count >= p.refMost.U), "MapUnit: more sharers than there can be")

  // ------------------------------------------------------------------ DRAM
  // The accesses of the two caches have no order between them. None is needed: no line is in both, and a cache waits
  // for the answers to its own writes. There was never one in DRAM either: each cache keeps a write for a time that
  // depends on later accesses (`pending`), so firmware, which reads the tables in DRAM, finds each as of another
  // moment.
  io.l2p <> l2p.io.dram
  io.ref <> ref.io.dram
  require(Seq(p.l2pBase, p.refBase, p.logBase).forall(_ % p.mapCache.lineBytes == 0), "no line is of two tables")
  for ((port, base, end) <- Seq((io.l2p, p.l2pBase, p.refBase), (io.ref, p.refBase, p.logBase)))
    for (addr <- Seq(port.rd.ar, port.wr.aw))
      assert(
        !addr.valid || addr.bits.addr >= base.U && addr.bits.addr < end.U,
        "MapUnit: a cache accesses what is not of its table"
      )

  // ------------------------------------------------------------------ what others want to know
  private val event  = Wire(new MapEvents)
  private val shares = tallying && tally.act === Act.reserve && gains && count =/= 0.U
  event.lookup      := acting && is(MapOp.lookup)
  event.update      := acting && changesL2p
  event.l2pHit      := l2p.io.event.hit
  event.l2pMiss     := l2p.io.event.miss
  event.sharers2    := shares && count < 2.U
  event.sharers4    := shares && count >= 2.U && count < 4.U
  event.sharers8    := shares && count >= 4.U && count < 8.U
  event.sharersMore := shares && count >= 8.U
  io.event          := RegNext(event, 0.U.asTypeOf(new MapEvents))
  private val waits = steps.io.deq.valid || stepsOut.valid || changes.io.count =/= 0.U || counts.io.count =/= 0.U
  private val works = reading || acting || decided || fetching || tallying || answer.valid
  private val tells = io.valid.inc.valid || io.valid.dec.valid || io.event.asUInt.orR
  quiet := clientStates.map(_._1).reduce(_ && _) && l2p.quiet && ref.quiet && stepsSkid.quiet &&
    changes.quiet && counts.quiet && !waits && !works && !tells

  cover(stepsOut.valid && step.ask.claims && !l2p.io.access.ready, "MapUnit: the L2P stage waits for DRAM")
  cover(countsOut.valid && headUses && !ref.io.access.ready, "MapUnit: the REF stage waits for DRAM")
  cover(clientStates.map(_._2).reduce(_ || _), "MapUnit: a client waits for the other stage")
  cover(stepsOut.valid && !room, "MapUnit: the L2P stage waits for the REF stage")
  cover(acting && is(MapOp.set) && same, "MapUnit: an LPN is set to the slot it has")
  cover(acting && is(MapOp.link) && same, "MapUnit: an LPN is linked to the slot it has")
  cover(acting && is(MapOp.cas) && !hit, "MapUnit: GC lost against the host")
}
