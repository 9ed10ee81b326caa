// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** A request for `bytes` of host memory described by PRPs (prp1 with any dword alignment; a list for more than two
  * pages).
  */
class PrpTransfer(val p: Params) extends Bundle {
  val prp1  = UInt(64.W)
  val prp2  = UInt(64.W)
  val bytes = UInt(p.transferBits.W) // multiple of 16; towards the host of 4
}

/** A word of host memory. `bad`: this word or an earlier one of its transfer could not be read. */
class HostWord(val p: Params) extends Bundle {
  val word = UInt(p.dataBits.W)
  val bad  = Bool()
}

/** Client's view of HostReader: the words of a transfer in order, then `done` with the NVMe status (0: good). `done`
  * does not come before the last word has been taken. After an error the remaining words come too, zero and marked
  * `bad`, so that the consumer's count is always right. A client may request a transfer while the previous one is still
  * coming; transfers come one after the other.
  */
class HostReadPort(val p: Params) extends Bundle {
  val req  = Decoupled(new PrpTransfer(p))
  val data = Flipped(Decoupled(new HostWord(p)))
  val done = Flipped(Valid(UInt(NvmeStatus.bits.W)))
}

object HostReader {
  object Client extends Clients { val write, trim, copy, firmware = Value }
}

/** Host memory to device: walks the PRPs, reads, and packs unaligned pages into whole words. Its clients share it;
  * transfers are served in the order in which they were accepted. It requests a burst only when the FIFO behind it has
  * room, so a slow consumer never blocks the host bus.
  *
  * The FIFO holds a page: at one word a cycle that hides 2.5 us of latency. Requests run ahead of the delivered words
  * by up to `transfersAhead` transfers, so that the latency of a command's first burst hides behind the words of the
  * previous command.
  */
class HostReader(p: Params) extends Module with Quiesces {
  import HostReader.Client
  val io = IO(new Bundle {
    val client = Client.ports(Flipped(new HostReadPort(p)))
    val host   = new AxiRead(AxiParams(64))
  })

  private val burstBeats     = 32                         // 512 bytes, what PCIe roots commonly grant as read request
  private val fifoBeats      = p.wordsPerSlot
  private val bursts         = 2 * fifoBeats / burstBeats // unaligned pages start with a short burst
  private val transfersAhead = 2

  private object State extends ChiselEnum {
    val idle = Value
    val run  = Value
    val fill = Value // the PRPs went wrong: zeroes for what is left
    val done = Value
  }
  private val state = RegInit(State.idle)
  private class Transfer extends Bundle {
    val owner = UInt(log2Ceil(Client.size).W)
    val words = UInt((p.transferBits - 4).W)
  }
  private val transfers      = Module(new Queue(new Transfer, transfersAhead))
  private val owner          = Reg(UInt(log2Ceil(Client.size).W))
  private val words          = Reg(UInt((p.transferBits - 4).W)) // not yet handed to the client
  private val status         = Reg(UInt(NvmeStatus.bits.W))
  private val walker         = Module(new PrpWalker(p))
  private val bus            = Module(new AxiReadArbiter(AxiParams(64), 2, outstanding = bursts))
  private val (asked, asker) = RoundRobin.join(io.client.map(_.req))

  bus.io.in(0) <> walker.io.host
  io.host <> bus.io.out

  // ------------------------------------------------------------------ asking: pieces to bursts
  private val segValid  = RegInit(false.B)
  private val segAddr   = Reg(UInt(64.W))
  private val segDw     = Reg(UInt(11.W))                  // dwords left in the piece
  private val segStatus = Reg(UInt(NvmeStatus.bits.W))
  private val segBad    = segStatus =/= NvmeStatus.Success // the walk ended here

