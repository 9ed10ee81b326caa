// SPDX-License-Identifier: Apache-2.0
package openremap

import _root_.circt.stage.ChiselStage
import chisel3._
import chisel3.util._

/** Writes the SystemVerilog of units for the proofs in hw/formal: `DIR UNIT...`, each unit into DIR/UNIT. `assert`
  * becomes an immediate assertion, which Yosys can read.
  *
  * A solver's time grows with every bit, so the proofs are of other shapes than the controller's units have:
  *   - Sizes are as small as the rules of Params allow.
  *   - Units that treat all clients alike have two or three of them. LockArbiter has three clients; the controller's
  *     have `MapLock.size` and `ShareLock.size`. PageGatherer has one reader and two entries; the host's in the
  *     controller has `Reader.size` and `placementHandles`.
  *
  * A proof says nothing about other shapes. Most test benches in sim/cocotb use the controller's.
  */
object EmitFormal {

  // Modules around components that are not modules themselves.
  private class HeldPort extends Module {
    val io = IO(new Bundle {
      val side   = Flipped(Vec(2, Decoupled(UInt(4.W))))
      val second = Input(Bool())
      val port   = Decoupled(UInt(4.W))
    })
    private val chosen = HeldChoice(io.port, io.second)
    io.port.valid    := Mux(chosen, io.side(1).valid, io.side(0).valid)
    io.port.bits     := Mux(chosen, io.side(1).bits, io.side(0).bits)
    io.side(0).ready := io.port.ready && !chosen
    io.side(1).ready := io.port.ready && chosen
  }
  private class JoinedPorts extends Module {
    val io = IO(new Bundle {
      val in     = Flipped(Vec(3, Decoupled(UInt(4.W))))
      val out    = Decoupled(UInt(4.W))
      val choice = Output(UInt(3.W))
    })
    private val (out, choice) = RoundRobin.join(io.in)
    io.out <> out
    io.choice := choice.asUInt
  }
  private class IndexedQueues extends Module {
    val io = IO(new Bundle {
      val at    = Input(UInt(2.W))
      val index = Output(UInt(4.W))
      val begin = Flipped(Valid(UInt(2.W)))
      val put   = Flipped(Valid(new Bundle { val qid = UInt(2.W); val value = UInt(4.W) }))
    })
    private val queues = new QueueIndex(4, 4)
    io.index := queues(io.at)
    when(io.put.valid)(queues.put(io.put.bits.qid, io.put.bits.value))
    when(io.begin.valid)(queues.begin(io.begin.bits))
  }

  private val tiny = Params(
    Geometry(channels = 1, diesPerChannel = 2, blocksPerDie = 4, pagesPerBlock = 2),
    Knobs(
      ioQueues = 2,
      maxQueueEntries = 4,
      writeBuffers = 2,
      readBuffers = 4,
      gcMoves = 2,
      gcBuffers = 2,
      fwBuffers = 1,
      segments = 8,
      segmentsPerChain = 2,
      gcReserveSegments = 4,
      journalRecords = 4
    )
  )

  // One bus word of L2P, one of REF.
  private val fourSlots = tiny.copy(
    g = Geometry(channels = 1, diesPerChannel = 1, blocksPerDie = 2, pagesPerBlock = 2),
    k = tiny.k.copy(mapCacheSets = 16, mapInFlight = 4, mapMisses = 2)
  )
  private val twoChannels =
    tiny.copy(g = Geometry(channels = 2, diesPerChannel = 2, blocksPerDie = 2, pagesPerBlock = 2))
  private val widePages = tiny.copy(
    g = Geometry(channels = 1, diesPerChannel = 1, blocksPerDie = 2, pagesPerBlock = 2, slotsPerPage = 4),
    k = tiny.k.copy(writeBuffers = 16, gcMoves = 4, gcBuffers = 4, fwBuffers = 4)
  )
  private val twoByteWords = tiny.copy(dataBits = 16, dramAddrBits = 5)
  private val fourLines    =
    CacheParams(sets = 2, ways = 2, claims = 3, fills = 2, lineBytes = 4, posted = 8, writes = 8, buckets = 2)

  private val units: Map[String, () => Module] = Map(
    "AxiReadArbiter"  -> (() => new AxiReadArbiter(AxiParams(12, 8), 2, outstanding = 4)),
    "AxiWriteArbiter" -> (() => new AxiWriteArbiter(AxiParams(12, 8), 2, outstanding = 4)),
    "BufferPool"      -> (() => new BufferPool(tiny, tiny.readBufBase, tiny.k.readBuffers)),
    "CommandQueue"  -> (() => new CommandQueue(tiny.copy(k = tiny.k.copy(ioQueues = 1)), UInt(3.W), entries = 4)(_(0))),
    "GcEngine"      -> (() => new GcEngine(tiny.copy(g = tiny.g.copy(pagesPerBlock = 4)))),
    "HeadQueue"     -> (() => new HeadQueue(UInt(3.W), 4)),
    "HeldChoice"    -> (() => new HeldPort),
    "LineCache"     -> (() => new LineCache(twoByteWords, fourLines, entryBytes = 1)),
    "LockArbiter"   -> (() => new LockArbiter(3)),
    "MapOrder"      -> (() => new MapUnit(fourSlots, depths = Seq(2, 1))),
    "MapUnit"       -> (() => new MapUnit(fourSlots, depths = Seq(2, 1))),
    "NandAdmission" -> (() => new NandAdmission(tiny)),
    "NandDie"       -> (() => new NandDie(tiny.copy(k = tiny.k.copy(dieQueueDepth = 4, readRetries = 1)), 0)),
    "NandScheduler" -> (() => new NandScheduler(twoChannels.copy(k = tiny.k.copy(dieQueueDepth = 4)))),
    "PageGatherer"  -> (() => new PageGatherer(widePages, NandClient.hostWrite, entries = 2, readers = 1)),
    "ProgramTracker"  -> (() => new ProgramTracker(tiny, 2)),
    "QueueCredits"    -> (() => new QueueCredits(tiny)),
    "QueueIndex"      -> (() => new IndexedQueues),
    "RangeSearch"     -> (() => new RangeSearch(fourSlots, most = 4)),
    "RemapTable"      -> (() => new RemapTable(tiny, cleared = true)),
    "RotatingArbiter" -> (() => new RotatingArbiter(UInt(4.W), 3)),
    "RoundRobin"      -> (() => new JoinedPorts),
    "SeqCounter"      -> (() => new SeqCounter(tiny, 3)),
    "Skid"            -> (() => new Skid(UInt(3.W)))
  )

  private val options = Array(
    "--lowering-options=disallowLocalVariables,disallowPackedArrays,noAlwaysComb",
    "--split-verilog",
    "--verification-flavor=immediate",
    "--default-layer-specialization=enable"
  )

  def main(args: Array[String]): Unit = {
    val unknown = args.drop(1).filterNot(units.contains)
    if (args.length < 2 || unknown.nonEmpty) {
      System.err.println(
        s"emit: DIR UNIT...; no unit '${unknown.mkString}'; there are: ${units.keys.toSeq.sorted.mkString(", ")}"
      )
      sys.exit(2)
    }
    for (unit <- args.drop(1))
      ChiselStage.emitSystemVerilogFile(
        units(unit)(),
        Array("--target-dir", s"${args(0)}/$unit", "--warnings-as-errors"),
        options
      )
  }
}
