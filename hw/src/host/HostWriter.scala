// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Client's view of HostWriter: give `bytes`/16 words, rounded up (of the last word only the bytes that count are
  * written); then comes `done` with the NVMe status (0: all of it has been written). The next transfer may begin before
  * `done`, which comes in the order of the transfers.
  */
class HostWritePort(val p: Params) extends Bundle {
  val req  = Decoupled(new PrpTransfer(p))
  val data = Decoupled(UInt(p.dataBits.W))
  val done = Flipped(Valid(UInt(NvmeStatus.bits.W)))
}

object HostWriter {
  object Client extends Clients { val read, firmware = Value }
}

/** Device to host memory. After an error it discards the remaining words of the transfer.
  *
  * It gives a burst's address when it has the data, so a slow client never holds the host bus. The next transfer begins
  * while the host's answers to the last bursts of the previous one are due.
  *
  * Timing: both sides of each port start at registers. Whether a beat takes a word is decided the cycle before, so a
  * word passes the rotation into the register of the bus in the cycle in which it is taken. A beat takes a cycle. The
  * next piece is there before the present one ends; a cycle passes between them while dwords are carried.
  */
class HostWriter(p: Params) extends Module with Quiesces {
  import HostWriter.Client
  val io = IO(new Bundle {
    val client = Client.ports(Flipped(new HostWritePort(p)))
    val list   = new AxiRead(AxiParams(64)) // PRP lists
    val host   = new AxiWrite(AxiParams(64))
  })

  private val burstBeats = 16 // 256 bytes, the largest payload that PCIe roots commonly take
  private val fifoBeats  = 4 * burstBeats
  private val maxBursts  = 32 // 8 KiB posted and not answered
  private val addresses  = 8  // bursts whose data is in the FIFO
  private val a          = AxiParams(64)

  private object State extends ChiselEnum {
    val idle    = Value
    val run     = Value
    val swallow = Value // the PRPs went wrong: takes the words that are left
    val settle  = Value // all words are taken; waits until the transfer before this one has settled
  }
  private val state                     = RegInit(State.idle)
  private val open                      = RegInit(true.B)                   // state is `idle`
  private val owner                     = Reg(UInt(Client.size.W))          // one-hot
  private val words                     = Reg(UInt((p.transferBits - 4).W)) // not yet taken from the client
  private val status                    = Reg(UInt(NvmeStatus.bits.W))
  private val failed                    = RegInit(false.B)                  // status is an error
  private val walker                    = Module(new PrpWalker(p))
  private val (asked, asker, turnMoves) = RoundRobin.joinAhead(io.client.map(_.req))

  io.list <> walker.io.host

  // ------------------------------------------------------------------ the next piece of host memory
  private val nextGood   = RegInit(false.B) // there is one
  private val nextBad    = RegInit(false.B) // the walk failed here
  private val nextStatus = Reg(UInt(NvmeStatus.bits.W))
  private val nextAddr   = Reg(UInt(64.W))
  private val nextEnd    = Reg(UInt(10.W))  // its last dword, from the beginning of its first beat on
  private val nextIsLast = Reg(Bool())
  private val nextSingle = Reg(Bool())      // it has one beat
  private val nextMore   = nextEnd(9, 2)    // beats behind the first

  walker.io.segment.ready := !nextGood && !nextBad
  when(walker.io.segment.ready) {
    val s   = walker.io.segment.bits
    val end = (s.addr(3, 2) + (s.bytes >> 2) - 1.U)(9, 0)
    nextGood   := walker.io.segment.valid && s.status === NvmeStatus.Success
    nextBad    := walker.io.segment.valid && s.status =/= NvmeStatus.Success
    nextStatus := s.status
    nextAddr   := s.addr
    nextEnd    := end
    nextSingle := end(9, 2) === 0.U
    nextIsLast := s.last
  }

  // ------------------------------------------------------------------ words to beats
  private val segValid  = RegInit(false.B) // there is a beat to be made
  private val page      = Reg(UInt(52.W))
  private val line      = Reg(UInt(8.W))   // which beat of the page it is
  private val begin     = Reg(UInt(2.W))   // its first dword that counts
  private val end       = Reg(UInt(2.W))   // and its last one
  private val more      = Reg(UInt(8.W))   // beats of the piece behind it
  private val lastBeat  = Reg(Bool())      // none
  private val secondEnd = Reg(Bool())      // one
  private val tail      = Reg(UInt(2.W))   // the last dword of the piece, in its beat
  private val segLast   = Reg(Bool())      // no piece follows
  private val finalBeat = Reg(Bool())      // no beat follows
  private val inBurst   = Reg(UInt(log2Ceil(burstBeats).W))
  private val burstEnd  = Reg(Bool())
  private val burstAt   = Reg(UInt(8.W))   // where the burst began, in the page

