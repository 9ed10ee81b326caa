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
}
