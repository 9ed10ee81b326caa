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
  private val a          = AxiParams(64)

  private object State extends ChiselEnum {
    val idle    = Value
    val run     = Value
    val swallow = Value // the PRPs went wrong: takes the words that are left
    val settle  = Value // all words are taken; waits until the transfer before this one has settled
  }
  private val state          = RegInit(State.idle)
  private val owner          = Reg(UInt(log2Ceil(Client.size).W))
  private val words          = Reg(UInt((p.transferBits - 4).W)) // not yet taken from the client
  private val status         = Reg(UInt(NvmeStatus.bits.W))
  private val walker         = Module(new PrpWalker(p))
  private val (asked, asker) = RoundRobin.join(io.client.map(_.req))

  io.list <> walker.io.host

  // ------------------------------------------------------------------ the piece of host memory being filled
  private val segValid = RegInit(false.B)
  private val segAddr  = Reg(UInt(64.W))                          // next dword
  private val segDw    = Reg(UInt(11.W))
  private val segLast  = Reg(Bool())
  private val inBurst  = RegInit(0.U(log2Ceil(burstBeats + 1).W)) // beats of the burst made so far
  private val burstAt  = Reg(UInt(12.W))                          // where it began, in the page of the piece

  walker.io.segment.ready := state === State.run && !segValid
  when(walker.io.segment.fire) {
    val s = walker.io.segment.bits
    segValid := s.status === NvmeStatus.Success
    segAddr  := s.addr
    segDw    := s.bytes >> 2
    segLast  := s.last
    when(s.status =/= NvmeStatus.Success) {
      state  := State.swallow
      status := s.status
    }
  }

  // ------------------------------------------------------------------ words to beats
  private val isOwner = VecInit.tabulate(Client.size)(i => owner === i.U)
  private val word    = Wire(Decoupled(UInt(p.dataBits.W)))
  word.valid := Mux1H(
    isOwner,
    io.client.map(_.data.valid)
  ) && (state === State.run || state === State.swallow) && words =/= 0.U
  word.bits := Mux1H(isOwner, io.client.map(_.data.bits))
  io.client.zip(isOwner).foreach { case (c, mine) =>
    c.data.ready := word.ready && mine && (state === State.run || state === State.swallow) && words =/= 0.U
  }
  when(word.fire)(words := words - 1.U)

  private val carry   = Reg(Vec(3, UInt(32.W)))     // dwords of the last word that did not fit into its beat
  private val carried = RegInit(0.U(2.W))
  private val lead    = segAddr(3, 2)
  private val want    = segDw.min(4.U - lead)(2, 0) // dwords of this beat
  private val pull    = want > carried              // they need another word
  // The word's dwords, moved to their places in this beat, or in the next one for those that are carried. All pieces
  // but the first and the last begin and end with a beat.
  private val lanes = RotateDwords(word.bits, lead + carried)

  private val fifo       = Module(new Queue(new AxiWriteData(a), fifoBeats))
  private val address    = Module(new Queue(new AxiAddr(a), 8))
  private val unanswered = RegInit(0.U(log2Ceil(maxBursts + 1).W)) // bursts of this transfer
  private val room       = fifo.io.enq.ready && address.io.enq.ready && unanswered < maxBursts.U
  private val beat       = state === State.run && segValid && (!pull || word.valid) && room
  word.ready := state === State.swallow || (state === State.run && segValid && pull && room)

  private val ends = segDw === want || inBurst === (burstBeats - 1).U // of the burst
  fifo.io.enq.valid        := beat
  fifo.io.enq.bits.data    := Cat(lanes(3) +: (0 until 3).reverse.map(i => Mux(i.U < carried, carry(i), lanes(i))))
  fifo.io.enq.bits.strb    := (Fill(16, 1.U(1.W)) >> (16.U - (want << 2)) << (lead << 2))(15, 0)
  fifo.io.enq.bits.last    := ends
  address.io.enq.valid     := beat && ends
  address.io.enq.bits.addr := Cat(
    segAddr(63, 12),
    Mux(inBurst === 0.U, Cat(segAddr(11, 4), 0.U(4.W)), burstAt)
  )
  address.io.enq.bits.len := inBurst
  when(beat) {
    when(inBurst === 0.U)(burstAt := Cat(segAddr(11, 4), 0.U(4.W)))
    inBurst  := Mux(ends, 0.U, inBurst + 1.U)
    segAddr  := Cat(segAddr(63, 12), segAddr(11, 0) + (want << 2)) // a piece stays inside its page
    segDw    := segDw - want
    segValid := segDw =/= want
    carried  := Mux(pull, carried +& 4.U, carried) - want
    when(pull)((0 until 3).foreach(i => carry(i) := lanes(i)))
    when(segDw === want && segLast)(state := State.settle)
  }

  io.host.aw <> address.io.deq
  io.host.w <> fifo.io.deq

  // ------------------------------------------------------------------ answers: those of the transfer before come first
  private class Settling extends Bundle {
    val owner      = UInt(log2Ceil(Client.size).W)
    val status     = UInt(NvmeStatus.bits.W)
    val unanswered = UInt(log2Ceil(maxBursts + 1).W)
  }
  private val before   = RegInit(0.U.asTypeOf(Valid(new Settling)))
  private val settled  = before.valid && before.bits.unanswered === 0.U
  private val isBefore = before.valid && !settled
  private val hand     = state === State.settle && (!before.valid || settled)
  private val answer   = io.host.b.fire
  private val bad      = answer && io.host.b.bits.resp =/= Axi4.OKAY.U
  io.host.b.ready := true.B
  assert(!answer || isBefore || unanswered =/= 0.U, "a write response that nobody waits for")

  private val badNow      = bad && !isBefore && status === NvmeStatus.Success
  private val unanswered1 = unanswered + address.io.enq.fire - (answer && !isBefore)
  unanswered := unanswered1
  when(badNow)(status := NvmeStatus.DataTransferError)
  when(answer && isBefore) {
    before.bits.unanswered := before.bits.unanswered - 1.U
    when(bad && before.bits.status === NvmeStatus.Success)(before.bits.status := NvmeStatus.DataTransferError)
  }
  when(settled)(before.valid := false.B)
  when(hand) {
    before.valid           := true.B
    before.bits.owner      := owner
    before.bits.status     := Mux(badNow, NvmeStatus.DataTransferError, status)
    before.bits.unanswered := unanswered1
    unanswered             := 0.U
  }
  io.client.zipWithIndex.foreach { case (c, i) =>
    c.done.valid := settled && before.bits.owner === i.U
    c.done.bits  := before.bits.status
  }

  // ------------------------------------------------------------------ one transfer
  walker.io.req.valid := state === State.idle && asked.valid
  walker.io.req.bits  := asked.bits
  asked.ready         := state === State.idle && walker.io.req.ready
  switch(state) {
    is(State.idle) {
      when(asked.fire) {
        state   := State.run
        owner   := OHToUInt(asker)
        words   := (asked.bits.bytes +& (p.dataBytes - 1).U) >> 4
        status  := NvmeStatus.Success
        carried := 0.U
      }
    }
    is(State.swallow)(when(words === 0.U)(state := State.settle))
    is(State.settle)(when(hand)(state := State.idle))
  }

  // Only the client can move a transfer whose next word it does not give.
  private val waits =
    (state === State.run && segValid && pull || state === State.swallow && words =/= 0.U) && !word.valid
  quiet := !before.valid && unanswered === 0.U && walker.quiet && !io.host.aw.valid && !io.host.w.valid &&
    Mux(state === State.idle, !asked.valid, waits)

  assert(!beat || lead === 0.U || carried === 0.U, "only the first piece of a transfer begins inside a beat")
  assert(!beat || lead +& want === 4.U || segDw === want && segLast, "only the last piece ends inside a beat")
  assert(state =/= State.settle || words === 0.U, "every word has been taken")
  assert(state =/= State.idle || !segValid && unanswered === 0.U, "a finished transfer leaves nothing behind")
  cover(state === State.run && before.valid, "HostWriter: the next transfer begins before the last has settled")
  cover(state === State.settle && !hand, "HostWriter: two transfers wait for answers")
  cover(state === State.run && segValid && (!pull || word.valid) && !room, "HostWriter: FIFO full")
  cover(state === State.run && segValid && pull && !word.valid, "HostWriter: waits for its client")
  cover(state === State.swallow, "HostWriter: PRP error")
  cover(carried =/= 0.U, "HostWriter: unaligned data")
}
