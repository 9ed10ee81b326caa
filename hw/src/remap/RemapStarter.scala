// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Client's view: executes remap commands one at a time; each start is followed by its outcome. */
class RemapStartPort(val p: Params) extends Bundle {
  val start   = Decoupled(new RemapDescriptor(p))
  val outcome = Flipped(Valid(new RemapOutcome(p)))
}

/** Arbitrates between the two clients of the remap engine, round robin: firmware (what RangeEngine does not carry out,
  * the unmapping of Format NVM) and RangeEngine.
  *
  * The client that started a command gets its outcome. The engine reads the command's ranges from that client's list:
  * firmware's is in DRAM, RangeEngine's on chip.
  *
  * `settled` tells firmware which journal records it may use: those of remap commands with a smaller seq have taken
  * effect. A command draws its seqs after the engine has taken it. So while one is under way, `settled` stays at the
  * counter's value at that time; otherwise it follows the counter a cycle later.
  *
  * All ports have registers. A client's offer is accepted in the cycle after it was chosen.
  */
class RemapStarter(p: Params) extends Module with Quiesces {
  private val clients = 2
  val io              = IO(new Bundle {
    val firmware = Flipped(new RemapStartPort(p))
    val hardware = Flipped(new RemapStartPort(p))
    val engine   = new RemapStartPort(p)
    val ranges   = Flipped(new AxiRead(AxiParams(p.dramAddrBits))) // the engine reads its list, and takes at once
    val dram     = new AxiRead(AxiParams(p.dramAddrBits))
    val onChip   = new AxiRead(AxiParams(p.dramAddrBits))
    val seq      = Input(UInt(p.seqBits.W))                        // of the next mapping event
    val settled  = Output(UInt(p.seqBits.W))
  })
  private val ports = Seq(io.firmware, io.hardware)

  private val busy    = RegInit(false.B) // a command has been accepted, and its outcome is not here
  private val offers  = RegInit(false.B) // it is offered to the engine
  private val command = Reg(new RemapDescriptor(p))
  private val accepts = RegInit(VecInit.fill(clients)(false.B)) // whose command, in this cycle
  private val owner   = RegInit(VecInit.fill(clients)(false.B)) // one bit set from the first command on
  private val asked   = ports.zip(accepts).map { case (port, mine) => port.start.valid && mine }
  private val begins  = asked.reduce(_ || _)
  private val mayAsk  = !busy && !accepts.asUInt.orR
  private val choice  = RoundRobin(ports.map(_.start.valid), mayAsk && ports.map(_.start.valid).reduce(_ || _))
  for (((port, mine), chosen) <- ports.zip(accepts).zip(choice)) {
    port.start.ready := mine
    mine             := mayAsk && chosen
  }
  when(begins) {
    command := Mux1H(asked, ports.map(_.start.bits))
    owner   := accepts
  }
  when(begins)(busy := true.B).elsewhen(io.engine.outcome.valid)(busy   := false.B)
  when(begins)(offers := true.B).elsewhen(io.engine.start.ready)(offers := false.B)
  io.engine.start.valid := offers
  io.engine.start.bits  := command
  private val outcome = RegNext(io.engine.outcome.bits)
  for ((port, mine) <- ports.zip(owner)) {
    port.outcome.valid := RegNext(io.engine.outcome.valid && mine, false.B)
    port.outcome.bits  := outcome
  }
  private val started = busy && !offers
  io.settled := RegEnable(io.seq, !started)

  // ------------------------------------------------------------------ where the list is
  // A range takes two beats, so an address every other cycle is enough.
  private val isOnChip = owner(1)
  private val ar       = Module(new Queue(new AxiAddr(AxiParams(p.dramAddrBits)), 1))
  ar.io.enq <> io.ranges.ar
  ar.io.deq.ready := Mux(isOnChip, io.onChip.ar.ready, io.dram.ar.ready)
  for ((list, mine) <- Seq(io.dram -> !isOnChip, io.onChip -> isOnChip)) {
    list.ar.valid := ar.io.deq.valid && mine
    list.ar.bits  := ar.io.deq.bits
    list.r.ready  := true.B
  }
  io.ranges.r.valid := RegNext(Mux(isOnChip, io.onChip.r.valid, io.dram.r.valid), false.B)
  io.ranges.r.bits  := RegNext(Mux(isOnChip, io.onChip.r.bits, io.dram.r.bits))

  quiet := !(mayAsk && ports.map(_.start.valid).reduce(_ || _)) && !accepts.asUInt.orR &&
    !(offers && io.engine.start.ready) && !io.engine.outcome.valid && !ports.map(_.outcome.valid).reduce(_ || _) &&
    (started || io.settled === io.seq) && !ar.io.deq.valid && !io.ranges.ar.valid && !io.ranges.r.valid &&
    !io.dram.r.valid && !io.onChip.r.valid

  assert(!io.ranges.r.valid || io.ranges.r.ready, "RemapStarter: the engine does not take a range that it asked for")
  assert(!begins || !busy, "RemapStarter: a command begins before the one before it has ended")
  assert(!io.engine.outcome.valid || started, "RemapStarter: an outcome without a start")
  assert(!io.ranges.ar.valid || started, "RemapStarter: ranges of no command are asked for")
  cover(busy && io.firmware.start.valid && isOnChip, "RemapStarter: firmware waits for a command of the hardware")
  cover(busy && io.hardware.start.valid && !isOnChip, "RemapStarter: the hardware waits for firmware's command")
  cover(mayAsk && ports.map(_.start.valid).reduce(_ && _), "RemapStarter: both want to begin")
}
