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
  private object Back extends ChiselEnum {
    val idle, page, data, zeroes, end, again, lookup, answer, judge, read, reading = Value
  }
  private val back     = RegInit(Back.idle)
  private val pageSent = WireInit(false.B)    // the last word of the page in hand has been sent:
  private val backSent = Wire(Back())         // the next state then,
  private val backElse = WireInit(back)       // and else. Whether it is sent is known late, so both are known before.
  private val page     = Reg(new ReadStep(p)) // the step whose data is being sent
  private val againLpn = Reg(UInt(32.W))      // its LPN
  private val waited   = RegInit(false.B)     // for pages to be saved
  private val other = Reg(new Bundle { val mapped = Bool(); val slot = UInt(p.slotBits.W) }) // what `lookup` found
  back := Mux(pageSent, backSent, backElse)

  /** Whether the next state of the back is one of these. */
  private def backGoes(states: Back.Type*): Bool = {
    def among(next: Back.Type) = VecInit(states.map(next === _)).asUInt.orR
    Mux(pageSent, among(backSent), among(backElse))
  }

  /** Whether the back is in one of these states, as a register. */
  private def backIn(states: Back.Type*): Bool = RegNext(backGoes(states: _*), false.B)
  private val retries                          = backIn(Back.again, Back.lookup, Back.answer, Back.judge, Back.read)
  private val backLooks                        = backIn(Back.lookup, Back.answer, Back.judge, Back.read)
  private val relooks                          = backIn(Back.lookup)
  private val rereads                          = backIn(Back.read)
  // ------------------------------------------------------------------ front: lookup, NAND read
  private val pageCountBits = log2Ceil(p.k.mdtsPages) + 1
  private object Front extends ChiselEnum { val idle, buffer, lookup, answer, read = Value }
  private val front     = RegInit(Front.idle)
  private val frontNext = WireInit(front)
  front := frontNext
  private def frontIn(states: Front.Type*): Bool = RegNext(VecInit(states.map(frontNext === _)).asUInt.orR, false.B)
  private val lpn                                = Reg(UInt(32.W))
  private val left                               = Reg(UInt(pageCountBits.W)) // pages of the command still to look up
  private val buf                                = RegInit(
    0.U.asTypeOf(Valid(UInt(p.bufBits.W)))
  ) // for the next page; stays when this one is unmapped
  private val slot = Reg(UInt(p.slotBits.W))
  // Both queues are distributed RAM, which costs the same for up to sixteen entries. A command keeps its place until
  // its last page has been sent, so there is a place for each buffer. Unmapped pages have steps, but no buffers.
  private val commands = Module(new Queue(new ReadTransfer(p), p.k.readBuffers))
  private val steps    = Module(new HeadQueue(new ReadStep(p), p.k.readBuffers))
  private val inside   = RegInit(0.U(log2Ceil(p.k.readBuffers + 1).W)) // commands there
  private val room     = RegInit(true.B)                               // for another one

  io.cmd.ready               := RegNext(frontNext === Front.idle, true.B) && room
  commands.io.enq.valid      := io.cmd.valid && front === Front.idle
  commands.io.enq.bits.qid   := io.cmd.bits.qid
  commands.io.enq.bits.cid   := io.cmd.bits.cid
  commands.io.enq.bits.slba  := io.cmd.bits.slba
  commands.io.enq.bits.pages := io.cmd.bits.pages(pageCountBits - 1, 0)
  commands.io.enq.bits.prp1  := io.cmd.bits.prp1
  commands.io.enq.bits.prp2  := io.cmd.bits.prp2
  io.bufAlloc.ready          := frontIn(Front.idle, Front.buffer) && !buf.valid
  io.map.req.valid           := RegNext(frontNext === Front.lookup || backGoes(Back.lookup), false.B)
  io.map.req.bits            := DontCare
  io.map.req.bits.op         := MapOp.lookup
  io.map.req.bits.lpn        := Mux(relooks, againLpn, lpn)
  io.map.resp.ready          := RegNext(frontNext === Front.answer || backGoes(Back.answer), false.B)
  io.nand.valid              := RegNext(frontNext === Front.read || backGoes(Back.read), false.B)
  io.nand.bits.op            := NandRequestOp.read
  io.nand.bits.client        := NandClient.hostRead
  io.nand.bits.slot          := Mux(rereads, page.slot, slot)
  io.nand.bits.buf           := Mux(rereads, page.buf, buf.bits)
  io.nand.bits.oob           := 0.U
  steps.io.in.valid          := io.map.resp.valid && front === Front.answer
  steps.io.in.bits.mapped    := io.map.resp.bits.mapped
  steps.io.in.bits.slot      := io.map.resp.bits.slot
  steps.io.in.bits.buf       := buf.bits
  private val frontLooks = frontIn(Front.lookup, Front.answer, Front.read)
  // A register that follows the states without delay: it is high with `map.req.valid`, and still with `nand.valid`.
  private val window = RegNext(
    VecInit(Seq(Front.lookup, Front.answer, Front.read).map(_ === frontNext)).asUInt.orR ||
      backGoes(Back.lookup, Back.answer, Back.judge, Back.read),
    false.B
  )
  io.window := window
  assert(window === (frontLooks || backLooks), "an erase could get between the lookup and the read")
  // Room for the page's step is there before it is looked up, so that its answer never waits for the back.
  private val mayLook = steps.io.in.ready && !retries
  assert(!(frontLooks && backLooks), "both sides look up")
  assert(!steps.io.in.valid || steps.io.in.ready, "room was kept for the step")

  private def next(): Unit = {
    lpn       := lpn + 1.U
    left      := left - 1.U
    frontNext := Mux(left === 1.U, Front.idle, Front.buffer)
  }
  // A buffer is taken ahead of time, so that the first page of a command does not wait for it.
  when(io.bufAlloc.fire) {
    buf.valid := true.B
    buf.bits  := io.bufAlloc.bits
  }
  switch(front) {
    is(Front.idle) {
      when(io.cmd.fire) {
        lpn       := io.cmd.bits.slba
        left      := io.cmd.bits.pages(pageCountBits - 1, 0)
        frontNext := Mux(buf.valid && mayLook, Front.lookup, Front.buffer)
        assert(io.cmd.bits.op === IoOp.read, "a command that is not for this engine")
        assert(
          io.cmd.bits.pages =/= 0.U && io.cmd.bits.pages <= p.k.mdtsPages.U,
          "the router lets no empty read and none above the MDTS through"
        )
      }
    }
    is(Front.buffer) {
      when((buf.valid || io.bufAlloc.fire) && mayLook)(frontNext := Front.lookup)
    }
    is(Front.lookup)(when(io.map.req.ready)(frontNext := Front.answer))
    is(Front.answer) {
      when(io.map.resp.fire) {
        slot := io.map.resp.bits.slot
        when(io.map.resp.bits.mapped)(frontNext := Front.read).otherwise(next())
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
  private val came      = RegInit(VecInit.fill(1 << placeBits)(false.B)) // words of it have come:
  private val known     = Mem(1 << placeBits, UInt((p.wordBits + 1).W))  // this many
  private def index(b: UInt): UInt = b(placeBits - 1, 0) // the low bits of following numbers are all different
  private val wroteHere            =
    io.wrote.valid && io.wrote.bits.buf >= p.readBufBase.U && io.wrote.bits.buf < (p.readBufBase + p.k.readBuffers).U
  when(wroteHere) {
    val place = index(io.wrote.bits.buf)
    came(place)  := true.B
    known(place) := io.wrote.bits.word +& 1.U
    assert(
      io.wrote.bits.word === Mux(came(place), known(place), 0.U),
      "the words of a page come in order"
    )
    assert(!here(index(io.wrote.bits.buf)), "a word for a page that is done")
  }
  private val bad = io.nandDone.bits.status =/= NandStatus.ok
  io.nandDone.ready := true.B
  when(io.nandDone.valid) {
    here(index(io.nandDone.bits.buf)) := true.B
    assert(!here(index(io.nandDone.bits.buf)), "a page came twice")
    assert(io.nandDone.bits.op === NandRequestOp.read, "an answer to a question not asked")
    assert(
      came(index(io.nandDone.bits.buf)) =/= bad &&
        (bad || known(index(io.nandDone.bits.buf)) === p.wordsPerSlot.U),
      "all words of a page that could be read, none of another"
    )
  }

  // ------------------------------------------------------------------ back: buffers to host memory
  private val cmd      = commands.io.deq.bits
  private val step     = steps.io.out.bits
  private val sent     = Reg(UInt(pageCountBits.W))    // pages
  private val asked    = Reg(UInt((p.wordBits + 1).W)) // words asked of the buffer RAM
  private val word     = Reg(UInt(p.wordBits.W))       // words given to the host
  private val lastWord = RegInit(false.B)              // word.andR
  private val lastPage = RegNext(sent + 1.U === cmd.pages, false.B)
  private val failed   = Reg(Bool())
  againLpn := cmd.slba + sent

  /** A command all of whose pages have been sent. */
  private class Ending extends Bundle {
    val qid    = UInt(p.qidBits.W)
    val cid    = UInt(16.W)
    val failed = Bool() // flash could not give a page
  }
  private val ahead       = 2 // commands whose writes the host has not answered, or whose completions wait
  private val endings     = Module(new Queue(new Ending, ahead))
  private val completions = Module(new Skid(new Completion(p)))
  private val kept  = RegInit(0.U(log2Ceil(ahead + 1).W)) // commands in the two
  private val begin = RegInit(false.B)                    // the transfer of the next command

  private val words    = Module(new Skid(UInt(p.dataBits.W))) // on their way to the host
  private val sending  = backIn(Back.data)
  private val zeroing  = backIn(Back.zeroes)
  private val wordSent = words.io.in.ready && (zeroing || sending && io.bufRead.data.valid)
  words.io.in.valid     := zeroing || sending && io.bufRead.data.valid
  words.io.in.bits      := Mux(zeroing, 0.U, io.bufRead.data.bits)
  io.bufRead.data.ready := sending && words.io.in.ready
  io.hostWrite.data <> words.io.out

  private val pageHere = RegInit(false.B) // NAND is done with the page in hand: here(index(page.buf))
  private val over     = Reg(Bool())      // `end`: of the last page of a command
  // A page's buffer is free when its last word has been sent and NAND is done with it, which may be some cycles later.
  private val mayEnd      = zeroing || pageHere
  private val commandSent = pageSent && lastPage
  pageSent := wordSent && lastWord
  backSent := Mux(mayEnd, Mux(lastPage, Back.idle, Back.page), Back.end)
  assert(!pageSent || lastPage === (sent + 1.U === cmd.pages), "the last page of a command is known ahead")
  assert(!wordSent || lastWord === word.andR, "the last word of a page is known ahead")
  steps.io.out.ready := pageSent
  // All words have left the buffer: the last ones wait in `words`.
  io.bufFree.valid      := RegNext(mayEnd && (pageSent && page.mapped || back === Back.end), false.B)
  io.bufFree.bits       := RegNext(page.buf)
  commands.io.deq.ready := commandSent

  // Commands inside, counted ahead of time.
  inside := inside + io.cmd.fire - commandSent
  room   := commandSent || inside =/= Mux(io.cmd.fire, (p.k.readBuffers - 1).U, p.k.readBuffers.U)
  assert(inside === commands.io.count && room === commands.io.enq.ready, "commands are counted ahead of time")

  // Room for the command's ending and its completion is there before it begins: only this state machine fills them.
  private val keptNext = kept + commandSent - io.cpl.fire
  kept  := keptNext
  begin := Mux(commandSent, inside > 1.U && mayEnd, back === Back.idle && !io.hostWrite.req.fire && inside =/= 0.U) &&
    keptNext =/= ahead.U
  io.hostWrite.req.valid      := begin
  io.hostWrite.req.bits.prp1  := cmd.prp1
  io.hostWrite.req.bits.prp2  := cmd.prp2
  io.hostWrite.req.bits.bytes := cmd.pages << log2Ceil(p.slotBytes)
  assert(!begin || back === Back.idle && commands.io.deq.valid && endings.io.enq.ready, "a command begins too early")

  endings.io.enq.valid       := commandSent
  endings.io.enq.bits.qid    := cmd.qid
  endings.io.enq.bits.cid    := cmd.cid
  endings.io.enq.bits.failed := failed
  endings.io.deq.ready       := io.hostWrite.done.valid
  completions.io.in.valid    := io.hostWrite.done.valid
  completions.io.in.bits.qid := endings.io.deq.bits.qid
  completions.io.in.bits.cid := endings.io.deq.bits.cid
  // What the host did not get at all says more than what flash could not give.
  completions.io.in.bits.status := Mux(
    io.hostWrite.done.bits === NvmeStatus.Success && endings.io.deq.bits.failed,
    NvmeStatus.UnrecoveredReadError,
    io.hostWrite.done.bits
  )
  completions.io.in.bits.dw0 := 0.U
  io.cpl <> completions.io.out
  assert(!commandSent || endings.io.enq.ready, "room was kept for the ending")
  assert(
    !io.hostWrite.done.valid || completions.io.in.ready && endings.io.deq.valid,
    "a transfer ended that nobody began"
  )

  // ------------------------------------------------------------------ words of the page that may be sent
  // `there` and `may` follow the page in hand: its words as they are written, not what the tables say a cycle later.
  private val follows  = backIn(Back.data, Back.reading, Back.end)
  private val pageCame = RegInit(false.B)                 // came(index(page.buf))
  private val may      = RegInit(false.B)                 // ask for a word
  private val there    = RegInit(0.U((p.wordBits + 1).W)) // words that may be asked for, without the newest one:
  private val fresh    = RegInit(false.B)                 // it is there
  private val begins  = back === Back.page && steps.io.out.valid // the next page is in hand from now on
  private val inHand  = Mux(follows, page.buf, step.buf)
  private val cameNow = step.mapped && came(index(step.buf))     // before this cycle
  private val hereNow = step.mapped && here(index(step.buf))
  private val isHere  = follows || begins && step.mapped
  private val writes  = io.wrote.valid && io.wrote.bits.buf === inHand
  private val ends    = io.nandDone.valid && io.nandDone.bits.buf === inHand
  private val comes   = isHere && writes
  private val asks    = io.bufRead.addr.fire
  io.bufRead.addr.valid     := may
  io.bufRead.addr.bits.buf  := page.buf
  io.bufRead.addr.bits.word := asked(p.wordBits - 1, 0)
  fresh                     := comes
  there                     := there + fresh - asks
  may                       := comes || Mux(
    begins,
    cameNow,
    Mux(asks, there > 1.U || there === 1.U && fresh, there =/= 0.U || fresh)
  )
  pageCame := isHere && writes || Mux(begins, cameNow, pageCame)
  pageHere := isHere && ends || Mux(begins, hereNow, pageHere && back =/= Back.read)
  assert(may === (there =/= 0.U || fresh), "words to ask for are counted ahead of time")
  assert(
    !follows || pageCame === came(index(page.buf)) && pageHere === here(index(page.buf)),
    "the page in hand is followed"
  )
  assert(
    !follows || asked + there + fresh === Mux(pageCame, known(index(page.buf)), 0.U),
    "as many words may be asked for as there are"
  )
  assert(follows || !may, "words of no page")

  when(asks)(asked := asked + 1.U)
  when(wordSent) {
    word     := word + 1.U
    lastWord := word === (p.wordsPerSlot - 2).U
  }
  switch(back) {
    is(Back.idle) {
      sent   := 0.U
      failed := false.B
      when(io.hostWrite.req.fire)(backElse := Back.page)
    }
    is(Back.page) {
      // The tables say what came before this cycle; `writes` and `ends` see what comes from now on.
      val many = known(index(step.buf))
      asked    := 0.U
      word     := 0.U
      lastWord := false.B
      page     := step
      when(steps.io.out.valid) {
        there    := Mux(cameNow, many, 0.U)
        backElse := Mux(step.mapped, Back.data, Back.zeroes)
      }
    }
    is(Back.again) {
      when(io.unsaved)(waited := true.B).elsewhen(!frontLooks)(backElse := Back.lookup)
    }
    is(Back.lookup)(when(io.map.req.ready)(backElse := Back.answer))
    is(Back.answer) {
      other.mapped := io.map.resp.bits.mapped
      other.slot   := io.map.resp.bits.slot
      when(io.map.resp.valid)(backElse := Back.judge)
    }
    is(Back.judge) {
      val again = other.mapped && (other.slot =/= page.slot || waited)
      page.slot := other.slot
      failed    := failed || other.mapped && !again
      backElse  := Mux(again, Back.read, Back.zeroes)
      waited    := false.B
    }
    is(Back.read) {
      here(index(page.buf)) := false.B
      when(io.nand.ready)(backElse := Back.reading)
    }
    is(Back.reading) {
      when(pageCame)(backElse := Back.data).elsewhen(pageHere)(backElse := Back.again)
    }
    is(Back.data, Back.zeroes) {
      when(back === Back.data && pageHere && !pageCame)(backElse := Back.again)
      when(pageSent) {
        sent := sent + 1.U
        over := lastPage
      }
    }
    is(Back.end)(when(mayEnd)(backElse := Mux(over, Back.idle, Back.page)))
  }
  when(io.bufFree.valid) { // nobody has got the buffer since
    here(index(io.bufFree.bits)) := false.B
    came(index(io.bufFree.bits)) := false.B
  }

  // ------------------------------------------------------------------ what others want to know
  private val flashWaits = !pageCame && !pageHere
  private val frontWaits = front === Front.idle && (!io.cmd.valid || !room) && (buf.valid || !io.bufAlloc.valid) ||
    front === Front.buffer && (!buf.valid && !io.bufAlloc.valid || !mayLook) || front === Front.read && !io.nand.ready
  private val backWaits = back === Back.idle && !begin && (inside === 0.U || kept === ahead.U) ||
    back === Back.page && !steps.io.out.valid || back === Back.data && flashWaits ||
    back === Back.end && !pageHere || back === Back.again && io.unsaved && waited ||
    back === Back.read && !io.nand.ready || back === Back.reading && flashWaits
  quiet := frontWaits && backWaits && !io.nandDone.valid && completions.quiet && !io.bufFree.valid && words.quiet &&
    steps.quiet

  // A cycle late, as counters may be.
  io.event.page          := RegNext(pageSent, false.B)
  io.event.unmapped      := RegNext(pageSent && !page.mapped, false.B)
  io.event.uncorrectable := RegNext(io.nandDone.valid && bad, false.B)

  cover(io.bufAlloc.ready && !io.bufAlloc.valid, "no free read buffer")
  cover(front === Front.read && !io.nand.ready, "the die's queue is full")
  cover(front === Front.buffer && !steps.io.in.ready, "many unmapped pages wait for the host")
  cover(back === Back.data && flashWaits, "the host waits for flash")
  cover(back === Back.end && !mayEnd, "all words are sent before NAND is done with the page")
  cover(back === Back.data && pageCame && !may && asked =/= p.wordsPerSlot.U, "the host is as far as flash")
  cover(io.hostWrite.data.valid && !io.hostWrite.data.ready, "host memory is slow")
  cover(back === Back.idle && inside =/= 0.U && kept === ahead.U, "the host does not answer")
  cover(io.event.uncorrectable, "a page that flash cannot give")
  cover(back === Back.page && steps.io.out.valid && step.mapped && writes, "a word comes as its page begins")
  cover(back === Back.page && steps.io.out.valid && step.mapped && ends, "a page ends as it begins")
  cover(back === Back.again && io.unsaved, "a page that flash cannot give may be saved")
  cover(back === Back.again && frontLooks, "the look-up of another page ends first")
  cover(
    front === Front.buffer && steps.io.in.ready && retries,
    "a look-up waits for that of a page that may have been saved"
  )
  cover(back === Back.reading && pageCame, "a page that was saved")
  cover(back === Back.reading && pageHere && !pageCame, "a page whose program failed again")
  cover(back === Back.judge && !other.mapped, "a page that was dropped since its look-up")
}
