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

/** One request at a time per client; answers come in order. */
class MapPort(val p: Params) extends Bundle {
  val req  = Decoupled(new MapRequest(p))
  val resp = Flipped(Decoupled(new MapResponse(p)))
}

/** L2P and REF in DRAM, VALID on chip (SuperblockTable). Each request is atomic against all others: the unit finishes
  * one before it starts the next, but answers as soon as the outcome is certain, while the writes are still on their
  * way.
  *
  * AXI has no order between its read and write channels, so that a read waits while a write to the same bus word has
  * not been answered.
  */
class MapUnit(p: Params, clients: Int) extends Module {
  val io = IO(new Bundle {
    val client = Vec(clients, Flipped(new MapPort(p)))
    val dram   = new Axi4(AxiParams(p.dramAddrBits))
    val valid  = new ValidUpdatePort(p)
    val quiet  = Output(Bool())
    val event  = Output(new Bundle { val lookup = Bool(); val update = Bool() })
  })
  private object State extends ChiselEnum { val idle, read, decide, finish = Value }
  private val state = RegInit(State.idle)

  // --- the request
  private val arb = Module(new RRArbiter(new MapRequest(p), clients))
  arb.io.in.zip(io.client).foreach { case (in, c) => in <> c.req }
  private val req                        = Reg(new MapRequest(p))
  private val client                     = Reg(UInt(log2Ceil(clients).max(1).W))
  private def op(ops: MapOp.Type*): Bool = ops.map(req.op === _).reduce(_ || _)

  private val respValid = RegInit(false.B)
  private val resp      = Reg(new MapResponse(p))
  for ((c, i) <- io.client.zipWithIndex) {
    c.resp.valid := respValid && client === i.U
    c.resp.bits  := resp
    when(c.resp.fire)(respValid := false.B)
  }
  arb.io.out.ready := state === State.idle && !respValid

  // --- reads: the L2P word and the REF byte of the request's slot side by side, then the REF byte of the old slot
  private val busBytesLog2        = log2Ceil(p.dataBytes)
  private def lineOf(addr: UInt)  = addr(p.dramAddrBits - 1, busBytesLog2)
  private def l2pAddr(lpn: UInt)  = (p.l2pBase.U(p.dramAddrBits.W) + (lpn << 2))(p.dramAddrBits - 1, 0)
  private def refAddr(slot: UInt) = p.refBase.U(p.dramAddrBits.W) + slot
  private def part(line: UInt, addr: UInt, bytes: Int): UInt = {
    val lanes = VecInit.tabulate(p.dataBytes / bytes)(i => line(8 * bytes * (i + 1) - 1, 8 * bytes * i))
    lanes(addr(busBytesLog2 - 1, log2Ceil(bytes)))
  }
  private class Access extends Bundle { // of one of the three words
    val ask    = Bool() // to be asked for
    val expect = Bool() // asked for, or will be; not yet here
  }
  private val l2pRead, newRead, oldRead = RegInit(0.U.asTypeOf(new Access))
  private val l2pWord                   = Reg(UInt(32.W))
  private val newRef                    = Reg(UInt(p.refBits.W))
  private val oldSlot                   = l2pWord(p.slotBits - 1, 0)

