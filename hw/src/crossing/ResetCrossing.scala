// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** Makes a reset for one clock from `reset`, which may come at any time: `out` rises at once, without the clock, and
  * falls with the clock, `stages` edges after `reset` has fallen.
  */
class ResetCrossing(to: String, stages: Int = Synchroniser.stages) extends Module with RequireAsyncReset with Crossing {
  require(stages >= 2, "a bit needs a cycle to settle in")
  val io = IO(new Bundle { val out = Output(Bool()) })

  def clocks: Between = Between("any", to)
  def width: Int      = 1

  private val flops = Seq.tabulate(stages)(i => RegInit(true.B).suggestName(s"stage_$i"))
  flops.foreach(util.addAttribute(_, """ASYNC_REG = "TRUE""""))
  flops.zip(false.B +: flops).foreach { case (flop, before) => flop := before }
  io.out := flops.last
}
