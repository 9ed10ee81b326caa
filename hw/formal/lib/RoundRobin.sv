// SPDX-License-Identifier: Apache-2.0
//
// Proves for three ports joined into one: if any port has a request, one is granted; requests are forwarded
// unchanged; and a pending request waits for at most one turn of each other port.
//
// Assumptions: none.
`include "rigid.svh"
module RoundRobinProof(
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
  wire [2:0] io_choice;
  JoinedPorts unit(.*);

  `RIGID(2, one) // any port
  wire [3:0] valid = {1'b0, io_in_2_valid, io_in_1_valid, io_in_0_valid};
  wire [3:0] ready = {1'b0, io_in_2_ready, io_in_1_ready, io_in_0_ready};
  wire [3:0] bits  = one == 0 ? io_in_0_bits : one == 1 ? io_in_1_bits : io_in_2_bits;
  wire       takes = io_out_valid && io_out_ready;
  // Ports with a turn before `one`.
  wire [3:0] behind = {1'b0, unit.choice_behind};
  wire [1:0] ahead  = behind[one] ? $countones(behind & ((4'd1 << one) - 4'd1)) : $countones(behind) + one;

  reg [1:0] waited; // others served while `one` had a request, since `one` was last served
  always @(posedge clock) begin
    assume (one < N);
    if (reset || !valid[one] || ready[one]) waited <= 0;
    else waited <= waited + takes;
    if (!reset) begin
      offers:       assert (io_out_valid == (valid != 0));
      chooses_one:  assert ($countones(io_choice) == (valid != 0) && (io_choice & ~valid) == 0);
      offers_its:   assert (!io_choice[one] || io_out_bits == bits);
      takes_chosen: assert (ready == (io_out_ready ? {1'b0, io_choice} : 4'd0));
      waits_a_turn: assert (waited < N);
      i_ahead:      assert (waited + ahead < N);
      i_behind:     assert (unit.choice_behind == 0 || unit.choice_behind == 4 || unit.choice_behind == 6);

      reach_wait:    cover (waited == N - 1 && ready[one]);
      reach_refused: cover (io_out_valid && !io_out_ready && $countones(valid) == 3);
    end
  end
endmodule
