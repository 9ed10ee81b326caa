// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** Runs of targets whose sources are unmapped (NVMe Copy). Each is one trim record.
  *
  * A command has fewer pages than a record can name, so no run has to be cut.
  */
class RemapRuns(countBits: Int) {
  require(Formats.RemapPagesMax < 65536, "a trim record names up to 65535 pages")
  val inside = RegInit(false.B)       // the last page belongs to a run
  val first  = Reg(UInt(32.W))        // LPN
  val pages  = Reg(UInt(countBits.W)) // of the run so far

  /** A page that is a `gap`, the first of its range or not, begins a run. */
  def begins(gap: Bool, starts: Bool): Bool = gap && (!inside || starts)

  /** Takes a page in. */
  def step(gap: Bool, begin: Bool, target: UInt): Unit = {
    inside   := gap
    when(gap)(pages   := Mux(begin, 1.U, pages + 1.U))
    when(begin)(first := target)
  }
}
