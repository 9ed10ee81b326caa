// SPDX-License-Identifier: Apache-2.0
//
// Proves that the arbiter offers one request at a time, unchanged, and that a pending request waits for at most one
// turn of each other client.
//
// Assumptions: none.
`include "rigid.svh"
module RotatingArbiterProof(
  input       clock,
  input       reset,
  input       io_in_0_valid,
  input       io_in_1_valid,
  input       io_in_2_valid,
  input [3:0] io_in_0_bits,
  input [3:0] io_in_1_bits,
  input [3:0] io_in_2_bits,
  input       io_out_ready
);
  localparam N = 3;
  wire       io_in_0_ready, io_in_1_ready, io_in_2_ready, io_out_valid;
  wire [3:0] io_out_bits;
  wire [1:0] io_chosen;
  RotatingArbiter unit(.*);

  `RIGID(2, one) // any request
  wire [3:0] valid = {1'b0, io_in_2_valid, io_in_1_valid, io_in_0_valid};
  wire [3:0] ready = {1'b0, io_in_2_ready, io_in_1_ready, io_in_0_ready};
  wire [3:0] bits  = one == 0 ? io_in_0_bits : one == 1 ? io_in_1_bits : io_in_2_bits;

  reg [2:0] waited; // cycles in which `one` was pending and another request was offered
  always @(posedge clock) begin
    assume (one < N);
    if (reset || !valid[one] || io_chosen == one) waited <= 0;
    else waited <= waited + 1;
    if (!reset) begin
      offers:        assert (io_out_valid == (valid != 0));
      offers_valid:  assert (!io_out_valid || io_chosen < N && valid[io_chosen]);
      offers_its:    assert (!io_out_valid || io_chosen != one || io_out_bits == bits);
      takes_offered: assert (!ready[one] || io_out_ready && io_chosen == one);
      takes:         assert (!(io_out_valid && io_out_ready) || (valid & ready) == (4'd1 << io_chosen));
      waits_a_turn:  assert (waited < N);
      i_turn:        assert (unit.turn < N);

      reach_wait:    cover (waited == N - 1);
      reach_refused: cover (io_out_valid && !io_out_ready && $countones(valid) == 3);
    end
  end
endmodule
