// SPDX-License-Identifier: Apache-2.0
//
// Proves that addresses are forwarded unchanged and in the order in which they were accepted, that each burst's data
// comes from its writer in the same order, and that the response returns to the writer, everything unchanged. The
// proof follows one arbitrary burst of an arbitrary writer, and what waits between the writers and the bus.
//
// Assumptions: the slave answers in order, and only bursts whose address and data it has received.
`include "rigid.svh"
module AxiWriteArbiterProof(
  input        clock,
  input        reset,
  input        io_in_0_aw_valid,
  input [11:0] io_in_0_aw_bits_addr,
  input [7:0]  io_in_0_aw_bits_len,
  input        io_in_0_w_valid,
  input [7:0]  io_in_0_w_bits_data,
  input        io_in_0_w_bits_strb,
  input        io_in_0_w_bits_last,
  input        io_in_0_b_ready,
  input        io_in_1_aw_valid,
  input [11:0] io_in_1_aw_bits_addr,
  input [7:0]  io_in_1_aw_bits_len,
  input        io_in_1_w_valid,
  input [7:0]  io_in_1_w_bits_data,
  input        io_in_1_w_bits_strb,
  input        io_in_1_w_bits_last,
  input        io_in_1_b_ready,
  input        io_out_aw_ready,
  input        io_out_w_ready,
  input        io_out_b_valid,
  input [1:0]  io_out_b_bits_resp,
  input        io_stop,
  input        marks // the burst accepted in this cycle is the followed one
);
  localparam MOST = 4; // bursts in flight
  wire        io_in_0_aw_ready, io_in_0_w_ready, io_in_0_b_valid, io_in_1_aw_ready, io_in_1_w_ready, io_in_1_b_valid;
  wire [1:0]  io_in_0_b_bits_resp, io_in_1_b_bits_resp;
  wire        io_out_aw_valid, io_out_w_valid, io_out_w_bits_strb, io_out_w_bits_last, io_out_b_ready;
  wire [11:0] io_out_aw_bits_addr;
  wire [7:0]  io_out_aw_bits_len, io_out_w_bits_data;
  wire        io_quiet;
  AxiWriteArbiter unit(.*);

  `RIGID(1, who)
  wire [1:0]  valid   = {io_in_1_aw_valid, io_in_0_aw_valid};
  wire [1:0]  ready   = {io_in_1_aw_ready, io_in_0_aw_ready};
  wire [1:0]  w_valid = {io_in_1_w_valid, io_in_0_w_valid};
  wire [1:0]  w_ready = {io_in_1_w_ready, io_in_0_w_ready};
  wire [9:0]  w_bits  = who ? {io_in_1_w_bits_data, io_in_1_w_bits_strb, io_in_1_w_bits_last}
                            : {io_in_0_w_bits_data, io_in_0_w_bits_strb, io_in_0_w_bits_last};
  wire [9:0]  w_out   = {io_out_w_bits_data, io_out_w_bits_strb, io_out_w_bits_last};
  wire [1:0]  b_valid = {io_in_1_b_valid, io_in_0_b_valid};
  wire [1:0]  b_ready = {io_in_1_b_ready, io_in_0_b_ready};
  wire [19:0] asked   = who ? {io_in_1_aw_bits_addr, io_in_1_aw_bits_len} : {io_in_0_aw_bits_addr, io_in_0_aw_bits_len};
  wire [19:0] asks    = {io_out_aw_bits_addr, io_out_aw_bits_len};
  wire        taken   = (valid & ready) != 0;
  wire        out     = io_out_aw_valid && io_out_aw_ready;
  wire [9:0]  given   = w_ready[1] ? {io_in_1_w_bits_data, io_in_1_w_bits_strb, io_in_1_w_bits_last}
                                   : {io_in_0_w_bits_data, io_in_0_w_bits_strb, io_in_0_w_bits_last};
  wire        gives   = (w_valid & w_ready) != 0;
  wire        filled  = gives && given[0]; // the data of a burst is taken from its writer
  wire        drains  = io_out_w_valid && io_out_w_ready;
  wire        emptied = drains && io_out_w_bits_last; // the data of a burst is on the bus
  wire        ends    = io_out_b_valid && io_out_b_ready;

  // Bursts whose address is not sent; that have not ended; whose data is not taken; whose data is not sent.
  reg [3:0]  staged, all, unfilled, unsent;
  reg        followed;
  reg [3:0]  ahead, ahead_out, ahead_w; // bursts, addresses, data before its own
  reg        sent, full;                // its address has been on the bus; its data
  reg [19:0] burst;
  reg        offered; // but not accepted
  reg [19:0] offer;
  // Beats taken and not sent, and answers come and not taken (with whether it is the followed burst's); the oldest at
  // index 0.
  reg [1:0]  beats_held, held;
  reg [19:0] beats;
  reg [5:0]  answers;
  wire [1:0] beats_left = beats_held - drains;
  wire       leaves     = (b_valid & b_ready) != 0;
  wire [1:0] left       = held - leaves;
  wire [19:0] beats_rest = drains ? beats >> 10 : beats;
  wire [5:0] rest       = leaves ? answers >> 3 : answers;
  wire [2:0] answer     = {followed && ahead == 0, io_out_b_bits_resp};
  wire [2:0] places     = {unit.hasThird, unit.hasSecond, unit.turn != 0}; // bursts before the line
  wire [2:0] placed     = $countones(places);
  wire [3:0] waiting    = unfilled - placed; // bursts in the line
  wire       mark = marks && valid[who] && ready[who] && !followed;
  reg stopped; // in the last cycle
  always @(posedge clock) begin
    stopped <= !reset && io_stop;
    offered <= !reset && io_out_aw_valid && !io_out_aw_ready;
    offer   <= asks;
    if (reset) begin
      staged   <= 0;
      all      <= 0;
      unfilled <= 0;
      unsent   <= 0;
      followed <= 0;
      held     <= 0;
      beats_held <= 0;
    end else begin
      beats_held   <= beats_left + gives;
      beats[9:0]   <= gives && beats_left == 0 ? given : beats_rest[9:0];
      beats[19:10] <= gives && beats_left == 1 ? given : beats_rest[19:10];
      held         <= left + ends;
      answers[2:0] <= ends && left == 0 ? answer : rest[2:0];
      answers[5:3] <= ends && left == 1 ? answer : rest[5:3];
      unsent       <= unsent + taken - emptied;
      staged   <= staged + taken - out;
      all      <= all + taken - ends;
      unfilled <= unfilled + taken - filled;
      if (mark) begin
        followed  <= 1;
        sent      <= 0;
        full      <= 0;
        burst     <= asked;
        ahead     <= all - ends;
        ahead_out <= staged - out;
        ahead_w   <= unfilled - filled;
      end else if (followed) begin
        if (ends && ahead == 0) followed <= 0;
        if (ends && ahead != 0) ahead <= ahead - 1;
        if (out && ahead_out != 0) ahead_out <= ahead_out - 1;
        if (out && ahead_out == 0) sent <= 1;
        if (filled && ahead_w != 0) ahead_w <= ahead_w - 1;
        if (filled && ahead_w == 0) full <= 1;
      end
    end
    if (!reset) begin
      assume (!io_out_b_valid || all > staged && all > unsent);

      stops:       assert (!stopped || ready == 0);
      one_taken:   assert (!(&(valid & ready)));
      bounded:     assert (all <= MOST);
      stays:       assert (!offered || io_out_aw_valid && asks == offer);
      as_it_came:  assert (!(followed && !sent && ahead_out == 0) || io_out_aw_valid && asks == burst);
      its_data:    assert (!(followed && !full && ahead_w == 0)
                           || w_ready == (beats_held == 2 ? 2'd0 : 2'd1 << who));
      in_order:    assert (io_out_w_valid == (beats_held != 0) && (beats_held == 0 || w_out == beats[9:0]));
      no_data:     assert (unfilled != 0 || w_ready == 0);
      its_answer:  assert (!(followed && ahead == 0 && io_out_b_valid) || sent && full);
      to_its_asker: assert (!(held != 0 && answers[2]) || b_valid == (2'd1 << who));
      to_one:      assert (held != 0 ? $countones(b_valid) == 1 : b_valid == 0);
      unchanged:   assert (held == 0 || io_in_0_b_bits_resp == answers[1:0] && io_in_1_b_bits_resp == answers[1:0]);
      none_refused: assert (io_out_b_ready == (held != 2));
      i_staged:    assert (staged == {3'd0, unit.address.skid.offered} + {3'd0, unit.address.skid.spilled});
      i_spilled:   assert (unit.address.skid.offered || !unit.address.skid.spilled);
      i_all:       assert (all == {1'b0, unit.respOrder.maybe_full && unit.respOrder.ptr_match,
                                   2'(unit.respOrder.enq_ptr_value - unit.respOrder.deq_ptr_value)});
      i_under:     assert (unit.address.under == all && unit.address.room == (all != MOST && !stopped));
      i_turn:      assert ($countones({unit.address.turn_0, unit.address.turn_1}) == 1);
      i_w_turn:    assert (unit.turn != 3 && (!unit.hasSecond || $countones(unit.second) == 1)
                           && (!unit.hasThird || $countones(unit.third) == 1));
      i_places:    assert ((places == 0 || places == 1 || places == 3 || places == 7) && (!unit.some || placed >= 2));
      i_unfilled:  assert (unfilled == {1'd0, placed}
                           + (unit.some && unit.first == unit.last ? 4'd4 : {2'd0, 2'(unit.last - unit.first)}));
      i_line:      assert (unit.some || unit.first == unit.last);
      i_beats:     assert (beats_held <= 2 && unit.data.offered == (beats_held != 0)
                           && unit.data.spilled == (beats_held == 2)
                           && (beats_held == 0
                               || beats[9:0] == {unit.data.item_data, unit.data.item_strb, unit.data.item_last})
                           && (beats_held != 2
                               || beats[19:10]
                                   == {unit.data.behind_data, unit.data.behind_strb, unit.data.behind_last}));
      i_unsent:    assert (unsent == unfilled + (beats_held != 0 && beats[0]) + (beats_held == 2 && beats[10]));
      i_held:      assert (held <= 2 && unit.answer.offered == (held != 0) && unit.answer.spilled == (held == 2)
                           && (held == 0 || answers[1:0] == unit.answer.item_resp_resp)
                           && (held != 2 || answers[4:3] == unit.answer.behind_resp_resp));
      i_who:       assert (held == 0 || $countones(unit.answer.item_who) == 1
                           && (!answers[2] || unit.answer.item_who == (2'd1 << who)));
      i_who_behind: assert (held != 2 || $countones(unit.answer.behind_who) == 1
                            && (!answers[5] || unit.answer.behind_who == (2'd1 << who)));
      i_one_0:     assert (all < 1 || $countones(unit.respOrder.ram_ext.Memory[unit.respOrder.deq_ptr_value]) == 1);
      i_one_1:     assert (all < 2
                           || $countones(unit.respOrder.ram_ext.Memory[2'(unit.respOrder.deq_ptr_value + 1)]) == 1);
      i_one_2:     assert (all < 3
                           || $countones(unit.respOrder.ram_ext.Memory[2'(unit.respOrder.deq_ptr_value + 2)]) == 1);
      i_one_3:     assert (all < 4
                           || $countones(unit.respOrder.ram_ext.Memory[2'(unit.respOrder.deq_ptr_value + 3)]) == 1);
      i_w_one_0:   assert (waiting < 1 || $countones(unit.line_ext.Memory[unit.first]) == 1);
      i_w_one_1:   assert (waiting < 2 || $countones(unit.line_ext.Memory[2'(unit.first + 1)]) == 1);
      i_w_one_2:   assert (waiting < 3 || $countones(unit.line_ext.Memory[2'(unit.first + 2)]) == 1);
      i_w_one_3:   assert (waiting < 4 || $countones(unit.line_ext.Memory[2'(unit.first + 3)]) == 1);
      i_bounds:    assert (staged <= 2 && staged <= all && unfilled <= all && unsent <= all);
      i_ahead:     assert (!followed || ahead < all);
      i_sent:      assert (!followed || (sent ? all - ahead > staged : ahead_out < staged
                                         && all - ahead == staged - ahead_out));
      i_full:      assert (!followed || (full ? all - ahead > unfilled : ahead_w < unfilled
                                         && all - ahead == unfilled - ahead_w));
      i_whose:     assert (!followed || unit.respOrder.ram_ext.Memory[2'(unit.respOrder.deq_ptr_value + ahead)]
                                         == (2'd1 << who));
      i_whose_w:   assert (!followed || full
                           || (ahead_w >= placed ? unit.line_ext.Memory[2'(unit.first + ahead_w - placed)]
                               : ahead_w == 0 ? unit.turn : ahead_w == 1 ? unit.second : unit.third) == (2'd1 << who));
      i_burst:     assert (!followed || sent || burst == (ahead_out == 0
                           ? {unit.address.skid.item_addr, unit.address.skid.item_len}
                           : {unit.address.skid.behind_addr, unit.address.skid.behind_len}));

      reach_full:  cover (all == MOST && unfilled == 1);
      reach_last:  cover (followed && ahead == 0 && ends && who);
      reach_early: cover (followed && full && !sent);
      reach_data:  cover (followed && !full && ahead_w == 1 && filled && who && w_valid == 2'b11);
    end
  end
endmodule
