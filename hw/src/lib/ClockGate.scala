// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** A clock that runs while it is needed: from a cycle on in which something stirs or the unit is not quiet, until
  * neither has been so for some cycles, and during a reset. For simulations only (Gating).
  *
  * The latch is open while `clock` is low, so that `gated` has no short pulses.
  *
  * @param cycles
  *   for which it runs on
  *
  * With the macro OPENREMAP_UNGATED the clock always runs, and `needed` only says when it would. `wrong` then seeds a
  * `quiet` that is always high.
  */
class ClockGate(cycles: Int) extends ExtModule(Map("CYCLES" -> cycles)) {
  require(cycles >= 1 && cycles < 32)
  val clock   = IO(Input(Clock()))
  val reset   = IO(Input(Bool()))
  val stirred = IO(Input(Bool()))
  val quiet   = IO(Input(Bool()))
  val gated   = IO(Output(Clock()))
  setInline(
    "ClockGate.sv",
    """// SPDX-License-Identifier: Apache-2.0
      |module ClockGate #(
      |  parameter CYCLES = 1
      |) (
      |  input  clock,
      |  input  reset,
      |  input  stirred,
      |  input  quiet,
      |  output gated
      |);
      |  logic [4:0] still;
      |`ifdef OPENREMAP_UNGATED
      |  logic wrong = 1'b0;
      |  wire moves = stirred | ~(quiet | wrong);
      |`else
      |  wire moves = stirred | ~quiet;
      |`endif
      |  wire needed = reset | moves | still != 5'(CYCLES);
      |  always_ff @(posedge clock) still <= reset | moves ? 5'd0 : still == 5'(CYCLES) ? still : still + 5'd1;
      |`ifdef OPENREMAP_UNGATED
      |  assign gated = clock;
      |`else
      |  logic on;
      |  always_latch if (!clock) on = needed;
      |  assign gated = clock & on;
      |`endif
      |endmodule
      |""".stripMargin
  )
}