  /** Which dwords of a burst are data: `count` from dword `lead` of its first beat on. With a `status` there is no
    * burst, nor will any follow of this transfer.
    */
  private class Extent extends Bundle {
    val lead   = UInt(2.W)
    val count  = UInt(log2Ceil(burstBeats * 4 + 1).W)
    val status = UInt(NvmeStatus.bits.W)
  }
  private val extents = Module(new Queue(new Extent, bursts))
  private val lead    = segAddr(3, 2)
  private val beats   = ((segDw +& lead +& 3.U) >> 2).min(burstBeats.U)
  private val dwords  = segDw.min((beats << 2) - lead)
  private val room    = RegInit(fifoBeats.U(log2Ceil(fifoBeats + 1).W)) // FIFO places that no burst has claimed
  private val ask     = bus.io.in(1).ar

  ask.valid                  := segValid && !segBad && room >= beats && extents.io.enq.ready
  ask.bits.addr              := Cat(segAddr(63, 4), 0.U(4.W))
  ask.bits.len               := beats - 1.U
  extents.io.enq.valid       := ask.fire || segValid && segBad
  extents.io.enq.bits.lead   := lead
  extents.io.enq.bits.count  := dwords
  extents.io.enq.bits.status := segStatus
  when(ask.fire) {
    segAddr  := Cat(segAddr(63, 12), (segAddr(11, 0) + (dwords << 2))(11, 0)) // a piece stays inside its page
    segDw    := segDw - dwords
    segValid := segDw =/= dwords
  }

  when(segValid && segBad && extents.io.enq.ready)(segValid := false.B)
  walker.io.segment.ready := !segValid
  when(walker.io.segment.fire) {
    segValid  := true.B
    segAddr   := walker.io.segment.bits.addr
    segDw     := walker.io.segment.bits.bytes >> 2
    segStatus := walker.io.segment.bits.status
  }

  // ------------------------------------------------------------------ answers: beats to words
  private class Beat extends Bundle {
    val data = UInt(p.dataBits.W)
    val bad  = Bool()
  }
  private val fifo = Module(new Queue(new Beat, fifoBeats, useSyncReadMem = true))
  private val r    = bus.io.in(1).r
  fifo.io.enq.valid     := r.valid
  fifo.io.enq.bits.data := r.bits.data
  fifo.io.enq.bits.bad  := r.bits.resp =/= Axi4.OKAY.U
  r.ready               := true.B
  assert(!r.valid || fifo.io.enq.ready, "room was kept for every beat asked for")
  room := room + fifo.io.deq.fire - Mux(ask.fire, beats, 0.U)

  private val inBurst   = RegInit(false.B)                        // past the first beat of the burst
  private val taken     = Reg(UInt(log2Ceil(burstBeats * 4 + 1).W))
  private val carry     = Reg(Vec(3, UInt(32.W)))                 // dwords that wait for the rest of their word
  private val carried   = RegInit(0.U(2.W))
  private val bad       = Reg(Bool())
  private val extent    = extents.io.deq.bits
  private val skip      = Mux(inBurst, 0.U, extent.lead)
  private val owed      = extent.count - Mux(inBurst, taken, 0.U)
  private val got       = owed.min(4.U - skip)(2, 0)
  private val sum       = carried +& got
  private val whole     = sum >= 4.U
  private val beat      = fifo.io.deq.bits
  private val lanes     = RotateDwords(beat.data, carried - skip) // the first fresh one behind those that are carried
  private val isCarried = VecInit.tabulate(3)(i => i.U < carried)
  private val badNow    = bad || beat.bad
  private val out       = Module(new Queue(new HostWord(p), 2))

  private val toGive   = Reg(UInt((p.transferBits - 4).W))     // words not yet in `out`
  private val current  = state === State.run && toGive =/= 0.U // what comes next belongs to the transfer being given
  private val walkEnds = current && extents.io.deq.valid && extent.status =/= NvmeStatus.Success
  private val useBeat  = current && extents.io.deq.valid && !walkEnds
  out.io.enq.valid     := useBeat && fifo.io.deq.valid && whole || state === State.fill && toGive =/= 0.U
  out.io.enq.bits.bad  := badNow || state === State.fill
  out.io.enq.bits.word := Mux(
    out.io.enq.bits.bad,
    0.U,
    Cat(lanes(3) +: (0 until 3).reverse.map(i => Mux(isCarried(i), carry(i), lanes(i))))
  )
  fifo.io.deq.ready    := useBeat && (!whole || out.io.enq.ready)
  extents.io.deq.ready := fifo.io.deq.fire && owed === got || walkEnds
  when(fifo.io.deq.fire) {
    inBurst := owed =/= got
    taken   := Mux(inBurst, taken, 0.U) + got
    carried := sum(1, 0)
    (0 until 3).foreach(i => when(whole || !isCarried(i))(carry(i) := lanes(i)))
    when(beat.bad) {
      bad := true.B
      when(status === NvmeStatus.Success)(status := NvmeStatus.DataTransferError)
    }
  }

