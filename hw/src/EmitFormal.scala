// SPDX-License-Identifier: Apache-2.0
package openremap

import _root_.circt.stage.ChiselStage
import chisel3._

/** Writes the SystemVerilog of units for the proofs in hw/formal: `DIR UNIT...`, each unit into DIR/UNIT. Sizes are as
  * small as the rules of Params allow, because a solver's time grows with every bit. `assert` comes out as an immediate
  * assertion, which is what Yosys reads.
  */
object EmitFormal {
  private val tiny = Params(
    Geometry(channels = 1, diesPerChannel = 2, blocksPerDie = 4, pagesPerBlock = 2),
    Knobs(
      ioQueues = 2,
      maxQueueEntries = 4,
      writeBuffers = 2,
      readBuffers = 4,
      gcBuffers = 2,
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
  private val twoByteWords = tiny.copy(dataBits = 16, dramAddrBits = 5)
  private val fourLines    =
    CacheParams(sets = 2, ways = 2, claims = 3, fills = 2, lineBytes = 4, posted = 3, writes = 4, buckets = 2)

  private val units: Map[String, () => Module] = Map(
    "AxiReadArbiter"  -> (() => new AxiReadArbiter(AxiParams(12, 8), 2, outstanding = 4)),
    "AxiWriteArbiter" -> (() => new AxiWriteArbiter(AxiParams(12, 8), 2, outstanding = 4)),
    "BufferPool"      -> (() => new BufferPool(tiny, tiny.readBufBase, tiny.k.readBuffers)),
    "LineCache"       -> (() => new LineCache(twoByteWords, fourLines)),
    "LockArbiter"     -> (() => new LockArbiter(3)),
    "MapUnit"         -> (() => new MapUnit(fourSlots, depths = Seq(2, 1))),
    "NandAdmission"   -> (() => new NandAdmission(tiny)),
    "ProgramTracker"  -> (() => new ProgramTracker(tiny, 2)),
    "QueueCredits"    -> (() => new QueueCredits(tiny)),
    "RemapTable"      -> (() => new RemapTable(tiny)),
    "RotatingArbiter" -> (() => new RotatingArbiter(UInt(4.W), 3)),
    "SeqCounter"      -> (() => new SeqCounter(tiny, 3)),
    "SpillQueue"      -> (() => new SpillQueue(UInt(3.W), 3))
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
