// SPDX-License-Identifier: Apache-2.0
package openremap

import _root_.circt.stage.ChiselStage
import org.scalatest.funspec.AnyFunSpec

/** Variants are parameters: the whole controller elaborates for other shapes than the one that is simulated. */
class OpenRemapTopSpec extends AnyFunSpec {
  private val variants = Seq(
    "the simulated one"             -> Params(),
    "one channel, one die"          -> Params(Geometry(channels = 1, diesPerChannel = 1)),
    "pages of two slots"            -> Params(Geometry(slotsPerPage = 2)),
    "one die, pages of eight slots" -> Params(
      Geometry(channels = 1, diesPerChannel = 1, slotsPerPage = 8),
      Knobs(writeBuffers = 32, fwBuffers = 8)
    ),
    "sixteen queues"               -> Params(k = Knobs(ioQueues = 16)),
    "16 GiB on eight by four dies" -> Presets.forFlash(
      Geometry(channels = 8, diesPerChannel = 4, blocksPerDie = 512, pagesPerBlock = 256)
    ),
    "superblocks too small for destaging" -> Presets.forFlash(
      Geometry(channels = 1, diesPerChannel = 1, pagesPerBlock = 16)
    )
  )

  describe("OpenRemapTop") {
    for ((name, params) <- variants) it(s"elaborates: $name") {
      val circuit = ChiselStage.emitCHIRRTL(new OpenRemapTop(params))
      assert(circuit.contains("public module OpenRemapTop"))
    }
  }

  /** A circuit's modules, each with its text. */
  private def modules(circuit: String): Map[String, String] = {
    val Header = """(?m)^  (?:public |private )?(?:ext)?module (\w+) :""".r
    val found  = Header.findAllMatchIn(circuit).toSeq
    val ends   = found.map(_.start).drop(1) :+ circuit.length
    found.zip(ends).map { case (m, end) => m.group(1) -> circuit.substring(m.start, end) }.toMap
  }

  private val Instance = """inst (\w+) of (\w+)""".r

  private def parts(text: String): Seq[(String, String)] =
    Instance.findAllMatchIn(text).map(m => m.group(1) -> m.group(2)).toSeq

  private def saysQuiet(text: String): Boolean = text.contains("output io_quiet :")

  // Units that do not say when they are quiet, with the reason why a simulation may jump over time all the same.
  private val silent = Map(
    "Counters"       -> "it counts what others do; `skipped` makes up for the cycles jumped over",
    "Allocator"      -> "it changes when an engine that is not quiet takes a slot",
    "SeqCounter"     -> "it changes when an engine that is not quiet draws a number",
    "ProgramTracker" -> "it moves on within eight cycles of a request for a fence, or when a program lands",
    "LockArbiter"    -> "it hands over within eight cycles",
    "BufferRam"      -> "a word is under way for two cycles",
    "BufferPool"     -> "it changes when an engine takes or returns a buffer",
    "Queue"          -> "between two units, one of which offers or takes",
    "Arbiter"        -> "no state"
  )

  describe("Quiescence") {
    for ((name, params) <- variants.filter { case (name, _) => Set("the simulated one", "pages of two slots")(name) }) {
      lazy val all                     = modules(ChiselStage.emitCHIRRTL(new OpenRemapTop(params)))
      def unit(module: String): String =
        module.replaceFirst("_[0-9]+$", "").replaceFirst("^(Queue|Arbiter)[0-9]+_.*$", "$1")

      it(s"uses each unit that says when it is quiet, and so do units their parts: $name") {
        for ((module, text) <- all; (instance, of) <- parts(text) if saysQuiet(all(of)))
          assert(raw"\b$instance\.io_quiet\b".r.findFirstIn(text).nonEmpty, s"$module does not look at $instance ($of)")
      }

      it(s"has a reason for each unit that does not: $name") {
        val quiet = parts(all("OpenRemapTop")).map(_._2).filterNot(of => saysQuiet(all(of))).map(unit).toSet
        assert(quiet.diff(silent.keySet) == Set.empty)
        assert(
          silent.keySet.diff(quiet) == Set.empty,
          "a reason for a unit that is not there, or says when it is quiet"
        )
      }
    }
  }

  describe("Gating") {
    it("stops the clock of each unit that says when it is quiet, in SimulatedTop and SimulatedSoc alone") {
      val plain                                = modules(ChiselStage.emitCHIRRTL(new OpenRemapTop(Params())))
      val gated                                = modules(ChiselStage.emitCHIRRTL(new SimulatedTop(Params())))
      def gates(all: Map[String, String]): Int = parts(all("OpenRemapTop")).count(_._2.startsWith("ClockGate"))
      val quiet = parts(plain("OpenRemapTop")).count { case (_, of) => saysQuiet(plain(of)) }
      assert(quiet > 0 && gates(gated) == quiet)
      assert(gates(plain) == 0)
      assert(gates(modules(ChiselStage.emitCHIRRTL(new SimulatedSoc(Params())))) == quiet)
      assert(gates(modules(ChiselStage.emitCHIRRTL(new SocController(Params())))) == 0)
    }
  }
}
