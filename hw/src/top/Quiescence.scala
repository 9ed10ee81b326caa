// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** Reports when nothing in the controller moves until one of its inputs changes. Simulation jumps over that time.
  *
  * The controller is quiet when all units with a `quiet` output (Quiesces) are, and nothing has moved between units for
  * eight cycles. The other units have no state that changes by itself, or hold something that another unit waits for;
  * OpenRemapTopSpec lists them with the reasons.
  */
object Quiescence {

  /** Nothing of an I/O command was inside a cycle ago, and no completion waited: firmware may change what I/O commands
    * use.
    */
  def ofIo(u: Units): Bool = VecInit(
    (u.fetch.io.inside.tail.map(_ === 0.U) ++ u.post.io.in.map(!_.valid) ++
      Seq(u.fetch.quiet, !u.fetch.io.out.valid, u.post.quiet, u.fwDma.quiet)).map(RegNext(_, false.B))
  ).asUInt.andR

  /** @param maps
    *   requests to the mapping that wait in registers between units
    */
  def ofAll(p: Params, u: Units, maps: Seq[MapPort]): Bool = {
    // A command or completion that moves between units is motion even when both ends call themselves quiet.
    val moving = Seq(
      u.fetch.io.out,
      u.router.io.read,
      u.router.io.write,
      u.router.io.trim,
      u.router.io.ranges,
      u.router.io.firmware,
      u.ranges.io.handOver,
      u.start.io.engine.start,
      u.waiting.io.cpl,
      u.write.io.nand,
      u.read.io.nand,
      u.gc.io.nand,
      u.fw.io.nand
    ).map(_.fire) ++ maps.map(_.req.fire) ++ u.scheduler.io.done.map(_.fire) ++ u.scheduler.io.channel.map(_.valid)
    val still = !VecInit(moving).asUInt.orR && u.quiescing.map(_.quiet).reduce(_ && _)
    // A lock or an arbiter hands over within a cycle or two in which no unit seems to do anything.
    val stillFor = RegInit(0.U(3.W))
    when(!still)(stillFor := 0.U).elsewhen(!stillFor.andR)(stillFor := stillFor + 1.U)
    p.k.timeSkip.B && still && stillFor.andR
  }
}