  private val readAddr =
    Mux(l2pRead.ask, l2pAddr(req.lpn), Mux(newRead.ask, refAddr(req.slot), refAddr(oldSlot)))
  private val hazard = Wire(Bool())
  private val ar     = io.dram.rd.ar
  private val r      = io.dram.rd.r
  // AXI: an address that was offered stays. The hazard can come up behind it only through this request's own write of another
  // byte of the word (REF of the new slot beside that of the old), which does no harm in either order.
  private val offered = RegNext(ar.valid && !ar.ready, false.B)
  ar.valid     := (l2pRead.ask || newRead.ask || oldRead.ask) && (!hazard || offered)
  ar.bits.addr := lineOf(readAddr) ## 0.U(busBytesLog2.W)
  ar.bits.len  := 0.U
  when(ar.fire) {
    when(l2pRead.ask)(l2pRead.ask := false.B)
      .elsewhen(newRead.ask)(newRead.ask := false.B)
      .otherwise(oldRead.ask := false.B)
  }
  r.ready := true.B
  private val gotOld = r.fire && !l2pRead.expect && !newRead.expect
  private val oldNow = part(r.bits.data, refAddr(oldSlot), 1)
  when(r.fire) {
    when(l2pRead.expect) {
      l2pRead.expect := false.B
      l2pWord        := part(r.bits.data, l2pAddr(req.lpn), 4)
    }.elsewhen(newRead.expect) {
      newRead.expect := false.B
      newRef         := part(r.bits.data, refAddr(req.slot), 1)
    }.otherwise {
      oldRead.expect := false.B
    }
    assert(l2pRead.expect || newRead.expect || oldRead.expect, "DRAM answered a read that nobody asked for")
    assert(r.bits.resp === Axi4.OKAY.U, "DRAM does not fail")
  }

  // --- writes: which are left, in the order L2P, new REF, old REF
  private val l2pWrite, newWrite, oldWrite = RegInit(false.B)
  private val newL2p                       = Reg(UInt(32.W))
  private val newRefAfter                  = Reg(UInt(p.refBits.W))
  private val oldRefAfter                  = Reg(UInt(p.refBits.W))
  private val awDone, wDone                = RegInit(false.B)
  private val writeAddr  = Mux(l2pWrite, l2pAddr(req.lpn), Mux(newWrite, refAddr(req.slot), refAddr(oldSlot)))
  private val byteLane   = writeAddr(busBytesLog2 - 1, 0)
  private val (aw, w, b) = (io.dram.wr.aw, io.dram.wr.w, io.dram.wr.b)

  // Writes without a response, oldest first; as many as a request can have, and the ones of the request before it.
  private val maxWrites = 4
  private val lines     = RegInit(VecInit.fill(maxWrites)(0.U.asTypeOf(Valid(UInt((p.dramAddrBits - busBytesLog2).W)))))
  private val head, tail = RegInit(0.U(log2Ceil(maxWrites).W))
  private val writeLeft  = l2pWrite || newWrite || oldWrite
  private val room       = !lines(head).valid
  aw.valid     := writeLeft && room && !awDone
  aw.bits.addr := lineOf(writeAddr) ## 0.U(busBytesLog2.W)
  aw.bits.len  := 0.U
  w.valid      := writeLeft && room && !wDone
  w.bits.data  := Mux(
    l2pWrite,
    Fill(p.dataBits / 32, newL2p),
    Fill(p.dataBytes, Mux(newWrite, newRefAfter, oldRefAfter))
  )
  w.bits.strb := (Mux(l2pWrite, 0xf.U(p.dataBytes.W), 1.U) << byteLane)(p.dataBytes - 1, 0)
  w.bits.last := true.B
  private val written = (aw.fire || awDone) && (w.fire || wDone)
  when(aw.fire)(awDone := true.B)
  when(w.fire)(wDone   := true.B)
  when(written) {
    awDone            := false.B
    wDone             := false.B
    lines(head).valid := true.B
    lines(head).bits  := lineOf(writeAddr)
    head              := head + 1.U
    when(l2pWrite)(l2pWrite := false.B).elsewhen(newWrite)(newWrite := false.B).otherwise(oldWrite := false.B)
  }
  b.ready := true.B
  when(b.fire) {
    lines(tail).valid := false.B
    tail              := tail + 1.U
    assert(lines(tail).valid, "DRAM answered a write that nobody made")
    assert(b.bits.resp === Axi4.OKAY.U, "DRAM does not fail")
  }
  hazard := VecInit(lines.map(l => l.valid && l.bits === lineOf(readAddr))).asUInt.orR ||
    (awDone || wDone) && lineOf(writeAddr) === lineOf(readAddr)

