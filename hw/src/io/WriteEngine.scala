// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** What the front of the WriteEngine hands to its back, in the order of the commands. */
class WriteStep(val p: Params) extends Bundle {
  val isEnd  = Bool() // the end of a command; else a page
  val buf    = UInt(p.bufBits.W)
  val lpn    = UInt(32.W)
  val handle = UInt(p.handleBits.W)
  val bad    = Bool() // its data did not come: give the buffer back
  val qid    = UInt(p.qidBits.W)
  val cid    = UInt(16.W)
  val status = UInt(15.W)
  val fence  = Bool() // complete only when everything before is durable
}

/** Executes Write and Flush. A page goes through these steps: its data comes into a buffer, it gets a slot and a seq,
  * its program is requested, the mapping shows its slot. Then the command completes, as the volatile write cache
  * allows. FUA and Flush also wait for a fence.
  *
  * There are two halves. The back maps the pages of one command. Meanwhile the front fills buffers with the pages of
  * the next command, and requests the data of the one after that. This hides the latency of host memory. Two orders
  * matter in the back:
  *   - The slot comes before the mapLock. A slot may have to wait for GC to free a superblock, and GC may wait for a
  *     remap that waits for the mapLock.
  *   - NAND has accepted the program before the mapping shows the slot. So a read of the slot queues up behind its
  *     program.
  *
  * A page whose program fails keeps its buffer and does not count as landed, so every fence waits for it. The back
  * saves it before its next step, or while it waits for a fence itself:
  *   1. It takes another slot, one of the Allocator's urgent ones. These do not wait for GC, which may wait for a
  *      fence.
  *   1. It takes the mapLock and programs the same data with the same seq.
  *   1. It re-points the LPN, if that still names the failed slot.
  *
  * For recovery both programs are one event, of which flash holds one readable copy at most. `unsaved` is high
  * meanwhile. It keeps others from waiting for the page while they hold the mapLock, and from taking the failed slot
  * for unreadable data. If there is no slot at all, the page is lost: it reads as an error, and the next Flush or FUA
  * ends with Write Fault.
  */
class WriteEngine(p: Params) extends Module with Quiesces {
  val io = IO(new Bundle {
    val cmd         = Flipped(Decoupled(new IoCommand(p)))
    val cpl         = Decoupled(new Completion(p))
    val hostRead    = new HostReadPort(p)
    val bufAlloc    = Flipped(Decoupled(UInt(p.bufBits.W)))
    val bufFree     = Valid(UInt(p.bufBits.W))
    val bufWrite    = new BufferWritePort(p)
    val alloc       = Flipped(Decoupled(new Allocation(p)))
    val allocHandle = Output(UInt(p.handleBits.W)) // whose slot is wished for
    val allocUrgent = Output(Bool())               // for a page to save
    val allocStream = Input(UInt(p.handleBits.W))  // whose slot it is
    val allocNone   = Input(Bool())                // urgent, and in vain
    val mapLock     = new LockPort
    val seq         = new SeqPort(p)
    val map         = new MapPort(p)
    val issued      = Output(Bool())
    val landed      = Output(Bool())
    val epoch       = Input(Bool())                // ProgramTracker's, kept with each buffer until its program lands
    val landedEpoch = Output(Bool())
    val nand        = Decoupled(new NandRequest(p))
    val nandDone    = Flipped(Decoupled(new NandDone(p)))
    val closing = Flipped(Valid(UInt(p.slotBits.W))) // no more slots of this one's page are programmed (PageGatherer)
    val hold    = Output(Bool())                     // a slot is past the point at which `closing` takes it back
    val saved   = Output(Bool())                     // NAND accepts a page that is programmed again: fences wait for it
    val unsaved = Output(Bool()) // the mapping names a slot whose program failed, and will not for long
    val busy    = Output(Bool()) // the back has a slot that NAND has not accepted
    val fence   = new FencePort
    val event   = Output(new Bundle {
      val page          = Bool(); val stallBuffer = Bool(); val stallAlloc = Bool(); val stallLock = Bool();
      val programFailed = Bool(); val saved       = Bool()
    })
  })
  // ------------------------------------------------------------------ front: host memory to buffers
  private object Ask   extends ChiselEnum { val idle, transfer, hand = Value             }
  private object Front extends ChiselEnum { val idle, buffer, words, status, end = Value }
  private val ask      = RegInit(Ask.idle)
  private val ahead    = Reg(new IoCommand(p))                      // whose data is being asked for
  private val asked    = Module(new Queue(new IoCommand(p), 1))
  private val front    = RegInit(Front.idle)
  private val cmd      = Reg(new IoCommand(p))
  private val page     = Reg(UInt((log2Ceil(p.k.mdtsPages) + 1).W)) // pages of `cmd` received
  private val word     = Reg(UInt(p.wordBits.W))
  private val buf      = Reg(UInt(p.bufBits.W))
  private val bad      = Reg(Bool())
  private val dma      = RegInit(0.U.asTypeOf(Valid(UInt(15.W))))   // outcome of the transfer, once known
  private val steps    = Module(new Queue(new WriteStep(p), 4))
  private val lastWord = word.andR
  private val pageDone = front === Front.words && io.hostRead.data.fire && lastWord

