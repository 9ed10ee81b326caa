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

/** L2P and REF in DRAM behind a cache each, VALID on chip (SuperblockTable). Requests take effect in the order in which
  * they are accepted, one after the other, so each is atomic against all others.
  *
  * {{{
  * clients -> claim L2P line -> [steps] -> L2P stage -> [changes] -> claim REF line -> [counts] -> REF stage
  *                                          |  lookup, set, unmap, link answered     the others answered
  * }}}
  *
  * Lines are claimed well ahead of the stage that needs them. That keeps many misses in flight while the stages
  * themselves work in order, one request a cycle. REF lines are claimed after the L2P stage, because only that stage
  * knows which slot lost a sharer. No queue needs later requests in order to drain, so there is no deadlock.
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
    val dram   = new Axi4(AxiParams(p.dramAddrBits))
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
  private class Request extends Bundle {
    val client = UInt(clientBits.W)
    val req    = new MapRequest(p)
  }
  private val fromL2p, fromRef = Wire(new Answer)
  private val arbiter          = Module(new RRArbiter(new MapRequest(p), clients))
  private val intake           = Module(new Queue(new Request, 2)) // cuts the path from the arbiter to the tags
  intake.io.enq.valid       := arbiter.io.out.valid
  intake.io.enq.bits.client := arbiter.io.chosen
  intake.io.enq.bits.req    := arbiter.io.out.bits
  arbiter.io.out.ready      := intake.io.enq.ready
  private val clientStates = for (i <- 0 until clients) yield {
    val port      = io.client(i)
    val answers   = Module(new Queue(new MapResponse(p), depths(i)))
    val open      = RegInit(0.U(log2Ceil(depths(i) + 1).W)) // requests without an answer in `answers`
    val fromStage = RegInit(false.B)                        // which stage answers them: 1 REF
    val stage     = answeredByRef(port.req.bits.op)
    // Room for each answer is kept from the start, so that no client can keep the stages from working.
    val may = open +& answers.io.count < depths(i).U && (open === 0.U || fromStage === stage)
    arbiter.io.in(i).valid := port.req.valid && may
    arbiter.io.in(i).bits  := port.req.bits
    port.req.ready         := arbiter.io.in(i).ready && may
    val l2p = fromL2p.valid && fromL2p.client === i.U
    val ref = fromRef.valid && fromRef.client === i.U
    answers.io.enq.valid := l2p || ref
    answers.io.enq.bits  := Mux(ref, fromRef.resp, fromL2p.resp)
    port.resp <> answers.io.deq
    open := open + port.req.fire - answers.io.enq.fire
    when(port.req.fire)(fromStage := stage)
    assert(!(l2p && ref), "MapUnit: two stages answer one client")
    assert(!answers.io.enq.valid || answers.io.enq.ready && open =/= 0.U, "MapUnit: an answer that nobody waits for")
    assert(!port.req.fire || !usesL2p(port.req.bits.op) || port.req.bits.lpn < p.lpns.U, "LPN beyond the L2P")
    (
      !port.req.valid && open === 0.U && answers.io.count === 0.U,
      port.req.valid && open =/= 0.U && fromStage =/= stage // waits for the other stage
    )
  }

  // ------------------------------------------------------------------ L2P
  private val l2p                                = Module(new LineCache(p, p.mapCache))
  private val ref                                = Module(new LineCache(p, p.mapCache))
  private def l2pAddr(lpn: UInt)                 = (p.l2pBase.U(p.dramAddrBits.W) + (lpn << 2))(p.dramAddrBits - 1, 0)
  private def refAddr(slot: UInt)                = p.refBase.U(p.dramAddrBits.W) + slot
  private val byteBits                           = log2Ceil(p.dataBytes)
  private def lane(addr: UInt, bytes: Int): UInt = addr(byteBits - 1, log2Ceil(bytes))
  private def pick(row: UInt, addr: UInt, bytes: Int): UInt =
    VecInit.tabulate(p.dataBytes / bytes)(i => row(8 * bytes * (i + 1) - 1, 8 * bytes * i))(lane(addr, bytes))
  private def replace(row: UInt, addr: UInt, bytes: Int, value: UInt): CacheUpdate = {
    val update = Wire(new CacheUpdate(p))
    val parts  = VecInit.tabulate(p.dataBytes / bytes) { i =>
      Mux(lane(addr, bytes) === i.U, value, row(8 * bytes * (i + 1) - 1, 8 * bytes * i))
    }
    update.data := parts.asUInt
    update.strb := (((1 << bytes) - 1).U(p.dataBytes.W) << addr(byteBits - 1, 0))(p.dataBytes - 1, 0)
    update
  }

  private class Step extends Bundle {
    val client = UInt(clientBits.W)
    val req    = new MapRequest(p)
    val line   = UInt(p.mapCache.lineBits.W)
  }
  private val steps   = Module(new Queue(new Step, p.k.mapInFlight))
  private val waiting = intake.io.deq
  private val claims  = usesL2p(waiting.bits.req.op)
  l2p.io.claim.valid       := waiting.valid && claims && steps.io.enq.ready
  l2p.io.claim.bits        := l2pAddr(waiting.bits.req.lpn)
  steps.io.enq.valid       := waiting.valid && (!claims || l2p.io.claim.ready)
  steps.io.enq.bits.client := waiting.bits.client
  steps.io.enq.bits.req    := waiting.bits.req
  steps.io.enq.bits.line   := l2p.io.line
  waiting.ready            := steps.io.enq.ready && (!claims || l2p.io.claim.ready)

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
  private val changes = Module(new Queue(new Change, p.k.mapInFlight / 2))

  private val step     = steps.io.deq.bits
  private val stepUses = usesL2p(step.req.op)
  private val acting   = RegInit(false.B) // a request is in its second cycle
  private val room     = changes.io.count +& acting < changes.entries.U
  l2p.io.access.valid     := steps.io.deq.valid && stepUses && room
  l2p.io.access.bits.line := step.line
  l2p.io.access.bits.addr := l2pAddr(step.req.lpn)
  steps.io.deq.ready      := room && (!stepUses || l2p.io.access.ready)
  acting                  := steps.io.deq.fire

  private val now                        = RegEnable(step, steps.io.deq.fire)
  private val req                        = now.req
  private def is(ops: MapOp.Type*): Bool = among(req.op, ops: _*)
  private val word                       = pick(l2p.io.row.bits, l2pAddr(req.lpn), 4)
  private val oldSlot                    = word(p.slotBits - 1, 0)
  private val mapped                     = word =/= Formats.Unmapped.U
  private val hit                        = mapped && oldSlot === req.expect
  private val same                       = mapped && oldSlot === req.slot
  private val sets                       = is(MapOp.set) || is(MapOp.cas) && hit
  private val changesL2p                 = sets || is(MapOp.link) || is(MapOp.unmap) && mapped
  l2p.io.update.valid := acting && changesL2p
  l2p.io.update.bits  := replace(
    l2p.io.row.bits,
    l2pAddr(req.lpn),
    4,
    Mux(is(MapOp.unmap), Formats.Unmapped.U(32.W), req.slot.pad(32))
  )

  fromL2p.valid       := acting && !answeredByRef(req.op)
  fromL2p.client      := now.client
  fromL2p.resp        := DontCare
  fromL2p.resp.ok     := true.B
  fromL2p.resp.mapped := mapped
  fromL2p.resp.slot   := oldSlot

  private val change = changes.io.enq.bits
  change.client := now.client
  change.slot   := Mux(is(MapOp.share, MapOp.peek), oldSlot, req.slot)
  change.count  := MuxCase(
    Count.none,
    Seq(
      (sets && !same)                                  -> Count.gain,
      (is(MapOp.reserve) || is(MapOp.share) && mapped) -> Count.reserve,
      is(MapOp.release)                                -> Count.release,
      (is(MapOp.refs) || is(MapOp.peek) && mapped)     -> Count.refs
    )
  )
  // link: the reference to the new slot was reserved before, so the old one loses its own even when it is the same.
  change.drop.valid    := mapped && (sets && !same || is(MapOp.unmap, MapOp.link))
  change.drop.bits     := oldSlot
  change.answer        := answeredByRef(req.op)
  change.ok            := Mux(is(MapOp.share, MapOp.peek), mapped, hit)
  changes.io.enq.valid := acting && (change.count =/= Count.none || change.drop.valid || change.answer)
  assert(!changes.io.enq.valid || changes.io.enq.ready, "MapUnit: room for each change was kept")

  // ------------------------------------------------------------------ REF
  private object Act     extends ChiselEnum { val pass, gain, drop, reserve, refs = Value }
  private class Counting extends Bundle     {
    val client = UInt(clientBits.W)
    val act    = Act()
    val slot   = UInt(p.slotBits.W)
    val line   = UInt(p.mapCache.lineBits.W)
    val answer = Bool()
    val ok     = Bool()
  }
  private val counts   = Module(new Queue(new Counting, p.k.mapInFlight / 2))
  private val changing = changes.io.deq
  private val second   = RegInit(false.B) // the slot that loses a sharer comes after the first
  private val onlyDrop = changing.bits.count === Count.none
  private val dropping = changing.bits.drop.valid && (second || onlyDrop)
  private val last     = !changing.bits.drop.valid || dropping
  private val counting = counts.io.enq.bits
  counting.client := changing.bits.client
  counting.slot   := Mux(dropping, changing.bits.drop.bits, changing.bits.slot)
  counting.line   := ref.io.line
  counting.answer := changing.bits.answer && last
  counting.ok     := changing.bits.ok
  counting.act    := Mux(
    dropping,
    Act.drop,
    MuxLookup(changing.bits.count, Act.pass)(
      Seq(Count.gain -> Act.gain, Count.reserve -> Act.reserve, Count.release -> Act.drop, Count.refs -> Act.refs)
    )
  )
  private val claimsRef = counting.act =/= Act.pass
  ref.io.claim.valid  := changing.valid && claimsRef && counts.io.enq.ready
  ref.io.claim.bits   := refAddr(counting.slot)
  counts.io.enq.valid := changing.valid && (!claimsRef || ref.io.claim.ready)
  changing.ready      := last && counts.io.enq.ready && (!claimsRef || ref.io.claim.ready)
  when(counts.io.enq.fire)(second := !last)

  private val countHead = counts.io.deq.bits
  private val headUses  = countHead.act =/= Act.pass
  ref.io.access.valid     := counts.io.deq.valid && headUses
  ref.io.access.bits.line := countHead.line
  ref.io.access.bits.addr := refAddr(countHead.slot)
  counts.io.deq.ready     := !headUses || ref.io.access.ready

  private val tallying = RegNext(counts.io.deq.fire, false.B)
  private val tally    = RegEnable(countHead, counts.io.deq.fire)
  private val count    = pick(ref.io.row.bits, refAddr(tally.slot), 1)
  private val gains    = tally.act === Act.gain || tally.act === Act.reserve && count < p.k.refLimit.U
  private val drops    = tally.act === Act.drop
  ref.io.update.valid := tallying && (gains || drops)
  ref.io.update.bits  := replace(ref.io.row.bits, refAddr(tally.slot), 1, Mux(gains, count + 1.U, count - 1.U))
  io.valid.inc.valid  := tallying && gains && count === 0.U
  io.valid.inc.bits   := SlotAddress.superblock(p, tally.slot)
  io.valid.dec.valid  := tallying && drops && count === 1.U
  io.valid.dec.bits   := SlotAddress.superblock(p, tally.slot)

  // A cas is answered when VALID shows it: GC looks at VALID next.
  fromRef.valid       := tallying && tally.answer
  fromRef.client      := tally.client
  fromRef.resp        := DontCare
  fromRef.resp.ok     := Mux(tally.act === Act.reserve, gains, tally.act === Act.refs || drops || tally.ok)
  fromRef.resp.mapped := tally.ok
  fromRef.resp.slot   := tally.slot
  fromRef.resp.count  := count
  assert(!(tallying && drops && count === 0.U), "MapUnit: a slot loses a reference that it has not")
  assert(!(tallying && gains && count >= p.refMost.U), "MapUnit: more sharers than there can be")

  // ------------------------------------------------------------------ DRAM
  private val dramRd = Module(new AxiReadArbiter(AxiParams(p.dramAddrBits), 2, outstanding = 2 * p.mapCache.fills))
  private val dramWr = Module(new AxiWriteArbiter(AxiParams(p.dramAddrBits), 2))
  dramRd.io.in.zip(Seq(l2p.io.dram.rd, ref.io.dram.rd)).foreach { case (in, m) => in <> m }
  dramWr.io.in.zip(Seq(l2p.io.dram.wr, ref.io.dram.wr)).foreach { case (in, m) => in <> m }
  io.dram.rd <> dramRd.io.out
  io.dram.wr <> dramWr.io.out

  // ------------------------------------------------------------------ what others want to know
  io.event.lookup  := acting && is(MapOp.lookup)
  io.event.update  := acting && changesL2p
  io.event.l2pHit  := l2p.io.event.hit
  io.event.l2pMiss := l2p.io.event.miss
  private val shares = tallying && tally.act === Act.reserve && gains && count =/= 0.U
  io.event.sharers2    := shares && count < 2.U
  io.event.sharers4    := shares && count >= 2.U && count < 4.U
  io.event.sharers8    := shares && count >= 4.U && count < 8.U
  io.event.sharersMore := shares && count >= 8.U
  quiet                := clientStates.map(_._1).reduce(_ && _) && l2p.quiet && ref.quiet &&
    dramRd.quiet && dramWr.quiet &&
    !Seq(intake.io.deq, steps.io.deq, changes.io.deq, counts.io.deq).map(_.valid).reduce(_ || _) && !acting && !tallying

  cover(steps.io.deq.valid && stepUses && !l2p.io.access.ready, "MapUnit: the L2P stage waits for DRAM")
  cover(counts.io.deq.valid && headUses && !ref.io.access.ready, "MapUnit: the REF stage waits for DRAM")
  cover(clientStates.map(_._2).reduce(_ || _), "MapUnit: a client waits for the other stage")
  cover(steps.io.deq.valid && !room, "MapUnit: the L2P stage waits for the REF stage")
  cover(acting && is(MapOp.set) && same, "MapUnit: an LPN is set to the slot it has")
  cover(acting && is(MapOp.link) && same, "MapUnit: an LPN is linked to the slot it has")
  cover(acting && is(MapOp.cas) && !hit, "MapUnit: GC lost against the host")
}
