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
  object Client extends Clients { val write, trim, ranges, firmware = Value }
}

/** Host memory to device: walks the PRPs, reads, and packs unaligned pages into whole words. Its clients share it;
  * transfers are served in the order in which they were accepted. It requests a burst only when the FIFO behind it has
  * room, so a slow consumer never blocks the host bus.
  *
  * The FIFO holds a page: at one word a cycle that hides 2.5 us of latency. Requests run ahead of the delivered words
  * by up to `transfersAhead` transfers, so that the latency of a command's first burst hides behind the words of the
  * previous command.
  *
  * Timing: both sides of each port start at registers. A beat passes the FIFO, then a register, then the rotation into
  * the client's register; one passes each cycle. What a beat holds is known before it comes (`Extent`).
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
    val owner = UInt(Client.size.W) // one-hot
    val words = UInt((p.transferBits - 4).W)
  }
  private val transfers = Module(new Queue(new Transfer, transfersAhead))
  private val owner     = Reg(UInt(Client.size.W))
  private val words     = Reg(UInt((p.transferBits - 4).W)) // not yet handed to the client
  private val status    = Reg(UInt(NvmeStatus.bits.W))
  private val walker    = Module(new PrpWalker(p))
  private val bus       = Module(new AxiReadArbiter(AxiParams(64), 2, outstanding = bursts))
  bus.io.stop := false.B // the bus behind it stops
  private val (asked, asker, turnMoves) = RoundRobin.joinAhead(io.client.map(_.req))

  bus.io.in(0) <> walker.io.host
  io.host <> bus.io.out

  // ------------------------------------------------------------------ asking: pieces to bursts
  private object Ask extends ChiselEnum {
    val idle  = Value // takes the next piece
    val count = Value // what the next burst holds
    val hold  = Value // for room
    val offer = Value // to the bus
    val end   = Value // the walk ended here
  }
  private val asking    = RegInit(Ask.idle)
  private val segAddr   = Reg(UInt(64.W))
  private val segDw     = Reg(UInt(11.W)) // dwords left in the piece
  private val segStatus = Reg(UInt(NvmeStatus.bits.W))

  /** The beats of a burst: data begins at dword `lead` of the first and ends with dword `tail` of the last. With a
    * `failed` there is no burst, nor will any follow of this transfer.
    */
  private class Extent extends Bundle {
    val lead   = UInt(2.W)
    val more   = UInt(log2Ceil(burstBeats).W) // beats behind the first
    val single = Bool()                       // there are none
    val tail   = UInt(2.W)
    val failed = Bool()
    val status = UInt(NvmeStatus.bits.W)
  }
  private val extents = Module(new Queue(new Extent, bursts))
  private val room    = RegInit(fifoBeats.U(log2Ceil(fifoBeats + 1).W)) // FIFO places that no burst has claimed
  private val ask     = bus.io.in(1).ar
  private val lead    = segAddr(3, 2)
  private val final0 = segDw +& lead - 1.U               // the piece's last dword, from the first beat on
  private val cut    = final0 >= (4 * burstBeats).U      // the piece goes on behind this burst
  private val more   = Reg(UInt(log2Ceil(burstBeats).W)) // of the burst to be asked for
  private val beats  = Reg(UInt(log2Ceil(burstBeats + 1).W))
  private val dwords = Reg(UInt(log2Ceil(burstBeats * 4 + 1).W))
  private val tail   = Reg(UInt(2.W))
  private val goesOn = Reg(Bool())

  ask.valid                  := asking === Ask.offer
  ask.bits.addr              := Cat(segAddr(63, 4), 0.U(4.W))
  ask.bits.len               := more
  extents.io.enq.valid       := ask.fire || asking === Ask.end
  extents.io.enq.bits.lead   := lead
  extents.io.enq.bits.more   := more
  extents.io.enq.bits.single := more === 0.U
  extents.io.enq.bits.tail   := tail
  extents.io.enq.bits.failed := asking === Ask.end
  extents.io.enq.bits.status := segStatus
  assert(!ask.valid || extents.io.enq.ready && room >= beats, "room was kept for what is asked for")

  walker.io.segment.ready := asking === Ask.idle
  switch(asking) {
    is(Ask.idle) {
      segAddr   := walker.io.segment.bits.addr
      segDw     := walker.io.segment.bits.bytes >> 2
      segStatus := walker.io.segment.bits.status
      when(walker.io.segment.valid) {
        asking := Mux(walker.io.segment.bits.status === NvmeStatus.Success, Ask.count, Ask.end)
      }
    }
    is(Ask.count) {
      more   := Mux(cut, (burstBeats - 1).U, final0 >> 2)
      beats  := Mux(cut, burstBeats.U, (final0 >> 2) +& 1.U)
      dwords := Mux(cut, (4 * burstBeats).U - lead, segDw)
      tail   := Mux(cut, 3.U, final0(1, 0))
      goesOn := cut
      asking := Mux(room >= burstBeats.U && extents.io.enq.ready, Ask.offer, Ask.hold)
    }
    is(Ask.hold)(when(room >= beats && extents.io.enq.ready)(asking := Ask.offer))
    is(Ask.offer) {
      when(ask.ready) {
        segAddr := Cat(segAddr(63, 12), (segAddr(11, 0) + (dwords << 2))(11, 0)) // a piece stays inside its page
        segDw   := segDw - dwords
        asking  := Mux(goesOn, Ask.count, Ask.idle)
      }
    }
    is(Ask.end)(when(extents.io.enq.ready)(asking := Ask.idle))
  }

  // ------------------------------------------------------------------ answers: beats to words
  private class Beat extends Bundle {
    val data = UInt(p.dataBits.W)
    val bad  = Bool()
  }
  private val fifo = Module(Fifo(p.k.lateQueues, new Beat, fifoBeats, blockRam = true))
  private val r    = bus.io.in(1).r
  fifo.io.enq.valid     := r.valid
  fifo.io.enq.bits.data := r.bits.data
  fifo.io.enq.bits.bad  := r.bits.resp =/= Axi4.OKAY.U
  r.ready               := true.B
  assert(!r.valid || fifo.io.enq.ready, "room was kept for every beat asked for")
  room := room + fifo.io.deq.fire - Mux(ask.fire, beats, 0.U)

  // The beat at hand: its data, and which dwords of it count.
  private val taken = Module(new Skid(new Beat))
  taken.io.in <> fifo.io.deq
  private val beat       = taken.io.out.bits
  private val have       = RegInit(false.B)                         // the burst of the next beat is known
  private val stop       = RegInit(false.B)                         // there is none: the walk ended
  private val stopStatus = Reg(UInt(NvmeStatus.bits.W))
  private val begin      = Reg(UInt(2.W))
  private val end        = Reg(UInt(2.W))
  private val lastBeat   = Reg(Bool())
  private val moreBeats  = Reg(UInt(log2Ceil(burstBeats).W))
  private val lastEnd    = Reg(UInt(2.W))
  private val carry      = Reg(Vec(3, UInt(32.W)))                  // dwords that wait for the rest of their word
  private val carried    = RegInit(0.U(2.W))
  private val bad        = Reg(Bool())
  private val sum        = carried +& end - begin                   // the dwords that are here, less one
  private val whole      = sum >= 3.U
  private val lanes      = RotateDwords(beat.data, carried - begin) // the first fresh one behind those that are carried
  private val isCarried  = VecInit.tabulate(3)(i => i.U < carried)
  private val out        = Module(new Skid(new HostWord(p)))

  private val toGive  = Reg(UInt((p.transferBits - 4).W)) // words not yet in `out`
  private val giving  = RegInit(false.B)                  // there are, and what comes next belongs to them
  private val filling = RegInit(false.B)                  // there are, and nothing more comes
  // A beat that makes no word waits for `out`, too: only the first and the last of a piece are such.
  private val step     = giving && have && taken.io.out.valid && out.io.in.ready
  private val walkEnds = giving && stop
  private val extent   = extents.io.deq.bits
  taken.io.out.ready   := giving && have && out.io.in.ready
  extents.io.deq.ready := Mux(have, step && lastBeat, !stop || giving)
  when(extents.io.deq.ready) {
    have       := extents.io.deq.valid && !extent.failed
    stop       := extents.io.deq.valid && extent.failed
    stopStatus := extent.status
    begin      := extent.lead
    end        := Mux(extent.single, extent.tail, 3.U)
    lastBeat   := extent.single
    moreBeats  := extent.more
    lastEnd    := extent.tail
  }.elsewhen(step) {
    begin     := 0.U
    end       := Mux(moreBeats === 1.U, lastEnd, 3.U)
    lastBeat  := moreBeats === 1.U
    moreBeats := moreBeats - 1.U
  }
  out.io.in.valid     := giving && have && taken.io.out.valid && whole || filling
  out.io.in.bits.bad  := bad || beat.bad || filling
  out.io.in.bits.word := Mux(
    out.io.in.bits.bad,
    0.U,
    Cat(lanes(3) +: (0 until 3).reverse.map(i => Mux(isCarried(i), carry(i), lanes(i))))
  )
  when(step) {
    carried := (sum + 1.U)(1, 0)
    (0 until 3).foreach(i => when(whole || !isCarried(i))(carry(i) := lanes(i)))
    when(beat.bad) {
      bad := true.B
      when(!bad)(status := NvmeStatus.DataTransferError)
    }
  }

  // ------------------------------------------------------------------ transfers
  // A walk begins when the one before it has given its last piece out; so pieces, extents and beats are in the order of
  // the transfers, and `words` tells where one ends.
  // `open` follows a cycle later what it stands for: only a transfer that is accepted can close it.
  private val open = RegInit(false.B)
  open := walker.io.req.ready && transfers.io.enq.ready && !asked.fire
  assert(!open || walker.io.req.ready && transfers.io.enq.ready, "a transfer is accepted that has no place")
  walker.io.req.valid         := asked.fire
  walker.io.req.bits          := asked.bits
  asked.ready                 := open
  transfers.io.enq.valid      := asked.fire
  transfers.io.enq.bits.owner := asker.asUInt
  transfers.io.enq.bits.words := asked.bits.bytes >> 4
  transfers.io.deq.ready      := state === State.idle
  out.io.out.ready            := Mux1H(owner, io.client.map(_.data.ready)) && state =/= State.idle
  io.client.zip(owner.asBools).foreach { case (c, mine) =>
    c.data.valid := out.io.out.valid && mine
    c.data.bits  := out.io.out.bits
    c.done.valid := state === State.done && mine
    c.done.bits  := status
  }

  when(out.io.in.fire) {
    toGive := toGive - 1.U
    when(toGive === 1.U) {
      giving  := false.B
      filling := false.B
    }
  }
  when(out.io.out.fire)(words := words - 1.U)
  switch(state) {
    is(State.idle) {
      when(transfers.io.deq.valid) {
        state   := State.run
        owner   := transfers.io.deq.bits.owner
        words   := transfers.io.deq.bits.words
        toGive  := transfers.io.deq.bits.words
        status  := NvmeStatus.Success
        giving  := true.B
        bad     := false.B
        carried := 0.U
      }
    }
    is(State.run) {
      when(walkEnds) {
        state   := State.fill
        giving  := false.B
        filling := true.B
        when(!bad)(status := stopStatus)
      }.elsewhen(words === 0.U)(state := State.done)
    }
    is(State.fill)(when(words === 0.U)(state := State.done))
    is(State.done)(state := State.idle)
  }

  // Quiet: nothing is on the bus, and the reader has no transfer or offers a word. Only a client can move it then.
  private val onBus = RegInit(0.U(log2Ceil(fifoBeats + 1).W))
  onBus := onBus + Mux(ask.fire, beats, 0.U) - r.fire
  private val asks = asking === Ask.count || ask.valid || asking === Ask.end && extents.io.enq.ready ||
    asking === Ask.hold && room >= beats && extents.io.enq.ready || !walker.quiet || walker.io.segment.fire
  private val gives =
    out.io.in.fire || taken.io.in.fire || step || walkEnds || extents.io.deq.fire || !taken.quiet || !out.quiet
  private val waits = Mux(state === State.idle, !transfers.io.deq.valid, out.io.out.valid && !out.io.out.ready)
  private val opens = open =/= (walker.io.req.ready && transfers.io.enq.ready)
  quiet := onBus === 0.U && bus.quiet && !asks && !gives && waits && !asked.fire && !opens && !turnMoves

  private val none = state === State.idle && !transfers.io.deq.valid
  assert(
    !none || room === fifoBeats.U && !out.io.out.valid && !taken.io.out.valid,
    "finished transfers leave nothing behind"
  )
  assert(!asked.fire || asked.bits.bytes(3, 0) === 0.U, "transfers from the host are whole words")
  assert(state =/= State.done || carried === 0.U || status =/= NvmeStatus.Success, "whole words come out even")
  cover(asked.fire && state === State.run, "HostReader: asks ahead")
  assert(giving === (state === State.run && toGive =/= 0.U), "what is to give is counted a cycle ahead")
  assert(filling === (state === State.fill && toGive =/= 0.U), "what is to fill is counted a cycle ahead")
  assert(!have || lastBeat === (moreBeats === 0.U), "the last beat of a burst is known a cycle ahead")
  assert(!stop || !have, "a burst where the walk ended")
  cover(asking === Ask.hold && room < beats, "HostReader: no room for the next burst")
  cover(out.io.out.valid && !out.io.out.ready, "HostReader: client not ready")
  cover(state === State.fill, "HostReader: PRP error")
  cover(carried =/= 0.U, "HostReader: unaligned data")
}
