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
  private val steps    = Module(new HeadQueue(new WriteStep(p), 4))
  private val lastWord = RegInit(false.B)                           // word.andR
  private val open = RegInit(false.B) // a word may come: in Front.words, and for the last one its page's step has room
  private val pageDone = io.hostRead.data.fire && lastWord

  /** A word on its way into the page buffers. */
  private class Word extends Bundle {
    val at   = new BufferAddr(p)
    val data = UInt(p.dataBits.W)
  }
  private val words = Module(new Skid(new Word))

  io.cmd.ready                := ask === Ask.idle
  io.hostRead.req.valid       := ask === Ask.transfer
  io.hostRead.req.bits.prp1   := ahead.prp1
  io.hostRead.req.bits.prp2   := ahead.prp2
  io.hostRead.req.bits.bytes  := (ahead.pages << log2Ceil(p.slotBytes))(p.transferBits - 1, 0)
  asked.io.enq.valid          := ask === Ask.hand
  asked.io.enq.bits           := ahead
  asked.io.deq.ready          := front === Front.idle
  io.bufAlloc.ready           := front === Front.buffer
  words.io.in.valid           := open && io.hostRead.data.valid
  words.io.in.bits.at.buf     := buf
  words.io.in.bits.at.word    := word
  words.io.in.bits.data       := io.hostRead.data.bits.word
  io.hostRead.data.ready      := open && words.io.in.ready
  words.io.out.ready          := io.bufWrite.write.ready
  io.bufWrite.write.valid     := words.io.out.valid
  io.bufWrite.write.bits.at   := words.io.out.bits.at
  io.bufWrite.write.bits.data := words.io.out.bits.data

  // The step of a page may be in the queue while the page's last word waits in `words`. The back begins no page then,
  // so NAND cannot fetch a word that is not there yet.
  private val ended = RegInit(false.B) // the last word of a page is in `words`
  when(pageDone)(ended := true.B).elsewhen(words.io.out.fire && words.io.out.bits.at.word.andR)(ended := false.B)

  steps.io.in.valid       := pageDone || front === Front.end
  steps.io.in.bits.isEnd  := front === Front.end
  steps.io.in.bits.buf    := buf
  steps.io.in.bits.lpn    := cmd.slba + page
  steps.io.in.bits.handle := cmd.handle
  steps.io.in.bits.bad    := bad || io.hostRead.data.bits.bad
  steps.io.in.bits.qid    := cmd.qid
  steps.io.in.bits.cid    := cmd.cid
  steps.io.in.bits.status := dma.bits
  steps.io.in.bits.fence  := cmd.op === IoOp.flush || cmd.fua

  // Both a cycle ahead. Only this side fills `steps`: room that there is now is there in the next cycle.
  private val lastNext = Mux(io.hostRead.data.fire, word === (p.wordsPerSlot - 2).U, lastWord)
  lastWord := lastNext
  open     := Mux(
    front === Front.buffer,
    io.bufAlloc.valid,
    front === Front.words && !pageDone && !(lastNext && !steps.io.in.ready)
  )
  assert(front =/= Front.words || lastWord === word.andR, "the last word is known a cycle ahead")
  assert(!open || front === Front.words && (!lastWord || steps.io.in.ready), "a word comes that has no place")

  // The look-up ahead of time of the page whose data comes
  private val wantsLook = RegInit(false.B)
  private val looks     = RegInit(false.B) // it is offered to the map unit
  private val looking   = RegInit(false.B) // its answer is not here
  private val lookLpn   = Reg(UInt(32.W))
  private val op        = Reg(MapOp())     // of the request to the map unit

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
        wantsLook := true.B
        lookLpn   := cmd.slba + page
        buf       := io.bufAlloc.bits
        word      := 0.U
        lastWord  := false.B
        bad       := false.B
        front     := Front.words
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
    is(Front.end)(when(steps.io.in.ready)(front := Front.idle))
  }

  // ------------------------------------------------------------------ back: slot, seq, program, mapping
  private object Back extends ChiselEnum {
    val step, drop, fetch, wish, slot, lock, check, recheck, seq, seal, program, map, mapped, fence, complete = Value
  }
  private val back  = RegInit(Back.step)
  private val next  = WireInit(back)
  private val step  = steps.io.out.bits
  private val saves = Module(
    new HeadQueue(UInt(p.bufBits.W), p.k.writeBuffers)
  ) // buffers of pages whose program failed
  private val slot    = Reg(new Allocation(p))
  private val handle  = Reg(UInt(p.handleBits.W)) // whose slot it is
  private val seq     = Reg(UInt(p.seqBits.W))
  private val lost    = RegInit(false.B)          // a page could not be saved since the last Flush or FUA said so
  private val fencing = RegInit(false.B)
  back := next

  /** Whether the back is in one of these states, as a register. */
  private def in(states: Back.Type*): Bool = RegNext(VecInit(states.map(next === _)).asUInt.orR, false.B)

  /** What is known of a page under way to flash, by its buffer. */
  private class Flight extends Bundle {
    val lpn    = UInt(32.W)
    val handle = UInt(p.handleBits.W)
    val seq    = UInt(p.seqBits.W)
    val slot   = UInt(p.slotBits.W)
  }
  private val flights              = Mem(p.k.writeBuffers, new Flight)
  private def index(b: UInt): UInt = b(log2Ceil(p.k.writeBuffers).max(1) - 1, 0)
  private val saving               = RegInit(false.B)   // the page in hand is one that is saved
  private val failed               = Reg(new Flight)
  private val failedBuf            = Reg(UInt(p.bufBits.W))
  private val resume               = RegInit(Back.step) // where the back was
  private val target               = Mux(saving, failedBuf, step.buf)
  private val lpn    = RegNext(Mux(saving, failed.lpn, step.lpn)) // settled long before it is used: from `seal` on
  private val tells  = RegNext(step.fence && lost && step.status === NvmeStatus.Success, false.B)
  private val locked = in(
    Back.lock,
    Back.check,
    Back.recheck,
    Back.seq,
    Back.seal,
    Back.program,
    Back.map,
    Back.mapped
  )

  // A landing is answered two cycles after NAND's answer came: then its buffer is free, and fences no longer wait.
  // Until `unsaved` rises, a cycle after `done`, nobody can have read the slot: its die still had the program a moment
  // ago.
  private val done = RegInit(0.U.asTypeOf(Valid(new NandDone(p))))
  done.valid        := io.nandDone.valid
  done.bits         := io.nandDone.bits
  io.nandDone.ready := true.B

  io.alloc.ready  := in(Back.slot)
  io.allocHandle  := Mux(saving, failed.handle, step.handle)
  io.allocUrgent  := saving
  io.mapLock.want := locked
  io.seq.take     := RegNext(next === Back.seq && !saving, false.B)

  private val oob = Wire(new Formats.OobRecord)
  private val crc = RegNext(Formats.OobRecord.seal(oob).crc) // of what stands still since `seal`
  oob.lpn      := lpn
  oob.gen      := slot.gen
  oob.seq      := seq
  oob.stream   := StreamId.ofHost(handle)
  oob.version  := Formats.FormatVersion.U
  oob.slot     := slot.slot
  oob.reserved := 0.U
  oob.crc      := 0.U
  private val sealing = WireInit(oob)
  sealing.crc         := crc
  io.nand.valid       := in(Back.program)
  io.nand.bits.op     := NandRequestOp.program
  io.nand.bits.client := NandClient.hostWrite
  io.nand.bits.slot   := slot.slot
  io.nand.bits.buf    := target
  io.nand.bits.oob    := sealing.asUInt
  io.hold             := in(Back.check, Back.recheck, Back.seq, Back.seal, Back.program)
  assert(!locked || lpn === Mux(saving, failed.lpn, step.lpn), "the LPN is that of the page in hand")
  assert(!io.nand.valid || sealing.asUInt === Formats.OobRecord.seal(oob).asUInt, "the CRC is that of the record")
  assert(
    !io.nand.valid || !words.io.out.valid || words.io.out.bits.at.buf =/= target,
    "a page is programmed before all of it is in its buffer"
  )

  // The program counts as issued a cycle after NAND accepted it. That is soon enough: the mapping shows the slot later,
  // and a fence promises what was mapped before it. A fence that turns the epoch in between does not wait for the
  // program, but closes its page if it is not full (PageGatherer), which does no harm.
  io.issued := RegNext(io.nand.fire && !saving, false.B)
  io.saved  := RegNext(io.nand.fire && saving, false.B)

  // A page of several slots goes to flash before it is full when another unit waits for it. That unit may hold the
  // mapLock, so a slot that waits for the mapLock must not hold the page up: it becomes padding, and the back gets
  // another slot. No page is closed when `hold` was high in the cycle before. So `closing` is seen in the first cycle
  // of `hold` at the latest, which is `check`. It is known a cycle later, in `recheck`, before the slot has a seq. The
  // Allocator gives no slot of a page in the cycle that closes it, so the register never means a slot that came after
  // it.
  private val severalSlots = p.g.slotsPerPage > 1
  private val closing      = RegInit(0.U.asTypeOf(Valid(UInt(p.slotBits.W))))
  closing := io.closing
  private val lostSlot = (back === Back.lock || back === Back.check || back === Back.recheck) && closing.valid &&
    SlotAddress.pageOf(p, closing.bits) === SlotAddress.pageOf(p, slot.slot)

  // While a page's data comes, the map unit fetches the lines that the page will change (MapOp.peek). It does so only
  // while the back has nothing to do, and its answer is here long before the page is.
  private val mayLook = RegNext(next === Back.step && !steps.io.out.valid, false.B)
  when(wantsLook && mayLook && !looks && !looking) {
    wantsLook := false.B
    looks     := true.B
    looking   := true.B
    op        := MapOp.peek
  }
  when(looks && io.map.req.ready)(looks      := false.B)
  when(looking && io.map.resp.valid)(looking := false.B)
  // Both follow the states without delay: `asks` while the page in hand is offered, `mine` while its answer is awaited.
  private val stillLooks = looking && !io.map.resp.valid
  private val asks       = RegNext(next === Back.map && !looks, false.B)
  private val mine       = RegInit(false.B)
  private val mapped     = io.map.resp.valid && mine
  mine := (back === Back.map && io.map.req.ready && asks || back === Back.mapped && !mapped) && !stillLooks
  when(!looks && (back === Back.program || back === Back.map)) {
    op := Mux(saving, MapOp.cas, MapOp.set) // the host or a trim may have won
  }

  io.map.req.valid       := asks || looks
  io.map.req.bits.op     := op
  io.map.req.bits.lpn    := Mux(looks, lookLpn, lpn)
  io.map.req.bits.slot   := slot.slot
  io.map.req.bits.expect := failed.slot
  io.map.resp.ready      := in(Back.mapped) || looking
  io.fence.req           := fencing
  assert(!asks || op === Mux(saving, MapOp.cas, MapOp.set), "the request is for the page in hand")
  assert(!looks || op === MapOp.peek, "the request is for the page to come")
  assert(mine === (back === Back.mapped && !looking), "whose answer comes is known a cycle ahead")
  io.cpl.valid       := in(Back.complete)
  io.cpl.bits.qid    := step.qid
  io.cpl.bits.cid    := step.cid
  io.cpl.bits.status := Mux(tells, NvmeStatus.WriteFault, step.status)
  io.cpl.bits.dw0    := 0.U
  assert(
    !io.cpl.valid || tells === (step.fence && lost && step.status === NvmeStatus.Success),
    "what a completion tells is known a cycle ahead"
  )

  private val drops   = back === Back.drop && !done.valid                           // one `bufFree`: landings go first
  private val givesUp = back === Back.slot && saving && io.allocNone && !done.valid // one landing a cycle
  // In the cycle in which a fence is done, too: then the command completes after the page has been saved.
  private val begins = saves.io.out.valid && !saving &&
    (back === Back.step || back === Back.slot && !io.alloc.valid || back === Back.fence && fencing)
  steps.io.out.ready := drops || mapped && !saving || io.cpl.fire
  saves.io.out.ready := begins
  when(begins) {
    saving    := true.B
    failedBuf := saves.io.out.bits
    resume    := Mux(back === Back.fence, Back.fence, Back.step)
  }
  when(io.alloc.fire) {
    slot   := io.alloc.bits
    handle := io.allocStream
  }
  private def saved(): Unit = {
    saving := false.B
    next   := resume
  }
  when(io.fence.done)(fencing := false.B)
  switch(back) {
    is(Back.step) {
      when(begins)(next := Back.fetch).elsewhen(steps.io.out.valid && !ended) {
        next    := Mux(!step.isEnd, Mux(step.bad, Back.drop, Back.slot), Mux(step.fence, Back.fence, Back.complete))
        fencing := step.isEnd && step.fence
      }
    }
    is(Back.drop)(when(drops)(next := Back.step))
    is(Back.fetch) {
      failed := flights.read(index(failedBuf))
      next   := Back.wish
    }
    is(Back.wish)(next := Back.slot) // the Allocator wants to know the handle a cycle ahead
    is(Back.slot) {
      when(io.alloc.valid)(next := Back.lock).elsewhen(givesUp)(saved()).elsewhen(begins)(next := Back.fetch)
    }
    is(Back.lock)(when(lostSlot)(next := Back.slot).elsewhen(io.mapLock.granted)(next := Back.check))
    is(Back.check)(next   := Mux(lostSlot, Back.slot, if (severalSlots) Back.recheck else Back.seq))
    is(Back.recheck)(next := Mux(lostSlot, Back.slot, Back.seq))
    is(Back.seq) {
      seq  := Mux(saving, failed.seq, io.seq.next)
      next := Back.seal
    }
    is(Back.seal)(next := Back.program)
    is(Back.program)(when(io.nand.ready)(next := Back.map))
    is(Back.map)(when(io.map.req.ready && asks)(next := Back.mapped))
    is(Back.mapped)(when(mapped)(when(saving)(saved()).otherwise(next := Back.step)))
    is(Back.fence)(when(begins)(next := Back.fetch).elsewhen(io.fence.done || !fencing)(next := Back.complete))
    is(Back.complete)(when(io.cpl.ready)(next := Back.step))
  }

  // ------------------------------------------------------------------ programs that have landed
  private val epochs = Reg(Vec(p.k.writeBuffers, Bool())) // that of a page that is saved stays
  private val flight = Wire(new Flight)
  flight.lpn    := lpn
  flight.handle := io.allocHandle
  flight.seq    := seq
  flight.slot   := slot.slot
  when(io.nand.fire)(flights.write(index(target), flight))
  when(io.issued)(epochs(index(step.buf)) := io.epoch) // the step stays until its page is mapped
  private val fails   = done.valid && done.bits.status =/= NandStatus.ok
  private val lands   = done.valid && !fails || givesUp
  private val landing = Mux(givesUp, failedBuf, done.bits.buf)
  saves.io.in.valid := fails
  saves.io.in.bits := done.bits.buf
  io.landed := RegNext(lands, false.B)
  io.landedEpoch := RegNext(epochs(index(landing)))
  io.bufFree.valid := RegNext(lands || drops, false.B)
  io.bufFree.bits := RegNext(Mux(back === Back.drop && !done.valid, step.buf, landing))
  io.unsaved := saves.io.out.valid || saving // an entry that is taken is `saving` in the next cycle
  io.busy    := locked
  assert(!fails || saves.io.in.ready, "a buffer is saved once at a time")
  assert(!done.valid || done.bits.op === NandRequestOp.program, "an answer to a question not asked")
  assert(!io.issued || back === Back.map || back === Back.mapped, "the step of a program that is issued has gone")

  // A completed write is lost: it is neither in the cache nor on flash. Its page reads as an error. The next command
  // that promises durability fails, too, as fsync() does.
  when(givesUp)(lost := true.B).elsewhen(io.cpl.fire && tells)(lost := false.B)

  // ------------------------------------------------------------------ what others want to know
  private val askWaits = ask === Ask.idle && !io.cmd.valid || ask === Ask.transfer && !io.hostRead.req.ready ||
    ask === Ask.hand && !asked.io.enq.ready
  private val frontWaits =
    front === Front.idle && !asked.io.deq.valid || front === Front.buffer && !io.bufAlloc.valid ||
      front === Front.words && !open && !steps.io.in.ready || front === Front.end && !steps.io.in.ready
  private val backWaits = back === Back.step && !begins && !steps.io.out.valid ||
    back === Back.slot && !saving && !begins && !io.alloc.valid || back === Back.lock && !io.mapLock.granted ||
    back === Back.program && !io.nand.ready || back === Back.fence && fencing && !begins && !io.fence.done
  quiet := askWaits && frontWaits && backWaits && !(wantsLook && mayLook) && !looking && !io.nandDone.valid &&
    !done.valid && !closing.valid && !io.bufFree.valid && words.quiet && steps.quiet && saves.quiet

  // A cycle late, as counters may be.
  io.event.page          := RegNext(mapped && !saving, false.B)
  io.event.stallBuffer   := RegNext(io.bufAlloc.ready && !io.bufAlloc.valid, false.B)
  io.event.stallAlloc    := RegNext(back === Back.slot && !saving && !io.alloc.valid, false.B)
  io.event.stallLock     := RegNext(back === Back.lock && !io.mapLock.granted, false.B)
  io.event.programFailed := RegNext(fails, false.B)
  io.event.saved         := RegNext(mapped && saving, false.B)

  cover(io.event.stallBuffer, "no free write buffer")
  cover(io.event.stallAlloc, "no free slot")
  cover(io.event.stallLock, "another one holds the mapLock")
  cover(io.nand.valid && !io.nand.ready, "the die's queue is full")
  cover(back === Back.fence && !io.fence.done, "Flush or FUA waits for flash")
  cover(drops, "a page whose data did not come")
  cover(lostSlot && back === Back.lock, "the page of a slot goes to flash before the slot has its data")
  cover(lostSlot && back === Back.check, "the page of a slot goes to flash as the mapLock comes")
  cover(lostSlot && back === Back.recheck, "the page of a slot goes to flash in the cycle after the mapLock came")
  cover(io.cpl.fire && tells, "a Flush tells of data that was lost")
  cover(begins && back === Back.fence, "a Flush waits while a page is saved")
  cover(mapped && saving && !io.map.resp.bits.ok, "a page was overwritten or dropped before it was saved")
  cover(fails && saving, "a program fails while another page is saved")
  cover(lostSlot && saving, "the page of a slot goes to flash before the data that is to be saved")
  cover(io.nand.fire && saving && handle =/= failed.handle, "a page is saved among those of another placement handle")
  cover(back === Back.step && steps.io.out.valid && ended, "the last word of a page waits for the buffer RAM")
  cover(looking && back === Back.mapped, "the look-up of a page to come delays one that is there")
  cover(wantsLook && !mayLook, "a page's look-up waits for the page before it")
  cover(ask === Ask.hand && !asked.io.enq.ready, "data of the next command has been asked for")
  cover(front === Front.words && !open, "data waits for the mapping of earlier pages")
}
