// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Executes Copy (NVM command set, Copy command; descriptor formats 0 and 1) as a remap: the data stays where it is.
  *
  * The engine fetches and checks the whole list, and keeps it on chip. The remap engine reads the ranges through
  * `ranges`, just as it reads firmware's list from DRAM. It does all of them or nothing.
  *
  * The targets are consecutive, beginning at SDLBA. So no target meets another one, and a source meets a target when it
  * meets the range of pages from SDLBA on, whose length is known at the end of the list. For that check the engine
  * keeps, of the sources that end behind SDLBA, the one that begins first (`nearest`).
  *
  * If the remap table or the journal has no room, the command goes to firmware as the host sent it (`handOver`).
  * Firmware makes room and carries it out, which the hardware here cannot do.
  */
class CopyEngine(p: Params) extends Module with Quiesces {
  val io = IO(new Bundle {
    val cmd      = Flipped(Decoupled(new FetchedCommand(p))) // passed CommandRouter
    val cpl      = Decoupled(new Completion(p))
    val handOver = Decoupled(new FetchedCommand(p))
    val hostRead = new HostReadPort(p)
    val nsze     = Input(UInt(32.W))
    val remap    = new RemapStartPort(p)
    val ranges   = Flipped(new AxiRead(AxiParams(p.dramAddrBits)))
    val event    = Output(new Bundle { val copied = Bool(); val refusedSharers = Bool(); val refusedOther = Bool() })
  })
  private val wordsBits = log2Ceil(p.copyListBytes / p.dataBytes + 1)
  private val pageBits  = 17 // of a range: NLB is sixteen bits, zero-based

  private object State extends ChiselEnum {
    val idle, ask, list, status, start, run, complete, handOver = Value
  }
  private val state = RegInit(State.idle)
  private val moves = WireInit(state)
  state := moves
  private val cmd    = Reg(new FetchedCommand(p))
  private val fields = new CopyFields(cmd.sqe)
  private val sdlba  = fields.sdlba(31, 0)
  private val status = Reg(UInt(NvmeStatus.bits.W))
  private val dw0    = Reg(UInt(32.W))

  // ------------------------------------------------------------------ the list from the host: words to entries
  private val words    = Reg(UInt(wordsBits.W)) // that are to come
  private val phase    = Reg(UInt(3.W))         // of the word that comes; format 1 has two entries in five words
  private val dma      = RegInit(0.U.asTypeOf(Valid(UInt(NvmeStatus.bits.W))))
  private val receives = state === State.list
  io.hostRead.req.valid      := RegNext(moves === State.ask, false.B)
  io.hostRead.req.bits.prp1  := fields.prp1
  io.hostRead.req.bits.prp2  := fields.prp2
  io.hostRead.req.bits.bytes := words ## 0.U(log2Ceil(p.dataBytes).W)
  io.hostRead.data.ready     := RegNext(moves === State.list, false.B)
  when(io.hostRead.done.valid)(dma := io.hostRead.done)

  private class Entry extends Bundle {
    val slba  = UInt(64.W)
    val pages = UInt(pageBits.W)
  }
  private val word  = io.hostRead.data.bits.word
  private val entry = Reg(new Entry)
  private val whole = RegInit(false.B) // `entry` is, for one cycle
  whole := io.hostRead.data.fire && (phase === 1.U || phase === 3.U)
  when(io.hostRead.data.fire) {
    words  := words - 1.U
    phase  := Mux(phase === Mux(fields.format1, 4.U, 1.U), 0.U, phase + 1.U)
    when(phase === 0.U)(entry.slba  := word(127, 64))
    when(phase === 1.U)(entry.pages := word(15, 0) +& 1.U)
    when(phase === 3.U) {
      entry.slba  := word(63, 0)
      entry.pages := word(79, 64) +& 1.U
    }
  }

