// SPDX-License-Identifier: Apache-2.0
package openremap

import _root_.circt.stage.ChiselStage
import chisel3._
import java.lang.reflect.Modifier
import java.nio.file.{Files, Path}

/** Writes the SystemVerilog of one module: `--top NAME --out DIR [--config NAME] [--harness pins]`; `--top params`
  * writes params.json. The harness puts the module behind four pins, for place and route (PinHarness).
  */
object Emit {
  private val configs: Map[String, Params] = Map(
    "small" -> Params(),
    // As many slots as `small`, in a quarter of the pages; write buffers for begun pages, and one page a die.
    "wide" -> Params(Geometry(pagesPerBlock = 8, slotsPerPage = 4), Knobs(writeBuffers = 32)),
    // Pages of several slots, and summaries, which are too long for the superblocks of `wide`.
    "paired" -> Params(Geometry(slotsPerPage = 2))
  )

  /** Every unit that has a test bench, and the controller. A shared unit's clients are the controller's (Clients), so
    * that what a bench reaches is the controller's Verilog.
    */
  private def tops(p: Params): Map[String, () => Module] = Map(
    "AxiLiteSlave"    -> (() => new AxiLiteSlave(8)),
    "AxiReadArbiter"  -> (() => new AxiReadArbiter(AxiParams(64), 3)),
    "AxiWriteArbiter" -> (() => new AxiWriteArbiter(AxiParams(64), 3)),
    "BufferPool"      -> (() => new BufferPool(p, p.readBufBase, p.k.readBuffers)),
    "BufferRam"       -> (() => new BufferRam(p)),
    "ChainCrc"        -> (() => new ChainCrc(p)),
    "ChainWalk"       -> (() => new ChainWalk(p)),
    "CommandQueues"   -> (() => new CommandQueues(p)),
    "CommandRouter"   -> (() => new CommandRouter(p)),
    "CopyEngine"      -> (() => new CopyEngine(p)),
    "CrcSerial"       -> (() => new CrcSerial(7)),
    "Counters"        -> (() => new Counters(p)),
    "CqPost"          -> (() => new CqPost(p)),
    "FwDma"           -> (() => new FwDma(p)),
    "FwNand"          -> (() => new FwNand(p)),
    "FwRegs"          -> (() => new FwRegs(p)),
    "GcEngine"        -> (() => new GcEngine(p)),
    "GcCompactor"     -> (() => new GcCompactor(p)),
    "GcDestager"      -> (() => new GcDestager(p)),
    "GcErase"         -> (() => new GcErase(p)),
    "GcLoader"        -> (() => new GcLoader(p)),
    "GcLookup"        -> (() => new GcLookup(p)),
    "GcMover"         -> (() => new GcMover(p)),
    "HostReader"      -> (() => new HostReader(p)),
    "HostWriter"      -> (() => new HostWriter(p)),
    "IrqCoalescer"    -> (() => new IrqCoalescer(Params(k = Knobs(irqTickCycles = 50)))),
    "Journal"         -> (() => new Journal(p)),
    "LineCache"       -> (() => new LineCache(p, p.mapCache)),
    "LockArbiter"     -> (() => new LockArbiter(LockArbiter.MapLock.size)),
    "MapUnit"         -> (() => new MapUnit(p, MapUnit.depths(p))),
    "NandAdmission"   -> (() => new NandAdmission(p)),
    "NandChannel"     -> (() => new NandChannel(p)),
    "NandDie"         -> (() => new NandDie(p, 1)),
    "NandScheduler"   -> (() => new NandScheduler(p)),
    "NvmeRegs"        -> (() => new NvmeRegs(p)),
    "ProgramTracker"  -> (() => new ProgramTracker(p)),
    "OpenRemapTop"    -> (() => new OpenRemapTop(p)),
    "PageGatherer"    -> (() => PageGatherer.ofHost(p)),
    "PrpWalker"       -> (() => new PrpWalker(p)),
    "QueueCredits"    -> (() => new QueueCredits(p)),
    "ReadEngine"      -> (() => new ReadEngine(p)),
    "RemapCursor"     -> (() => new RemapCursor(p)),
    "RemapEngine"     -> (() => new RemapEngine(p)),
    "RemapStarter"    -> (() => new RemapStarter(p)),
    "RemapTable"      -> (() => new RemapTable(p)),
    "RemapWriter"     -> (() => new RemapWriter(p)),
    "RotatingArbiter" -> (() => new RotatingArbiter(UInt(8.W), 3)),
    "SeqCounter"      -> (() => new SeqCounter(p)),
    "SlotLog"         -> (() => new SlotLog(p)),
    "SpillQueue"      -> (() => new SpillQueue(UInt(16.W), 8)),
    "SqFetch"         -> (() => new SqFetch(p)),
    "SuperblockTable" -> (() => new SuperblockTable(p)),
    "Allocator"       -> (() => new Allocator(p)),
    "TrimEngine"      -> (() => new TrimEngine(p)),
    "WriteEngine"     -> (() => new WriteEngine(p))
  )

