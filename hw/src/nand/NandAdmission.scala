// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Chooses the client whose request a channel takes next. Host and firmware have priority over GC, least recently
  * granted first. While GC asks, it gets at least one of `gcOneIn` grants, because writes of the host may wait for the
  * room that GC makes.
  *
  * Timing: combinational from `asks` to `grant`.
  */
class NandAdmission(p: Params) extends Module {
  private val clients = NandClient.all.size
  val io              = IO(new Bundle {
    val asks  = Input(UInt(clients.W))  // index = NandClient: a request whose die has a place for it
    val grant = Output(UInt(clients.W)) // at most one of them, which is accepted; none only if none asks
  })
  private val gc     = NandClient.gc.litValue.toInt
  private val others = (0 until clients).filter(_ != gc)

  // Which of two goes first. Turns by number would not do: a client that can only ask now and then, when its die has a
  // place, could find the turn at the same other one each time.
  private val first =
    (for (i <- others; j <- others if i < j) yield (i, j) -> RegInit(true.B).suggestName(s"first_${i}_$j")).toMap
  private def goesBefore(i: Int, j: Int): Bool = if (i < j) first((i, j)) else !first((j, i))

  private val passed    = RegInit(0.U(log2Ceil(p.k.gcOneIn).W)) // grants to others while GC asked, since its last one
  private val othersAsk = VecInit(others.map(io.asks(_))).asUInt.orR
  private val gcIsDue   = passed === (p.k.gcOneIn - 1).U
  private val gcGoes    = io.asks(gc) && (gcIsDue || !othersAsk)
  private val otherGoes = others.map { i =>
    i -> (io.asks(i) && !gcGoes && !VecInit(
      others.filter(_ != i).map(j => io.asks(j) && goesBefore(j, i))
    ).asUInt.orR)
  }.toMap
  io.grant := VecInit.tabulate(clients)(i => if (i == gc) gcGoes else otherGoes(i)).asUInt

  for (((i, j), iFirst) <- first) when(otherGoes(i) || otherGoes(j))(iFirst := otherGoes(j))
  when(gcGoes)(passed := 0.U).elsewhen(io.asks(gc) && othersAsk)(passed := passed + 1.U)

  assert(io.grant.orR === io.asks.orR && PopCount(io.grant) <= 1.U, "one of those that ask")
  cover(io.asks(gc) && othersAsk && !gcGoes, "NandAdmission: GC waits for others")
  cover(gcGoes && othersAsk, "NandAdmission: GC's guaranteed grant")
  cover(
    PopCount(VecInit(others.map(io.asks(_)))) > 1.U && !gcGoes,
    "NandAdmission: host and firmware want the same channel"
  )
}