  // ------------------------------------------------------------------ entries to ranges
  private class Range extends Bundle {
    val src, dst = UInt(32.W)
    val pages    = UInt(log2Ceil(p.copyPages + 1).W)
  }
  private val memory  = SyncReadMem(p.copyRanges, new Range)
  private val at      = Reg(UInt(log2Ceil(p.copyRanges).W))     // range that the remap engine has asked for
  private val ranges  = Reg(UInt(log2Ceil(p.copyRanges + 1).W)) // of the list so far
  private val pages   = Reg(UInt(log2Ceil(p.copyPages + 1).W))  // in all
  private val tooMany = Reg(Bool())
  private val outside = Reg(Bool())
  private val nearest = Reg(UInt(33.W))
  private val range   = Wire(new Range)
  range.src   := entry.slba(31, 0)
  range.dst   := sdlba + pages
  range.pages := entry.pages
  when(whole) {
    ranges := ranges + 1.U
    memory.write(ranges(at.getWidth - 1, 0), range)
  }
  // The checks take three more cycles. Entries are two words apart at least, so `pages` is there for the next one.
  private val summed                  = RegNext(whole, false.B)
  private val placed                  = RegNext(summed, false.B)
  private val first                   = RegEnable(entry.slba(31, 0), whole)
  private val farOff                  = RegEnable(entry.slba(63, 32).orR, whole)
  private val end                     = RegEnable(entry.slba(31, 0) +& entry.pages, whole)
  private val total                   = RegEnable(pages +& entry.pages, whole)
  private val last                    = RegNext(sdlba +& total)             // end of the targets
  private val behind                  = RegNext(end > sdlba)                // SDLBA
  private val judged                  = RegNext(placed, false.B)
  private def beyond(end: UInt): Bool = (io.nsze.pad(34) - end.pad(34))(33) // the namespace: the sign of what is left
  private val source                  = RegNext(beyond(end))
  private val target                  = RegNext(beyond(last))
  when(summed) {
    when(total > p.copyPages.U)(tooMany := true.B).otherwise(pages := total)
    when(farOff)(outside                                           := true.B)
  }
  when(placed) {
    when(source)(outside                            := true.B)
    when(behind && first.pad(33) < nearest)(nearest := first)
  }
  when(judged && target)(outside := true.B)
  assert(!whole || !summed, "CopyEngine: entries are two words apart")
  private val overlap = nearest < sdlba +& pages
  private val checked = MuxCase(
    NvmeStatus.Success,
    Seq(
      (dma.bits =/= NvmeStatus.Success) -> dma.bits,
      tooMany                           -> NvmeStatus.CopySizeLimit,
      outside                           -> NvmeStatus.LbaOutOfRange,
      overlap                           -> NvmeStatus.InvalidField
    )
  )

  // ------------------------------------------------------------------ ranges to the remap engine: two beats each
  private val giving  = RegInit(false.B)
  private val high    = Reg(Bool()) // the second beat
  private val next    = (io.ranges.ar.bits.addr / Formats.RemapRange.bytes.U)(at.getWidth - 1, 0)
  private val found   = memory.read(Mux(io.ranges.ar.fire, next, at))
  private val record  = Wire(new Formats.RemapRange)
  private val leaving = Module(new Skid(chiselTypeOf(io.ranges.r.bits)))
  private val answers = leaving.io.in
  io.ranges.r <> leaving.io.out
  record            := 0.U.asTypeOf(record)
  record.src        := found.src
  record.dst        := found.dst
  record.nlb        := found.pages
  answers.valid     := giving
  answers.bits.data := Mux(high, record.asUInt(255, 128), record.asUInt(127, 0))
  answers.bits.resp := Axi4.OKAY.U
  answers.bits.last := high
  private val gave = answers.fire && high
  io.ranges.ar.ready := !giving || gave
  when(answers.fire)(high := true.B)
  when(gave)(giving       := false.B)
  when(io.ranges.ar.fire) {
    giving := true.B
    high   := false.B
    at     := next
  }

  // ------------------------------------------------------------------ the order of things
  io.cmd.ready               := RegNext(moves === State.idle, true.B)
  io.remap.start.valid       := RegNext(moves === State.start, false.B)
  io.remap.start.bits.list   := 0.U // the first of `ranges`
  io.remap.start.bits.ranges := ranges
  io.remap.start.bits.move   := false.B
  io.remap.start.bits.copy   := true.B
  io.handOver.valid          := RegNext(moves === State.handOver, false.B)
  io.handOver.bits           := cmd
  io.cpl.valid               := RegNext(moves === State.complete, false.B)
  io.cpl.bits.qid            := cmd.qid
  io.cpl.bits.cid            := fields.cid
  io.cpl.bits.status         := status
  io.cpl.bits.dw0            := dw0
  private val outcome = io.remap.outcome
  private val result  = outcome.bits.result
  switch(state) {
    is(State.idle) {
      cmd       := io.cmd.bits
      dw0       := 0.U
      words     := new CopyFields(io.cmd.bits.sqe).words
      phase     := 0.U
      dma.valid := false.B
      ranges    := 0.U
      pages     := 0.U
      tooMany   := false.B
      outside   := false.B
      nearest   := Fill(nearest.getWidth, 1.U(1.W)) // behind every page
      when(io.cmd.valid)(moves := State.ask)
    }
    is(State.ask)(when(io.hostRead.req.ready)(moves := State.list))
    is(State.list)(when(io.hostRead.data.fire && words === 1.U)(moves := State.status))
    is(State.status) {
      status := checked
      when(dma.valid && !whole && !summed && !placed && !judged)(
        moves := Mux(checked === NvmeStatus.Success, State.start, State.complete)
      )
    }
    is(State.start)(when(io.remap.start.ready)(moves := State.run))
    is(State.run) {
      when(outcome.valid) {
        moves  := Mux(result === RemapResult.nvramFull, State.handOver, State.complete)
        dw0    := Mux(result === RemapResult.ok, outcome.bits.pages, 0.U)
        status := MuxLookup(result, NvmeStatus.InternalError)(
          Seq(RemapResult.ok -> NvmeStatus.Success, RemapResult.sharerLimit -> NvmeStatus.RemapSharerLimit)
        )
      }
    }
    is(State.complete)(when(io.cpl.ready)(moves := State.idle))
    is(State.handOver)(when(io.handOver.ready)(moves := State.idle))
  }

