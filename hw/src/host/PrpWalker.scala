// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** A contiguous piece of host memory. */
class PrpSegment(val p: Params) extends Bundle {
  val addr   = UInt(64.W)
  val bytes  = UInt(13.W) // 4..4096, never crosses a 4 KiB boundary
  val last   = Bool()
  val status = UInt(
    NvmeStatus.bits.W
  ) // non-zero: the walk failed here (Invalid PRP Offset, Data Transfer Error); bytes = 0, last = 1
}

/** Turns PRP1/PRP2 into contiguous pieces of host memory; follows chained lists (NVMe base spec, Physical Region Page
  * Entry and List).
  *
  * PRP1 may point at any dword, a list at any qword of a page; every other page starts at its beginning. Entries are
  * read in bursts of `listBeats` into a small FIFO that has room for all of them, so a slow consumer never blocks the
  * host bus.
  *
  * Timing: a piece is offered from registers, two cycles after the request or three after the piece before it has been
  * taken. A piece is up to 256 words, so the walk is ahead of the data.
  */
class PrpWalker(p: Params) extends Module with Quiesces {
  val io = IO(new Bundle {
    val req     = Flipped(Decoupled(new PrpTransfer(p)))
    val segment = Decoupled(new PrpSegment(p))
    val host    = new AxiRead(AxiParams(64))
  })

  private val pageBytes = 4096
  private val listBeats = 8 // 16 entries: 64 KiB of data for one latency of the host

  private object State extends ChiselEnum {
    val first  = Value // the page of PRP1
    val second = Value // PRP2: nothing, a page or a list
    val pages  = Value // counts the pages that are left
    val bound  = Value // and from them the beats to ask for
    val ask    = Value // burst of list entries
    val look   = Value // waits for the next entry
    val judge  = Value // it is a page, or the chain pointer at the end of a page of the list
    val give   = Value // offers the piece
    val failed = Value // says so once the burst under way is in
  }
  private val busy   = RegInit(false.B)            // there is a walk; otherwise state is `first`
  private val state  = RegInit(State.first)
  private val at     = Reg(UInt(64.W))             // PRP1, then the entry at hand: where the piece is
  private val chunk  = Reg(UInt(13.W))             // bytes of the piece
  private val last   = Reg(Bool())                 // the piece is the last one
  private val begun  = RegInit(false.B)            // the page of PRP1 has been given out
  private val left   = Reg(UInt(p.transferBits.W)) // bytes not yet given out
  private val entry  = Reg(UInt(64.W))             // PRP2, then the address of the next list entry
  private val status = Reg(UInt(NvmeStatus.bits.W))

  private class Beat extends Bundle {
    val data = UInt(128.W)
    val bad  = Bool()
  }
  private val beats    = Module(Fifo(p.k.lateQueues, new Beat, listBeats))
  private val owed     = RegInit(0.U(log2Ceil(listBeats + 1).W)) // beats asked for and not consumed
  private val expected = RegInit(0.U(log2Ceil(listBeats + 1).W)) // beats asked for and not received

  beats.io.enq.valid     := io.host.r.valid
  beats.io.enq.bits.data := io.host.r.bits.data
  beats.io.enq.bits.bad  := io.host.r.bits.resp =/= Axi4.OKAY.U
  io.host.r.ready        := true.B
  assert(!io.host.r.valid || beats.io.enq.ready, "room was kept for every beat asked for")
  assert(!io.host.r.valid || expected =/= 0.U, "list data that nobody asked for")

  // ------------------------------------------------------------------ pieces
  private val many      = left > pageBytes.U               // more than one entry could describe
  private val toPageEnd = pageBytes.U - at(11, 0)
  private val highHalf  = entry(3)
  private val isChain   = entry(11, 3).andR && many        // the last entry of a list page
  private val beatBad   = Reg(Bool())
  private val pagesLeft = Reg(UInt((p.transferBits - 11).W))
  private val askMore   = Reg(UInt(log2Ceil(listBeats).W)) // beats to ask for, less one
  private val asks      = RegInit(false.B)                 // state is `ask`

  io.req.ready           := !busy
  io.segment.valid       := state === State.give
  io.segment.bits.addr   := at
  io.segment.bits.bytes  := chunk
  io.segment.bits.last   := last
  io.segment.bits.status := status
  io.host.ar.valid       := asks
  io.host.ar.bits.addr   := Cat(entry(63, 4), 0.U(4.W))
  io.host.ar.bits.len    := askMore
  beats.io.deq.ready     := false.B

  private def fail(why: UInt): Unit = {
    state  := State.failed
    status := why
  }