  io.cmd.ready               := ask === Ask.idle
  io.hostRead.req.valid      := ask === Ask.transfer
  io.hostRead.req.bits.prp1  := ahead.prp1
  io.hostRead.req.bits.prp2  := ahead.prp2
  io.hostRead.req.bits.bytes := (ahead.pages << log2Ceil(p.slotBytes))(p.transferBits - 1, 0)
  asked.io.enq.valid         := ask === Ask.hand
  asked.io.enq.bits          := ahead
  asked.io.deq.ready         := front === Front.idle
  io.bufAlloc.ready          := front === Front.buffer
  // The last word also needs room for the page's step.
  private val roomForWord = !lastWord || steps.io.enq.ready
  io.bufWrite.write.valid        := front === Front.words && io.hostRead.data.valid && roomForWord
  io.bufWrite.write.bits.at.buf  := buf
  io.bufWrite.write.bits.at.word := word
  io.bufWrite.write.bits.data    := io.hostRead.data.bits.word
  io.hostRead.data.ready         := front === Front.words && io.bufWrite.write.ready && roomForWord

  steps.io.enq.valid       := pageDone || front === Front.end
  steps.io.enq.bits.isEnd  := front === Front.end
  steps.io.enq.bits.buf    := buf
  steps.io.enq.bits.lpn    := cmd.slba + page
  steps.io.enq.bits.handle := cmd.handle
  steps.io.enq.bits.bad    := bad || io.hostRead.data.bits.bad
  steps.io.enq.bits.qid    := cmd.qid
  steps.io.enq.bits.cid    := cmd.cid
  steps.io.enq.bits.status := dma.bits
  steps.io.enq.bits.fence  := cmd.op === IoOp.flush || cmd.fua

  switch(ask) {
    is(Ask.idle) {
      when(io.cmd.valid) {
        ahead := io.cmd.bits
        ask   := Mux(io.cmd.bits.op === IoOp.flush, Ask.hand, Ask.transfer)
        assert(io.cmd.bits.op === IoOp.write || io.cmd.bits.op === IoOp.flush, "a command that is not for this engine")
        assert(
          io.cmd.bits.op === IoOp.flush || io.cmd.bits.pages =/= 0.U && io.cmd.bits.pages <= p.k.mdtsPages.U,
          "the router lets no empty write and none above the MDTS through"
        )
      }
    }
    is(Ask.transfer)(when(io.hostRead.req.ready)(ask := Ask.hand))
    is(Ask.hand)(when(asked.io.enq.ready)(ask := Ask.idle))
  }
  when(io.hostRead.done.valid)(dma := io.hostRead.done)
  switch(front) {
    is(Front.idle) {
      when(asked.io.deq.valid) {
        cmd       := asked.io.deq.bits
        page      := 0.U
        dma.valid := false.B
        dma.bits  := NvmeStatus.Success
        front     := Mux(asked.io.deq.bits.op === IoOp.flush, Front.end, Front.buffer)
      }
    }
    is(Front.buffer) {
      when(io.bufAlloc.valid) {
        buf   := io.bufAlloc.bits
        word  := 0.U
        bad   := false.B
        front := Front.words
      }
    }
    is(Front.words) {
      when(io.hostRead.data.fire) {
        word := word + 1.U
        bad  := bad || io.hostRead.data.bits.bad
      }
      when(pageDone) {
        page  := page + 1.U
        front := Mux(page + 1.U === cmd.pages, Front.status, Front.buffer)
      }
    }
    is(Front.status)(when(dma.valid)(front := Front.end))
    is(Front.end)(when(steps.io.enq.ready)(front := Front.idle))
  }

  // ------------------------------------------------------------------ back: slot, seq, program, mapping
  private object Back extends ChiselEnum { val step, save, lock, seq, program, map, mapped, fence, complete = Value }
  private val back   = RegInit(Back.step)
  private val step   = steps.io.deq.bits
  private val saves  = Module(new Queue(UInt(p.bufBits.W), p.k.writeBuffers)) // buffers of pages whose program failed
  private val have   = steps.io.deq.valid && back === Back.step && !saves.io.deq.valid
  private val slot   = Reg(new Allocation(p))
  private val handle = Reg(UInt(p.handleBits.W))                              // whose slot it is
  private val seq    = Reg(UInt(p.seqBits.W))
  private val lost    = RegInit(false.B) // a page could not be saved since the last Flush or FUA said so
  private val fencing = RegInit(false.B)

