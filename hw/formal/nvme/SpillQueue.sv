// SPDX-License-Identifier: Apache-2.0
//
// Proves that each entry leaves the queue once and in order, and that an entry written to an empty queue is offered
// in the next cycle.
//
// Assumptions: a reset comes first.
module SpillQueueProof(
  input       clock,
  input       reset,
  input       io_in_valid,
  input [2:0] io_in_bits,
  input       io_out_ready
);
  localparam FRONT = 2, SPILL = 3, ALL = FRONT + SPILL;
  wire       io_in_ready, io_out_valid, io_quiet;
  wire [2:0] io_out_bits, io_count;
  SpillQueue unit(.*);

  // Reference model: all entries, the oldest at index 0.
  reg  [3*ALL-1:0] all;
  reg  [2:0]       count;
  wire             comes   = io_in_valid && io_in_ready;
  wire             leaves  = io_out_valid && io_out_ready;
  wire [2:0]       left    = count - leaves;
  wire [3*ALL-1:0] shifted = leaves ? all >> 3 : all;
  reg              was_in;  // an entry was written to an empty queue in the previous cycle

  wire [1:0] in_front = unit.front.io_count;
  wire [1:0] in_spill = unit.spill.io_count;
  wire [1:0] first    = unit.spill.deq_ptr_value;
  wire [1:0] second   = first == SPILL - 1 ? 0 : first + 1;
  wire [1:0] third    = second == SPILL - 1 ? 0 : second + 1;
  wire       front_at = unit.front.deq_ptr_value;
  wire [2:0] behind   = all >> 3 * in_front; // the first entry in the block RAM
  integer i;
  always @(posedge clock) begin
    was_in <= !reset && comes && count == 0;
    if (reset) count <= 0;
    else begin
      count <= left + comes;
      for (i = 0; i != ALL; i = i + 1)
        all[3*i +: 3] <= comes && left == i ? io_in_bits : shifted[3*i +: 3];
    end
    if (!reset) begin
      says_how_many: assert (io_count == count && count <= ALL);
      in_order:      assert (!io_out_valid || io_out_bits == all[2:0]);
      not_late:      assert (io_out_valid == (count != 0));
      none_refused:  assert (io_in_ready || in_spill == SPILL);
      next_cycle:    assert (!was_in || io_out_valid);

      i_counts:      assert (in_front <= FRONT && in_spill <= SPILL && count == in_front + in_spill);
      i_front_first: assert (in_spill == 0 || in_front != 0);
      i_places:      assert (first < SPILL && unit.spill.enq_ptr_value < SPILL);
      i_full:        assert (!unit.spill.maybe_full || in_spill == 0 || in_spill == SPILL
                             || first != unit.spill.enq_ptr_value);
      i_front_0:     assert (in_front < 1 || unit.front.ram_ext.Memory[front_at] == all[2:0]);
      i_front_1:     assert (in_front < 2 || unit.front.ram_ext.Memory[!front_at] == all[5:3]);
      i_spill_0:     assert (in_spill < 1 || unit.spill.ram_ext.Memory[first] == behind);
      i_spill_1:     assert (in_spill < 2 || unit.spill.ram_ext.Memory[second] == (all >> 3 * (in_front + 1)) % 8);
      i_spill_2:     assert (in_spill < 3 || unit.spill.ram_ext.Memory[third] == (all >> 3 * (in_front + 2)) % 8);
      i_read_ahead:  assert (in_spill == 0 || unit.spill.ram_ext._R0_en_d0 && unit.spill.ram_ext._R0_addr_d0 == first);

      reach_full:    cover (count == ALL && !io_in_ready);
      reach_both:    cover (unit.spill.do_enq && unit.spill.do_deq && comes && leaves);
      reach_drained: cover (count == 0 && unit.spill.enq_ptr_value == 1);
    end
  end
endmodule