  switch(state) {
    is(State.first) {
      val ends = left <= toPageEnd
      chunk := Mux(ends, left, toPageEnd)
      last  := ends
      when(busy) {
        state := State.give
        when(at(1, 0).orR)(fail(NvmeStatus.InvalidPrpOffset))
      }.otherwise {
        busy   := io.req.valid
        at     := io.req.bits.prp1
        entry  := io.req.bits.prp2
        left   := io.req.bits.bytes
        status := NvmeStatus.Success
        begun  := false.B
      }
    }
    is(State.second) {
      at    := entry
      chunk := left
      last  := true.B
      when(Mux(many, entry(2, 0).orR, entry(11, 0).orR)) {
        fail(NvmeStatus.InvalidPrpOffset)
      }.otherwise(state := Mux(many, State.pages, State.give))
    }
    // Beats from the list's position to the end of what is needed, to the end of the list page, at most a burst.
    is(State.pages) {
      pagesLeft := (left +& (pageBytes - 1).U) >> 12
      state     := State.bound
    }
    is(State.bound) {
      val needed = (pagesLeft +& entry(3) - 1.U) >> 1 // less one, as the other bounds
      askMore := needed.min((~entry(11, 4)).min((listBeats - 1).U))
      asks    := true.B
      state   := State.ask
    }
    is(State.ask) {
      when(io.host.ar.ready) {
        asks  := false.B
        state := State.look
      }
    }
    is(State.look) {
      at      := Mux(highHalf, beats.io.deq.bits.data(127, 64), beats.io.deq.bits.data(63, 0))
      beatBad := beats.io.deq.bits.bad
      // A chain pointer is in the high half: the last of its page, so of its burst.
      beats.io.deq.ready := highHalf || !many
      when(beats.io.deq.valid)(state := State.judge)
    }
    is(State.judge) {
      chunk := Mux(many, pageBytes.U, left)
      last  := !many
      when(beatBad) {
        fail(NvmeStatus.DataTransferError)
      }.elsewhen(at(11, 0).orR) {
        // A chained list starts at a page boundary; only PRP2 itself may have an offset. So each list page describes
        // at least 511 pages, and the walk ends whatever list the host writes.
        fail(NvmeStatus.InvalidPrpOffset)
      }.elsewhen(isChain) {
        entry := at
        state := State.pages
      }.otherwise {
        entry := Cat(entry(63, 12), entry(11, 0) + 8.U) // the next page of the list is a chain pointer's
        state := State.give
      }
    }
    is(State.give) {
      when(io.segment.ready) {
        left  := left - chunk
        begun := true.B
        busy  := !last
        state := Mux(last, State.first, Mux(!begun, State.second, Mux(owed === 0.U, State.pages, State.look)))
      }
    }
    is(State.failed) {
      // What is left of the burst belongs to nobody: the bus must have brought it before the next walk begins.
      beats.io.deq.ready := true.B
      chunk              := 0.U
      last               := true.B
      when(owed === 0.U)(state := State.give)
    }
  }

  when(io.host.ar.fire)(owed := askMore +& 1.U).elsewhen(beats.io.deq.fire)(owed      := owed - 1.U)
  when(io.host.ar.fire)(expected := askMore +& 1.U).elsewhen(io.host.r.fire)(expected := expected - 1.U)
  assert(!io.host.ar.valid || owed === 0.U && expected === 0.U, "one burst of the list at a time")

  quiet := Mux(
    !busy,
    !io.req.valid,
    // Only the consumer can move it: a piece is offered and nothing is on its way.
    io.segment.valid && !io.segment.ready && expected === 0.U
  )

  assert(!io.req.fire || io.req.bits.bytes =/= 0.U && io.req.bits.bytes(1, 0) === 0.U, "transfers are whole dwords")
  assert(asks === (state === State.ask), "the state is known a cycle ahead")
  assert(busy || state === State.first && owed === 0.U, "a finished walk has consumed what it asked for")
  assert(
    !io.segment.valid || io.segment.bits.status =/= 0.U || io.segment.bits
      .addr(11, 0) +& io.segment.bits.bytes <= pageBytes.U,
    "a piece stays inside its page"
  )
  cover(state === State.judge && !beatBad && isChain, "PrpWalker: chained list")
  cover(io.segment.valid && !io.segment.ready, "PrpWalker: consumer not ready")
  cover(state === State.failed, "PrpWalker: bad PRP or list unreadable")
  cover(state === State.failed && owed =/= 0.U, "PrpWalker: the rest of a burst is thrown away")
}
