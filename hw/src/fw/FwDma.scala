// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** One transfer for firmware. */
class FwDmaRequest(val p: Params) extends Bundle {
  val toHost = Bool()                 // or to the buffer
  val buffer = Bool()                 // the other side is not the host but `buf`, a slot of it
  val buf    = UInt(p.bufBits.W)
  val dram   = UInt(p.dramAddrBits.W) // 16-byte aligned
  val prp    = new PrpTransfer(p)
}

/** Moves data for firmware: between its buffers in DRAM and the host (Identify, log pages, range lists), or one slot
  * between DRAM and one of its page buffers. To the host it moves any number of dwords, from the host whole words.
  *
  * DRAM is read when there is room for the burst, and written when the whole burst has arrived. So a slow host never
  * delays the mapping's DRAM accesses. Data that could not be read from the host is zero in DRAM.
  */
class FwDma(p: Params) extends Module with Quiesces {
  val io = IO(new Bundle {
    val req       = Flipped(Decoupled(new FwDmaRequest(p)))
    val done      = Valid(UInt(NvmeStatus.bits.W)) // NVMe status; DRAM errors are Internal Error
    val dram      = new Axi4(AxiParams(p.dramAddrBits))
    val hostRead  = new HostReadPort(p)
    val hostWrite = new HostWritePort(p)
    val bufRead   = new BufferReadPort(p)
    val bufWrite  = new BufferWritePort(p)
  })

  private val burstBeats = 16
  private val burstsOpen = 4 // to DRAM: covers its latency
  private val pageBytes  = 4096
  private val wordsBits  = p.transferBits - 4

  private object State extends ChiselEnum {
    val idle = Value
    val ask  = Value // the host side takes the transfer
    val out  = Value // DRAM to host
    val in   = Value // host to DRAM
    val done = Value
  }
  private val state  = RegInit(State.idle)
  private val req    = Reg(new FwDmaRequest(p))
  private val addr   = Reg(UInt(p.dramAddrBits.W)) // next burst
  private val left   = Reg(UInt(wordsBits.W))      // words not yet in a burst
  private val status = Reg(UInt(NvmeStatus.bits.W))
  private val failed = Reg(Bool())                 // `status` says how
  private val ended  = Reg(Bool())                 // the host side has said its status
  private val fifo   = Module(Fifo(p.k.lateQueues, UInt(p.dataBits.W), 2 * burstBeats))
  private val head   = Module(new Skid(UInt(p.dataBits.W)))
  head.io.in <> fifo.io.deq

  // Where words from the FIFO go, one-hot. There is none in it but those of the transfer under way.
  private val toHost, toBuf, toDram = RegInit(false.B)

  private def fail(why: UInt): Unit = when(!failed) {
    failed := true.B
    status := why
  }

  Seq(io.hostRead.req, io.hostWrite.req).zip(Seq(false.B, true.B)).foreach { case (r, mine) =>
    r.valid := state === State.ask && req.toHost === mine
    r.bits  := req.prp
  }
  private val taken = Mux(req.toHost, io.hostWrite.req.ready, io.hostRead.req.ready)

  // ------------------------------------------------------------------ the next burst, in two steps
  private val moving    = state === State.out || state === State.in
  private val measured  = RegInit(false.B)       // `most` and `wanted` are of it
  private val planned   = RegInit(false.B)       // `beats` too
  private val beatsBits = log2Ceil(burstBeats + 1)
  private val most      = Reg(UInt(beatsBits.W)) // up to the boundary that no burst crosses
  private val wanted    = Reg(UInt(beatsBits.W))
  private val beats     = Reg(UInt(beatsBits.W))
  most     := ((pageBytes / p.dataBytes).U - addr(11, 4)).min(burstBeats.U)
  wanted   := left.min(burstBeats.U)
  beats    := most.min(wanted)
  measured := moving && left =/= 0.U
  planned  := measured && moving

  private val arOffer, awOffer = RegInit(false.B)
  private val burst            = Reg(new AxiAddr(AxiParams(p.dramAddrBits))) // that is offered
  private val reads, writes    = Wire(Bool())                                // it is offered from the next cycle on
  when(reads || writes) {
    burst.addr := addr
    burst.len  := beats - 1.U
    addr       := addr + (beats << 4)
    left       := left - beats
    measured   := false.B
    planned    := false.B
  }
  Seq(io.dram.rd.ar -> (arOffer, reads), io.dram.wr.aw -> (awOffer, writes)).foreach { case (port, (offer, begins)) =>
    port.valid := offer
    port.bits  := burst
    when(port.ready)(offer := false.B)
    when(begins)(offer     := true.B)
  }

  // ------------------------------------------------------------------ DRAM to host
  private val claimed = RegInit(0.U(log2Ceil(2 * burstBeats + 1).W)) // FIFO places that bursts have claimed
  private val r       = io.dram.rd.r
  reads                   := planned && state === State.out && claimed <= burstBeats.U && !arOffer
  r.ready                 := true.B
  io.hostWrite.data.valid := toHost && head.io.out.valid
  io.hostWrite.data.bits  := head.io.out.bits
  claimed                 := claimed + Mux(reads, beats, 0.U) - (io.hostWrite.data.fire || io.bufWrite.write.fire)
  when(r.fire && r.bits.resp =/= Axi4.OKAY.U)(fail(NvmeStatus.InternalError))
  assert(!r.valid || fifo.io.enq.ready && state === State.out, "room was kept for every beat asked for")

