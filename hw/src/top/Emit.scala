// SPDX-License-Identifier: Apache-2.0
package openremap

import _root_.circt.stage.ChiselStage
import chisel3._
import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters._

/** Writes the SystemVerilog of one module: `--top NAME --out DIR [--config NAME] [--harness pins]`. The harness puts
  * the module behind four pins, for place and route (PinHarness). `--time-skip on` makes a board's configuration one
  * for simulations, which may jump over time. `--batch FILE` writes many modules in one start: each line of the file
  * has the options of one, separated by tabs. Three tops are JSON files instead (Facts):
  *   - `params`: params.json, the sizes of one configuration;
  *   - `facts`: facts.json, all presets, codes and limits, and the names of the modules; hw/facts.json is a copy;
  *   - `geometries`: geometries.json, the parameters for each flash that a line of `--from FILE` describes.
  */
object Emit {

  // A read that times out shall not take a bench long.
  private val pcie = PcieParams(timeoutCycles = 3000)

  /** Every unit that has a test bench, and the controller. A shared unit's clients are the controller's (Clients), so
    * that what a bench reaches is the controller's Verilog.
    */
  private def tops(p: Params): Map[String, () => Module] = Map(
    "AxiLiteSlave"       -> (() => new AxiLiteSlave(8)),
    "BarReader"          -> (() => new BarReader),
    "BarWriter"          -> (() => new BarWriter),
    "MsixTable"          -> (() => new MsixTable(pcie)),
    "PcieController"     -> (() => new PcieController(p, pcie.copy(vectors = p.queues))),
    "PcieTlp"            -> (() => new PcieTlp(pcie)),
    "PcieTlp128"         -> (() => new PcieTlp128(pcie)),
    "ReadCompleter"      -> (() => new ReadCompleter(pcie)),
    "ReadRequester"      -> (() => new ReadRequester(pcie)),
    "ReadReturner"       -> (() => new ReadReturner(pcie)),
    "ReadTags"           -> (() => new ReadTags(pcie)),
    "TlpArbiter"         -> (() => new TlpArbiter),
    "TlpParser"          -> (() => new TlpParser),
    "TlpReceive128"      -> (() => new TlpReceive128),
    "TlpReceive64"       -> (() => new TlpReceive64),
    "TlpTransmit128"     -> (() => new TlpTransmit128),
    "TlpTransmit64"      -> (() => new TlpTransmit64),
    "WriteGatherer"      -> (() => new WriteGatherer(pcie)),
    "WriteRequester"     -> (() => new WriteRequester(pcie)),
    "AxiOffset"          -> (() => new AxiOffset(AxiParams(32), 0x0a000000, 0x1000000)),
    "AxiReadArbiter"     -> (() => new AxiReadArbiter(AxiParams(64), 3)),
    "AxiWindow"          -> (() => new AxiWindow(AxiParams(64), AxiParams(30), 0x50000, 0x10000, 0x1230000)),
    "AxiWriteArbiter"    -> (() => new AxiWriteArbiter(AxiParams(64), 3)),
    "BufferPool"         -> (() => new BufferPool(p, p.readBufBase, p.k.readBuffers)),
    "BufferRam"          -> (() => new BufferRam(p)),
    "BusFaults"          -> (() => new BusFaults),
    "ChainCrc"           -> (() => new ChainCrc(p)),
    "ChainSizes"         -> (() => new ChainSizes(p)),
    "ChainWalk"          -> (() => new ChainWalk(p)),
    "CommandQueue"       -> (() => new CommandQueue(p, UInt(16.W), 8)(_(p.qidBits - 1, 0))),
    "CommandQueues"      -> (() => new CommandQueues(p)),
    "CommandRouter"      -> (() => new CommandRouter(p)),
    "CrcSerial"          -> (() => new CrcSerial(7)),
    "Counters"           -> (() => new Counters(p)),
    "CqPost"             -> (() => new CqPost(p)),
    "DramBridge"         -> (() => new DramBridge(AxiParams(p.dramAddrBits))),
    "DramBoard"          -> (() => new DramBoard(p, megahertz = 50)),
    "DramFlashTop"       -> (() => new DramFlashTop(p)),
    "FlashDie"           -> (() => new FlashDie(FlashLayout.ofBench(p))),
    "FlashFormatter"     -> (() => new FlashFormatter(FlashLayout.ofBench(p))),
    "FlashLoader"        -> (() => new FlashLoader(FlashLayout.ofBench(p))),
    "FlashRecords"       -> (() => new FlashRecords(FlashLayout.ofBench(p))),
    "FlashRegisters"     -> (() => new FlashRegisters(p)),
    "FlashStorer"        -> (() => new FlashStorer(FlashLayout.ofBench(p))),
    "FreeSegments"       -> (() => new FreeSegments(p)),
    "FwBridge"           -> (() => new FwBridge(16)),
    "FwDma"              -> (() => new FwDma(p)),
    "FwNand"             -> (() => new FwNand(p)),
    "FwRegs"             -> (() => new FwRegs(p)),
    "GcEngine"           -> (() => new GcEngine(p)),
    "GcCompactor"        -> (() => new GcCompactor(p)),
    "GcDestager"         -> (() => new GcDestager(p)),
    "GcErase"            -> (() => new GcErase(p)),
    "GcLoader"           -> (() => new GcLoader(p)),
    "GcLookup"           -> (() => new GcLookup(p)),
    "GcMover"            -> (() => new GcMover(p)),
    "HeadQueue"          -> (() => new HeadQueue(UInt(16.W), 8)),
    "HostReader"         -> (() => new HostReader(p)),
    "HostWriter"         -> (() => new HostWriter(p)),
    "IrqCoalescer"       -> (() => new IrqCoalescer(Params(k = Knobs(irqTickCycles = 50)))),
    "Journal"            -> (() => new Journal(p)),
    "LateQueue"          -> (() => new LateQueue(UInt(16.W), 8)),
    "LineCache"          -> (() => new LineCache(p, p.mapCache, entryBytes = 4)),
    "LockArbiter"        -> (() => new LockArbiter(LockArbiter.MapLock.size)),
    "MemoryErrors"       -> (() => new MemoryErrors(p)),
    "MapUnit"            -> (() => new MapUnit(p, MapUnit.depths(p))),
    "MemoryReadArbiter"  -> (() => new MemoryReadArbiter(AxiParams(p.dramAddrBits), MemoryUser.dramReaders.size)),
    "MemoryWriteArbiter" -> (() => new MemoryWriteArbiter(AxiParams(p.dramAddrBits), MemoryUser.dramWriters(p).size)),
    "NandAdmission"      -> (() => new NandAdmission(p)),
    "NandChannel"        -> (() => new NandChannel(p)),
    "NandDie"            -> (() => new NandDie(p, 1)),
    "NandInDram"         -> (() => new NandInDram(FlashLayout.ofBench(p))),
    "NandScheduler"      -> (() => new NandScheduler(p)),
    "NvramBridge"        -> (() => new NvramBridge(AxiParams(p.nvramAddrBits))),
    "NvmeRegs"           -> (() => new NvmeRegs(p)),
    "ProgramTracker"     -> (() => new ProgramTracker(p)),
    "OpenRemapTop"       -> (() => new OpenRemapTop(p)),
    "PageGatherer"       -> (() => PageGatherer.ofHost(p)),
    "PrpWalker"          -> (() => new PrpWalker(p)),
    "QueueCredits"       -> (() => new QueueCredits(p)),
    "RangeEngine"        -> (() => new RangeEngine(p)),
    "RangeSearch"        -> (() => new RangeSearch(p)),
    "ReadEngine"         -> (() => new ReadEngine(p)),
    "RemapCursor"        -> (() => new RemapCursor(p)),
    "RemapEngine"        -> (() => new RemapEngine(p)),
    "RemapStarter"       -> (() => new RemapStarter(p)),
    "RemapTable"         -> (() => new RemapTable(p)),
    "RemapWriter"        -> (() => new RemapWriter(p)),
    "RotatingArbiter"    -> (() => new RotatingArbiter(UInt(8.W), 3)),
    "SeqCounter"         -> (() => new SeqCounter(p)),
    "Skid"               -> (() => new Skid(UInt(16.W))),
    "SlotLog"            -> (() => new SlotLog(p)),
    "SocController"      -> (() => new SocController(p)),
    "SocRegs"            -> (() => new SocRegs),
    "SqFetch"            -> (() => new SqFetch(p)),
    "SuperblockTable"    -> (() => new SuperblockTable(p)),
    "Allocator"          -> (() => new Allocator(p)),
    "Tiger4Memory"       -> (() => new Tiger4Memory(ofTiger4(p))),
    "Tiger4Port"         -> (() => new Tiger4Port(ofTiger4(p))),
    "Tiger4Registers"    -> (() => new Tiger4Registers(window = 0x10000000L)),
    "Tiger4Streams"      -> (() => new Tiger4Streams(ofTiger4(p))),
    "Tiger4Way"          -> (() => new Tiger4Way(1)),
    "TrimEngine"         -> (() => new TrimEngine(p)),
    "WriteEngine"        -> (() => new WriteEngine(p)),
    "XspiMram"           -> (() => new XspiMram(AxiParams(p.nvramAddrBits), XspiPart.ofBench, xspiMegahertz(p)))
  )

