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
    val idle    = Value
    val first   = Value // the page of PRP1
    val second  = Value // PRP2: nothing, a page or a list
    val ask     = Value // burst of list entries
    val entries = Value // one page per entry, or the chain pointer at the end of a page of the list
    val failed  = Value // says so once the burst under way is in
  }
  private val state  = RegInit(State.idle)
  private val prp1   = Reg(UInt(64.W))
  private val left   = Reg(UInt(p.transferBits.W)) // bytes not yet given out
  private val entry  = Reg(UInt(64.W))             // PRP2, then the address of the next list entry
  private val status = Reg(UInt(NvmeStatus.bits.W))

  private class Beat extends Bundle {
    val data = UInt(128.W)
    val bad  = Bool()
  }
  private val beats    = Module(new Queue(new Beat, listBeats))
  private val owed     = RegInit(0.U(log2Ceil(listBeats + 1).W)) // beats asked for and not consumed
  private val expected = RegInit(0.U(log2Ceil(listBeats + 1).W)) // beats asked for and not received

  beats.io.enq.valid     := io.host.r.valid
  beats.io.enq.bits.data := io.host.r.bits.data
  beats.io.enq.bits.bad  := io.host.r.bits.resp =/= Axi4.OKAY.U
  io.host.r.ready        := true.B
  assert(!io.host.r.valid || beats.io.enq.ready, "room was kept for every beat asked for")
  assert(!io.host.r.valid || expected =/= 0.U, "list data that nobody asked for")

  // ------------------------------------------------------------------ pieces
  private val pagesLeft  = (left +& (pageBytes - 1).U) >> 12
  private val chunk      = left.min(pageBytes.U)
  private val firstBytes = left.min(pageBytes.U - prp1(11, 0))
  private val highHalf   = entry(3)
  private val value      = Mux(highHalf, beats.io.deq.bits.data(127, 64), beats.io.deq.bits.data(63, 0))
  private val endOfPage  = entry(11, 3).andR
  private val isChain    =
    endOfPage && left > pageBytes.U // the last entry of a list page, and more than it could describe
  private val beatBad = beats.io.deq.bits.bad
  // A chained list starts at a page boundary; only PRP2 itself may have an offset. So each list page describes at least
  // 511 pages, and the walk ends whatever list the host writes.
  private val misaligned = value(11, 0).orR

  io.req.ready           := state === State.idle
  io.segment.valid       := false.B
  io.segment.bits.addr   := prp1
  io.segment.bits.bytes  := firstBytes
  io.segment.bits.last   := firstBytes === left
  io.segment.bits.status := NvmeStatus.Success
  io.host.ar.valid       := false.B
  beats.io.deq.ready     := false.B

  private def fail(why: UInt): Unit = {
    state  := State.failed
    status := why
  }

  // Beats from the list's position to the end of what is needed, to the end of the list page, at most a burst.
  private val entryBeats = (pagesLeft +& entry(3) +& 1.U) >> 1
  private val toPageEnd  = (pageBytes / 16).U - entry(11, 4)
  private val askBeats   = entryBeats.min(toPageEnd).min(listBeats.U)
  io.host.ar.bits.addr := Cat(entry(63, 4), 0.U(4.W))
  io.host.ar.bits.len  := askBeats - 1.U

  switch(state) {
    is(State.idle) {
      when(io.req.valid) {
        prp1  := io.req.bits.prp1
        entry := io.req.bits.prp2
        left  := io.req.bits.bytes
        state := State.first
        when(io.req.bits.prp1(1, 0).orR)(fail(NvmeStatus.InvalidPrpOffset))
      }
    }
    is(State.first) {
      io.segment.valid := true.B
      when(io.segment.ready) {
        left  := left - firstBytes
        state := Mux(firstBytes === left, State.idle, State.second)
      }
    }
    is(State.second) {
      val isList = left > pageBytes.U
      when(Mux(isList, entry(2, 0).orR, entry(11, 0).orR)) {
        fail(NvmeStatus.InvalidPrpOffset)
      }.elsewhen(isList) {
        state := State.ask
      }.otherwise {
        io.segment.valid      := true.B
        io.segment.bits.addr  := entry
        io.segment.bits.bytes := chunk
        io.segment.bits.last  := true.B
        when(io.segment.ready)(state := State.idle)
      }
    }
    is(State.ask) {
      io.host.ar.valid := true.B
      when(io.host.ar.ready)(state := State.entries)
    }
    is(State.entries) {
      when(beats.io.deq.valid) {
        val advance = WireDefault(false.B)
        when(beatBad) {
          fail(NvmeStatus.DataTransferError)
        }.elsewhen(misaligned) {
          fail(NvmeStatus.InvalidPrpOffset)
        }.elsewhen(isChain) {
          entry              := value
          beats.io.deq.ready := true.B // the last beat of its page, so of its burst
          state              := State.ask
        }.otherwise {
          io.segment.valid      := true.B
          io.segment.bits.addr  := value
          io.segment.bits.bytes := chunk
          io.segment.bits.last  := left <= pageBytes.U
          advance               := io.segment.ready
        }
        when(advance) {
          left               := left - chunk
          entry              := Cat(entry(63, 12), entry(11, 0) + 8.U) // the next page of the list is a chain pointer's
          beats.io.deq.ready := highHalf || io.segment.bits.last
          when(io.segment.bits.last) {
            state := State.idle
          }.elsewhen(highHalf && owed === 1.U) {
            state := State.ask
          }
        }
      }
    }
    is(State.failed) {
      // What is left of the burst belongs to nobody: the bus must have brought it before the next walk begins.
      beats.io.deq.ready := true.B
      when(owed === 0.U) {
        io.segment.valid       := true.B
        io.segment.bits.bytes  := 0.U
        io.segment.bits.last   := true.B
        io.segment.bits.status := status
        when(io.segment.ready)(state := State.idle)
      }
    }
  }

  private val asked = Mux(io.host.ar.fire, askBeats, 0.U)
  owed     := owed + asked - beats.io.deq.fire
  expected := expected + asked - io.host.r.fire

  quiet := Mux(
    state === State.idle,
    !io.req.valid,
    // Only the consumer can move it: a piece is offered and nothing is on its way.
    io.segment.valid && !io.segment.ready && expected === 0.U
  )

  assert(!io.req.fire || io.req.bits.bytes =/= 0.U && io.req.bits.bytes(1, 0) === 0.U, "transfers are whole dwords")
  assert(state =/= State.idle || owed === 0.U, "a finished walk has consumed what it asked for")
  assert(
    !io.segment.valid || io.segment.bits.status =/= 0.U || io.segment.bits
      .addr(11, 0) +& io.segment.bits.bytes <= pageBytes.U,
    "a piece stays inside its page"
  )
  cover(state === State.entries && beats.io.deq.valid && isChain, "PrpWalker: chained list")
  cover(io.segment.valid && !io.segment.ready, "PrpWalker: consumer not ready")
  cover(state === State.failed, "PrpWalker: bad PRP or list unreadable")
}
