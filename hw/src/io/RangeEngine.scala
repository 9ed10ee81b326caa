// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Carries out REMAP, REMAP VECTOR and Copy (descriptor formats 0 and 1) as remaps: the data stays where it is.
  *
  * It has two halves. The first fetches a command's list and checks its ranges (RangeDecoder). If a source lies between
  * the first target and the last one, each source is searched in the targets (RangeSearch). The second has the remap
  * engine do all of it or nothing; the remap engine reads the ranges through `ranges`, just as it reads firmware's list
  * from DRAM. So while one command runs, the next one is made ready (RangeLists).
  *
  * The engine ends what succeeds. Everything else goes to firmware as the host sent it (`handOver`): a list that could
  * not be fetched or is wrong, targets that do not ascend although they may be good, what the remap engine refused. The
  * firmware checks it once more, finds the status, and can make room, which the hardware here cannot do.
  */
class RangeEngine(p: Params) extends Module with Quiesces {
  val io = IO(new Bundle {
    val cmd      = Flipped(Decoupled(new FetchedCommand(p))) // passed CommandRouter
    val cpl      = Decoupled(new Completion(p))
    val handOver = Decoupled(new FetchedCommand(p))
    val hostRead = new HostReadPort(p)
    val nsze     = Input(UInt(32.W))
    val remap    = new RemapStartPort(p)
    val ranges   = Flipped(new AxiRead(AxiParams(p.dramAddrBits)))
    val event    = Output(new Bundle { val remapped = Bool(); val handedOver = Bool() })
  })
  private val most      = Formats.RemapRangesMax.toInt
  private val indexBits = log2Ceil(most)
  private val decoder   = Module(new RangeDecoder(p))
  private val search    = Module(new RangeSearch(p))
  private val lists     = Module(new RangeLists(p))

  // ------------------------------------------------------------------ first half: a command is made ready
  private object Prepare extends ChiselEnum {
    val idle, ask, list, single, settle, search, ready = Value
  }
  private val preparing = RegInit(Prepare.idle)
  private val cmd       = Reg(new FetchedCommand(p))
  private val fields    = new RangeFields(cmd.sqe)
  private val place     = RegInit(false.B) // list that it uses; the other one is the second half's
  private val begins    = preparing === Prepare.idle && io.cmd.valid
  io.cmd.ready := preparing === Prepare.idle

  private val offered = new RangeFields(io.cmd.bits.sqe)
  private val words = Reg(UInt(log2Ceil(p.copyListBytes / p.dataBytes + 1).W)) // that are to come, 2 at least at first
  private val lastWord = Reg(Bool()) // there is one
  private val ranges   = Reg(UInt((indexBits + 1).W))
  private val ended    = Reg(Bool()) // the transfer of the list,
  private val failed   = Reg(Bool()) // with an error
  io.hostRead.req.valid      := preparing === Prepare.ask
  io.hostRead.req.bits.prp1  := fields.prp1
  io.hostRead.req.bits.prp2  := fields.prp2
  io.hostRead.req.bits.bytes := words ## 0.U(log2Ceil(p.dataBytes).W)
  io.hostRead.data.ready     := preparing === Prepare.list
  when(io.hostRead.data.fire) {
    words    := words - 1.U
    lastWord := words === 2.U
  }
  private val came = ended || fields.single
  when(io.hostRead.done.valid) {
    ended  := true.B
    failed := io.hostRead.done.bits =/= NvmeStatus.Success
  }

  decoder.io.begin        := begins
  decoder.io.form.copies  := fields.copies
  decoder.io.form.format1 := fields.format1
  decoder.io.form.source  := fields.source
  decoder.io.form.target  := Mux(fields.copies, fields.sdlba, fields.target)
  decoder.io.form.pages   := fields.pages
  decoder.io.nsze         := io.nsze
  decoder.io.word.valid   := RegNext(io.hostRead.data.fire, false.B)
  decoder.io.word.bits    := RegNext(io.hostRead.data.bits.word)
  decoder.io.single       := preparing === Prepare.single
  private val gives = decoder.io.range
  lists.io.write.valid        := gives.valid
  lists.io.write.bits.at      := place ## gives.bits.index
  lists.io.write.bits.range   := gives.bits.range
  search.io.target.valid      := gives.valid
  search.io.target.bits.index := gives.bits.index
  search.io.target.bits.begin := gives.bits.range.dst
  search.io.target.bits.end   := gives.bits.end
  search.io.targets           := ranges

