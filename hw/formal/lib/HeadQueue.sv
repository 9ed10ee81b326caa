// SPDX-License-Identifier: Apache-2.0
//
// Proves that each entry leaves once, in order and unchanged; that an empty queue gives an entry in the next cycle, and
// no queue with entries is without one for more than a cycle; and that room is refused only to a full one.
//
// Assumptions: a reset comes first.
module HeadQueueProof(
  input       clock,
  input       reset,
  input       io_in_valid,
  input [2:0] io_in_bits,
  input       io_out_ready
);
  localparam N = 4;
  wire       io_in_ready, io_out_valid, io_quiet;
  wire [2:0] io_out_bits, io_count;
  HeadQueue unit(.*);

  // Reference model: all entries, the oldest at index 0.
  reg  [2:0] all [0:N-1];
  reg  [2:0] count;
  reg        waited; // there were entries in the cycle before, and none was offered
  wire       comes  = io_in_valid && io_in_ready;
  wire       leaves = io_out_valid && io_out_ready;
  wire [2:0] left   = count - leaves;
  wire [2:0] behind = {unit.behind.maybe_full && unit.behind.ptr_match,
                       2'(unit.behind.enq_ptr_value - unit.behind.deq_ptr_value)};
  reg        bad;
  integer i;
  always @(*) begin
    bad = unit.full && unit.head != all[0];
    for (i = 0; i < N; i = i + 1)
      if (i < behind && i + unit.full < N
          && unit.behind.ram_ext.Memory[2'(unit.behind.deq_ptr_value + i)] != all[2'(i + unit.full)]) bad = 1;
  end
  always @(posedge clock) begin
    waited <= !reset && count != 0 && !io_out_valid;
    if (reset) count <= 0;
    else begin
      count <= left + comes;
      for (i = 0; i < N; i = i + 1)
        if (comes && left == i) all[i] <= io_in_bits;
        else if (leaves && i + 1 < N) all[i] <= all[i + 1];
    end
    if (!reset) begin
      offered:      assert (!io_out_valid || count != 0);
      not_late:     assert (!(waited && count != 0) || io_out_valid);
      at_once:      assert (!(count == 1 && behind == 0) || io_out_valid);
      in_order:     assert (!io_out_valid || io_out_bits == all[0]);
      none_refused: assert (io_in_ready == (count != N) && io_count == count);

      i_content:    assert (!bad && count == behind + unit.full && count <= N && unit.count == count
                            && unit.room == (count != N));

      reach_full:   cover (count == N && io_in_valid);
      reach_both:   cover (comes && leaves && count == 3);
      reach_late:   cover (count != 0 && !io_out_valid);
    end
  end
endmodule
