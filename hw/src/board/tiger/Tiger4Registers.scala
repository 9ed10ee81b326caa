// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Commands of the NAND controller that a way gives. */
object Tiger4Op extends ChiselEnum {
  val reset, features, trigger, transfer, raw, program, erase, status = Value
}

class Tiger4Command extends Bundle {
  val op  = Tiger4Op()
  val way = UInt(Tiger4Layout.wayBits.W)
  val row = UInt(Tiger4Layout.rowBits.W)
  val buf = UInt(Tiger4Streams.bufBits.W) // program
}

/** Writes commands into the NAND controller's registers, and reads which ways are ready while somebody waits for one.
  *
  * A command's registers are written one after the other, its number last, which starts it. The controller answers no
  * write while its queue is full. After a reset nothing is written until the controller says that it is idle.
  *
  * Timing: registers on all sides.
  */
class Tiger4Registers(window: BigInt) extends Module {
  val io = IO(new Bundle {
    val command = Flipped(Decoupled(new Tiger4Command))
    val waits   = Input(Bool())                       // a way waits for its pin
    val ready   = Valid(UInt(Tiger4Map.Sizes.ways.W)) // the pins
    val started = Output(Bool())                      // the controller was idle
    val bus     = new AxiLite(Tiger4Registers.addrBits)
  })
  import Tiger4Map.Registers
  import Tiger4Registers._
  require(window >= 0 && window % (1 << Tiger4Layout.windowBits) == 0 && window < (BigInt(1) << 32))

  private object Step extends ChiselEnum { val start, rest, pick, write, read = Value }
  private val offer   = Skid(io.command)
  private val step    = RegInit(Step.start)
  private val started = RegInit(false.B)
  private val command = Reg(new Tiger4Command)
  private val left    = RegInit(0.U(registers.size.W)) // registers that are not written yet, in their order
  private val addr    = Reg(UInt(addrBits.W))
  private val data    = Reg(UInt(32.W))
  private val awOpen  = RegInit(false.B)               // offered and not taken yet
  private val wOpen   = RegInit(false.B)
  private val arOpen  = RegInit(false.B)
  private val pause   = RegInit(0.U(log2Ceil(pollEvery).W))

  io.bus.aw.valid     := awOpen
  io.bus.aw.bits.addr := addr
  io.bus.w.valid      := wOpen
  io.bus.w.bits.data  := data
  io.bus.w.bits.strb  := 15.U
  io.bus.b.ready      := true.B
  io.bus.ar.valid     := arOpen
  io.bus.ar.bits.addr := addr
  io.bus.r.ready      := true.B
  when(io.bus.aw.ready)(awOpen := false.B)
  when(io.bus.w.ready)(wOpen   := false.B)
  when(io.bus.ar.ready)(arOpen := false.B)

  /** Address of `offset` in a part of the window. */
  private def at(part: UInt, number: UInt, offset: Int): UInt =
    Cat(
      (window >> Tiger4Layout.windowBits).U((32 - Tiger4Layout.windowBits).W),
      part(1, 0),
      number.pad(Tiger4Layout.wayBits),
      offset.U(Tiger4Layout.offsetBits.W)
    )
  private def does(op: Tiger4Op.Type): Bool = command.op === op
  private val part                          =
    Mux(does(Tiger4Op.program), Tiger4Layout.program.U, Mux(does(Tiger4Op.raw), Tiger4Layout.raw.U, 0.U(2.W)))
  private val place  = Mux(does(Tiger4Op.program), command.buf.pad(Tiger4Layout.wayBits), command.way)
  private val number = Mux1H(numbers.map { case (op, n) => does(op) -> n.U(8.W) })
  private val values = Seq(
    command.way,
    command.row,
    at(Tiger4Layout.features.U, 0.U, 0),
    at(part, place, Tiger4Layout.data),
    at(part, place, Tiger4Layout.spare),
    at(part, place, Tiger4Layout.ecc),
    Mux(
      does(Tiger4Op.raw),
      at(part, place, Tiger4Layout.rawDone),
      Mux(does(Tiger4Op.status), at(part, place, Tiger4Layout.report), at(part, place, Tiger4Layout.done))
    ),
    number
  )
  private val picked = PriorityEncoderOH(left)
  private val polls  = RegNext(io.waits && pause === 0.U && step =/= Step.read, false.B)

