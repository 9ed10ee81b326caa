// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** What the ECC says of a page that was transferred. */
class Tiger4Verdict extends Bundle {
  val pass  = Bool() // data and spare bytes are good
  val spare = Bool() // the spare bytes are
  val weak  = Bool() // a chunk has had nearly as many errors as can be corrected
}

/** What a raw row shows. */
class Tiger4Row extends Bundle {
  val erased = Bool() // all ones, or nearly, but for the mark
  val marked = Bool() // a byte of the bad-block mark is not FFh
}

/** For one way. */
class OfWay[T <: Data](gen: T) extends Bundle {
  val way  = UInt(Tiger4Layout.wayBits.W)
  val what = gen
}

/** The memory on chip that the NAND controller's data port reads and writes (Tiger4Layout): of each way the slot that
  * was asked for, and the program buffers. What else it writes is looked at and not kept: the other slots of a page,
  * the ECC's words, completion words and reports, raw rows.
  *
  * Transfers come one after the other, and their words in the order of the protocol: data, ECC, completion word. So one
  * register of each kind does for all ways.
  *
  * Timing: registers on all sides. A read burst has a beat a cycle.
  */
class Tiger4Memory(p: Params) extends Module {
  import Tiger4Layout._
  import Tiger4Map.{Fields, Sizes, Words}
  val io = IO(new Bundle {
    val bus    = Flipped(new Axi4(AxiParams(windowBits, 32)))
    val wanted = Input(Vec(p.g.diesPerChannel, UInt(p.subBits.W))) // slot of the page, by way
    val status = Valid(new OfWay(UInt(8.W)))
    val moved  = Valid(new OfWay(new Tiger4Verdict))
    val seen   = Valid(new OfWay(new Tiger4Row))
    val store  = Flipped(Valid(new Tiger4Store(p)))
    val load   = Flipped(Valid(new Tiger4Load(p)))
    val loaded = Output(UInt(p.dataBits.W))
  })
  private val lanes              = p.dataBits / 32
  private def memory(words: Int) = SyncReadMem(words, Vec(lanes, UInt(32.W)))
  private def split(word: UInt)  = VecInit.tabulate(lanes)(i => word(32 * i + 31, 32 * i))
  private val slots              = memory(p.g.diesPerChannel * p.wordsPerSlot)
  private val spares             = memory(p.g.diesPerChannel * p.oobWords)
  private val pages              = memory(Tiger4Streams.buffers * p.g.slotsPerPage * p.wordsPerSlot)
  private val records            = memory(Tiger4Streams.buffers * p.g.slotsPerPage * p.oobWords)
  private val oobIndex           = log2Ceil(p.oobWords)
  private def way(number: UInt)  = number(log2Ceil(p.g.diesPerChannel).max(1) - 1, 0)

  // ------------------------------------------------------------------ the controller writes
  private val aw      = Queue(io.bus.wr.aw, 2)
  private val w       = Skid(io.bus.wr.w)
  private val b       = Module(new Queue(new AxiWriteResp(AxiParams(windowBits, 32)), 2))
  private val writing = RegInit(false.B)
  private val wAddr   = Reg(UInt(windowBits.W))
  private val wLeft   = Reg(UInt(8.W)) // beats after this one
  private val wLast   = wLeft === 0.U
  aw.ready           := !writing && b.io.enq.ready
  w.ready            := writing
  b.io.enq.valid     := w.fire && wLast
  b.io.enq.bits.resp := Axi4.OKAY.U
  io.bus.wr.b <> b.io.deq
  when(aw.fire) {
    writing := true.B
    wAddr   := aw.bits.addr
    wLeft   := aw.bits.len
  }
  when(w.fire) {
    wAddr := wAddr + 4.U
    wLeft := wLeft - 1.U
    when(wLast)(writing := false.B)
  }

  // A cycle later: whose slot is wanted.
  private val came   = RegNext(w.fire, false.B)
  private val addr   = RegNext(wAddr)
  private val data   = RegNext(w.bits.data)
  private val sub    = RegNext(io.wanted(way(wAddr(offsetBits + wayBits - 1, offsetBits))))
  private val offset = addr(offsetBits - 1, 0)
  private val number = addr(offsetBits + wayBits - 1, offsetBits)
  private val part   = addr(windowBits - 1, windowBits - 2)

