// SPDX-License-Identifier: Apache-2.0
//
// Proves that each item leaves once, in order and unchanged, a cycle after it came unless earlier ones wait, and that
// room is refused only when two items wait.
//
// Assumptions: a reset comes first.
module SkidProof(
  input       clock,
  input       reset,
  input       io_in_valid,
  input [2:0] io_in_bits,
  input       io_out_ready
);
  wire       io_in_ready, io_out_valid, io_quiet;
  wire [2:0] io_out_bits;
  Skid unit(.*);

  // Reference model: all items, the oldest at index 0.
  reg  [5:0] all;
  reg  [1:0] count;
  wire       comes  = io_in_valid && io_in_ready;
  wire       leaves = io_out_valid && io_out_ready;
  wire [1:0] left   = count - leaves;
  wire [5:0] rest   = leaves ? all >> 3 : all;
  always @(posedge clock) begin
    if (reset) count <= 0;
    else begin
      count <= left + comes;
      all[2:0] <= comes && left == 0 ? io_in_bits : rest[2:0];
      all[5:3] <= comes && left == 1 ? io_in_bits : rest[5:3];
    end
    if (!reset) begin
      not_late:     assert (io_out_valid == (count != 0));
      in_order:     assert (!io_out_valid || io_out_bits == all[2:0]);
      none_refused: assert (io_in_ready == (count != 2));

      i_count:      assert (count <= 2 && unit.offered == (count != 0) && unit.spilled == (count == 2));
      i_behind:     assert (count != 2 || unit.behind == all[5:3]);

      reach_full:   cover (count == 2 && io_in_valid);
      reach_both:   cover (comes && leaves && count == 1);
      reach_after:  cover (count == 0 && unit.behind != 0);
    end
  end
endmodule
