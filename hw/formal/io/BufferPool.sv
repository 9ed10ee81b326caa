// SPDX-License-Identifier: Apache-2.0
//
// Proves that each buffer is either free or owned by exactly one user.
//
// Assumptions: users return only buffers that they own, and each of them once.
module BufferPoolProof(
  input       clock,
  input       reset,
  input       io_alloc_ready,
  input       io_free_valid,
  input [3:0] io_free_bits
);
  localparam BASE = 2, COUNT = 4;
  wire       io_alloc_valid;
  wire [3:0] io_alloc_bits;
  wire       io_allFree;
  BufferPool unit(.*);

  reg  [15:0] out; // owned by a user, by number
  wire       takes = io_alloc_valid && io_alloc_ready;
  always @(posedge clock) begin
    if (reset) out <= 0;
    else begin
      if (io_free_valid) out[io_free_bits] <= 0;
      if (takes) out[io_alloc_bits] <= 1;
    end
    if (!reset) begin
      assume (!io_free_valid || out[io_free_bits]);

      in_range:    assert (!io_alloc_valid || io_alloc_bits >= BASE && io_alloc_bits < BASE + COUNT);
      given_once:  assert (!io_alloc_valid || !out[io_alloc_bits]);
      none_lost:   assert (io_alloc_valid == (out != {10'b0, 4'b1111, 2'b00}));
      all_free:    assert (io_allFree == (out == 0));
      i_same_set:  assert (out == {10'b0, ~(unit.free | (unit.offered ? 4'b1 << (unit.offer - BASE) : 4'b0)), 2'b00});
      i_offer:     assert (!unit.offered || unit.offer >= BASE && unit.offer < BASE + COUNT
                                            && !unit.free[2'(unit.offer - BASE)]);
      i_some:      assert (unit.many == $countones(unit.free) && unit.some == (unit.free != 0)
                           && (unit.offered || !unit.some));

      reach_empty: cover (io_alloc_ready && !io_alloc_valid);
      reach_swap:  cover (takes && io_free_valid && $countones(out) == 3);
      reach_last:  cover (takes && io_alloc_bits == BASE + COUNT - 1);
    end
  end
endmodule