  private val options = Seq(
    "--lowering-options=disallowLocalVariables,disallowPackedArrays,noAlwaysComb",
    "--split-verilog",
    "--default-layer-specialization=enable"
  )

  /** Enumerations that cross a unit's border. */
  private val enums: Seq[ChiselEnum] =
    Seq(IoOp, JournalOp, MapOp, NandClient, NandOp, NandRequestOp, NandStatus, RemapResult, SbState)

  /** What Params and the shared enumerations say, as JSON:
    * `{"params": {name: number}, "enums": {name: {value: number}}}`. Test benches read it, so that no size and no code
    * is written down twice.
    */
  private def facts(p: Params): String = {
    def members(of: Any): Seq[(String, Int)] = of.getClass.getDeclaredMethods.toSeq
      .filter(m => m.getParameterCount == 0 && m.getReturnType == classOf[Int] && Modifier.isPublic(m.getModifiers))
      .filterNot(m => m.getName.contains("$") || Set("hashCode", "productArity")(m.getName))
      .map(m => m.getName -> m.invoke(of).asInstanceOf[Int])
    def json(entries: Seq[(String, Any)]): String =
      entries.sortBy(_._1).map { case (name, value) => s"\"$name\": $value" }.mkString("{", ", ", "}")
    val Literal = """.*\((\d+)=(\w+)\)""".r // how an enumeration's value prints itself
    def values(of: ChiselEnum): Seq[(String, Any)] = of.all.map(_.toString).map { case Literal(number, name) =>
      name -> number
    }
    val named = enums.map(e => e.getClass.getSimpleName.stripSuffix("$") -> json(values(e)))
    s"{\"params\": ${json(members(p) ++ members(p.g) ++ members(p.k))},\n\"enums\": ${json(named)}}\n"
  }

  def main(args: Array[String]): Unit = {
    val named  = args.sliding(2, 2).collect { case Array(k, v) => k -> v }.toMap
    val config = named.getOrElse("--config", "small")
    val result = for {
      top <- named.get("--top").toRight("--top NAME is missing")
      out <- named.get("--out").toRight("--out DIR is missing")
      p   <- configs
        .get(config)
        .toRight(s"no configuration '$config'; there are: ${configs.keys.toSeq.sorted.mkString(", ")}")
      pins <- named.get("--harness") match {
        case None         => Right(false)
        case Some("pins") => Right(true)
        case Some(other)  => Left(s"no harness '$other'; there is: pins")
      }
      write <-
        if (top == "params") Right(() => Files.writeString(Path.of(out, "params.json"), facts(p)))
        else
          tops(if (pins) p.copy(k = p.k.copy(timeSkip = false)) else p) // in hardware every cycle is there
            .get(top)
            .map(make => () => verilog(if (pins) () => new PinHarness(make()) else make, out))
            .toRight(s"no module '$top'; there are: ${tops(p).keys.toSeq.sorted.mkString(", ")}, and 'params'")
    } yield write()
    result.left.foreach { message =>
      System.err.println(s"emit: $message")
      sys.exit(2)
    }
  }

  // The FIRRTL beside the Verilog keeps the texts of `cover`, which Verilog has no place for.
  private def verilog(make: () => RawModule, out: String): Unit = ChiselStage.emitSystemVerilogFile(
    make(),
    Array("--target-dir", out, "--warnings-as-errors", "--dump-fir"),
    options.toArray
  )
}
