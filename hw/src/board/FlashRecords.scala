// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** What a die has FlashRecords do. */
object FlashJobOp extends ChiselEnum {
  // What is in the page? A page that can be read is loaded into the die's page register.
  val read, probe = Value
  val admit       = Value // may the page be programmed?
  val tear        = Value // its program has begun
  val seal        = Value // its program has ended
  val open        = Value // the erase of the block has begun
  val close       = Value // the erase of the block has ended
}

class FlashJob(p: Params) extends Bundle {
  val op    = FlashJobOp()
  val die   = UInt(p.dieInChannelBits.max(1).W)
  val block = UInt(p.sbBits.W)
  val page  = UInt(p.pageBits.W)
  val sub   = UInt(p.subBits.max(1).W)
}

class FlashAnswer extends Bundle {
  val status = NandStatus()
  val blank  = Bool() // a block with a bad mark: its spare words are zeroes
}

/** What FlashLoader is to fetch into a page register. */
class FlashLoad(l: FlashLayout) extends Bundle {
  val die       = UInt(l.p.dieInChannelBits.max(1).W)
  val slot      = UInt(l.slotIndexBits.W)
  val spareOnly = Bool()
}

/** Keeps the records of blocks and pages, for the jobs of all dies, one job at a time. Each begins with the block's
  * record; nothing of it is kept on chip.
  *
  * Here is what flash does not allow: a program of a page that is not the block's next one, or of a block whose erase
  * was cut short; a read of a page that is not programmed; anything but a probe of a block that is marked bad. The
  * simulation ends. In hardware the operation fails, and changes nothing.
  *
  * An erase ends with a new generation of its block, so that no page is of it. One that was cut short leaves each page
  * as it was, torn or erased, by bits of its number.
  *
  * An access to DRAM that fails makes a read or probe `uncorrectable`, and a program or erase `failed`. Only `admit` is
  * `failed` when flash does not allow the program, and `uncorrectable` when DRAM does not tell.
  */
class FlashRecords(l: FlashLayout) extends Module {
  private val p = l.p
  private val a = AxiParams(p.dramAddrBits)
  val io        = IO(new Bundle {
    val job    = Flipped(Decoupled(new FlashJob(p)))
    val answer = Valid(new FlashAnswer)
    val load   = Decoupled(new FlashLoad(l))
    val loaded = Flipped(Valid(Bool())) // whether it has failed
    val axi    = new Axi4(a)
  })
  private object Step extends ChiselEnum {
    val idle, place, block, page, before, compare, judge, load, write, answer = Value
  }
  private val step      = RegInit(Step.idle)
  private val free      = RegInit(true.B)                         // step === Step.idle
  private val answers   = RegInit(false.B)                        // step === Step.answer
  private val judging   = RegNext(step === Step.compare, false.B) // step === Step.judge
  private val spareOnly = Reg(Bool())                             // of a load
  private val job       = Reg(new FlashJob(p))
  private val asked     = RegInit(false.B)                        // what this step asks has been handed over
  private val broken    = Reg(Bool())                             // DRAM has answered an error
  private val loads     = RegInit(false.B)                        // `load` is offered
  private val index     = Reg(UInt(l.pageIndexBits.W))
  private val prior     = Reg(UInt(l.pageIndexBits.W))            // of the page before
  private val first     = Reg(Bool())                             // there is none
  private val outside   = Reg(Bool())
  private val block     = Reg(new FlashBlockRecord)
  private val page      = Reg(new FlashPageRecord)
  private val behind    = Reg(new FlashPageRecord)
  private val used      = Reg(Bool())                             // the page is programmed or torn
  private val follows   = Reg(Bool())                             // so is the page before it, or there is none
  private val cut       = Reg(Bool())                             // the erase of the block was cut short, and
  private val wiped     = Reg(Bool())                             // has erased the page
  private val frayed    = Reg(Bool())                             // or torn it
  private val bumped    = Reg(UInt(FlashRecord.generationBits.W))
  private val status    = Reg(NandStatus())
  private val blank     = Reg(Bool())

