// SPDX-License-Identifier: Apache-2.0
//
// Proves that each sequence number is issued once and that later ones are larger.
//
// Assumptions: one client at a time takes a number (the mapLock: LockArbiter). Firmware loads a value other than 0
// before the first number is taken. There are fewer than 2^48 - 1 events.
module SeqCounterProof(
  input        clock,
  input        reset,
  input        io_client_0_take,
  input        io_client_1_take,
  input        io_client_2_take,
  input        io_load_valid,
  input [47:0] io_load_bits
);
  wire [47:0] io_client_0_next, io_client_1_next, io_client_2_next, io_value;
  SeqCounter unit(.*);

  wire [2:0]  takes = {io_client_2_take, io_client_1_take, io_client_0_take};
  wire [47:0] drawn = io_client_0_take ? io_client_0_next : io_client_1_take ? io_client_1_next : io_client_2_next;
  reg         some; // a number was issued
  reg  [47:0] last;
  always @(posedge clock) begin
    if (reset) begin
      some <= 0;
      last <= 0;
    end else if (takes != 0) begin
      some <= 1;
      last <= drawn;
    end
    if (!reset) begin
      assume ($countones(takes) <= 1);
      assume (!io_load_valid || takes == 0 && !some && io_load_bits != 0);
      assume (!(&io_value));

      grows:        assert (takes == 0 || drawn > last);
      no_gaps:      assert (takes == 0 || !some || drawn == last + 1);
      never_zero:   assert (io_value != 0);
      i_next:       assert (!some || io_value == last + 1);
      i_none_drawn: assert (some || last == 0);

      reach_three:  cover (some && last == 3);
      reach_loaded: cover (some && last == 48'hABCDEF012345);
    end
  end
endmodule
