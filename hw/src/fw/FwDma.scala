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
  private val ended  = Reg(Bool())                 // the host side has said its status
  private val fifo   = Module(new Queue(UInt(p.dataBits.W), 2 * burstBeats))

  private val toBoundary            = (pageBytes / p.dataBytes).U - addr(11, 4)
  private val beats                 = left.min(toBoundary).min(burstBeats.U)
  private def fail(why: UInt): Unit = when(status === NvmeStatus.Success)(status := why)

  Seq(io.hostRead.req, io.hostWrite.req).zip(Seq(false.B, true.B)).foreach { case (r, mine) =>
    r.valid := state === State.ask && req.toHost === mine
    r.bits  := req.prp
  }
  private val taken = Mux(req.toHost, io.hostWrite.req.ready, io.hostRead.req.ready)

  // ------------------------------------------------------------------ DRAM to host
  private val claimed = RegInit(0.U(log2Ceil(2 * burstBeats + 1).W)) // FIFO places that bursts have claimed
  private val ar      = io.dram.rd.ar
  private val r       = io.dram.rd.r
  ar.valid                := state === State.out && left =/= 0.U && claimed <= burstBeats.U
  ar.bits.addr            := addr
  ar.bits.len             := beats - 1.U
  r.ready                 := true.B
  io.hostWrite.data.valid := state === State.out && !req.buffer && fifo.io.deq.valid
  io.hostWrite.data.bits  := fifo.io.deq.bits
  claimed                 := claimed + Mux(ar.fire, beats, 0.U) - (io.hostWrite.data.fire || io.bufWrite.write.fire)
  when(r.fire && r.bits.resp =/= Axi4.OKAY.U)(fail(NvmeStatus.InternalError))
  assert(!r.valid || fifo.io.enq.ready && state === State.out, "room was kept for every beat asked for")

  // ------------------------------------------------------------------ host to DRAM
  private val aw       = io.dram.wr.aw
  private val w        = io.dram.wr.w
  private val b        = io.dram.wr.b
  private val sending  = RegInit(0.U(log2Ceil(burstBeats + 1).W)) // beats of the burst under way not yet sent
  private val open     = RegInit(0.U(log2Ceil(burstsOpen + 1).W)) // bursts without an answer
  private val answered = open === 0.U
  aw.valid := state === State.in && left =/= 0.U && fifo.io.count >= beats && sending === 0.U && open =/= burstsOpen.U
  aw.bits.addr  := addr
  aw.bits.len   := beats - 1.U
  w.valid       := sending =/= 0.U
  w.bits.data   := fifo.io.deq.bits
  w.bits.strb   := Fill(p.dataBytes, 1.U(1.W))
  w.bits.last   := sending === 1.U
  b.ready       := true.B
  when(w.fire)(sending  := sending - 1.U)
  when(aw.fire)(sending := beats)
  open          := open + aw.fire - b.fire
  when(b.fire && b.bits.resp =/= Axi4.OKAY.U)(fail(NvmeStatus.InternalError))
  assert(!b.valid || !answered, "FwDma: DRAM answers a write that nobody made")
  cover(aw.fire && !answered, "FwDma: a burst while others wait for their answer")
  io.hostRead.data.ready := state === State.in && !req.buffer && fifo.io.enq.ready

  // ------------------------------------------------------------------ the buffer instead of the host
  private val next  = Reg(UInt((p.wordBits + 1).W)) // word of it that is asked for, or written
  private val inBuf = state === State.in && req.buffer
  io.bufRead.addr.valid          := inBuf && !next(p.wordBits)
  io.bufRead.addr.bits.buf       := req.buf
  io.bufRead.addr.bits.word      := next
  io.bufRead.data.ready          := inBuf && fifo.io.enq.ready
  io.bufWrite.write.valid        := state === State.out && req.buffer && fifo.io.deq.valid
  io.bufWrite.write.bits.at.buf  := req.buf
  io.bufWrite.write.bits.at.word := next
  io.bufWrite.write.bits.data    := fifo.io.deq.bits
  when(io.bufRead.addr.fire || io.bufWrite.write.fire)(next := next + 1.U)

  // ------------------------------------------------------------------ both
  when(ar.fire || aw.fire) {
    addr := addr + (beats << 4)
    left := left - beats
  }
  private val fromOther = Mux(req.buffer, io.bufRead.data.valid, io.hostRead.data.valid) && state === State.in
  private val otherTook = Mux(req.buffer, io.bufWrite.write.ready, io.hostWrite.data.ready) && state === State.out
  private val fromDram  = Mux(r.bits.resp === Axi4.OKAY.U, r.bits.data, 0.U)
  fifo.io.enq.valid := Mux(req.toHost, r.valid, fromOther)
  fifo.io.enq.bits  := Mux(req.toHost, fromDram, Mux(req.buffer, io.bufRead.data.bits, io.hostRead.data.bits.word))
  fifo.io.deq.ready := Mux(req.toHost, otherTook, w.ready && sending =/= 0.U)

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
        ended  := io.req.bits.buffer
        next   := 0.U
      }
    }
    is(State.ask)(when(taken)(state := Mux(req.toHost, State.out, State.in)))
    is(State.out)(when(ended && left === 0.U && claimed === 0.U)(state := State.done))
    is(State.in)(when(ended && left === 0.U && sending === 0.U && answered)(state := State.done))
    is(State.done)(state := State.idle)
  }

  quiet := state === State.idle && !io.req.valid
  assert(!io.req.fire || io.req.bits.dram(3, 0) === 0.U, "DRAM addresses are whole words")
  assert(
    !io.req.fire || io.req.bits.prp.bytes(1, 0) === 0.U && (io.req.bits.toHost || io.req.bits.prp.bytes(3, 0) === 0.U),
    "dwords to the host, words from it"
  )
  assert(!io.req.fire || !io.req.bits.buffer || io.req.bits.prp.bytes === p.slotBytes.U, "a buffer is moved whole")
  assert(state =/= State.idle || !fifo.io.deq.valid, "a finished transfer leaves nothing behind")
  cover(
    state === State.idle && io.req.valid && io.req.bits.prp.bytes(3, 0) =/= 0.U,
    "FwDma: the last word is not whole"
  )
  cover(state === State.out && left =/= 0.U && !ar.valid, "FwDma: waits for the host")
  cover(state === State.in && left =/= 0.U && fifo.io.count < beats, "FwDma: waits for host data")
}
