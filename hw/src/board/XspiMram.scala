// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** NVRAM in an xSPI MRAM: AXI4 in, eight data lines with both edges out (JESD251, profile 1.0). A write is answered
  * when it is durable. Bursts are carried out one at a time, in the order in which their addresses come; of two that
  * come in the same cycle either may be first.
  *
  * It serves what the controller's NVRAM port does: bursts of whole beats, each half of a beat with all of its strobes
  * or none. Addresses beyond the memory belong behind an AxiWindow.
  *
  * Here the parts are wired, and bursts wait for their turn.
  */
class XspiMram(a: AxiParams, part: XspiPart, megahertz: Int) extends Module {
  val io = IO(new Bundle {
    val axi    = Flipped(new Axi4(a))
    val pins   = new XspiPins
    val stop   = Input(Bool())  // the supply fails: XspiWriter
    val ready  = Output(Bool()) // the memory has been started
    val failed = Output(Bool()) // it cannot be: every burst is answered with an error
  })
  private val t = XspiCycles(part, megahertz)
  require(part.bytes <= (BigInt(1) << a.addrBits), "the whole memory can be addressed")

  private val start     = Module(new XspiStart(t))
  private val feeder    = Module(new XspiFeeder(part, a))
  private val writer    = Module(new XspiWriter(part, a))
  private val reader    = Module(new XspiReader(part, a))
  private val sequencer = Module(new XspiSequencer(t))

  // --- order of bursts
  private class Turn extends Bundle {
    val write = Bool()
    val burst = new XspiBurst(part, a)
  }
  private val beats                                                               = log2Ceil(part.bytes)
  private def asks(from: DecoupledIO[AxiAddr], write: Boolean): DecoupledIO[Turn] = {
    val turn = Module(new Skid(new Turn))
    turn.io.in.valid           := from.valid
    from.ready                 := turn.io.in.ready
    turn.io.in.bits.write      := write.B
    turn.io.in.bits.burst.beat := from.bits.addr(beats - 1, a.sizeLog2)
    turn.io.in.bits.burst.len  := from.bits.len
    assert(!from.valid || (from.bits.addr >> beats) === 0.U, "XspiMram: a burst beyond the memory")
    turn.io.out
  }
  private val order        = Module(new Queue(new Turn, 16))
  private val (came, _, _) = RoundRobin.joinAhead(Seq(asks(io.axi.wr.aw, true), asks(io.axi.rd.ar, false)))
  order.io.enq <> came
  private val turn     = Skid(order.io.deq)
  private val writing  = feeder.io.busy || writer.io.busy
  private val mayWrite = start.io.ready && !reader.io.busy
  private val mayRead  = start.io.ready && !writing
  feeder.io.burst.valid := turn.valid && turn.bits.write && mayWrite
  feeder.io.burst.bits  := turn.bits.burst
  reader.io.burst.valid := turn.valid && !turn.bits.write && mayRead
  reader.io.burst.bits  := turn.bits.burst
  turn.ready            := Mux(turn.bits.write, mayWrite && feeder.io.burst.ready, mayRead && reader.io.burst.ready)

  feeder.io.w <> io.axi.wr.w
  writer.io.in <> feeder.io.out
  writer.io.more   := feeder.io.busy || turn.valid && turn.bits.write
  writer.io.failed := start.io.failed
  writer.io.stop   := io.stop
  reader.io.failed := start.io.failed
  io.axi.wr.b <> writer.io.b
  io.axi.rd.r <> reader.io.r
  io.ready  := start.io.ready
  io.failed := start.io.failed

  // --- the memory: its client does not change within a transaction
  private val clients = Seq(start.io.link, writer.io.link, reader.io.link)
  private val reads   = RegNext(reader.io.busy, false.B)
  private val mine    = Seq(!start.io.ready, start.io.ready && !reads, start.io.ready && reads)
  private val link    = sequencer.io.link
  Turns.turns(link.cmd, mine.zip(clients.map(_.cmd)): _*)
  Turns.turns(link.step, mine.zip(clients.map(_.step)): _*)
  link.finish := Mux1H(mine, clients.map(_.finish))
  for ((client, its) <- clients.zip(mine)) {
    client.pair.valid := link.pair.valid && its
    client.pair.bits  := link.pair.bits
    client.done.valid := link.done.valid && its
    client.done.bits  := link.done.bits
  }

  // --- pins: a register each, as those of pads are
  private val serial                               = start.io.serial
  private def pin[T <: Data](of: XspiPins => T): T = Mux(serial, of(start.io.pins), of(sequencer.io.pins))
  io.pins.resetN         := RegNext(start.io.pins.resetN, true.B)
  io.pins.csN            := RegNext(pin(_.csN), true.B)
  io.pins.ck             := RegNext(pin(_.ck), 0.U)
  io.pins.dqOut          := RegNext(pin(_.dqOut))
  io.pins.dqOe           := RegNext(pin(_.dqOe), 0.U)
  sequencer.io.pins.dqIn := io.pins.dqIn
  sequencer.io.pins.ds   := io.pins.ds
  start.io.pins.dqIn     := DontCare
  start.io.pins.ds       := DontCare

  assert(!(reader.io.busy && writing), "XspiMram: a read beside a write")
  cover(turn.valid && !start.io.ready, "XspiMram: a burst waits for the memory to start")
  cover(turn.valid && !turn.bits.write && writing, "XspiMram: a read waits for writes before it")
  cover(turn.valid && turn.bits.write && reader.io.busy, "XspiMram: a write waits for a read before it")
  cover(!order.io.enq.ready && came.valid, "XspiMram: as many bursts as can wait")
}
