// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** A page on its way from the front to the back of the ReadEngine. */
class ReadStep(val p: Params) extends Bundle {
  val mapped = Bool() // 0: the host gets zeroes
  val slot   = UInt(p.slotBits.W)
  val buf    = UInt(p.bufBits.W)
}

/** The data of a command that the back of the ReadEngine needs. */
class ReadTransfer(val p: Params) extends Bundle {
  val qid   = UInt(p.qidBits.W)
  val cid   = UInt(16.W)
  val slba  = UInt(32.W)
  val pages = UInt((log2Ceil(p.k.mdtsPages) + 1).W)
  val prp1  = UInt(64.W)
  val prp2  = UInt(64.W)
}

/** Executes Read. The front looks pages up and requests them from NAND, up to `readBuffers` ahead and across commands,
  * so that many can be under way. The back sends them to the host in order. A page that flash cannot deliver is sent as
  * zeroes (never the previous content of the buffer), and its command ends with Unrecovered Read Error when all of its
  * pages have been sent.
  *
  * The host gets a page's words while NAND still delivers them (cut-through). That is safe because words come only of a
  * page that could be read. A channel's bus is as fast as the host's, so a page costs the time of one bus, not of two.
  * The last word waits until NAND is done with the buffer, which then goes back to the pool.
  *
  * The buffer is taken before the lookup, so that `window`, for which an erase waits, is short.
  *
  * A slot that cannot be read may be one whose program failed: WriteEngine saves its data (`unsaved`) and gives the LPN
  * another slot. So the back waits until that is over, looks the LPN up once more, and reads the other slot. If the
  * slot is the same, the page is lost. But if the back had to wait, it reads the same slot once more, too, because the
  * slot may have been erased and given to the LPN again in that time. The front begins no lookup meanwhile, because the
  * two share the ports.
  */
class ReadEngine(p: Params) extends Module with Quiesces {
  val io = IO(new Bundle {
    val cmd       = Flipped(Decoupled(new IoCommand(p)))
    val cpl       = Decoupled(new Completion(p))
    val hostWrite = new HostWritePort(p)
    val bufAlloc  = Flipped(Decoupled(UInt(p.bufBits.W)))
    val bufFree   = Valid(UInt(p.bufBits.W))
    val bufRead   = new BufferReadPort(p)
    val wrote     = Flipped(Valid(new BufferAddr(p))) // any write into the page buffers
    val map       = new MapPort(p)
    val nand      = Decoupled(new NandRequest(p))
    val nandDone  = Flipped(Decoupled(new NandDone(p)))
    val unsaved = Input(Bool())  // the mapping names a slot whose program failed, and will not for long
    val window  = Output(Bool()) // between a lookup and the acceptance of its NAND request
    val event   = Output(new Bundle { val page = Bool(); val unmapped = Bool(); val uncorrectable = Bool() })
  })
  private object Back extends ChiselEnum { val idle, page, data, zeroes, again, lookup, answer, read, reading = Value }
  private val back     = RegInit(Back.idle)
  private val page     = Reg(new ReadStep(p)) // the step whose data is being sent: out of the queue's memory
  private val retries  = Seq(Back.again, Back.lookup, Back.answer, Back.read).map(_ === back).reduce(_ || _)
  private val againLpn = Wire(UInt(32.W))
  private val waited   = RegInit(false.B)     // for pages to be saved
  // ------------------------------------------------------------------ front: lookup, NAND read
  private val pageCountBits = log2Ceil(p.k.mdtsPages) + 1
  private object Front extends ChiselEnum { val idle, buffer, lookup, answer, read = Value }
  private val front = RegInit(Front.idle)
  private val lpn   = Reg(UInt(32.W))
  private val left  = Reg(UInt(pageCountBits.W)) // pages of the command still to look up
  private val buf = RegInit(0.U.asTypeOf(Valid(UInt(p.bufBits.W)))) // stays for the next page when this one is unmapped
  private val slot = Reg(UInt(p.slotBits.W))
  // Both queues are distributed RAM, which costs the same for up to sixteen entries. A command keeps its place until
  // its last page has been sent, so there is a place for each buffer. Unmapped pages have steps, but no buffers.
  private val commands = Module(new Queue(new ReadTransfer(p), p.k.readBuffers))
  private val steps    = Module(new Queue(new ReadStep(p), p.k.readBuffers))

