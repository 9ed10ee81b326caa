// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The result of one operation. */
class FwNandOutcome(val p: Params) extends Bundle {
  val slot   = UInt(p.slotBits.W)
  val status = NandStatus()
  val oob    = UInt(p.oobBits.W)
}

/** One operation to start. */
class FwNandStart(val p: Params) extends Bundle {
  val slot = UInt(p.slotBits.W)        // program: the first one of its page
  val op   = NandRequestOp()
  val buf  = UInt(FwNand.bufBits(p).W) // of firmware's
}

object FwNand {
  def bufBits(p: Params): Int = log2Ceil(p.k.fwBuffers).max(1)

  /** Number of one of firmware's buffers. */
  def buf(p: Params, of: UInt): UInt = p.fwBuf.U(p.bufBits.W) + of

  /** Between FwNand and the scheduler: a program takes the page's other slots from the buffers behind the first. The
    * spares are zeroes, which no start takes for data.
    */
  def page(p: Params, request: DecoupledIO[NandRequest]): DecoupledIO[NandPageRequest] = {
    val page = NandPage.ofSlot(p, request)
    for ((slot, i) <- page.bits.rest.zipWithIndex) {
      slot.buf := request.bits.buf + (i + 1).U
      slot.oob := 0.U
    }
    page.bits.last := (p.g.slotsPerPage - 1).U
    page
  }
}

/** Executes firmware's single NAND operations (start-up, format, shutdown). There is a place per die for an operation
  * that is under way or waits with its result. So each result finds a place, and the NAND's answers never wait for
  * firmware.
  *
  * A read fills one of firmware's buffers (`fwBuf` and those behind it). A program takes a flash page from as many
  * buffers as the page has slots. FwDma moves data between a buffer and DRAM. Firmware may also read the first buffer
  * word by word.
  */
class FwNand(p: Params) extends Module with Quiesces {
  val io = IO(new Bundle {
    val start    = Flipped(Decoupled(new FwNandStart(p)))
    val outcome  = Decoupled(new FwNandOutcome(p))
    val nand     = Decoupled(new NandRequest(p))
    val nandDone = Flipped(Decoupled(new NandDone(p)))
    val at       = Flipped(Valid(UInt(p.wordBits.W))) // fetches this word of the first buffer
    val word     = Valid(UInt(p.dataBits.W))          // the one fetched last, valid once it is here
    val bufRead  = new BufferReadPort(p)
    val used     = Output(Vec(p.k.fwBuffers, Bool())) // a read or program has the buffer
  })
  private val results = Module(new Queue(new FwNandOutcome(p), p.dies))
  private val open    = RegInit(0.U(log2Ceil(p.dies + 1).W)) // started and not taken by firmware
  // Firmware looks for room right after a start, when the scheduler may not have taken it yet: with one place it would
  // find none, and come back when the operation that it has just started ends.
  private val starts = Module(new Queue(new FwNandStart(p), 2))
  private val free   = open =/= p.dies.U

  io.start.ready             := free && starts.io.enq.ready
  starts.io.enq.valid        := io.start.valid && free
  starts.io.enq.bits         := io.start.bits
  starts.io.deq.ready        := io.nand.ready
  io.nand.valid              := starts.io.deq.valid
  io.nand.bits.op            := starts.io.deq.bits.op
  io.nand.bits.client        := NandClient.firmware
  io.nand.bits.slot          := starts.io.deq.bits.slot
  io.nand.bits.buf           := FwNand.buf(p, starts.io.deq.bits.buf)
  io.nand.bits.oob           := 0.U
  results.io.enq.valid       := io.nandDone.valid
  results.io.enq.bits.slot   := io.nandDone.bits.slot
  results.io.enq.bits.status := io.nandDone.bits.status
  results.io.enq.bits.oob    := io.nandDone.bits.oob
  io.nandDone.ready          := true.B
  io.outcome <> results.io.deq

  open := open + io.start.fire - io.outcome.fire
  assert(!io.nandDone.valid || results.io.enq.ready, "a place was kept for every result")
  cover(open === p.dies.U, "FwNand: an operation for every die")
  cover(starts.io.count === 2.U, "FwNand: two operations wait for the scheduler")

  // --- what was read
  private val wanted   = RegInit(false.B) // the word is to be asked for
  private val fetching = RegInit(false.B) // it is not here yet
  private val fetched  = RegInit(false.B)
  private val at       = RegEnable(io.at.bits, io.at.valid)
  io.bufRead.addr.valid     := wanted
  io.bufRead.addr.bits.buf  := p.fwBuf.U
  io.bufRead.addr.bits.word := at
  io.bufRead.data.ready     := true.B
  io.word.valid             := fetched
  io.word.bits              := RegEnable(io.bufRead.data.bits, io.bufRead.data.valid)
  quiet                     := !fetching && !io.at.valid
  when(io.bufRead.addr.fire)(wanted := false.B)
  when(io.bufRead.data.valid) {
    fetching := false.B
    fetched  := true.B
  }
  when(io.at.valid) {
    wanted   := true.B
    fetching := true.B
    fetched  := false.B
  }
  assert(!io.at.valid || !fetching, "firmware bug: it asks for a word before the last one is here")

  // --- which buffers are in use; only looked at
  private val isRead   = io.start.bits.op === NandRequestOp.read
  private val isWrite  = io.start.bits.op === NandRequestOp.program
  private val buffers  = VecInit.tabulate(p.k.fwBuffers)(_.U(p.bufBits.W))
  private val used     = RegInit(VecInit.fill(p.k.fwBuffers)(false.B))
  private val pageSize = p.g.slotsPerPage.U
  private def has(i: UInt, first: UInt, op: NandRequestOp.Type): Bool =
    op === NandRequestOp.read && i === first ||
      op === NandRequestOp.program && i >= first && i - first < pageSize
  private val doneBuf = io.nandDone.bits.buf - p.fwBuf.U
  for ((use, i) <- used.zip(buffers)) {
    val starts = io.start.fire && has(i, io.start.bits.buf, io.start.bits.op)
    when(starts)(use := true.B)
    when(results.io.enq.fire && has(i, doneBuf, io.nandDone.bits.op))(use := false.B)
    assert(!starts || !use, "firmware bug: a buffer with two uses")
  }
  io.used := used
  assert(
    !io.start.fire || !(isRead || isWrite) ||
      io.start.bits.buf +& Mux(isWrite, (p.g.slotsPerPage - 1).U, 0.U) < p.k.fwBuffers.U,
    "firmware bug: a buffer that there is not"
  )
  assert(
    !io.start.fire || !isWrite || SlotAddress.sub(p, io.start.bits.slot) === 0.U,
    "firmware bug: a page begins inside"
  )
  assert(!io.at.valid || !used.head, "firmware bug: it looks into a buffer that is being filled")
  cover(used.asUInt.andR, "FwNand: a use for every buffer")
}