  // Names of clocks in the benches of crossings.
  private val bench = Between("from", "to")

  /** Units with several clocks, which no harness fits around. */
  private def crossings(p: Params): Map[String, () => RawModule] = Map(
    "AsyncFifo"             -> (() => new AsyncFifo(UInt(16.W), 8, bench)),
    "Axi4Crossing"          -> (() => new Axi4Crossing(AxiParams(64), bench)),
    "AxiLiteCrossing"       -> (() => new AxiLiteCrossing(14, bench)),
    "ClockedController"     -> (() => new ClockedController(p)),
    "ClockedDramFlash"      -> (() => new ClockedDramFlash(p)),
    "ClockedPcieController" -> (() => new ClockedPcieController(p, pcie.copy(vectors = p.queues))),
    "CosmosTop"             -> (() => new CosmosTop(ofTiger4(p), CosmosTop.endpoint(ofTiger4(p)))),
    "DramPcieBoard"         -> (() => new DramPcieBoard(p, DramPcieBoard.endpoint(p), megahertz = 100)),
    "EventCrossing"         -> (() => new EventCrossing(bench)),
    "JointReset"            -> (() => new JointReset(bench)),
    "LevelCrossing"         -> (() => new LevelCrossing(2, bench)),
    "MsixCrossing"          -> (() => new MsixCrossing(pcie.vectorBits, bench)),
    "ResetCrossing"         -> (() => new ResetCrossing("to")),
    "SimulatedSoc"          -> (() => new SimulatedSoc(p)),
    "SimulatedTop"          -> (() => new SimulatedTop(p)),
    "StreamCrossing"        -> (() => new StreamCrossing(64, bench)),
    "Synchroniser"          -> (() => new Synchroniser(4, bench)),
    "ValueCrossing"         -> (() => new ValueCrossing(UInt(24.W), 0.U(24.W), bench))
  )