  /** What is known of a page under way to flash, by its buffer. */
  private class Flight extends Bundle {
    val lpn    = UInt(32.W)
    val handle = UInt(p.handleBits.W)
    val seq    = UInt(p.seqBits.W)
    val slot   = UInt(p.slotBits.W)
  }
  private val flights              = Mem(p.k.writeBuffers, new Flight)
  private def index(b: UInt): UInt = b(log2Ceil(p.k.writeBuffers).max(1) - 1, 0)
  private val saving               = RegInit(false.B) // the page in hand is one that is saved
  private val failed               = Reg(new Flight)
  private val failedBuf            = Reg(UInt(p.bufBits.W))
  private val resume               = Reg(Back())      // where the back was
  private val target               = Mux(saving, failedBuf, step.buf)
  private val lpn                  = Mux(saving, failed.lpn, step.lpn)
  private val tells                = step.fence && lost && step.status === NvmeStatus.Success
  private val locked               =
    back === Back.lock || back === Back.seq || back === Back.program || back === Back.map || back === Back.mapped

  private val wantsSlot = have && !step.isEnd && !step.bad
  private val drop      = have && !step.isEnd && step.bad && !io.nandDone.valid // one `bufFree`: landings go first
  io.alloc.ready  := wantsSlot || back === Back.save
  io.allocHandle  := Mux(saving, failed.handle, step.handle)
  io.allocUrgent  := saving
  io.mapLock.want := locked
  io.seq.take     := back === Back.seq && !saving

  private val oob = Wire(new Formats.OobRecord)
  oob.lpn             := lpn
  oob.gen             := slot.gen
  oob.seq             := seq
  oob.stream          := StreamId.ofHost(handle)
  oob.version         := Formats.FormatVersion.U
  oob.slot            := slot.slot
  oob.reserved        := 0.U
  oob.crc             := 0.U
  io.nand.valid       := back === Back.program
  io.nand.bits.op     := NandRequestOp.program
  io.nand.bits.client := NandClient.hostWrite
  io.nand.bits.slot   := slot.slot
  io.nand.bits.buf    := target
  io.nand.bits.oob    := Formats.OobRecord.seal(oob).asUInt
  io.issued           := io.nand.fire && !saving
  io.saved            := io.nand.fire && saving
  io.hold             := back === Back.seq || back === Back.program

  // A page of several slots goes to flash before it is full when another unit waits for it. That unit may hold the
  // mapLock, so a slot that waits for the mapLock must not hold the page up: it becomes padding, and the back gets
  // another slot.
  private val lostSlot =
    back === Back.lock && io.closing.valid && SlotAddress.pageOf(p, io.closing.bits) === SlotAddress.pageOf(
      p,
      slot.slot
    )

  io.map.req.valid       := back === Back.map
  io.map.req.bits.op     := Mux(saving, MapOp.cas, MapOp.set) // the host or a trim may have won
  io.map.req.bits.lpn    := lpn
  io.map.req.bits.slot   := slot.slot
  io.map.req.bits.expect := failed.slot
  io.map.resp.ready      := back === Back.mapped
  io.fence.req           := fencing
  io.cpl.valid           := back === Back.complete
  io.cpl.bits.qid        := step.qid
  io.cpl.bits.cid        := step.cid
  io.cpl.bits.status     := Mux(tells, NvmeStatus.WriteFault, step.status)
  io.cpl.bits.dw0        := 0.U
  steps.io.deq.ready     := drop || io.map.resp.fire && !saving || io.cpl.fire

  private val begins  = saves.io.deq.valid && (back === Back.step || back === Back.fence && fencing && !io.fence.done)
  private val givesUp = back === Back.save && io.allocNone && !io.nandDone.valid // one landing a cycle
  saves.io.deq.ready := begins
  when(begins) {
    saving    := true.B
    failed    := flights.read(index(saves.io.deq.bits))
    failedBuf := saves.io.deq.bits
    resume    := back
  }
  when(io.alloc.fire) {
    slot   := io.alloc.bits
    handle := io.allocStream
  }
  private def saved(): Unit = {
    saving := false.B
    back   := resume
  }
  when(io.fence.done)(fencing := false.B)
  switch(back) {
    is(Back.step) {
      when(have && step.isEnd) {
        back    := Mux(step.fence, Back.fence, Back.complete)
        fencing := step.fence
      }
      when(io.alloc.fire)(back := Back.lock)
      when(begins)(back        := Back.save)
    }
    is(Back.save)(when(io.alloc.fire)(back := Back.lock).elsewhen(givesUp)(saved()))
    is(Back.lock)(
      when(lostSlot)(back := Mux(saving, Back.save, Back.step)).elsewhen(io.mapLock.granted)(back := Back.seq)
    )
    is(Back.seq) {
      seq  := Mux(saving, failed.seq, io.seq.next)
      back := Back.program
    }
    is(Back.program)(when(io.nand.ready)(back := Back.map))
    is(Back.map)(when(io.map.req.ready)(back := Back.mapped))
    is(Back.mapped)(when(io.map.resp.valid)(when(saving)(saved()).otherwise(back := Back.step)))
    is(Back.fence)(when(begins)(back := Back.save).elsewhen(io.fence.done || !fencing)(back := Back.complete))
    is(Back.complete)(when(io.cpl.ready)(back := Back.step))
  }