  io.cmd.ready               := front === Front.idle && commands.io.enq.ready
  commands.io.enq.valid      := io.cmd.valid && front === Front.idle
  commands.io.enq.bits.qid   := io.cmd.bits.qid
  commands.io.enq.bits.cid   := io.cmd.bits.cid
  commands.io.enq.bits.slba  := io.cmd.bits.slba
  commands.io.enq.bits.pages := io.cmd.bits.pages(pageCountBits - 1, 0)
  commands.io.enq.bits.prp1  := io.cmd.bits.prp1
  commands.io.enq.bits.prp2  := io.cmd.bits.prp2
  io.bufAlloc.ready          := front === Front.buffer && !buf.valid
  io.map.req.valid           := front === Front.lookup || back === Back.lookup
  io.map.req.bits            := DontCare
  io.map.req.bits.op         := MapOp.lookup
  io.map.req.bits.lpn        := Mux(back === Back.lookup, againLpn, lpn)
  io.map.resp.ready          := front === Front.answer || back === Back.answer
  io.nand.valid              := front === Front.read || back === Back.read
  io.nand.bits.op            := NandRequestOp.read
  io.nand.bits.client        := NandClient.hostRead
  io.nand.bits.slot          := Mux(back === Back.read, page.slot, slot)
  io.nand.bits.buf           := Mux(back === Back.read, page.buf, buf.bits)
  io.nand.bits.oob           := 0.U
  steps.io.enq.valid         := io.map.resp.valid && front === Front.answer
  steps.io.enq.bits.mapped   := io.map.resp.bits.mapped
  steps.io.enq.bits.slot     := io.map.resp.bits.slot
  steps.io.enq.bits.buf      := buf.bits
  private val frontLooks = front === Front.lookup || front === Front.answer || front === Front.read
  io.window := frontLooks || back === Back.lookup || back === Back.answer || back === Back.read
  // Room for the page's step is there before it is looked up, so that its answer never waits for the back.
  private val mayLook = steps.io.enq.ready && !retries
  assert(!(frontLooks && (back === Back.lookup || back === Back.answer || back === Back.read)), "both sides look up")

  private def next(): Unit = {
    lpn   := lpn + 1.U
    left  := left - 1.U
    front := Mux(left === 1.U, Front.idle, Front.buffer)
  }
  switch(front) {
    is(Front.idle) {
      when(io.cmd.fire) {
        lpn   := io.cmd.bits.slba
        left  := io.cmd.bits.pages(pageCountBits - 1, 0)
        front := Front.buffer
        assert(io.cmd.bits.op === IoOp.read, "a command that is not for this engine")
        assert(
          io.cmd.bits.pages =/= 0.U && io.cmd.bits.pages <= p.k.mdtsPages.U,
          "the router lets no empty read and none above the MDTS through"
        )
      }
    }
    is(Front.buffer) {
      when(io.bufAlloc.fire) {
        buf.valid := true.B
        buf.bits  := io.bufAlloc.bits
      }
      when((buf.valid || io.bufAlloc.fire) && mayLook)(front := Front.lookup)
    }
    is(Front.lookup)(when(io.map.req.ready)(front := Front.answer))
    is(Front.answer) {
      when(io.map.resp.fire) {
        slot := io.map.resp.bits.slot
        when(io.map.resp.bits.mapped)(front := Front.read).otherwise(next())
      }
    }
    is(Front.read) {
      when(io.nand.ready) {
        buf.valid := false.B
        next()
      }
    }
  }

