// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Client's view: executes remap commands one at a time; each start is followed by its outcome. */
class RemapStartPort(val p: Params) extends Bundle {
  val start   = Decoupled(new RemapDescriptor(p))
  val outcome = Flipped(Valid(new RemapOutcome(p)))
}

/** Arbitrates between the two clients of the remap engine, round robin: firmware (REMAP, REMAP VECTOR, the unmapping of
  * Format NVM) and CopyEngine.
  *
  * The client that started a command gets its outcome. The engine reads the command's ranges from that client's list:
  * firmware's is in DRAM, CopyEngine's on chip.
  *
  * `settled` tells firmware which journal records it may use: those of remap commands and Copies with a smaller seq
  * have taken effect. A command draws its seqs after its start. So while one is under way, `settled` is the counter's
  * value at that start.
  */
class RemapStarter(p: Params) extends Module {
  private val clients = 2
  val io              = IO(new Bundle {
    val firmware = Flipped(new RemapStartPort(p))
    val copy     = Flipped(new RemapStartPort(p))
    val engine   = new RemapStartPort(p)
    val ranges   = Flipped(new AxiRead(AxiParams(p.dramAddrBits))) // the engine reads its list
    val dram     = new AxiRead(AxiParams(p.dramAddrBits))
    val copyList = new AxiRead(AxiParams(p.dramAddrBits))
    val seq      = Input(UInt(p.seqBits.W))                        // of the next mapping event
    val settled  = Output(UInt(p.seqBits.W))
  })
  private val ports           = Seq(io.firmware, io.copy)
  private val (asked, choice) = RoundRobin.join(ports.map(_.start))
  io.engine.start <> asked

  private val busy  = RegInit(false.B)
  private val owner = RegInit(VecInit.fill(clients)(false.B)) // one bit set from the first start on
  private val from  = Reg(UInt(p.seqBits.W))
  when(io.engine.outcome.valid)(busy := false.B)
  when(asked.fire) {
    busy  := true.B
    owner := choice
    from  := io.seq
  }
  for ((port, mine) <- ports.zip(owner)) {
    port.outcome.valid := io.engine.outcome.valid && mine
    port.outcome.bits  := io.engine.outcome.bits
  }
  io.settled := Mux(busy, from, io.seq)

  // ------------------------------------------------------------------ where the list is
  private val onChip = owner(1)
  for ((list, mine) <- Seq(io.dram -> !onChip, io.copyList -> onChip)) {
    list.ar.valid := io.ranges.ar.valid && mine
    list.ar.bits  := io.ranges.ar.bits
    list.r.ready  := io.ranges.r.ready && mine
  }
  io.ranges.ar.ready := Mux(onChip, io.copyList.ar.ready, io.dram.ar.ready)
  io.ranges.r.valid  := Mux(onChip, io.copyList.r.valid, io.dram.r.valid)
  io.ranges.r.bits   := Mux(onChip, io.copyList.r.bits, io.dram.r.bits)

  assert(!asked.fire || !busy, "RemapStarter: a command begins before the one before it has ended")
  assert(!io.engine.outcome.valid || busy, "RemapStarter: an outcome without a start")
  assert(!io.ranges.ar.valid || busy, "RemapStarter: ranges of no command are asked for")
  cover(busy && io.firmware.start.valid && onChip, "RemapStarter: firmware waits for a Copy")
  cover(busy && io.copy.start.valid && !onChip, "RemapStarter: a Copy waits for firmware's command")
  cover(asked.fire && ports.map(_.start.valid).reduce(_ && _), "RemapStarter: both want to begin")
}