  private val asks     = preparing === Prepare.search
  private val asked    = Reg(UInt((indexBits + 1).W)) // sources
  private val answered = Reg(UInt((indexBits + 1).W))
  private val clashes  = Reg(Bool())                  // a source meets a target
  private val looks    = asks && asked =/= ranges
  lists.io.look.valid                                       := looks
  lists.io.look.bits                                        := place ## asked(indexBits - 1, 0)
  when(looks)(asked                                       := asked + 1.U)
  when(search.io.met.valid)(answered                      := answered + 1.U)
  when(search.io.met.valid && search.io.met.bits)(clashes := true.B)
  private val looked = lists.io.looked
  search.io.source.valid                                    := RegNext(looked.valid, false.B)
  search.io.source.bits.begin                               := RegNext(looked.bits.src)
  search.io.source.bits.end                                 := RegNext(looked.bits.src + looked.bits.pages)

  // --------------------------------------------------------------- second half: a command that runs, or is handed over
  private object Run extends ChiselEnum {
    val idle, start, run, complete, handOver = Value
  }
  private val running   = RegInit(Run.idle)
  private val now       = Reg(new FetchedCommand(p))
  private val nowFields = new RangeFields(now.sqe)
  private val nowPlace  = Reg(Bool())
  private val nowRanges = Reg(UInt((indexBits + 1).W))
  private val pages     = Reg(UInt(32.W))
  private val takes     = running === Run.idle && preparing === Prepare.ready
  io.remap.start.valid       := running === Run.start
  io.remap.start.bits.list   := RangeLists.address(p, nowPlace)
  io.remap.start.bits.ranges := nowRanges
  io.remap.start.bits.move   := nowFields.move
  io.remap.start.bits.copy   := nowFields.copies
  io.handOver.valid          := running === Run.handOver
  io.handOver.bits           := now
  io.cpl.valid               := running === Run.complete
  io.cpl.bits.qid            := now.qid
  io.cpl.bits.cid            := nowFields.cid
  io.cpl.bits.status         := NvmeStatus.Success
  io.cpl.bits.dw0            := pages
  lists.io.ranges <> io.ranges
  private val outcome = io.remap.outcome
  private val unfit   = Reg(Bool()) // the command that is ready is not for hardware

  // ------------------------------------------------------------------ the order of things
  switch(preparing) {
    is(Prepare.idle) {
      cmd      := io.cmd.bits
      words    := offered.words
      lastWord := false.B
      ranges   := offered.ranges
      ended    := false.B
      failed   := false.B
      asked    := 0.U
      answered := 0.U
      clashes  := false.B
      when(io.cmd.valid)(preparing := Mux(offered.single, Prepare.single, Prepare.ask))
    }
    is(Prepare.ask)(when(io.hostRead.req.ready)(preparing := Prepare.list))
    is(Prepare.list)(when(io.hostRead.data.fire && lastWord)(preparing := Prepare.settle))
    is(Prepare.single)(preparing := Prepare.settle)
    is(Prepare.settle) {
      unfit := decoder.io.bad || failed
      when(decoder.io.still) {
        when(!decoder.io.bad && !decoder.io.apart)(preparing := Prepare.search)
          .elsewhen(came)(preparing := Prepare.ready)
      }
    }
    is(Prepare.search) {
      unfit := clashes || failed
      when(answered === ranges && came)(preparing := Prepare.ready)
    }
    is(Prepare.ready)(when(takes)(preparing := Prepare.idle))
  }
  switch(running) {
    is(Run.idle)(when(takes)(running := Mux(unfit, Run.handOver, Run.start)))
    is(Run.start)(when(io.remap.start.ready)(running := Run.run))
    is(Run.run) {
      pages := outcome.bits.pages
      when(outcome.valid)(running := Mux(outcome.bits.result === RemapResult.ok, Run.complete, Run.handOver))
    }
    is(Run.complete)(when(io.cpl.ready)(running := Run.idle))
    is(Run.handOver)(when(io.handOver.ready)(running := Run.idle))
  }
  when(takes) {
    now       := cmd
    nowPlace  := place
    nowRanges := ranges
    place     := !place
  }

