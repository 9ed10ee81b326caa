// SPDX-License-Identifier: Apache-2.0
//
// Proves that each command leaves once, in order and unchanged, at one of the two outputs; that none leaves at `out`
// whose queue was absent in the cycle before, and none at `gone` whose queue has been there all the time; that an empty
// queue offers a command in the next cycle, and no queue with commands is without an offer for more than two cycles.
//
// Bit 0 of a command is its submission queue's number.
//
// Assumptions: a reset comes first.
module CommandQueueProof(
  input       clock,
  input       reset,
  input       io_alive_0,
  input       io_alive_1,
  input       io_in_valid,
  input [2:0] io_in_bits,
  input       io_out_ready,
  input       io_gone_ready
);
  localparam N = 4;
  wire       io_in_ready, io_out_valid, io_gone_valid, io_quiet;
  wire [2:0] io_out_bits, io_gone_bits, io_count;
  CommandQueue unit(.*);

  // Reference model: all commands, the oldest at index 0.
  reg  [2:0] all [0:N-1];
  reg  [2:0] count;
  reg  [1:0] waited;  // cycles in which there were commands, and none was offered
  reg        first;   // the oldest command was so in the cycle before
  reg        absent;  // and its queue was absent then
  reg        missing; // its queue was absent in some cycle since it became the oldest
  wire       comes   = io_in_valid && io_in_ready;
  wire       offers  = io_out_valid || io_gone_valid;
  wire       leaves  = io_out_valid && io_out_ready || io_gone_valid && io_gone_ready;
  wire [2:0] left    = count - leaves;
  wire       alive   = all[0][0] ? io_alive_1 : io_alive_0;
  wire       full    = unit.fresh || unit.begins || unit.aborts;
  wire [2:0] behind  = {unit.behind.maybe_full && unit.behind.ptr_match,
                        2'(unit.behind.enq_ptr_value - unit.behind.deq_ptr_value)};
  reg        bad;
  integer i;
  always @(*) begin
    bad = full && unit.head != all[0];
    for (i = 0; i < N; i = i + 1)
      if (i < behind && i + full < N
          && unit.behind.ram_ext.Memory[2'(unit.behind.deq_ptr_value + i)] != all[2'(i + full)]) bad = 1;
  end
  always @(posedge clock) begin
    waited  <= reset || count == 0 || offers ? 0 : waited + 1;
    first   <= !reset && count != 0 && !leaves;
    absent  <= !alive;
    missing <= !reset && count != 0 && !leaves && (missing || !alive);
    if (reset) count <= 0;
    else begin
      count <= left + comes;
      for (i = 0; i < N; i = i + 1)
        if (comes && left == i) all[i] <= io_in_bits;
        else if (leaves && i + 1 < N) all[i] <= all[i + 1];
    end
    if (!reset) begin
      offered:      assert (!offers || count != 0);
      one_way:      assert (!(io_out_valid && io_gone_valid));
      not_late:     assert (!(waited == 2 && count != 0) || offers);
      at_once:      assert (!(count == 1 && behind == 0) || full);
      in_order:     assert (!offers || (io_out_valid ? io_out_bits : io_gone_bits) == all[0]);
      not_begun:    assert (!(io_out_valid && first && absent));
      not_aborted:  assert (!io_gone_valid || missing);
      none_refused: assert (io_in_ready == (count != N) && io_count == count);

      i_content:    assert (!bad && count == behind + full && count <= N && unit.count == count
                            && unit.room == (count != N));
      i_states:     assert ($countones({unit.fresh, unit.begins, unit.aborts}) <= 1 && !(unit.fresh && waited > 1)
                            && (full || count == 0 || waited == 0));
      i_waited:     assert (waited <= 2 && (waited == 0 || count != 0 || first == 0));
      i_missing:    assert (!unit.aborts || missing);
      i_first:      assert (!(unit.begins && first && absent));
      i_read_ahead: assert (behind == 0 || unit.behind.ram_ext._R0_en_d0
                            && unit.behind.ram_ext._R0_addr_d0 == unit.behind.deq_ptr_value);

      reach_full:   cover (count == N && io_in_valid);
      reach_both:   cover (comes && leaves && count == 3);
      reach_late:   cover (waited == 2 && count != 0);
      reach_gone:   cover (io_gone_valid && io_gone_ready && count == 2);
    end
  end
endmodule
