// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The core's side of the endpoint: its streams, what it says of itself, and what it is told. */
class PcieCorePorts(val coreBits: Int) extends Bundle {
  val rx            = Flipped(Decoupled(new CoreRx(coreBits)))
  val tx            = Decoupled(new CoreTx(coreBits))
  val npOk          = Output(Bool()) // requests that want an answer may come
  val config        = Input(new PcieConfig)
  val functionReset = Input(Bool())  // a pulse
  val linkUp        = Input(Bool())
  val errors        = Output(new PcieErrors)
}

/** The transaction layer of a PCIe endpoint, between a 7-series core's streams and the controller's ports: wiring only.
  * Everything is in the core's clock domain.
  *
  * @param coreBits
  *   64 or 128, the width of the core's streams
  */
class PcieTlp(p: PcieParams, coreBits: Int = 64) extends Module {
  require(coreBits == 64 || coreBits == 128, "widths of the core")
  val io = IO(new PcieCorePorts(coreBits) {
    val bar             = new AxiLite(PcieParams.barBits)
    val host            = Flipped(new Axi4(p.axi))
    val msix            = Flipped(Decoupled(UInt(p.vectorBits.W)))
    val controllerReset = Output(Bool())
  })
  private val parser    = Module(new TlpParser)
  private val barWriter = Module(new BarWriter)
  private val barReader = Module(new BarReader)
  private val table     = Module(new MsixTable(p))
  private val reads     = Module(new ReadRequester(p))
  private val tags      = Module(new ReadTags(p))
  private val completer = Module(new ReadCompleter(p))
  private val returner  = Module(new ReadReturner(p))
  private val gatherer  = Module(new WriteGatherer(p))
  private val writes    = Module(new WriteRequester(p))
  private val arbiter   = Module(new TlpArbiter)

  // ------------------------------------------------------------------ streams
  if (coreBits == 64) {
    val receive  = Module(new TlpReceive64)
    val transmit = Module(new TlpTransmit64)
    receive.io.core <> io.rx
    parser.io.in <> receive.io.out
    transmit.io.in <> arbiter.io.out
    io.tx <> transmit.io.core
  } else {
    val receive  = Module(new TlpReceive128)
    val transmit = Module(new TlpTransmit128)
    receive.io.core <> io.rx
    parser.io.in <> receive.io.out
    transmit.io.in <> arbiter.io.out
    io.tx <> transmit.io.core
  }
  barWriter.io.in <> parser.io.out(TlpParser.To.writer)
  barReader.io.in <> parser.io.out(TlpParser.To.reader)
  completer.io.in <> parser.io.out(TlpParser.To.completer)
  arbiter.io.in(TlpArbiter.From.writes) <> writes.io.out
  arbiter.io.in(TlpArbiter.From.completions) <> barReader.io.out
  arbiter.io.in(TlpArbiter.From.reads) <> reads.io.out

  // ------------------------------------------------------------------ resets
  // A link that is down, or a reset of the function, ends what was under way.
  private val config = RegNext(io.config)
  private val gone   = RegNext(io.functionReset || !io.linkUp, true.B)
  private val open   = RegNext(io.config.busMaster && io.linkUp && !io.functionReset, false.B)
  io.controllerReset := gone

  // ------------------------------------------------------------------ BAR0
  io.bar.aw <> barWriter.io.bus.aw
  io.bar.w <> barWriter.io.bus.w
  barWriter.io.bus.b <> io.bar.b
  barWriter.io.bus.ar.ready := false.B
  barWriter.io.bus.r.valid  := false.B
  barWriter.io.bus.r.bits   := DontCare
  io.bar.ar <> barReader.io.bus.ar
  barReader.io.bus.r <> io.bar.r
  barReader.io.bus.aw.ready := false.B
  barReader.io.bus.w.ready  := false.B
  barReader.io.bus.b.valid  := false.B
  barReader.io.bus.b.bits   := DontCare
  barReader.io.id           := config.id
  barReader.io.taken        := barWriter.io.taken
  barReader.io.finished     := barWriter.io.finished
  io.npOk                   := barReader.io.npOk
  table.io.write            := barWriter.io.table
  table.io.read <> barReader.io.table

  // ------------------------------------------------------------------ host memory
  reads.io.ar <> io.host.rd.ar
  reads.io.config    := config
  reads.io.open      := open
  reads.io.free      := tags.io.free
  reads.io.tag       := tags.io.tag
  tags.io.issue      := reads.io.issue
  tags.io.look       := completer.io.look
  tags.io.begins     := completer.io.begins
  tags.io.judged     := completer.io.judged
  tags.io.ends       := completer.io.ends
  tags.io.abort      := gone
  completer.io.found := tags.io.found
  returner.io.write  := completer.io.write
  returner.io.deliver <> tags.io.deliver
  io.host.rd.r <> returner.io.r
  gatherer.io.aw <> io.host.wr.aw
  gatherer.io.w <> io.host.wr.w
  gatherer.io.config := config
  writes.io.run <> gatherer.io.run
  writes.io.data <> gatherer.io.data
  io.host.wr.b <> writes.io.b
  writes.io.id   := config.id
  writes.io.open := open
  writes.io.sent := arbiter.io.sent

  // ------------------------------------------------------------------ interrupts
  table.io.raise <> io.msix
  table.io.config        := config
  table.io.functionReset := gone
  writes.io.message <> table.io.message

  io.errors.malformed   := parser.io.malformed
  io.errors.poisoned    := barWriter.io.poisoned
  io.errors.unsupported := barReader.io.unsupported
  io.errors.unexpected  := completer.io.unexpected
  io.errors.timeout     := tags.io.timeout
}

/** The same for a core with eight lanes. */
class PcieTlp128(p: PcieParams) extends PcieTlp(p, 128)