  // Another one later: what it is.
  private def word(which: Int, where: Int): Bool =
    RegNext(came && part === which.U && offset(offsetBits - 1, 2) === (where >> 2).U, false.B)
  private val isData = RegNext(
    came && part === page.U && offset(14) === 0.U && offset(13, 12) === sub,
    false.B
  )
  private val spareAt = log2Ceil(p.oobBits / 8) // bits of an offset within a slot's record
  private val isSpare = RegNext(
    came && part === page.U && offset(14, spareAt + p.subBits) === (spare >> (spareAt + p.subBits)).U &&
      offset(spareAt + p.subBits - 1, spareAt) === sub,
    false.B
  )
  private val ofWay  = RegNext(number)
  private val at     = RegNext(offset)
  private val bits   = RegNext(data)
  private val lane   = UIntToOH(at(3, 2), lanes).asBools
  private val copies = VecInit.fill(lanes)(bits)
  when(isData)(slots.write(Cat(way(ofWay), at(11, 4)), copies, lane))
  when(isSpare)(spares.write(Cat(way(ofWay), at(4, 4 + 1 - oobIndex)), copies, lane))

  // --- transfers and reports
  private val isEcc    = word(page, ecc)
  private val isChunks = word(page, ecc + 4)
  private val isDone   = word(page, done)
  private val isReport = word(page, report)
  private val verdict  = Reg(new Tiger4Verdict)
  private val whose    = Reg(UInt(wayBits.W)) // way of the verdict; only an assertion looks at it
  private val chunks   = Reg(Bool())
  when(isEcc) {
    whose         := ofWay
    verdict.pass  := Fields.eccCrc.of(bits).asBool && Fields.eccSpare.of(bits).asBool
    verdict.spare := Fields.eccSpare.of(bits).asBool
    verdict.weak  := Fields.eccWorst.of(bits) > Sizes.warning.U
  }
  when(isChunks)(chunks := bits.andR)
  io.moved.valid           := RegNext(isDone, false.B)
  io.moved.bits.way        := RegNext(ofWay)
  io.moved.bits.what.pass  := RegNext(verdict.pass && chunks)
  io.moved.bits.what.spare := RegNext(verdict.spare)
  io.moved.bits.what.weak  := RegNext(verdict.weak)
  io.status.valid          := RegNext(isReport && Fields.reportValid.of(bits).asBool, false.B)
  io.status.bits.way       := RegNext(ofWay)
  io.status.bits.what      := RegNext(Fields.reportStatus.of(bits))

  // --- raw rows: bytes that are not FFh are counted, in three steps
  private val isRaw     = RegNext(came && part === raw.U && offset(14, 2) =/= (rawDone >> 2).U, false.B)
  private val isRawDone = word(raw, rawDone)
  private val first     = RegNext(offset(14, 2) === 0.U)
  private val marks     = RegNext(offset(13, 2) === 0.U) // of this word the first byte is part of the mark
  private val differs   = RegNext(VecInit.tabulate(4)(i => !data(8 * i + 7, 8 * i).andR))
  require(spare == 1 << 14)
  private val spots = Reg(UInt(3.W))
  spots := PopCount(differs.zipWithIndex.map { case (bit, i) => if (i == 0) bit && !marks else bit })
  private val counts   = RegNext(isRaw, false.B)
  private val restarts = RegNext(first)
  private val isMark   = RegNext(marks && differs(0))
  private val sum      = Reg(UInt(log2Ceil(mostSpots + 8).W))
  private val marked   = Reg(Bool())
  private val base     = Mux(restarts, 0.U, sum)
  private val many     = base > mostSpots.U
  when(counts) {
    sum    := Mux(many, base, base + spots)
    marked := !restarts && marked || isMark
  }
  io.seen.valid            := ShiftRegister(isRawDone, 3, false.B, true.B)
  io.seen.bits.way         := ShiftRegister(ofWay, 3)
  io.seen.bits.what.erased := RegNext(sum <= mostSpots.U)
  io.seen.bits.what.marked := RegNext(marked)

