// SPDX-License-Identifier: Apache-2.0
package openremap

import _root_.circt.stage.ChiselStage
import chisel3._
import org.scalatest.flatspec.AnyFlatSpec
import org.scalatest.matchers.should.Matchers

/** The list of crossings that elaboration makes, and synchronisers in which bits come late. */
class CrossingsSpec extends AnyFlatSpec with Matchers {
  private val clocks = Between("one", "other")

  private def listed(make: => RawModule, skews: Boolean = false): (Seq[String], String) = {
    var verilog = ""
    val list    = Crossings.elaborate(skews) { verilog = ChiselStage.emitSystemVerilog(make) }
    (list.linesIterator.filter(_.startsWith("{")).toSeq, verilog)
  }

  "The list" should "have each crossing with its path, clocks and width" in {
    val (list, _) = listed(new AsyncFifo(UInt(12.W), 8, clocks))
    list should contain(
      """{"instance": "fifo", "kind": "GrayFifo", "from": "one", "to": "other", "width": 12},"""
    )
    list.count(_.contains("Synchroniser")) shouldBe 5
    list.count(_.contains(""""from": "other", "to": "one"""")) shouldBe 3 // a pointer, and two bits of the handshake
  }

  it should "begin anew for each top" in {
    listed(new LevelCrossing(1, clocks))._1 should have size 2
    listed(new LevelCrossing(1, clocks))._1 should have size 2
  }

  "Late bits" should "be in simulations only" in {
    val (_, plain)  = listed(new LevelCrossing(1, clocks))
    val (_, skewed) = listed(new LevelCrossing(1, clocks), skews = true)
    plain should not include "io_before"
    skewed should include("io_before")
    Crossings.skews shouldBe false
  }

  "A synchroniser" should "have two stages at least" in {
    an[IllegalArgumentException] should be thrownBy listed(new LevelCrossing(1, clocks, stages = 1))
  }

  "A FIFO" should "have a power of two of entries" in {
    an[IllegalArgumentException] should be thrownBy listed(new AsyncFifo(Bool(), 6, clocks))
  }
}