  /** Only flash with pages of 16 KiB is behind the NAND controller of the Cosmos+ board. */
  private def ofTiger4(p: Params): Params = if (p.g.slotsPerPage == 4) p else Presets.boards("cosmos2")

  /** Benches have both: half of what an xSPI MRAM can do, and all of it. */
  private def xspiMegahertz(p: Params): Int = if (p.g.slotsPerPage == 1) 100 else 200

  private val options = Seq(
    "--lowering-options=disallowLocalVariables,disallowPackedArrays,noAlwaysComb",
    "--split-verilog",
    "--default-layer-specialization=enable"
  )

  /** The names of the modules that can be emitted. */
  def units: Seq[String] = (tops(Params()).keys ++ crossings(Params()).keys).toSeq.sorted

  def main(args: Array[String]): Unit = {
    val written = args match {
      case Array("--batch", file) => batch(Files.readAllLines(Path.of(file)).asScala.toSeq.map(_.split('\t')))
      case _                      => request(args).map(_())
    }
    written.left.foreach { message =>
      System.err.println(s"emit: $message")
      sys.exit(2)
    }
  }

  /** Writes nothing unless every request is good. */
  private def batch(requests: Seq[Array[String]]): Either[String, Unit] = {
    val answers = requests.map(request)
    answers.collectFirst { case Left(message) => message }.toLeft(answers.foreach(_.foreach(_())))
  }