  private val takes    = RegInit(false.B)   // takes a word, for a beat or for nothing
  private val dropping = RegInit(false.B)   // state is `swallow`
  private val pulls    = takes && !dropping // the beat is made as soon as a word comes
  private val pushes   = RegInit(false.B)   // the beat is made of what is carried
  private val word     = Wire(Valid(UInt(p.dataBits.W)))
  private val beat     = pulls && word.valid || pushes
  word.valid := Mux1H(owner, io.client.map(_.data.valid))
  word.bits  := Mux1H(owner, io.client.map(_.data.bits))
  io.client.zip(owner.asBools).foreach { case (c, mine) => c.data.ready := mine && takes }
  when(word.valid && takes) {
    words := words - 1.U
    when(dropping && words === 1.U)(takes := false.B)
  }

  private val carry   = Reg(Vec(3, UInt(32.W))) // dwords of the last word that did not fit into its beat
  private val carried = RegInit(0.U(2.W))
  // The word's dwords, moved to their places in this beat, or in the next one for those that are carried. All pieces
  // but the first and the last begin and end with a beat.
  private val lanes = RotateDwords(word.bits, begin | carried)

  private val fifo       = Module(new HeadQueue(new AxiWriteData(a), fifoBeats, blockRam = true, late = p.k.lateQueues))
  private val address    = Module(new HeadQueue(new AxiAddr(a), addresses))
  private val unanswered = RegInit(0.U(log2Ceil(maxBursts + 1).W)) // bursts of this transfer
  // Room for the beat after the next, whatever the beats of this cycle and the next take. When bursts end in both of
  // these, the second is a piece of one beat and the transfer's last.
  private val roomNext =
    fifo.io.count < (fifoBeats - 2).U && address.io.count < (addresses - 1).U && unanswered < (maxBursts - 1).U
  private val room = RegNext(roomNext, false.B)

  fifo.io.in.valid        := beat
  fifo.io.in.bits.data    := Cat(lanes(3) +: (0 until 3).reverse.map(i => Mux(i.U < carried, carry(i), lanes(i))))
  fifo.io.in.bits.strb    := Cat((0 until 4).reverse.map(i => Fill(4, begin <= i.U && end >= i.U)))
  fifo.io.in.bits.last    := burstEnd
  address.io.in.valid     := beat && burstEnd
  address.io.in.bits.addr := Cat(page, burstAt, 0.U(4.W))
  address.io.in.bits.len  := inBurst
  assert(!beat || fifo.io.in.ready && address.io.in.ready && unanswered < maxBursts.U, "room was kept for a beat")

  private val carriedThen = carried + begin - end - 1.U // after this beat
  when(beat) {
    begin     := 0.U
    end       := Mux(secondEnd, tail, 3.U)
    more      := more - 1.U
    lastBeat  := secondEnd
    secondEnd := more === 2.U
    segValid  := !lastBeat
    line      := line + 1.U
    inBurst   := inBurst + 1.U
    burstEnd  := secondEnd || inBurst === (burstBeats - 2).U
    carried   := carriedThen
    when(burstEnd)(burstAt := line + 1.U)
    when(pulls)((0 until 3).foreach(i => carry(i) := lanes(i)))
    finalBeat := secondEnd && segLast
    when(finalBeat)(state := State.settle)
  }
  // Does a beat need more dwords than are carried? That of the piece's next beat is known while this one is made. A
  // piece's first beat does if nothing is carried, and otherwise is looked at when it is there.
  private val needs     = (end - begin) >= carried
  private val needsThen = !secondEnd || tail >= carriedThen
  when(beat) {
    takes  := room && Mux(lastBeat, nextGood && carriedThen === 0.U, needsThen)
    pushes := room && !lastBeat && !needsThen
  }.elsewhen(!takes) {
    takes  := room && Mux(segValid, needs, nextGood && carried === 0.U)
    pushes := room && segValid && !needs
  }

  private val load = nextGood && (!segValid || beat && lastBeat)
  when(load) {
    nextGood  := false.B
    segValid  := true.B
    page      := nextAddr(63, 12)
    line      := nextAddr(11, 4)
    burstAt   := nextAddr(11, 4)
    begin     := nextAddr(3, 2)
    tail      := nextEnd(1, 0)
    end       := Mux(nextSingle, nextEnd(1, 0), 3.U)
    more      := nextMore
    lastBeat  := nextSingle
    secondEnd := nextMore === 1.U
    segLast   := nextIsLast
    finalBeat := nextSingle && nextIsLast
    inBurst   := 0.U
    burstEnd  := nextSingle
  }
  private val walkFails = nextBad && !segValid
  when(walkFails) {
    nextBad  := false.B
    state    := State.swallow
    status   := nextStatus
    failed   := true.B
    takes    := words =/= 0.U
    dropping := true.B
  }

  io.host.aw <> address.io.out
  io.host.w <> fifo.io.out