  // ------------------------------------------------------------------ host to DRAM
  private val w        = io.dram.wr.w
  private val b        = io.dram.wr.b
  private val here     = RegInit(0.U(log2Ceil(2 * burstBeats + 3).W)) // words in the FIFO and behind it
  private val enough   = RegNext(planned && !toDram && here >= beats, false.B)
  private val sending  = RegInit(0.U(beatsBits.W))                    // beats of the burst under way not yet sent
  private val last     = RegInit(false.B)                             // there is one
  private val open     = RegInit(0.U(log2Ceil(burstsOpen + 1).W))     // bursts without an answer
  private val answered = open === 0.U
  writes      := planned && enough && state === State.in && !toDram && !awOffer && open =/= burstsOpen.U
  w.valid     := toDram && head.io.out.valid
  w.bits.data := head.io.out.bits
  w.bits.strb := Fill(p.dataBytes, 1.U(1.W))
  w.bits.last := last
  b.ready     := true.B
  when(w.fire) {
    sending := sending - 1.U
    toDram  := !last
    last    := sending === 2.U
  }
  when(writes) {
    sending := beats
    toDram  := true.B
    last    := beats === 1.U
  }
  open := open + writes - b.fire
  when(b.fire && b.bits.resp =/= Axi4.OKAY.U)(fail(NvmeStatus.InternalError))
  assert(!b.valid || !answered, "FwDma: DRAM answers a write that nobody made")
  cover(writes && !answered, "FwDma: a burst while others wait for their answer")

  // ------------------------------------------------------------------ words from the host or a buffer
  // A cycle late, so with a place to spare.
  private val takes     = state === State.in && here < (2 * burstBeats - 1).U
  private val takesHost = RegNext(takes && !req.buffer, false.B)
  private val takesBuf  = RegNext(takes && req.buffer, false.B)
  private val asks      = RegInit(false.B)              // for words of the buffer
  private val next      = Reg(UInt((p.wordBits + 1).W)) // word of it that is asked for, or written
  io.hostRead.data.ready               := takesHost
  io.bufRead.addr.valid                := asks
  io.bufRead.addr.bits.buf             := req.buf
  io.bufRead.addr.bits.word            := next
  io.bufRead.data.ready                := takesBuf
  io.bufWrite.write.valid              := toBuf && head.io.out.valid
  io.bufWrite.write.bits.at.buf        := req.buf
  io.bufWrite.write.bits.at.word       := next
  io.bufWrite.write.bits.data          := head.io.out.bits
  when(io.bufRead.addr.fire || io.bufWrite.write.fire)(next       := next + 1.U)
  when(io.bufRead.addr.fire && next(p.wordBits - 1, 0).andR)(asks := false.B)

  // ------------------------------------------------------------------ both
  private val fromOther = Mux(req.buffer, io.bufRead.data.fire, io.hostRead.data.fire)
  private val fromDram  = Mux(r.bits.resp === Axi4.OKAY.U, r.bits.data, 0.U)
  fifo.io.enq.valid := Mux(req.toHost, r.valid, fromOther)
  fifo.io.enq.bits  := Mux(req.toHost, fromDram, Mux(req.buffer, io.bufRead.data.bits, io.hostRead.data.bits.word))
  head.io.out.ready := Mux1H(
    Seq(toHost -> io.hostWrite.data.ready, toBuf -> io.bufWrite.write.ready, toDram -> w.ready)
  )
  here := here + fifo.io.enq.fire - head.io.out.fire
  assert(!fifo.io.enq.valid || fifo.io.enq.ready, "room was kept for every word")
  assert(PopCount(Seq(toHost, toBuf, toDram)) <= 1.U, "words go to one place")

  private val hostDone = Mux(req.toHost, io.hostWrite.done, io.hostRead.done)
  when(hostDone.valid) {
    ended := true.B
    when(hostDone.bits =/= NvmeStatus.Success)(fail(hostDone.bits))
  }

  io.req.ready  := state === State.idle
  io.done.valid := state === State.done
  io.done.bits  := status
  switch(state) {
    is(State.idle) {
      when(io.req.valid) {
        state  := Mux(io.req.bits.buffer, Mux(io.req.bits.toHost, State.out, State.in), State.ask)
        req    := io.req.bits
        addr   := io.req.bits.dram
        left   := (io.req.bits.prp.bytes +& (p.dataBytes - 1).U) >> 4
        status := NvmeStatus.Success
        failed := false.B
        ended  := io.req.bits.buffer
        next   := 0.U
        toHost := io.req.bits.toHost && !io.req.bits.buffer
        toBuf  := io.req.bits.toHost && io.req.bits.buffer
        asks   := io.req.bits.buffer && !io.req.bits.toHost
      }
    }
    is(State.ask)(when(taken)(state := Mux(req.toHost, State.out, State.in)))
    is(State.out)(when(ended && left === 0.U && claimed === 0.U)(state := State.done))
    is(State.in)(when(ended && left === 0.U && !toDram && answered)(state := State.done))
    is(State.done)(state := State.idle)
  }

  quiet := state === State.idle && !io.req.valid && head.quiet
  assert(!io.req.fire || io.req.bits.dram(3, 0) === 0.U, "DRAM addresses are whole words")
  assert(
    !io.req.fire || io.req.bits.prp.bytes(1, 0) === 0.U && (io.req.bits.toHost || io.req.bits.prp.bytes(3, 0) === 0.U),
    "dwords to the host, words from it"
  )
  assert(!io.req.fire || !io.req.bits.buffer || io.req.bits.prp.bytes === p.slotBytes.U, "a buffer is moved whole")
  assert(state =/= State.idle || here === 0.U, "a finished transfer leaves nothing behind")
  cover(
    state === State.idle && io.req.valid && io.req.bits.prp.bytes(3, 0) =/= 0.U,
    "FwDma: the last word is not whole"
  )
  cover(state === State.out && planned && !reads, "FwDma: waits for the host")
  cover(state === State.in && planned && !toDram && !enough, "FwDma: waits for host data")
}