  private def does(ops: FlashJobOp.Type*): Bool = VecInit(ops.map(job.op === _)).asUInt.orR
  private val senses                            = does(FlashJobOp.read, FlashJobOp.probe)
  private val marks                             = does(FlashJobOp.tear, FlashJobOp.seal) // a page
  private val admits                            = does(FlashJobOp.admit)

  // --- DRAM
  private val ar     = Wire(Decoupled(new AxiAddr(a)))
  private val aw     = Wire(Decoupled(new AxiAddr(a)))
  private val w      = Wire(Decoupled(new AxiWriteData(a)))
  private val r      = RegNext(io.axi.rd.r.bits)
  private val comes  = RegNext(io.axi.rd.r.valid, false.B)
  private val b      = RegNext(io.axi.wr.b.bits)
  private val stored = RegNext(io.axi.wr.b.valid, false.B)
  io.axi.rd.ar <> Skid(ar)
  io.axi.wr.aw <> Skid(aw)
  io.axi.wr.w <> Skid(w)
  io.axi.rd.r.ready := true.B
  io.axi.wr.b.ready := true.B

  private val blockAt = l.blockAddress(index >> p.pageBits)
  private val reads   = step === Step.block || step === Step.page || step === Step.before
  ar.valid     := reads && !asked
  ar.bits.addr := Mux(
    step === Step.block,
    blockAt,
    l.pageAddress(Mux(step === Step.before, prior, index))
  )
  ar.bits.len := 0.U

  private val ofBlock = Wire(new FlashBlockRecord)
  ofBlock.bad        := block.bad
  ofBlock.half       := job.op === FlashJobOp.open
  ofBlock.generation := Mux(job.op === FlashJobOp.open, block.generation, bumped)
  private val ofPage = Wire(new FlashPageRecord)
  ofPage.programmed := job.op === FlashJobOp.seal
  ofPage.generation := block.generation
  private val both = aw.ready && w.ready
  aw.valid     := step === Step.write && !asked && both
  aw.bits.addr := Mux(marks, l.pageAddress(index), blockAt)
  aw.bits.len  := 0.U
  w.valid      := aw.valid
  w.bits.data  := Mux(marks, ofPage.asUInt, ofBlock.asUInt)
  w.bits.strb  := Fill(a.strbBits, 1.U)
  w.bits.last  := true.B
  when(ar.fire || aw.fire)(asked := true.B)

  private def goto(next: Step.Type): Unit = {
    step  := next
    asked := false.B
  }
  private def end(s: NandStatus.Type): Unit = {
    status  := s
    answers := true.B
    goto(Step.answer)
  }
  private val nothing = Mux(senses, NandStatus.uncorrectable, NandStatus.failed) // can be done
  private val refuses = WireDefault(false.B)                                     // flash does not allow it

  // --- steps
  io.job.ready           := free
  io.load.valid          := loads
  io.load.bits.die       := job.die
  io.load.bits.slot      := l.slotIndex(index, job.sub)
  io.load.bits.spareOnly := spareOnly
  io.answer.valid        := answers
  io.answer.bits.status  := status
  io.answer.bits.blank   := blank

