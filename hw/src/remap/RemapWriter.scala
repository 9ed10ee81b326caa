// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

class NvBeat(val p: Params) extends Bundle {
  val addr = UInt(p.nvramAddrBits.W) // 16-byte aligned
  val data = UInt(p.dataBits.W)
  val more = Bool()                  // the beat at the next address follows in the next cycle in which `req` is ready
}

/** Writes to NVRAM, with several writes under way. `idle`: every accepted write is durable.
  *
  * Beats with consecutive addresses become a burst, up to the end of a 64-byte line. NVRAM writes a line at a time, so
  * its latency is paid once per line.
  *
  * Timing: `req` goes into queues, and the bus has registers; nothing is combinational between the two. A client whose
  * beats are on their way to `req` for up to two cycles looks at `room` instead of `ready`.
  */
class RemapWriter(p: Params, maxInFlight: Int = 32) extends Module {
  val io = IO(new Bundle {
    val req   = Flipped(Decoupled(new NvBeat(p)))
    val nvram = new AxiWrite(AxiParams(p.nvramAddrBits))
    val idle  = Output(Bool())
    val room = Output(Bool()) // a beat will be taken that comes up to two cycles later, behind one in each cycle before
  })
  private val lineBytes  = 64
  private val burstBeats = lineBytes / p.dataBytes
  private val inFlight   = RegInit(0.U(log2Ceil(maxInFlight + 1).W))
  // A burst's address follows its last beat, so its data always finds room. Several addresses and bursts: a slave that
  // takes address and data in different cycles still gets one write a cycle.
  private val aw    = Module(new Queue(new AxiAddr(AxiParams(p.nvramAddrBits)), 8))
  private val beats = 4 * burstBeats
  private val w     = Module(Fifo(p.k.lateQueues, new AxiWriteData(AxiParams(p.nvramAddrBits)), beats))

  private val beat  = RegInit(0.U(log2Ceil(burstBeats).W)) // of the burst being made
  private val begun = Reg(UInt(p.nvramAddrBits.W))
  private val start = Mux(beat === 0.U, io.req.bits.addr, begun)
  private val last  = !io.req.bits.more || io.req.bits.addr(log2Ceil(lineBytes) - 1, log2Ceil(p.dataBytes)).andR
  private val ends  = io.req.fire && last                  // a write has begun that an answer ends

  // Whether a count has reached its limit, kept a cycle ahead of it.
  private def reached(limit: Int, count: UInt, up: Bool, down: Bool): Bool = {
    val is = RegInit(false.B)
    when(up =/= down)(is := up && count === (limit - 1).U)
    assert(is === (count === limit.U), "RemapWriter: a count and its limit")
    is
  }
  private val awFull   = reached(aw.entries, aw.io.count, ends, aw.io.deq.fire)
  private val wFull    = reached(beats, w.io.count, io.req.fire, w.io.deq.fire)
  private val mostAway = reached(maxInFlight, inFlight, ends, io.nvram.b.valid)
  io.req.ready        := !awFull && !wFull && !mostAway
  aw.io.enq.valid     := ends
  aw.io.enq.bits.addr := start
  aw.io.enq.bits.len  := beat
  w.io.enq.valid      := io.req.fire
  w.io.enq.bits.data  := io.req.bits.data
  w.io.enq.bits.strb  := Fill(p.dataBytes, 1.U)
  w.io.enq.bits.last  := last
  when(io.req.fire) {
    begun := start
    beat  := Mux(last, 0.U, beat + 1.U)
  }
  io.nvram.aw <> Queue(aw.io.deq, 1, pipe = true)
  io.nvram.w <> Queue(w.io.deq, 1, pipe = true)
  io.nvram.b.ready := true.B

  private val landed = io.nvram.b.valid
  inFlight := inFlight + ends - landed
  private val noneAway = RegInit(true.B)
  private val making   = RegInit(false.B)
  when(ends =/= landed)(noneAway := landed && inFlight === 1.U)
  when(io.req.fire)(making       := !last)
  io.idle := noneAway && !making
  assert(noneAway === (inFlight === 0.U) && making === (beat =/= 0.U), "RemapWriter: what is under way")

  // Four beats may come that these counts do not contain: one comes now, two are on their way, and one sets out.
  private val unseen = 4
  io.room := RegNext(
    aw.io.count <= (aw.entries - unseen).U && w.io.count <= (beats - unseen).U &&
      inFlight <= (maxInFlight - unseen).U,
    false.B
  )

  private val expected = RegEnable(io.req.bits.addr + p.dataBytes.U, io.req.fire)
  assert(
    !io.req.valid || beat === 0.U || io.req.bits.addr === expected,
    "RemapWriter: another beat than the promised one"
  )
  assert(!landed || inFlight =/= 0.U, "RemapWriter: an answer to no write")
  assert(!landed || io.nvram.b.bits.resp === Axi4.OKAY.U, "RemapWriter: an error that its arbiter keeps back")
  assert(!io.req.valid || io.req.bits.addr(log2Ceil(p.dataBytes) - 1, 0) === 0.U, "RemapWriter: entries are aligned")
  cover(inFlight === maxInFlight.U, "RemapWriter: as many writes under way as it can count")
  cover(io.req.fire && last && beat === (burstBeats - 1).U, "RemapWriter: a whole line")
}