  // ------------------------------------------------------------------ NAND's answers, in any order
  private val placeBits = log2Ceil(p.k.readBuffers).max(1)
  private val here      = RegInit(VecInit.fill(1 << placeBits)(false.B)) // NAND is done with it
  private val came      = RegInit(VecInit.fill(1 << placeBits)(false.B)) // words of it have come, up to
  private val newest    = Mem(1 << placeBits, UInt(p.wordBits.W))        // this one
  private def index(b: UInt): UInt = b(placeBits - 1, 0) // the low bits of following numbers are all different
  private val wroteHere            =
    io.wrote.valid && io.wrote.bits.buf >= p.readBufBase.U && io.wrote.bits.buf < (p.readBufBase + p.k.readBuffers).U
  when(wroteHere) {
    val place = index(io.wrote.bits.buf)
    came(place)   := true.B
    newest(place) := io.wrote.bits.word
    assert(
      io.wrote.bits.word === Mux(came(place), newest(place) +& 1.U, 0.U),
      "the words of a page come in order"
    )
    assert(!here(index(io.wrote.bits.buf)), "a word for a page that is done")
  }
  io.nandDone.ready := true.B
  when(io.nandDone.valid) {
    here(index(io.nandDone.bits.buf)) := true.B
    assert(!here(index(io.nandDone.bits.buf)), "a page came twice")
    assert(io.nandDone.bits.op === NandRequestOp.read, "an answer to a question not asked")
    assert(
      came(index(io.nandDone.bits.buf)) =/= io.event.uncorrectable &&
        (io.event.uncorrectable || newest(index(io.nandDone.bits.buf)).andR),
      "all words of a page that could be read, none of another"
    )
  }

  // ------------------------------------------------------------------ back: buffers to host memory
  private val cmd    = commands.io.deq.bits
  private val step   = steps.io.deq.bits
  private val sent   = Reg(UInt(pageCountBits.W))    // pages
  private val asked  = Reg(UInt((p.wordBits + 1).W)) // words asked of the buffer RAM
  private val word   = Reg(UInt(p.wordBits.W))       // words given to the host
  private val failed = Reg(Bool())

  /** A command all of whose pages have been sent. */
  private class Ending extends Bundle {
    val qid    = UInt(p.qidBits.W)
    val cid    = UInt(16.W)
    val failed = Bool() // flash could not give a page
  }
  private val ahead   = 2 // commands whose writes the host has not answered
  private val endings = Module(new Queue(new Ending, ahead))
  private val statuses = Module(new Queue(UInt(NvmeStatus.bits.W), ahead)) // of their transfers

  // Room for the command's ending is there before it begins: only this state machine fills `endings`.
  io.hostWrite.req.valid      := back === Back.idle && commands.io.deq.valid && endings.io.enq.ready
  io.hostWrite.req.bits.prp1  := cmd.prp1
  io.hostWrite.req.bits.prp2  := cmd.prp2
  io.hostWrite.req.bits.bytes := cmd.pages << log2Ceil(p.slotBytes)
  private val coming = came(index(step.buf))
  private val canAsk =
    asked <= newest(index(page.buf)) && (!asked(p.wordBits - 1, 0).andR || here(index(page.buf)))
  io.bufRead.addr.valid     := back === Back.data && canAsk
  io.bufRead.addr.bits.buf  := page.buf
  io.bufRead.addr.bits.word := asked(p.wordBits - 1, 0)
  io.bufRead.data.ready     := back === Back.data && io.hostWrite.data.ready
  io.hostWrite.data.valid   := back === Back.data && io.bufRead.data.valid || back === Back.zeroes
  io.hostWrite.data.bits    := Mux(back === Back.zeroes, 0.U, io.bufRead.data.bits)
  private val pageSent = io.hostWrite.data.fire && word.andR
  steps.io.deq.ready := pageSent
  io.bufFree.valid   := pageSent && page.mapped
  io.bufFree.bits    := page.buf
  private val commandSent = pageSent && sent + 1.U === cmd.pages
  commands.io.deq.ready      := commandSent
  endings.io.enq.valid       := commandSent
  endings.io.enq.bits.qid    := cmd.qid
  endings.io.enq.bits.cid    := cmd.cid
  endings.io.enq.bits.failed := failed
  statuses.io.enq.valid      := io.hostWrite.done.valid
  statuses.io.enq.bits       := io.hostWrite.done.bits
  io.cpl.valid               := endings.io.deq.valid && statuses.io.deq.valid
  io.cpl.bits.qid            := endings.io.deq.bits.qid
  io.cpl.bits.cid            := endings.io.deq.bits.cid
  // What the host did not get at all says more than what flash could not give.
  io.cpl.bits.status := Mux(
    statuses.io.deq.bits === NvmeStatus.Success && endings.io.deq.bits.failed,
    NvmeStatus.UnrecoveredReadError,
    statuses.io.deq.bits
  )
  io.cpl.bits.dw0       := 0.U
  endings.io.deq.ready  := io.cpl.fire
  statuses.io.deq.ready := io.cpl.fire
  assert(!commandSent || endings.io.enq.ready, "room was kept for the ending")
  assert(!statuses.io.enq.valid || statuses.io.enq.ready && endings.io.deq.valid, "a transfer ended that nobody began")