  // ------------------------------------------------------------------ programs that have landed
  private val epochs = Reg(Vec(p.k.writeBuffers, Bool())) // that of a page that is saved stays
  private val flight = Wire(new Flight)
  flight.lpn    := lpn
  flight.handle := io.allocHandle
  flight.seq    := seq
  flight.slot   := slot.slot
  when(io.nand.fire)(flights.write(index(target), flight))
  when(io.issued)(epochs(index(step.buf)) := io.epoch)
  private val fails   = io.nandDone.valid && io.nandDone.bits.status =/= NandStatus.ok
  private val lands   = io.nandDone.valid && !fails
  private val landing = Mux(givesUp, failedBuf, io.nandDone.bits.buf)
  io.nandDone.ready := true.B
  saves.io.enq.valid := fails
  saves.io.enq.bits := io.nandDone.bits.buf
  io.landed := lands || givesUp
  io.landedEpoch := epochs(index(landing))
  io.bufFree.valid := io.landed || drop
  io.bufFree.bits := Mux(io.landed, landing, step.buf)
  io.unsaved := saves.io.deq.valid || saving
  io.busy := locked
  assert(!fails || saves.io.enq.ready, "a buffer is saved once at a time")
  assert(!io.nandDone.valid || io.nandDone.bits.op === NandRequestOp.program, "an answer to a question not asked")

  // A completed write is lost: it is neither in the cache nor on flash. Its page reads as an error. The next command
  // that promises durability fails, too, as fsync() does.
  when(givesUp)(lost := true.B).elsewhen(io.cpl.fire && tells)(lost := false.B)

  // ------------------------------------------------------------------ what others want to know
  private val askWaits = ask === Ask.idle && !io.cmd.valid || ask === Ask.transfer && !io.hostRead.req.ready ||
    ask === Ask.hand && !asked.io.enq.ready
  private val frontWaits =
    front === Front.idle && !asked.io.deq.valid || front === Front.buffer && !io.bufAlloc.valid ||
      front === Front.words && lastWord && !steps.io.enq.ready || front === Front.end && !steps.io.enq.ready
  private val backWaits = back === Back.step && !begins && (!steps.io.deq.valid || wantsSlot && !io.alloc.valid) ||
    back === Back.lock && !io.mapLock.granted || back === Back.program && !io.nand.ready ||
    back === Back.fence && fencing && !begins && !io.fence.done
  quiet := askWaits && frontWaits && backWaits && !io.nandDone.valid

  io.event.page          := io.map.resp.fire && !saving
  io.event.stallBuffer   := io.bufAlloc.ready && !io.bufAlloc.valid
  io.event.stallAlloc    := wantsSlot && !io.alloc.valid
  io.event.stallLock     := back === Back.lock && !io.mapLock.granted
  io.event.programFailed := fails
  io.event.saved         := io.map.resp.fire && saving

  cover(io.event.stallBuffer, "no free write buffer")
  cover(io.event.stallAlloc, "no free slot")
  cover(io.event.stallLock, "another one holds the mapLock")
  cover(back === Back.program && !io.nand.ready, "the die's queue is full")
  cover(back === Back.fence && !io.fence.done, "Flush or FUA waits for flash")
  cover(drop, "a page whose data did not come")
  cover(lostSlot && !io.mapLock.granted, "the page of a slot goes to flash before the slot has its data")
  cover(lostSlot && io.mapLock.granted, "the page of a slot goes to flash as the mapLock comes")
  cover(io.cpl.fire && tells, "a Flush tells of data that was lost")
  cover(begins && back === Back.fence, "a Flush waits while a page is saved")
  cover(io.event.saved && !io.map.resp.bits.ok, "a page was overwritten or dropped before it was saved")
  cover(fails && saving, "a program fails while another page is saved")
  cover(lostSlot && saving, "the page of a slot goes to flash before the data that is to be saved")
  cover(saving && handle =/= failed.handle && io.saved, "a page is saved among those of another placement handle")
  cover(ask === Ask.hand && !asked.io.enq.ready, "data of the next command has been asked for")
  cover(front === Front.words && !roomForWord, "data waits for the mapping of earlier pages")
}
