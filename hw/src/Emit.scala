// SPDX-License-Identifier: Apache-2.0
package openremap

import _root_.circt.stage.ChiselStage
import chisel3._

/** Writes the SystemVerilog of one module: `--top NAME --out DIR [--config NAME]`. */
object Emit {
  private val configs: Map[String, Params] = Map("small" -> Params())

  /** Everything that has a test bench of its own, and the whole. */
  private def tops(p: Params): Map[String, () => RawModule] = Map(
    "AxiReadArbiter"  -> (() => new AxiReadArbiter(AxiParams(64), 3)),
    "AxiWriteArbiter" -> (() => new AxiWriteArbiter(AxiParams(64), 3)),
    "BufferPool"      -> (() => new BufferPool(p, p.readBufBase, p.k.readBuffers)),
    "BufferRam"       -> (() => new BufferRam(p, 3, 3)),
    "CommandRouter"   -> (() => new CommandRouter(p)),
    "Counters"        -> (() => new Counters(p)),
    "CqPost"          -> (() => new CqPost(p, 3)),
    "FwDma"           -> (() => new FwDma(p)),
    "FwNand"          -> (() => new FwNand(p)),
    "FwRegs"          -> (() => new FwRegs(p)),
    "GcEngine"        -> (() => new GcEngine(p)),
    "GcLookup"        -> (() => new GcLookup(p)),
    "HostReader"      -> (() => new HostReader(p, 2)),
    "HostWriter"      -> (() => new HostWriter(p, 2)),
    "Journal"         -> (() => new Journal(p, 2)),
    "LockArbiter"     -> (() => new LockArbiter(3)),
    "MapUnit"         -> (() => new MapUnit(p, 2)),
    "NandChannel"     -> (() => new NandChannel(p)),
    "NandScheduler"   -> (() => new NandScheduler(p)),
    "NvmeRegs"        -> (() => new NvmeRegs(p)),
    "ProgramTracker"  -> (() => new ProgramTracker(p, 2)),
    "OpenRemapTop"    -> (() => new OpenRemapTop(p)),
    "PrpWalker"       -> (() => new PrpWalker(p)),
    "QueueCredits"    -> (() => new QueueCredits(p)),
    "ReadEngine"      -> (() => new ReadEngine(p)),
    "RemapCursor"     -> (() => new RemapCursor(p)),
    "RemapEngine"     -> (() => new RemapEngine(p)),
    "RemapTable"      -> (() => new RemapTable(p)),
    "SeqCounter"      -> (() => new SeqCounter(p, 2)),
    "SqFetch"         -> (() => new SqFetch(p)),
    "SuperblockTable" -> (() => new SuperblockTable(p, 2)),
    "Allocator"       -> (() => new Allocator(p)),
    "TrimEngine"      -> (() => new TrimEngine(p)),
    "WriteEngine"     -> (() => new WriteEngine(p))
  )

  private val options = Seq(
    "--lowering-options=disallowLocalVariables,disallowPackedArrays,noAlwaysComb",
    "--split-verilog",
    "--default-layer-specialization=enable"
  )

  def main(args: Array[String]): Unit = {
    val named  = args.sliding(2, 2).collect { case Array(k, v) => k -> v }.toMap
    val config = named.getOrElse("--config", "small")
    val result = for {
      top <- named.get("--top").toRight("--top NAME is missing")
      out <- named.get("--out").toRight("--out DIR is missing")
      p   <- configs
        .get(config)
        .toRight(s"no configuration '$config'; there are: ${configs.keys.toSeq.sorted.mkString(", ")}")
      make <- tops(p).get(top).toRight(s"no module '$top'; there are: ${tops(p).keys.toSeq.sorted.mkString(", ")}")
    } yield ChiselStage.emitSystemVerilogFile(make(), Array("--target-dir", out), options.toArray)
    result.left.foreach { message =>
      System.err.println(s"emit: $message")
      sys.exit(2)
    }
  }
}