  /** What writes the files of one request, or what is wrong with it. */
  private def request(args: Array[String]): Either[String, () => Unit] = {
    val named  = args.sliding(2, 2).collect { case Array(k, v) => k -> v }.toMap
    val config = named.getOrElse("--config", Presets.default)
    for {
      top <- named.get("--top").toRight("--top NAME is missing")
      out <- named.get("--out").toRight("--out DIR is missing")
      p   <- Presets.all
        .get(config)
        .toRight(s"no configuration '$config'; there are: ${Presets.all.keys.toSeq.sorted.mkString(", ")}")
      pins <- named.get("--harness") match {
        case None         => Right(false)
        case Some("pins") => Right(true)
        case Some(other)  => Left(s"no harness '$other'; there is: pins")
      }
      skips <- named.get("--time-skip") match {
        case None        => Right(false)
        case Some("on")  => Right(true)
        case Some(other) => Left(s"--time-skip is 'on', not '$other'")
      }
      skewed <- named.get("--skew") match {
        case None        => Right(false)
        case Some("on")  => Right(true)
        case Some(other) => Left(s"--skew is 'on', not '$other'")
      }
      write <- json(top, p, named.get("--from")).map(_.map(text => () => save(out, s"$top.json", text))).getOrElse {
        val sized = p.copy(k = p.k.copy(timeSkip = !pins && (skips || p.k.timeSkip))) // hardware has every cycle
        tops(sized)
          .get(top)
          .map(make => () => verilog(if (pins) new PinHarness(make()) else make(), out, skewed))
          .orElse(crossings(sized).get(top).filter(_ => !pins).map(make => () => verilog(make(), out, skewed)))
          .toRight(unknown(top, pins && crossings(sized).contains(top)))
      }
    } yield write
  }

  private def unknown(top: String, twoClocks: Boolean): String =
    if (twoClocks) s"$top has several clocks, and the harness has one"
    else s"no module '$top'; there are: ${units.mkString(", ")}, and params, facts and geometries"

  private def json(top: String, p: Params, from: Option[String]): Option[Either[String, String]] = top match {
    case "params"     => Some(Right(Facts.of(p)))
    case "facts"      => Some(Right(Facts.all(units)))
    case "geometries" =>
      Some(from.toRight("--from FILE is missing").map { file =>
        Facts.ofGeometries(Files.readAllLines(Path.of(file)).asScala.toSeq)
      })
    case _ => None
  }

  private def save(folder: String, name: String, text: String): Unit = Files.writeString(Path.of(folder, name), text)

  // The FIRRTL beside the Verilog keeps the texts of `cover`, which Verilog has no place for.
  private def verilog(make: => RawModule, out: String, skewed: Boolean): Unit = {
    val list = Crossings.elaborate(skewed) {
      ChiselStage.emitSystemVerilogFile(
        make,
        Array("--target-dir", out, "--warnings-as-errors", "--dump-fir"),
        options.toArray
      )
    }
    save(out, "crossings.json", list)
  }
}