  // ------------------------------------------------------------------ answers: those of the transfer before come first
  private class Settling extends Bundle {
    val owner      = UInt(Client.size.W)
    val status     = UInt(NvmeStatus.bits.W)
    val failed     = Bool()
    val unanswered = UInt(log2Ceil(maxBursts + 1).W)
    val none       = Bool() // unanswered is zero
  }
  private val before   = RegInit(0.U.asTypeOf(Valid(new Settling)))
  private val settled  = before.valid && before.bits.none
  private val isBefore = before.valid && !settled
  private val hand     = state === State.settle && (!before.valid || settled)
  private val answer   = io.host.b.fire
  private val bad      = answer && io.host.b.bits.resp =/= Axi4.OKAY.U
  io.host.b.ready := true.B
  assert(!answer || isBefore || unanswered =/= 0.U, "a write response that nobody waits for")

  private val badNow = bad && !isBefore && !failed
  private val mine   = answer && !isBefore
  unanswered := unanswered + address.io.in.valid - mine
  when(badNow) {
    status := NvmeStatus.DataTransferError
    failed := true.B
  }
  when(answer && isBefore) {
    before.bits.unanswered := before.bits.unanswered - 1.U
    before.bits.none       := before.bits.unanswered === 1.U
    when(bad && !before.bits.failed) {
      before.bits.status := NvmeStatus.DataTransferError
      before.bits.failed := true.B
    }
  }
  when(settled)(before.valid := false.B)
  when(hand) {
    before.valid           := true.B
    before.bits.owner      := owner
    before.bits.status     := Mux(badNow, NvmeStatus.DataTransferError, status)
    before.bits.failed     := failed || bad
    before.bits.unanswered := unanswered - answer
    before.bits.none       := unanswered === 0.U || unanswered === 1.U && answer
    unanswered             := 0.U
  }
  assert(!hand || !isBefore && !beat, "what is handed over is complete")
  assert(!before.valid || before.bits.none === (before.bits.unanswered === 0.U), "answers are counted a cycle ahead")
  io.client.zip(before.bits.owner.asBools).foreach { case (c, mine) =>
    c.done.valid := settled && mine
    c.done.bits  := before.bits.status
  }

  // ------------------------------------------------------------------ one transfer
  walker.io.req.valid := asked.fire
  walker.io.req.bits  := asked.bits
  asked.ready         := open
  assert(open === (state === State.idle), "the state is known a cycle ahead")
  assert(state =/= State.idle || walker.io.req.ready, "a transfer that is over has been walked through")
  switch(state) {
    is(State.idle) {
      when(asked.fire) {
        state   := State.run
        open    := false.B
        owner   := asker.asUInt
        words   := (asked.bits.bytes +& (p.dataBytes - 1).U) >> 4
        status  := NvmeStatus.Success
        failed  := false.B
        carried := 0.U
      }
    }
    is(State.swallow) {
      when(!takes) {
        state    := State.settle
        dropping := false.B
      }
    }
    is(State.settle) {
      when(hand) {
        state := State.idle
        open  := true.B
      }
    }
  }

  // Only the client can move a transfer whose next word it does not give.
  private val waits = takes && !word.valid
  quiet := !before.valid && unanswered === 0.U && walker.quiet && !io.host.aw.valid && !io.host.w.valid &&
    fifo.quiet && address.quiet && room === roomNext && !load && !walkFails && !turnMoves &&
    Mux(state === State.idle, !asked.valid, waits)

  assert(!beat || begin === 0.U || carried === 0.U, "only the first piece of a transfer begins inside a beat")
  assert(!beat || end === 3.U || lastBeat && segLast, "only the last piece ends inside a beat")
  assert(!segValid || lastBeat === (more === 0.U) && secondEnd === (more === 1.U), "beats are counted a cycle ahead")
  assert(
    !segValid || burstEnd === (lastBeat || inBurst === (burstBeats - 1).U),
    "the end of a burst is known a cycle ahead"
  )
  assert(!segValid || finalBeat === (lastBeat && segLast), "the last beat is known a cycle ahead")
  assert(!pulls || !pushes && segValid && needs, "a beat that takes a word needs one")
  assert(!pushes || segValid && !needs, "a beat that takes no word has its dwords")
  assert(!segValid || state === State.run, "a piece of no transfer")
  assert(!takes || words =/= 0.U, "a word too many")
  assert(dropping === (state === State.swallow), "the state is known a cycle ahead")
  assert(!dropping || takes === (words =/= 0.U), "words are counted a cycle ahead")
  assert(state =/= State.settle || words === 0.U, "every word has been taken")
  assert(
    state =/= State.idle || !segValid && !nextGood && !nextBad && unanswered === 0.U,
    "a finished transfer leaves nothing behind"
  )
  cover(state === State.run && before.valid, "HostWriter: the next transfer begins before the last has settled")
  cover(state === State.settle && !hand, "HostWriter: two transfers wait for answers")
  cover(segValid && !pulls && !pushes && !room, "HostWriter: FIFO full")
  cover(pulls && !word.valid, "HostWriter: waits for its client")
  cover(pushes, "HostWriter: a beat of what is carried")
  cover(load && beat, "HostWriter: the next piece is there before this one ends")
  cover(state === State.swallow, "HostWriter: PRP error")
  cover(carried =/= 0.U, "HostWriter: unaligned data")
}
