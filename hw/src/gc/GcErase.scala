// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The end of a collection: destroys an emptied superblock and gives it back.
  *
  * The order of the steps makes it crash-safe:
  *   1. a fence: copies in the victim may be stale because of a host write that is still in the volatile buffer. The
  *      write is durable before the copies go (I7);
  *   2. the read window is seen low: a read that looked its slot up before GC re-pointed it has its place in the die
  *      queue, ahead of the erase;
  *   3. the erase, on all dies at once;
  *   4. the new generation in NVRAM. It comes before the chain is freed, so that no segment on the free list has a
  *      header that recovery would take for a current one;
  *   5. the chain's segments go to the free list, the superblock to the allocator.
  *
  * A superblock that fails to erase keeps its generation and its chain. Its pages may have any content, and until
  * firmware has recorded that it is bad, recovery must find that its erase began and did not end. A superblock that
  * firmware retires because programs in it have failed is erased like any other, so that none of its data stays; the
  * allocator does not get it. A superblock that is `bad` already is not erased: it gets its new generation, which
  * invalidates everything in it, and its chain is freed.
  */
class GcErase(p: Params) extends Module {
  val io = IO(new Bundle {
    val start      = Flipped(Decoupled(UInt(p.sbBits.W)))
    val done       = Valid(Bool())     // 0: it still holds valid slots, or the erase failed
    val table      = new SbReadPort(p) // SuperblockTable's, for the superblock
    val retire     = Input(Bool())     // it does not come back
    val freeChain  = Decoupled(UInt(p.sbBits.W))
    val erased     = Valid(new SbErased(p))
    val freed      = Decoupled(UInt(p.sbBits.W))
    val nand       = Decoupled(new NandRequest(p))
    val nandDone   = Flipped(Valid(new NandDone(p)))
    val journal    = new JournalPort(p)
    val fence      = new FencePort
    val readWindow = Input(Bool())
    val waiting    = Output(Bool())    // for NAND, host programs or a read
  })
  private object State extends ChiselEnum {
    val idle, fence, window, ask, check, erase, erasing, generation, recorded, chain, table, free, report = Value
  }
  private val state = RegInit(State.idle)
  private val step  = WireDefault(state) // the next one
  state := step

  /** It is in one of these steps, as a register. */
  private def now(which: State.Type*): Bool = {
    val inStep = RegNext(which.map(step === _).reduce(_ || _), which.contains(State.idle).B)
    assert(inStep === which.map(state === _).reduce(_ || _), "GcErase: which step it is in")
    inStep
  }
  private val sb      = Reg(UInt(p.sbBits.W))
  private val ok      = Reg(Bool())
  private val bad     = Reg(Bool())                          // does not come back
  private val gen     = Reg(UInt(p.genBits.W))               // the next one
  private val die     = Reg(UInt(log2Ceil(p.dies + 1).W))    // next to be asked
  private val pending = RegInit(0.U(log2Ceil(p.dies + 1).W)) // erases under way

  io.start.ready := now(State.idle)
  io.done.valid  := now(State.report)
  io.done.bits   := ok

  private val found  = RegNext(io.table.answer.bits)
  private val checks = state === State.check && RegNext(io.table.answer.valid, false.B)
  private val nand   = io.nand.bits
  private val erased = io.nandDone.valid && io.nandDone.bits.op === NandRequestOp.erase
  io.nand.valid := now(State.erase)
  nand.op       := NandRequestOp.erase
  nand.client   := NandClient.gc
  nand.slot     := SlotAddress(p, sb, die << p.subBits) // page 0 of each die
  nand.buf      := DontCare
  nand.oob      := DontCare
  pending       := pending + io.nand.fire - erased

  io.journal.req.valid      := now(State.generation)
  io.journal.req.bits.op    := JournalOp.block
  io.journal.req.bits.lpn   := sb
  io.journal.req.bits.gen   := gen
  io.journal.req.bits.epoch := 0.U
  io.journal.req.bits.set   := 0.U
  io.journal.req.bits.pages := DontCare
  io.journal.req.bits.seq   := DontCare
  io.fence.req              := now(State.fence)
  io.freeChain.valid        := now(State.chain)
  io.freeChain.bits         := sb
  io.erased.valid           := now(State.table)
  io.erased.bits.sb         := sb
  io.erased.bits.gen        := gen
  io.erased.bits.retires    := bad
  io.table.ask.valid        := now(State.ask)
  io.table.ask.bits         := sb
  io.freed.valid            := now(State.free)
  io.freed.bits             := sb

  switch(state) {
    is(State.idle) {
      when(io.start.fire) {
        sb   := io.start.bits
        ok   := true.B
        die  := 0.U
        step := State.fence
      }
    }
    is(State.fence)(when(io.fence.done)(step := State.window))
    is(State.window)(when(!io.readWindow)(step := State.ask))
    is(State.ask)(when(io.table.ask.ready)(step := State.check))
    is(State.check) {
      when(checks) {
        gen  := found.gen + 1.U
        bad  := found.state === SbState.bad || io.retire
        step := Mux(found.state === SbState.bad, State.generation, State.erase)
        when(found.valid =/= 0.U) { // nothing more is done to a superblock that holds data
          ok   := false.B
          step := State.report
        }
      }
    }
    is(State.erase) {
      when(io.nand.ready) {
        die := die + 1.U
        when(die === (p.dies - 1).U)(step := State.erasing)
      }
    }
    is(State.erasing)(when(pending === 0.U)(step := Mux(ok, State.generation, State.report)))
    is(State.generation)(when(io.journal.req.ready)(step := State.recorded))
    is(State.recorded)(when(io.journal.done)(step := State.chain))
    is(State.chain)(when(io.freeChain.ready)(step := State.table))
    is(State.table)(step := Mux(bad, State.report, State.free))
    is(State.free)(when(io.freed.ready)(step := State.report))
    is(State.report)(step := State.idle)
  }
  when(erased && io.nandDone.bits.status =/= NandStatus.ok)(ok := false.B)
  io.waiting := (state === State.fence && !io.fence.done) || (state === State.window && io.readWindow) ||
    (state === State.erase && !io.nand.ready) || (state === State.erasing && pending =/= 0.U && !io.nandDone.valid)

  assert(!checks || found.valid === 0.U, "GcErase: a collected superblock still holds valid slots")
  assert(!erased || pending =/= 0.U, "GcErase: an erase ended that nobody asked for")
  assert(state =/= State.report || pending === 0.U, "GcErase: done before the NAND")
  cover(state === State.fence && !io.fence.done, "GcErase: waits for host programs")
  cover(state === State.window && io.readWindow, "GcErase: waits for a read between look-up and NAND")
  cover(state === State.report && bad && ok, "GcErase: a bad superblock was emptied")
  cover(checks && io.retire && found.state === SbState.closed, "GcErase: a superblock is retired")
  cover(state === State.erasing && pending === 0.U && !ok, "GcErase: an erase failed")
  cover(
    state === State.erasing && pending === 0.U && !ok && bad,
    "GcErase: a superblock that is retired does not erase"
  )
}
