// SPDX-License-Identifier: Apache-2.0
//
// Proves that bursts are forwarded unchanged and in the order in which they were accepted, and that each burst's data
// returns to its reader, unchanged and in order. The proof follows one arbitrary burst of an arbitrary reader, and the
// beats between the bus and the readers.
//
// Assumptions: the slave answers in order, and only bursts that were requested.
`include "rigid.svh"
module AxiReadArbiterProof(
  input        clock,
  input        reset,
  input        io_in_0_ar_valid,
  input [11:0] io_in_0_ar_bits_addr,
  input [7:0]  io_in_0_ar_bits_len,
  input        io_in_0_r_ready,
  input        io_in_1_ar_valid,
  input [11:0] io_in_1_ar_bits_addr,
  input [7:0]  io_in_1_ar_bits_len,
  input        io_in_1_r_ready,
  input        io_out_ar_ready,
  input        io_out_r_valid,
  input [7:0]  io_out_r_bits_data,
  input [1:0]  io_out_r_bits_resp,
  input        io_out_r_bits_last,
  input        io_stop,
  input        marks // the burst accepted in this cycle is the followed one
);
  localparam MOST = 4; // bursts in flight
  wire        io_in_0_ar_ready, io_in_1_ar_ready, io_in_0_r_valid, io_in_1_r_valid;
  wire [7:0]  io_in_0_r_bits_data, io_in_1_r_bits_data;
  wire [1:0]  io_in_0_r_bits_resp, io_in_1_r_bits_resp;
  wire        io_in_0_r_bits_last, io_in_1_r_bits_last, io_out_ar_valid, io_out_r_ready;
  wire [11:0] io_out_ar_bits_addr;
  wire [7:0]  io_out_ar_bits_len;
  wire        io_quiet;
  AxiReadArbiter unit(.*);

  `RIGID(1, who)
  wire [1:0]  valid = {io_in_1_ar_valid, io_in_0_ar_valid};
  wire [1:0]  ready = {io_in_1_ar_ready, io_in_0_ar_ready};
  wire [1:0]  data  = {io_in_1_r_valid, io_in_0_r_valid};
  wire [1:0]  sinks = {io_in_1_r_ready, io_in_0_r_ready};
  wire [19:0] asked = who ? {io_in_1_ar_bits_addr, io_in_1_ar_bits_len} : {io_in_0_ar_bits_addr, io_in_0_ar_bits_len};
  wire [19:0] asks  = {io_out_ar_bits_addr, io_out_ar_bits_len};
  wire        taken = (valid & ready) != 0;
  wire        out   = io_out_ar_valid && io_out_ar_ready;
  wire        ends  = io_out_r_valid && io_out_r_ready && io_out_r_bits_last;

  reg [3:0]  staged, away; // bursts accepted but not on the bus; on the bus but not ended
  reg        followed;
  reg [3:0]  ahead;       // bursts that end before the followed one
  reg [3:0]  ahead_out;   // addresses forwarded before its address; 0 from then on
  reg        sent;
  reg [19:0] burst;
  reg        offered;      // but not accepted
  reg [19:0] offer;
  // Beats that the bus has given and no reader has taken, the oldest at index 0: the bits, and whether it is one of the
  // followed burst.
  reg [1:0]   held;
  reg [23:0]  beats;
  wire        comes  = io_out_r_valid && io_out_r_ready;
  wire        leaves = (data & sinks) != 0;
  wire [11:0] beat   = {followed && ahead == 0, io_out_r_bits_data, io_out_r_bits_resp, io_out_r_bits_last};
  wire [1:0]  left   = held - leaves;
  wire [23:0] rest   = leaves ? beats >> 12 : beats;
  wire [10:0] given0 = {io_in_0_r_bits_data, io_in_0_r_bits_resp, io_in_0_r_bits_last};
  wire [10:0] given1 = {io_in_1_r_bits_data, io_in_1_r_bits_resp, io_in_1_r_bits_last};
  wire        mark = marks && valid[who] && ready[who] && !followed;
  reg stopped; // in the last cycle
  always @(posedge clock) begin
    stopped <= !reset && io_stop;
    offered <= !reset && io_out_ar_valid && !io_out_ar_ready;
    offer   <= asks;
    if (reset) begin
      staged   <= 0;
      away     <= 0;
      followed <= 0;
      held     <= 0;
    end else begin
      held         <= left + comes;
      beats[11:0]  <= comes && left == 0 ? beat : rest[11:0];
      beats[23:12] <= comes && left == 1 ? beat : rest[23:12];
      staged <= staged + taken - out;
      away   <= away + out - ends;
      if (mark) begin
        followed   <= 1;
        sent       <= 0;
        burst      <= asked;
        ahead     <= staged + away - ends;
        ahead_out <= staged - out;
      end else if (followed) begin
        if (ends && ahead == 0) followed <= 0;
        if (ends && ahead != 0) ahead <= ahead - 1;
        if (out && ahead_out != 0) ahead_out <= ahead_out - 1;
        if (out && ahead_out == 0) sent <= 1;
      end
    end
    if (!reset) begin
      assume (!io_out_r_valid || away != 0);

      stops:        assert (!stopped || ready == 0);
      one_taken:    assert (!(&(valid & ready)));
      bounded:      assert (staged + away <= MOST);
      stays:        assert (!offered || io_out_ar_valid && asks == offer);
      as_it_came:   assert (!(followed && !sent && ahead_out == 0) || io_out_ar_valid && asks == burst);
      to_its_asker: assert (!(held != 0 && beats[11]) || data == (2'd1 << who));
      unchanged:    assert (held == 0 || given0 == beats[10:0] && given1 == beats[10:0]);
      to_one:       assert (held != 0 ? $countones(data) == 1 : data == 0);
      none_refused: assert (io_out_r_ready == (held != 2));
      i_staged:     assert (staged == {3'd0, unit.address.skid.offered} + {3'd0, unit.address.skid.spilled});
      i_spilled:    assert (unit.address.skid.offered || !unit.address.skid.spilled);
      i_order:      assert (staged + away == {1'b0, unit.order.maybe_full && unit.order.ptr_match,
                                       2'(unit.order.enq_ptr_value - unit.order.deq_ptr_value)});
      i_under:      assert (unit.address.under == staged + away
                            && unit.address.room == (staged + away != MOST && !stopped));
      i_turn:       assert ($countones({unit.address.turn_0, unit.address.turn_1}) == 1);
      i_held:       assert (held <= 2 && unit.data.offered == (held != 0) && unit.data.spilled == (held == 2));
      i_who:        assert (held == 0 || $countones(unit.data.item_who) == 1
                            && (!beats[11] || unit.data.item_who == (2'd1 << who)));
      i_who_behind: assert (held != 2 || $countones(unit.data.behind_who) == 1
                            && (!beats[23] || unit.data.behind_who == (2'd1 << who)));
      i_item:       assert (held == 0 || beats[10:0] == {unit.data.item_beat_data, unit.data.item_beat_resp,
                                                         unit.data.item_beat_last});
      i_behind:     assert (held != 2 || beats[22:12] == {unit.data.behind_beat_data, unit.data.behind_beat_resp,
                                                          unit.data.behind_beat_last});
      i_one_0:      assert (staged + away < 1 || $countones(unit.order.ram_ext.Memory[unit.order.deq_ptr_value]) == 1);
      i_one_1:      assert (staged + away < 2
                            || $countones(unit.order.ram_ext.Memory[2'(unit.order.deq_ptr_value + 1)]) == 1);
      i_one_2:      assert (staged + away < 3
                            || $countones(unit.order.ram_ext.Memory[2'(unit.order.deq_ptr_value + 2)]) == 1);
      i_one_3:      assert (staged + away < 4
                            || $countones(unit.order.ram_ext.Memory[2'(unit.order.deq_ptr_value + 3)]) == 1);
      i_bounds:     assert (staged <= 2 && away <= MOST && (!unit.order.maybe_full || staged + away != 0));
      i_ahead:     assert (!followed || ahead < staged + away && (sent ? ahead < away : ahead == away + ahead_out));
      i_ahead_out: assert (!followed || sent || ahead_out < staged);
      i_whose:      assert (!followed
                            || unit.order.ram_ext.Memory[2'(unit.order.deq_ptr_value + ahead)] == (2'd1 << who));
      i_burst:      assert (!followed || sent || burst == (ahead_out == 0
                            ? {unit.address.skid.item_addr, unit.address.skid.item_len}
                            : {unit.address.skid.behind_addr, unit.address.skid.behind_len}));

      reach_full:  cover (staged + away == MOST);
      reach_last:  cover (followed && sent && ahead == 0 && ends && who);
      reach_other: cover (followed && ahead == 3 && data == 2'b01 && who);
      reach_held:  cover (held == 2 && beats[11] && !beats[23] && sinks[who]);
    end
  end
endmodule
