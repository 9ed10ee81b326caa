// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** One page of a remap command. */
class RemapPage(val p: Params) extends Bundle {
  val src       = UInt(32.W)
  val dst       = UInt(32.W)
  val range     = UInt(16.W) // which range it belongs to
  val first     = Bool()     // of its range
  val last      = Bool()     // of its range
  val endOfList = Bool()     // of the command
  val left      = UInt(32.W) // pages of its range from this one on
  val bad = Bool() // the range is out of bounds or empty, or DRAM failed: the only page of its range, and the last
}

/** Walks over the pages of a range list in DRAM. Each pass of the remap engine rewinds it and takes the pages again: a
  * list has up to 128 ranges and a range any number of pages, too many to keep on chip, and reading a range again costs
  * less than one look-up of its pages.
  */
class RemapCursor(p: Params) extends Module {
  val io = IO(new Bundle {
    val rewind   = Input(Bool())     // go to the first page of `list`; drops the page on offer
    val list     = Input(UInt(p.dramAddrBits.W))
    val ranges   = Input(UInt(16.W)) // at least 1
    val page     = Decoupled(new RemapPage(p))
    val dram     = new AxiRead(AxiParams(p.dramAddrBits))
    val fetching = Output(Bool())    // waits for DRAM
  })
  require(Formats.RemapRange.bytes == 2 * p.dataBytes, "a range is a burst of two")

  private object State extends ChiselEnum { val idle, address, low, high, pages = Value }
  private val state          = RegInit(State.idle)
  private val index          = Reg(UInt(16.W))
  private val addr           = Reg(UInt(p.dramAddrBits.W))
  private val lowWord        = Reg(UInt(p.dataBits.W))
  private val src, dst, left = Reg(UInt(32.W))
  private val first, bad     = Reg(Bool())

  private val ar = io.dram.ar
  private val r  = io.dram.r
  ar.valid     := state === State.address
  ar.bits.addr := addr
  ar.bits.len  := 1.U
  r.ready      := state === State.low || state === State.high

  private val range                = (r.bits.data ## lowWord).asTypeOf(new Formats.RemapRange)
  private def outside(start: UInt) = start(63, 32).orR || start(31, 0) +& range.nlb > p.lpns.U

  private val page = io.page.bits
  io.page.valid  := state === State.pages && !io.rewind
  page.src       := src
  page.dst       := dst
  page.range     := index
  page.first     := first
  page.last      := left === 1.U || bad
  page.endOfList := page.last && (index === io.ranges - 1.U || bad)
  page.left      := left
  page.bad       := bad

  switch(state) {
    is(State.address)(when(ar.fire)(state := State.low))
    is(State.low) {
      when(r.fire) {
        lowWord := r.bits.data
        bad     := r.bits.resp =/= Axi4.OKAY.U
        state   := State.high
      }
    }
    is(State.high) {
      when(r.fire) {
        src   := range.src(31, 0)
        dst   := range.dst(31, 0)
        left  := range.nlb
        bad   := bad || r.bits.resp =/= Axi4.OKAY.U || range.nlb === 0.U || outside(range.src) || outside(range.dst)
        first := true.B
        state := State.pages
      }
    }
    is(State.pages) {
      when(io.page.fire) {
        src   := src + 1.U
        dst   := dst + 1.U
        left  := left - 1.U
        first := false.B
        when(page.endOfList) {
          state := State.idle
        }.elsewhen(page.last) {
          index := index + 1.U
          addr  := addr + Formats.RemapRange.bytes.U
          state := State.address
        }
      }
    }
  }
  when(io.rewind) {
    index := 0.U
    addr  := io.list
    state := State.address
  }
  io.fetching := Seq(State.address, State.low, State.high).map(_ === state).reduce(_ || _)

  assert(!io.rewind || !io.fetching, "RemapCursor: rewound in the middle of a DRAM access")
  assert(!io.rewind || io.ranges =/= 0.U, "RemapCursor: a list without ranges")
  assert(
    !io.rewind || io.list(log2Ceil(Formats.RemapRange.bytes) - 1, 0) === 0.U,
    "RemapCursor: a range list is aligned to its records"
  )
  assert(!r.valid || r.ready, "RemapCursor: DRAM answers a read that nobody asked for")
  cover(io.page.valid && bad, "RemapCursor: a range that firmware should have refused")
}