  // A cycle late, as counters may be.
  io.event.remapped   := RegNext(io.cpl.fire, false.B)
  io.event.handedOver := RegNext(io.handOver.fire, false.B)
  private val prepareWaits = preparing === Prepare.idle && !io.cmd.valid ||
    preparing === Prepare.ask && !io.hostRead.req.ready || preparing === Prepare.list && !io.hostRead.data.valid ||
    preparing === Prepare.settle && decoder.io.still && !came && !io.hostRead.done.valid &&
    (decoder.io.bad || decoder.io.apart) ||
    preparing === Prepare.ready && !takes
  private val runWaits = running === Run.idle && !takes || running === Run.start && !io.remap.start.ready ||
    running === Run.run && !outcome.valid || running === Run.handOver && !io.handOver.ready
  quiet := prepareWaits && runWaits && decoder.io.still && lists.quiet

  private val askedFor = io.ranges.ar.bits.addr - RangeLists.address(p, nowPlace)
  private val runs     = running === Run.run
  assert(
    !io.cmd.fire || Mux(
      offered.copies,
      offered.goodCopy && offered.ranges <= p.copyRanges.U && offered.sdlba < io.nsze,
      offered.known
    ),
    "RangeEngine: the router checks the fields"
  )
  assert(!io.ranges.ar.fire || runs, "RangeEngine: ranges are asked for while no command runs")
  assert(
    !io.ranges.ar.fire || askedFor < (nowRanges ## 0.U(log2Ceil(Formats.RemapRange.bytes).W)),
    "RangeEngine: a range of the list that runs"
  )
  assert(!outcome.valid || runs, "RangeEngine: an outcome without a start")
  assert(
    !outcome.valid || !nowFields.copies || outcome.bits.result =/= RemapResult.unmapped,
    "RangeEngine: a source without data fails no Copy"
  )
  assert(
    preparing =/= Prepare.list || lastWord === (words === 1.U),
    "RangeEngine: the last word is known a cycle ahead"
  )
  assert(preparing =/= Prepare.search || decoder.io.count === ranges, "RangeEngine: each entry is a range")
  cover(running === Run.start && !io.remap.start.ready, "RangeEngine: waits for the remap engine")
  cover(preparing === Prepare.search && runs, "RangeEngine: a command is searched while another one runs")
  cover(preparing === Prepare.ready && runs, "RangeEngine: a command is ready while another one runs")
  cover(io.cpl.valid && !io.cpl.ready, "RangeEngine: a completion waits")
  cover(io.handOver.valid && !io.handOver.ready, "RangeEngine: a command waits to go to firmware")
  cover(
    outcome.valid && outcome.bits.result =/= RemapResult.ok,
    "RangeEngine: what the remap engine refused goes to firmware"
  )
  cover(takes && unfit && failed, "RangeEngine: a list that could not be fetched")
  cover(takes && unfit && clashes && !fields.copies, "RangeEngine: a source meets a target")
  cover(takes && unfit && clashes && fields.copies, "RangeEngine: a source of a Copy meets a target")
  cover(preparing === Prepare.settle && decoder.io.still && !came, "RangeEngine: waits for the end of a transfer")
  cover(
    preparing === Prepare.list && fields.format1 && words === 1.U && ranges(0),
    "RangeEngine: an odd list of format 1 ends inside an entry"
  )
}