  // ------------------------------------------------------------------ the controller reads
  private val ar      = Queue(io.bus.rd.ar, 2)
  private val reading = RegInit(false.B)
  private val rAddr   = Reg(UInt(windowBits.W))
  private val rLeft   = Reg(UInt(8.W))
  private val places  = 5
  private val room    = RegInit(places.U(log2Ceil(places + 1).W))
  private val rq      = Module(new Queue(new AxiReadData(AxiParams(windowBits, 32)), places))
  private val border  = Module(new Skid(new AxiReadData(AxiParams(windowBits, 32))))
  private val issues  = reading && room =/= 0.U
  private val rLast   = rLeft === 0.U
  ar.ready := !reading
  when(ar.fire) {
    reading := true.B
    rAddr   := ar.bits.addr
    rLeft   := ar.bits.len
  }
  when(issues) {
    rAddr := rAddr + 4.U
    rLeft := rLeft - 1.U
    when(rLast)(reading := false.B)
  }
  private val buf        = rAddr(offsetBits + Tiger4Streams.bufBits - 1, offsetBits)
  private val fromPage   = RegNext(pages.read(Cat(buf, rAddr(13, 4))))
  private val fromRecord = RegNext(records.read(Cat(buf, rAddr(spareAt + p.subBits - 1, 4))))
  private val rIssued    = ShiftRegister(issues, 2, false.B, true.B)
  private val rLane      = ShiftRegister(rAddr(3, 2), 2)
  private val rEnds      = ShiftRegister(rLast, 2)
  private val isRecord   = ShiftRegister(rAddr(offsetBits - 1, 14) === 1.U, 2)
  // Spare bytes behind the records are zero.
  private val isZero    = ShiftRegister(rAddr(14, 14) === 1.U && rAddr(13, spareAt + p.subBits) =/= 0.U, 2)
  private val isFeature = ShiftRegister(rAddr(windowBits - 1, windowBits - 2) === features.U, 2)
  private val feature   =
    ShiftRegister(
      MuxLookup(rAddr(3, 2), Words.feature02.U(8.W))(
        Seq(1.U -> Words.feature10.U(8.W), 2.U -> Words.feature01.U(8.W))
      ),
      2
    )
  // One more register: what is chosen, and then the lane of it.
  private val chosen = RegNext(Mux(isRecord, Mux(isZero, 0.U, fromRecord.asUInt), fromPage.asUInt))
  private val beat   = split(chosen)(RegNext(rLane))
  rq.io.enq.valid     := RegNext(rIssued, false.B)
  rq.io.enq.bits.data := Mux(RegNext(isFeature), RegNext(feature).pad(32), beat)
  rq.io.enq.bits.resp := Axi4.OKAY.U
  rq.io.enq.bits.last := RegNext(rEnds)
  room                := room - issues + rq.io.deq.fire
  border.io.in <> rq.io.deq
  io.bus.rd.r <> border.io.out

  // ------------------------------------------------------------------ the NAND port's side
  private val sWord = Cat(io.store.bits.buf, io.store.bits.sub, io.store.bits.word)
  when(io.store.valid && !io.store.bits.spare)(pages.write(sWord, split(io.store.bits.data)))
  when(io.store.valid && io.store.bits.spare) {
    records.write(
      Cat(io.store.bits.buf, io.store.bits.sub, io.store.bits.word(oobIndex - 1, 0)),
      split(io.store.bits.data)
    )
  }
  private val fromSlot  = RegNext(slots.read(Cat(way(io.load.bits.way), io.load.bits.word)))
  private val fromSpare = RegNext(spares.read(Cat(way(io.load.bits.way), io.load.bits.word(oobIndex - 1, 0))))
  io.loaded := RegNext(Mux(ShiftRegister(io.load.bits.spare, 2), fromSpare.asUInt, fromSlot.asUInt))

  assert(!w.fire || w.bits.strb.andR, "the NAND controller writes part of a word")
  assert(!w.fire || w.bits.last === wLast, "a write burst ends at the wrong beat")
  assert(!came || part === page.U || part === raw.U, "the NAND controller writes where it only reads")
  assert(!issues || rAddr(windowBits - 1, windowBits - 2) >= program.U, "it reads where it only writes")
  assert(!rq.io.enq.valid || rq.io.enq.ready, "a beat that has no place")
  assert(!isDone || ofWay === whose, "the words of two transfers are mixed")
  assert(!(isDone || isRawDone) || bits === Words.done.U, "another completion word")
  cover(aw.valid && writing, "Tiger4Memory: a write burst waits for another one")
  cover(!writing && w.valid, "Tiger4Memory: data comes before its address is looked at")
  cover(reading && room === 0.U, "Tiger4Memory: the NAND controller takes its words slowly")
  cover(aw.valid && !b.io.enq.ready, "Tiger4Memory: answers are not taken")
  cover(counts && many, "Tiger4Memory: a row that is not erased")
}
