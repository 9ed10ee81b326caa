// SPDX-License-Identifier: Apache-2.0
//
// Proves that a fence completes only after every program issued before the request for the fence has landed. The
// proof follows one arbitrary program.
//
// Assumptions: there are at most as many programs in flight as write buffers. A program lands once, in the epoch in
// which it was issued. The client keeps the protocol of FencePort.
module ProgramTrackerProof(
  input clock,
  input reset,
  input io_issued,
  input io_landed,
  input io_landedEpoch,
  input io_fence_0_req,
  input io_fence_1_req,
  input marks,      // the program issued in this cycle is the followed one
  input lands_mark  // the program that lands in this cycle is the followed one
);
  localparam BUFFERS = 2;
  wire io_epoch, io_fence_0_done, io_fence_1_done, io_none, io_turning;
  ProgramTracker unit(.*);

  reg [1:0] out [0:1]; // outstanding, by epoch
  reg       marked, of_epoch;
  reg       req_was [0:1];
  reg       done_was [0:1];
  reg       must [0:1]; // the fence was requested after the followed program was issued
  wire      req [0:1];
  wire      done [0:1];
  assign req[0] = io_fence_0_req, req[1] = io_fence_1_req, done[0] = io_fence_0_done, done[1] = io_fence_1_done;
  wire       lands = io_landed && lands_mark && marked;
  wire [2:0] total = out[0] + out[1];
  wire [1:0] state [0:1];
  assign state[0] = unit.states_0, state[1] = unit.states_1;
  localparam IDLE = 0, TURN = 1, DRAIN = 2, DONE = 3;

  integer i;
  always @(posedge clock) begin
    for (i = 0; i < 2; i = i + 1) begin
      req_was[i]  <= !reset && req[i];
      done_was[i] <= !reset && done[i];
      out[i] <= reset ? 2'd0 : out[i] + (io_issued && io_epoch == i) - (io_landed && io_landedEpoch == i);
      if (reset || lands || !req[i]) must[i] <= 0;
      else if (!req_was[i]) must[i] <= marked;
    end
    if (reset || lands) marked <= 0;
    else if (marks && io_issued && !marked) begin
      marked   <= 1;
      of_epoch <= io_epoch;
    end
    if (!reset) begin
      assume (!io_issued || total < BUFFERS || io_landed);
      assume (!io_landed || out[io_landedEpoch] != 0);
      assume (!lands || io_landedEpoch == of_epoch);
      // If it is not the followed program, another program must be in flight.
      assume (!(io_landed && !lands && marked && io_landedEpoch == of_epoch) || out[of_epoch] > 1);
      for (i = 0; i < 2; i = i + 1) begin
        assume (!(req_was[i] && !done_was[i]) || req[i]);
        assume (!done_was[i] || !req[i]);
      end

      fence_0: assert (!(done[0] && must[0] && marked));
      fence_1: assert (!(done[1] && must[1] && marked));
      none:    assert (io_none == (total == 0));
      i_count: assert (unit.count_0 == out[0] && unit.count_1 == out[1] && total <= BUFFERS);
      i_empty: assert (unit.empty_0 == (unit.count_0 == 0) && unit.empty_1 == (unit.count_1 == 0)
                       && unit.drained == (io_epoch ? unit.empty_0 : unit.empty_1)
                       && unit.asked == (state[0] == TURN || state[1] == TURN));
      i_mark:  assert (!marked || out[of_epoch] != 0);
      i_drains_0: assert (!(state[0] == DRAIN && must[0] && marked) || of_epoch != io_epoch);
      i_done_0:   assert (state[0] != DONE || !(must[0] && marked));
      i_begun_0:  assert (state[0] == IDLE || req_was[0]);
      i_ends_0:   assert (!done_was[0] || state[0] == IDLE);
      i_must_0:   assert (!must[0] || req_was[0] && marked);
      i_asks_0:   assert (state[0] != IDLE || !must[0]);
      i_waits_0:  assert (state[0] != IDLE || !req_was[0] || done_was[0]);
      i_drains_1: assert (!(state[1] == DRAIN && must[1] && marked) || of_epoch != io_epoch);
      i_done_1:   assert (state[1] != DONE || !(must[1] && marked));
      i_begun_1:  assert (state[1] == IDLE || req_was[1]);
      i_ends_1:   assert (!done_was[1] || state[1] == IDLE);
      i_must_1:   assert (!must[1] || req_was[1] && marked);
      i_asks_1:   assert (state[1] != IDLE || !must[1]);
      i_waits_1:  assert (state[1] != IDLE || !req_was[1] || done_was[1]);

      reach_fence:  cover (done[0] && req[1] && state[1] == DRAIN && total != 0);
      reach_both:   cover (done[0] && done[1]);
      reach_writes: cover (done[0] && out[io_epoch] == 2);
      reach_must:   cover (must[1] && marked && state[1] == TURN && out[!io_epoch] != 0);
    end
  end
endmodule