  // A cycle late, as counters may be.
  private val good        = status === NvmeStatus.Success
  private val sharerLimit = status === NvmeStatus.RemapSharerLimit
  io.event.copied         := RegNext(io.cpl.fire && good, false.B)
  io.event.refusedSharers := RegNext(io.cpl.fire && sharerLimit, false.B)
  io.event.refusedOther   := RegNext(io.cpl.fire && !good && !sharerLimit, false.B)
  quiet                   := state === State.idle && !io.cmd.valid || state === State.start && !io.remap.start.ready ||
    state === State.run && !outcome.valid && !giving && !io.ranges.ar.valid && leaving.quiet ||
    state === State.handOver && !io.handOver.ready

  private val offered = new CopyFields(io.cmd.bits.sqe)
  assert(!io.cmd.fire || offered.good && offered.ranges <= p.copyRanges.U, "CopyEngine: the router checks the fields")
  assert(!io.cmd.fire || offered.sdlba < io.nsze, "CopyEngine: the router checks SDLBA")
  assert(!io.ranges.ar.fire || state === State.run, "CopyEngine: ranges are asked for while no Copy is under way")
  assert(
    !io.ranges.ar.fire || io.ranges.ar.bits.len === 1.U && next < ranges,
    "CopyEngine: a range of two beats, of the list"
  )
  assert(!outcome.valid || state === State.run, "CopyEngine: an outcome without a start")
  assert(!outcome.valid || result =/= RemapResult.unmapped, "CopyEngine: a source without data fails no Copy")
  assert(state =/= State.start || ranges === fields.ranges, "CopyEngine: each entry is a range")
  cover(state === State.start && !io.remap.start.ready, "CopyEngine: waits for the remap engine")
  cover(io.ranges.ar.fire && gave, "CopyEngine: ranges without a gap")
  cover(io.cpl.valid && !io.cpl.ready, "CopyEngine: a completion waits")
  cover(io.handOver.fire, "CopyEngine: a command goes to firmware")
  cover(state === State.status && tooMany && outside, "CopyEngine: a list that is wrong in two ways")
  cover(
    state === State.status && overlap && checked === NvmeStatus.InvalidField,
    "CopyEngine: a source meets the target"
  )
  cover(
    receives && fields.format1 && words === 1.U && phase === 1.U,
    "CopyEngine: an odd list of format 1 ends inside an entry"
  )
}

/** The fields of a Copy (NVM command set, Copy - Command Dwords 10 to 12), and values derived from them. */
class CopyFields(sqe: UInt) {
  private def dword(i: Int): UInt = sqe(32 * i + 31, 32 * i)
  private val FormatBytes         = Seq(32, 40) // of an entry, by descriptor format

  val cid    = dword(0)(31, 16)
  val prp1   = Cat(dword(7), dword(6))
  val prp2   = Cat(dword(9), dword(8))
  val sdlba  = Cat(dword(11), dword(10))
  val ranges = dword(12)(7, 0) +& 1.U

  private val format     = dword(12)(11, 8)
  private val protection =
    dword(12)(29, 26) ## dword(12)(15, 12) // PRINFOW, PRINFOR: there is no protection information
  val format1 = format(0)
  val good    = format < FormatBytes.size.U && protection === 0.U

  /** Of 16 bytes: transfers from the host are whole ones. An odd list of format 1 has 8 bytes more, which are tags. */
  val words = Mux(format1, ranges * (FormatBytes(1) / 8).U >> 1, ranges * (FormatBytes(0) / 16).U)
}