  offer.ready    := step === Step.rest && !polls
  io.ready.valid := RegNext(step === Step.read && io.bus.r.valid && started, false.B)
  io.ready.bits  := RegNext(io.bus.r.bits.data(Tiger4Map.Sizes.ways - 1, 0))
  io.started     := started
  pause          := Mux(step === Step.read, (pollEvery - 1).U, Mux(pause === 0.U, 0.U, pause - 1.U))

  switch(step) {
    is(Step.start) {
      addr   := Registers.idle.U
      arOpen := true.B
      step   := Step.read
    }
    is(Step.rest) {
      addr := Registers.ready.U
      when(polls) {
        arOpen := true.B
        step   := Step.read
      }.elsewhen(offer.valid) {
        command := offer.bits
        left    := Mux1H(uses.map { case (op, mask) => (offer.bits.op === op) -> mask.U(registers.size.W) })
        step    := Step.pick
      }
    }
    is(Step.pick) {
      addr   := Mux1H(picked, registers.map(_.U(addrBits.W)))
      data   := Mux1H(picked, values.map(_.pad(32)))
      left   := left & ~picked.asUInt
      awOpen := true.B
      wOpen  := true.B
      step   := Step.write
    }
    is(Step.write)(when(io.bus.b.valid)(step := Mux(left === 0.U, Step.rest, Step.pick)))
    is(Step.read) {
      when(io.bus.r.valid) {
        started := started || io.bus.r.bits.data(0)
        step    := Mux(started || io.bus.r.bits.data(0), Step.rest, Step.start)
      }
    }
  }

  assert(!io.bus.b.valid || step === Step.write && !awOpen && !wOpen, "an answer to no write")
  assert(!io.bus.r.valid || step === Step.read && !arOpen, "an answer to no read")
  assert(!io.bus.b.valid || io.bus.b.bits.resp === Axi4.OKAY.U, "the NAND controller refuses a write")
  assert(!io.bus.r.valid || io.bus.r.bits.resp === Axi4.OKAY.U, "the NAND controller refuses a read")
  assert(step =/= Step.pick || left =/= 0.U, "a command without registers")
  cover(offer.valid && polls && step === Step.rest, "Tiger4Registers: a command waits for a poll")
  cover(
    step === Step.read && io.bus.r.valid && !started && !io.bus.r.bits.data(0),
    "Tiger4Registers: not idle at the start"
  )
  cover(RegNext(awOpen) && awOpen && !io.bus.aw.ready, "Tiger4Registers: an address waits")
}

object Tiger4Registers {
  val addrBits = 6

  /** Cycles from one look at the pins to the next. */
  val pollEvery = 64

  import Tiger4Map.{Commands, Registers => R}

  /** In the order in which they are written. */
  val registers: Seq[Int] = Seq(R.way, R.row, R.userData, R.data, R.spare, R.ecc, R.completion, R.command)

  private val numbers: Seq[(Tiger4Op.Type, Int)] = Seq(
    Tiger4Op.reset    -> Commands.reset,
    Tiger4Op.features -> Commands.setFeatures,
    Tiger4Op.trigger  -> Commands.trigger,
    Tiger4Op.transfer -> Commands.transfer,
    Tiger4Op.raw      -> Commands.raw,
    Tiger4Op.program  -> Commands.program,
    Tiger4Op.erase    -> Commands.erase,
    Tiger4Op.status   -> Commands.status
  )

  /** The registers that each command uses, as bits of `registers`. */
  private val uses: Seq[(Tiger4Op.Type, Int)] = {
    def mask(used: Int*): Int = (R.way +: used :+ R.command).map(r => 1 << registers.indexOf(r)).sum
    Seq(
      Tiger4Op.reset    -> mask(),
      Tiger4Op.features -> mask(R.userData),
      Tiger4Op.trigger  -> mask(R.row),
      Tiger4Op.transfer -> mask(R.row, R.data, R.spare, R.ecc, R.completion),
      Tiger4Op.raw      -> mask(R.data, R.completion),
      Tiger4Op.program  -> mask(R.row, R.data, R.spare),
      Tiger4Op.erase    -> mask(R.row),
      Tiger4Op.status   -> mask(R.completion)
    )
  }
}