  againLpn := cmd.slba + sent
  private val stepHere  = steps.io.deq.valid && (!step.mapped || here(index(step.buf)) || coming)
  when(io.bufRead.addr.fire)(asked  := asked + 1.U)
  when(io.hostWrite.data.fire)(word := word + 1.U)
  switch(back) {
    is(Back.idle) {
      sent   := 0.U
      failed := false.B
      when(io.hostWrite.req.fire)(back := Back.page)
    }
    is(Back.page) {
      asked := 0.U
      word  := 0.U
      page  := step
      when(stepHere) {
        back := Mux(step.mapped, Mux(coming, Back.data, Back.again), Back.zeroes)
      }
    }
    is(Back.again) {
      when(io.unsaved)(waited := true.B).elsewhen(!frontLooks)(back := Back.lookup)
    }
    is(Back.lookup)(when(io.map.req.ready)(back := Back.answer))
    is(Back.answer) {
      when(io.map.resp.valid) {
        val other = io.map.resp.bits.mapped && (io.map.resp.bits.slot =/= page.slot || waited)
        page.slot := io.map.resp.bits.slot
        failed    := failed || io.map.resp.bits.mapped && !other
        back      := Mux(other, Back.read, Back.zeroes)
        waited    := false.B
      }
    }
    is(Back.read) {
      here(index(page.buf)) := false.B
      when(io.nand.ready)(back := Back.reading)
    }
    is(Back.reading) {
      when(came(index(page.buf)))(back := Back.data).elsewhen(here(index(page.buf)))(back := Back.again)
    }
    is(Back.data, Back.zeroes) {
      when(pageSent) {
        sent := sent + 1.U
        back := Mux(commandSent, Back.idle, Back.page)
        when(page.mapped) {
          here(index(page.buf)) := false.B
          came(index(page.buf)) := false.B
        }
      }
    }
  }

  // ------------------------------------------------------------------ what others want to know
  private val frontWaits = front === Front.idle && (!io.cmd.valid || !commands.io.enq.ready) ||
    front === Front.buffer && (!buf.valid && !io.bufAlloc.valid || !mayLook) || front === Front.read && !io.nand.ready
  private val backWaits = back === Back.idle && !io.hostWrite.req.valid || back === Back.page && !stepHere ||
    back === Back.again && io.unsaved && waited || back === Back.read && !io.nand.ready ||
    back === Back.reading && !came(index(page.buf)) && !here(index(page.buf))
  quiet := frontWaits && backWaits && !io.nandDone.valid && !io.cpl.valid

  io.event.page          := pageSent
  io.event.unmapped      := pageSent && !page.mapped
  io.event.uncorrectable := io.nandDone.valid && io.nandDone.bits.status =/= NandStatus.ok

  cover(io.bufAlloc.ready && !io.bufAlloc.valid, "no free read buffer")
  cover(front === Front.read && !io.nand.ready, "the die's queue is full")
  cover(front === Front.buffer && !steps.io.enq.ready, "many unmapped pages wait for the host")
  cover(back === Back.page && !stepHere, "the host waits for flash")
  cover(back === Back.data && !canAsk && asked =/= p.wordsPerSlot.U, "the host is as far as flash")
  cover(io.hostWrite.data.valid && !io.hostWrite.data.ready, "host memory is slow")
  cover(back === Back.idle && commands.io.deq.valid && !endings.io.enq.ready, "the host does not answer")
  cover(io.event.uncorrectable, "a page that flash cannot give")
  cover(back === Back.again && io.unsaved, "a page that flash cannot give may be saved")
  cover(back === Back.again && frontLooks, "the look-up of another page ends first")
  cover(
    front === Front.buffer && steps.io.enq.ready && retries,
    "a look-up waits for that of a page that may have been saved"
  )
  cover(back === Back.reading && came(index(page.buf)), "a page that was saved")
  cover(back === Back.reading && here(index(page.buf)) && !came(index(page.buf)), "a page whose program failed again")
  cover(
    back === Back.answer && io.map.resp.valid && !io.map.resp.bits.mapped,
    "a page that was dropped since its look-up"
  )
}