  // ------------------------------------------------------------------ transfers
  // A walk begins when the one before it has given its last piece out; so pieces, extents and beats are in the order of
  // the transfers, and `words` tells where one ends.
  walker.io.req.valid         := asked.valid && transfers.io.enq.ready
  walker.io.req.bits          := asked.bits
  asked.ready                 := walker.io.req.ready && transfers.io.enq.ready
  transfers.io.enq.valid      := asked.fire
  transfers.io.enq.bits.owner := OHToUInt(asker)
  transfers.io.enq.bits.words := asked.bits.bytes >> 4
  transfers.io.deq.ready      := state === State.idle
  private val isOwner = VecInit.tabulate(Client.size)(i => owner === i.U)
  out.io.deq.ready := Mux1H(isOwner, io.client.map(_.data.ready)) && state =/= State.idle
  io.client.zip(isOwner).foreach { case (c, mine) =>
    c.data.valid := out.io.deq.valid && mine
    c.data.bits  := out.io.deq.bits
    c.done.valid := state === State.done && mine
    c.done.bits  := status
  }

  when(out.io.enq.fire)(toGive := toGive - 1.U)
  when(out.io.deq.fire)(words  := words - 1.U)
  switch(state) {
    is(State.idle) {
      when(transfers.io.deq.valid) {
        state   := State.run
        owner   := transfers.io.deq.bits.owner
        words   := transfers.io.deq.bits.words
        toGive  := transfers.io.deq.bits.words
        status  := NvmeStatus.Success
        bad     := false.B
        carried := 0.U
      }
    }
    is(State.run) {
      when(walkEnds) {
        state := State.fill
        when(status === NvmeStatus.Success)(status := extent.status)
      }.elsewhen(words === 0.U)(state := State.done)
    }
    is(State.fill)(when(words === 0.U)(state := State.done))
    is(State.done)(state := State.idle)
  }

  // Quiet: nothing is on the bus, and the reader has no transfer or offers a word. Only a client can move it then.
  private val onBus = RegInit(0.U(log2Ceil(fifoBeats + 1).W))
  onBus := onBus + Mux(ask.fire, beats, 0.U) - r.fire
  private val asks  = ask.valid || extents.io.enq.fire || !walker.quiet || walker.io.segment.fire
  private val gives = out.io.enq.fire || fifo.io.deq.fire || extents.io.deq.fire
  private val waits = Mux(state === State.idle, !transfers.io.deq.valid, out.io.deq.valid && !out.io.deq.ready)
  quiet := onBus === 0.U && bus.quiet && !asks && !gives && waits && !asked.fire

  private val none = state === State.idle && !transfers.io.deq.valid
  assert(!none || room === fifoBeats.U && !segValid && !out.io.deq.valid, "finished transfers leave nothing behind")
  assert(!asked.fire || asked.bits.bytes(3, 0) === 0.U, "transfers from the host are whole words")
  assert(state =/= State.done || carried === 0.U || status =/= NvmeStatus.Success, "whole words come out even")
  cover(asked.fire && state === State.run, "HostReader: asks ahead")
  cover(segValid && room < beats, "HostReader: no room for the next burst")
  cover(out.io.deq.valid && !out.io.deq.ready, "HostReader: client not ready")
  cover(state === State.fill, "HostReader: PRP error")
  cover(carried =/= 0.U, "HostReader: unaligned data")
}