  // --- what a request comes to, once its words are here
  private val mapped = l2pWord =/= Formats.Unmapped.U
  private val hit    = mapped && oldSlot === req.expect
  private val same   = mapped && oldSlot === req.slot
  private val sets   = op(MapOp.set) || op(MapOp.cas) && hit
  private val gains  = sets && !same || op(MapOp.reserve) && newRef < p.k.refLimit.U
  private val drops  =
    sets && mapped && !same || op(MapOp.unmap, MapOp.link) && mapped // link: the reference was reserved
  private val changes  = sets || op(MapOp.link) || op(MapOp.unmap) && mapped
  private val deciding = state === State.decide

  io.valid.inc.valid := deciding && gains && newRef === 0.U
  io.valid.inc.bits  := SlotAddress.superblock(p, req.slot)
  private val released = deciding && op(MapOp.release) && newRef === 1.U
  io.valid.dec.valid := released || gotOld && oldNow === 1.U
  io.valid.dec.bits  := SlotAddress.superblock(p, Mux(released, req.slot, oldSlot))

  switch(state) {
    is(State.idle) {
      when(arb.io.out.fire) {
        val next   = arb.io.out.bits
        val useL2p = Seq(MapOp.lookup, MapOp.set, MapOp.unmap, MapOp.link, MapOp.cas).map(next.op === _).reduce(_ || _)
        val useRef =
          Seq(MapOp.set, MapOp.reserve, MapOp.release, MapOp.cas, MapOp.refs).map(next.op === _).reduce(_ || _)
        req            := next
        client         := arb.io.chosen
        l2pRead.ask    := useL2p
        l2pRead.expect := useL2p
        newRead.ask    := useRef
        newRead.expect := useRef
        state          := State.read
        assert(!useL2p || next.lpn < p.lpns.U, "LPN beyond the L2P")
      }
    }
    is(State.read)(when(!l2pRead.expect && !newRead.expect)(state := State.decide))
    is(State.decide) {
      respValid      := !op(MapOp.cas) // a cas is answered when VALID shows it: GC looks at VALID next
      resp.ok        := Mux(op(MapOp.cas), hit, !op(MapOp.reserve) || gains)
      resp.mapped    := mapped
      resp.slot      := oldSlot
      resp.count     := newRef
      l2pWrite       := changes
      newL2p         := Mux(op(MapOp.unmap), Formats.Unmapped.U, req.slot)
      newWrite       := gains || op(MapOp.release)
      newRefAfter    := Mux(op(MapOp.release), newRef - 1.U, newRef + 1.U)
      oldRead.ask    := drops
      oldRead.expect := drops
      state          := State.finish
      assert(!op(MapOp.release) || newRef =/= 0.U, "a reference was released that nobody has")
      assert(!gains || newRef < p.k.refLimit.U, "more sharers than the limit")
    }
    is(State.finish) {
      when(gotOld) {
        oldWrite    := true.B
        oldRefAfter := oldNow - 1.U
        assert(oldNow =/= 0.U, "a mapped slot has no reference")
      }
      when(!writeLeft && !oldRead.expect) {
        state := State.idle
        when(op(MapOp.cas))(respValid := true.B)
      }
    }
  }

  io.event.lookup := deciding && op(MapOp.lookup)
  io.event.update := deciding && changes
  private val requested = VecInit(io.client.map(_.req.valid)).asUInt.orR
  io.quiet := state === State.idle && !respValid && !requested && !VecInit(lines.map(_.valid)).asUInt.orR

  cover(
    (l2pRead.ask || newRead.ask || oldRead.ask) && hazard,
    "a read waits for the response of a write to the same word"
  )
  cover(writeLeft && !room, "a write waits for responses")
  cover(deciding && op(MapOp.set) && same, "an LPN is set to the slot it has")
  cover(deciding && op(MapOp.link) && same, "an LPN is linked to the slot it has")
  cover(deciding && op(MapOp.cas) && !hit, "GC lost against the host")
}
