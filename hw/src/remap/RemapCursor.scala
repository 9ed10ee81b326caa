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

/** Walks over the pages of a range list, one page per cycle. Each pass of the remap engine rewinds it and takes the
  * pages again. The first pass reads the list from DRAM (`load`), `ahead` ranges at a time, and keeps it, so that later
  * passes do not wait for DRAM. A list has up to 128 ranges, which are too many for registers.
  */
class RemapCursor(p: Params, ahead: Int = 16) extends Module {
  val io = IO(new Bundle {
    val rewind = Input(Bool())     // go to the first page of the list; only when `idle`
    val load   = Input(Bool())     // with `rewind`: of a new list
    val list   = Input(UInt(p.dramAddrBits.W))
    val ranges = Input(UInt(16.W)) // at least 1; of more than there may be the last is bad
    val stop   = Input(Bool())     // give the rest of the list up; high until `idle`
    val page   = Decoupled(new RemapPage(p))
    val dram   = new AxiRead(AxiParams(p.dramAddrBits))
    val idle   = Output(Bool())    // nothing under way from DRAM; rises a cycle late
    val still  = Output(Bool())    // and nothing moves until `page` is taken, or the cursor is told to do something
  })
  require(Formats.RemapRange.bytes == 2 * p.dataBytes, "a range is a burst of two")

  private class Range extends Bundle {
    val src, dst, nlb = UInt(32.W)
    val bad           = Bool()
    val single        = Bool() // one page, or bad
  }
  private val most      = Formats.RemapRangesMax
  private val indexBits = log2Ceil(most)
  private val ranges    = SyncReadMem(most, new Range)
  private val loaded    = RegInit(0.U((indexBits + 1).W))     // ranges in it
  private val toAsk     = RegInit(0.U((indexBits + 1).W))
  private val addr      = Reg(UInt(p.dramAddrBits.W))
  private val onWay     = RegInit(0.U(log2Ceil(ahead + 1).W)) // ranges asked for and not here
  private val high      = RegInit(false.B)                    // which half of a range comes next
  private val lowWord   = Reg(UInt(p.dataBits.W))
  private val lowBad    = Reg(Bool())
  private val highWord  = Reg(UInt(p.dataBits.W))             // of the range that came in the cycle before
  private val highBad   = Reg(Bool())
  private val came      = RegInit(false.B)
  private val asks      = RegInit(false.B)                    // a range is asked for