  when(comes && r.resp =/= Axi4.OKAY.U)(broken := true.B)
  answers := false.B
  switch(step) {
    is(Step.idle) {
      job    := io.job.bits
      broken := false.B
      blank  := false.B
      when(io.job.fire) {
        free := false.B
        goto(Step.place)
      }
    }
    is(Step.place) {
      index     := l.pageIndex(job.block, job.die, job.page)
      prior     := l.pageIndex(job.block, job.die, job.page - 1.U)
      first     := job.page === 0.U
      spareOnly := job.op === FlashJobOp.probe
      outside   := (if (isPow2(p.superblocks)) false.B else job.block >= p.superblocks.U)
      goto(Step.block)
    }
    is(Step.block) {
      when(comes) {
        block := r.data.asTypeOf(new FlashBlockRecord)
        goto(Mux(senses || admits, Step.page, Step.compare))
      }
    }
    is(Step.page) {
      when(comes) {
        page := r.data.asTypeOf(new FlashPageRecord)
        goto(Mux(admits && !first, Step.before, Step.compare))
      }
    }
    is(Step.before) {
      when(comes) {
        behind := r.data.asTypeOf(new FlashPageRecord)
        goto(Step.compare)
      }
    }
    is(Step.compare) {
      val fate = index(1, 0) ^ index(3, 2) ^ block.generation(1, 0)
      used    := page.generation === block.generation
      follows := first || behind.generation === block.generation
      cut     := block.half
      wiped   := block.half && fate === 0.U
      frayed  := block.half && fate === 1.U
      bumped  := block.generation + 1.U
      goto(Step.judge)
    }
    is(Step.load) {
      loads := !asked && !io.load.fire
      when(io.load.fire)(asked := true.B)
      when(io.loaded.valid)(end(Mux(io.loaded.bits, NandStatus.uncorrectable, NandStatus.ok)))
    }
    is(Step.write) {
      when(stored)(end(Mux(b.resp === Axi4.OKAY.U, NandStatus.ok, NandStatus.failed)))
    }
    is(Step.answer) {
      free := true.B
      goto(Step.idle)
    }
  }
  when(judging) {
    when(broken || outside)(end(Mux(admits && !outside, NandStatus.uncorrectable, nothing)))
      .elsewhen(senses) {
        goto(Step.load)
        when(frayed || !page.programmed)(end(NandStatus.uncorrectable))
        when(wiped || !used)(end(NandStatus.erased))
        when(block.bad) {
          blank := true.B
          end(NandStatus.failed)
        }
        refuses := job.op === FlashJobOp.read && (block.bad || wiped || !used)
      }
      .elsewhen(admits) {
        end(NandStatus.ok)
        refuses := block.bad || cut || used || !follows
      }
      .otherwise {
        goto(Step.write)
        refuses := block.bad
      }
  }
  when(refuses)(end(nothing))

  private def never(op: FlashJobOp.Type)(wrong: Bool, text: String): Unit =
    assert(!(step === Step.judge && job.op === op && !broken && wrong), text)
  assert(step =/= Step.judge || !outside, "an operation outside the flash")
  never(FlashJobOp.read)(block.bad, "read of a block that is marked bad")
  never(FlashJobOp.read)(wiped || !used, "read of an unprogrammed page")
  never(FlashJobOp.admit)(block.bad, "program of a block that is marked bad")
  never(FlashJobOp.admit)(cut, "program without erase (its erase was cut short)")
  never(FlashJobOp.admit)(used, "program without erase (the page is programmed)")
  never(FlashJobOp.admit)(!follows, "program out of order")
  never(FlashJobOp.open)(block.bad, "erase of a block that is marked bad")
  assert(free === (step === Step.idle) && answers === (step === Step.answer), "as the step says")
  assert(judging === (step === Step.judge), "judging as the step says")
  assert(!reads || asked || ar.ready, "one access at a time finds its place")
  assert(!comes || reads && asked, "read data that nobody asked for")
  assert(!stored || step === Step.write && asked, "a write response that nobody waits for")
  assert(!io.loaded.valid || step === Step.load && asked, "a page that nobody has asked for")
  Transitions("FlashRecords", step, Step, Step.idle)(
    Step.idle    -> Seq(Step.place),
    Step.place   -> Seq(Step.block),
    Step.block   -> Seq(Step.page, Step.compare),
    Step.page    -> Seq(Step.before, Step.compare),
    Step.before  -> Seq(Step.compare),
    Step.compare -> Seq(Step.judge),
    Step.judge   -> Seq(Step.load, Step.write, Step.answer),
    Step.load    -> Seq(Step.answer),
    Step.write   -> Seq(Step.answer),
    Step.answer  -> Seq(Step.idle)
  )
  private val judges = step === Step.judge && senses && !broken && used
  cover(step === Step.judge && broken, "FlashRecords: DRAM does not give a record")
  cover(judges && frayed, "FlashRecords: a page that a cut erase has torn")
  cover(judges && wiped, "FlashRecords: a page that a cut erase has erased")
  cover(judges && cut && !frayed && !wiped && page.programmed, "FlashRecords: a page that a cut erase has left")
  cover(judges && !page.programmed, "FlashRecords: a page whose program was cut off")
  cover(step === Step.judge && job.op === FlashJobOp.probe && block.bad, "FlashRecords: a block that is marked bad")
}
