// SPDX-License-Identifier: Apache-2.0
//
// Proves that a lock has at most one owner, that the owner keeps it while it wants it, and that a free lock is
// granted at once. The unit's own assertion states that a client waits for at most one turn of each other client.
//
// Assumptions: none.
`include "rigid.svh"
module LockArbiterProof(
  input clock,
  input reset,
  input io_client_0_want,
  input io_client_1_want,
  input io_client_2_want
);
  wire io_client_0_granted, io_client_1_granted, io_client_2_granted;
  wire io_client_0_contended, io_client_1_contended, io_client_2_contended;
  LockArbiter unit(.*);

  `RIGID(2, one)
  `RIGID(2, other)
  wire [3:0] want      = {1'b0, io_client_2_want, io_client_1_want, io_client_0_want};
  wire [3:0] granted   = {1'b0, io_client_2_granted, io_client_1_granted, io_client_0_granted};
  wire [3:0] contended = {1'b0, io_client_2_contended, io_client_1_contended, io_client_0_contended};

  // Turns from the last owner to a client; 3: the client was the last owner.
  function automatic [2:0] distance(input [1:0] client);
    distance = client > unit.owner ? client - unit.owner : client + 3'd3 - unit.owner;
  endfunction

  reg had, was_free, waiting, others;
  always @(posedge clock) begin
    assume (one < 3 && other < 3 && one != other);
    had      <= !reset && want[one] && granted[one];
    others   <= !reset && (want & ~(4'd1 << one)) != 0;
    waiting  <= !reset && want != 0 && (want & granted) == 0; // a client waits and the lock is free
    if (!reset) begin
      one_owner:   assert (!(granted[one] && granted[other]));
      keeps:       assert (!had || granted[one]);
      given_once_free: assert (!waiting || granted != 0);
      sees_others: assert (contended[one] == others);
      i_owner:     assert (unit.owner < 3);
      i_turns_0:   assert (granted[0] ? unit.passed < 3 : unit.passed + distance(0) <= 3);
      i_turns_1:   assert (granted[1] ? unit.passed_1 < 3 : unit.passed_1 + distance(1) <= 3);
      i_turns_2:   assert (granted[2] ? unit.passed_2 < 3 : unit.passed_2 + distance(2) <= 3);

      reach_waits: cover (unit.passed_1 == 2);
      reach_again: cover (had && !want[one] && granted[one] && want[other]);
    end
  end
endmodule