  // One every second cycle, as fast as ranges come.
  private val ar = io.dram.ar
  private val r  = io.dram.r
  ar.valid     := asks
  asks         := Mux(asks, !ar.ready, toAsk =/= 0.U && onWay =/= ahead.U && !io.stop)
  ar.bits.addr := addr
  ar.bits.len  := 1.U
  r.ready      := true.B
  when(ar.fire) {
    addr  := addr + Formats.RemapRange.bytes.U
    toAsk := toAsk - 1.U
  }
  came := r.fire && high
  when(r.fire) {
    high     := !high
    lowWord  := highWord
    lowBad   := highBad
    highWord := r.bits.data
    highBad  := r.bits.resp =/= Axi4.OKAY.U
  }
  private val range                = (highWord ## lowWord).asTypeOf(new Formats.RemapRange)
  private def outside(start: UInt) = start(63, 32).orR || start(31, 0) +& range.nlb > p.lpns.U
  private val tooLong              = io.ranges > most.U && loaded === (most - 1).U
  private val here                 = Wire(new Range)
  here.src    := range.src(31, 0)
  here.dst    := range.dst(31, 0)
  here.nlb    := range.nlb
  here.bad    := lowBad || highBad || range.nlb === 0.U || outside(range.src) || outside(range.dst) || tooLong
  here.single := here.bad || range.nlb === 1.U
  when(came) {
    ranges.write(loaded(indexBits - 1, 0), here)
    loaded := loaded + 1.U
  }
  onWay   := onWay + ar.fire - came
  when(io.stop && !asks)(toAsk := 0.U)
  private val idle = toAsk === 0.U && onWay === 0.U && !asks
  io.idle := RegNext(idle && !io.rewind, true.B)

  // --- from the memory to the walk: the queue makes up for the cycle that the memory takes
  private val near     = Module(new Queue(new Range, 3, hasFlush = true))
  private val taken    = RegInit(0.U((indexBits + 1).W)) // ranges that this walk has read
  private val reading  = RegInit(false.B)                // one is on its way to the queue
  private val mayRead  = near.io.count +& reading < near.entries.U && !io.rewind && !io.stop
  private val reads    = mayRead && taken =/= loaded
  private val readData = ranges.read(taken(indexBits - 1, 0), reads)
  assert(
    !came || !reads || loaded(indexBits - 1, 0) =/= taken(indexBits - 1, 0),
    "RemapCursor: a range is read while it is written"
  )
  reading             := reads
  near.io.enq.valid   := reading
  near.io.enq.bits    := readData
  near.io.flush.get   := io.rewind || io.stop
  when(reads)(taken   := taken + 1.U)
  when(io.stop)(taken := loaded) // what is left of this walk

  // --- the walk. All that a page says is in registers: the next range comes into them with the last page of the one
  // before.
  private val now       = RegInit(0.U.asTypeOf(Valid(new Range))) // what is left of the range in hand
  private val index     = Reg(UInt(16.W))                         // of that range
  private val following = Reg(UInt(16.W))                         // of the next one
  private val first     = Reg(Bool())
  private val last      = Reg(Bool())
  private val ends      = Reg(Bool())                             // no range comes after it
  private val page      = io.page.bits
  private val loads     = !now.valid || io.page.fire && last
  io.page.valid     := now.valid && !io.stop
  page.src          := now.bits.src
  page.dst          := now.bits.dst
  page.range        := index
  page.first        := first
  page.left         := now.bits.nlb
  page.last         := last
  page.endOfList    := last && ends
  page.bad          := now.bits.bad
  near.io.deq.ready := loads
  when(io.page.fire) {
    now.bits.src := now.bits.src + 1.U
    now.bits.dst := now.bits.dst + 1.U
    now.bits.nlb := now.bits.nlb - 1.U
    first        := false.B
    last         := now.bits.nlb === 2.U
  }
  when(loads) {
    now.valid := near.io.deq.valid
    now.bits  := near.io.deq.bits
    index     := following
    first     := true.B
    last      := near.io.deq.bits.single
    ends      := following === io.ranges - 1.U || near.io.deq.bits.bad
    when(near.io.deq.valid)(following := following + 1.U)
  }
  when(io.stop)(now.valid := false.B)

  when(io.rewind) {
    now.valid := false.B
    following := 0.U
    taken     := 0.U
    when(io.load) {
      loaded := 0.U
      addr   := io.list
      toAsk  := io.ranges.min(most.U)
      asks   := true.B
    }
  }

  io.still := io.idle && !reads && !reading && !(loads && near.io.deq.valid) && !io.page.fire && !io.rewind

  assert(!io.rewind || idle, "RemapCursor: rewound in the middle of a list")
  assert(!io.rewind || io.ranges =/= 0.U, "RemapCursor: a list without ranges")
  assert(
    !io.rewind || io.list(log2Ceil(Formats.RemapRange.bytes) - 1, 0) === 0.U,
    "RemapCursor: a range list is aligned to its records"
  )
  assert(!r.valid || onWay =/= 0.U, "RemapCursor: DRAM answers a read that nobody asked for")
  assert(!came || loaded < most.U, "RemapCursor: a range more than there may be")
  assert(!reading || near.io.enq.ready || near.io.flush.get, "RemapCursor: room was kept for the range that is read")
  cover(io.page.valid && page.bad, "RemapCursor: a range that firmware should have refused")
  cover(toAsk =/= 0.U && onWay === ahead.U, "RemapCursor: as many ranges asked for as can be under way")
  cover(io.stop && !io.idle, "RemapCursor: the rest of a list is given up")
  cover(io.rewind && !io.load, "RemapCursor: a list is walked again")
  cover(came && tooLong, "RemapCursor: a longer list than there may be")
}
