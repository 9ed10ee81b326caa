// SPDX-License-Identifier: Apache-2.0
//
// Proves that addresses are forwarded unchanged and in the order in which they were accepted, that each burst's data
// comes from its writer in the same order, and that the response returns to the writer. The proof follows one
// arbitrary burst of an arbitrary writer.
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
  input        marks // the burst accepted in this cycle is the followed one
);
  localparam MOST = 4; // bursts in flight
  wire        io_in_0_aw_ready, io_in_0_w_ready, io_in_0_b_valid, io_in_1_aw_ready, io_in_1_w_ready, io_in_1_b_valid;
  wire [1:0]  io_in_0_b_bits_resp, io_in_1_b_bits_resp;
  wire        io_out_aw_valid, io_out_w_valid, io_out_w_bits_strb, io_out_w_bits_last, io_out_b_ready;
  wire [11:0] io_out_aw_bits_addr;
  wire [7:0]  io_out_aw_bits_len, io_out_w_bits_data;
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
  wire        filled  = io_out_w_valid && io_out_w_ready && io_out_w_bits_last;
  wire        ends    = io_out_b_valid && io_out_b_ready;

  reg [3:0]  staged, all, unfilled; // bursts whose address is not sent; not ended; whose data is not sent
  reg        followed;
  reg [3:0]  ahead, ahead_out, ahead_w; // bursts, addresses, data before its own
  reg        sent, full;                // its address has been on the bus; its data
  reg [19:0] burst;
  reg        offered; // but not accepted
  reg [19:0] offer;
  wire       mark = marks && valid[who] && ready[who] && !followed;
  always @(posedge clock) begin
    offered <= !reset && io_out_aw_valid && !io_out_aw_ready;
    offer   <= asks;
    if (reset) begin
      staged   <= 0;
      all      <= 0;
      unfilled <= 0;
      followed <= 0;
    end else begin
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
      assume (!io_out_b_valid || all > staged && all > unfilled);

      one_taken:   assert (!(&(valid & ready)));
      bounded:     assert (all <= MOST);
      stays:       assert (!offered || io_out_aw_valid && asks == offer);
      as_it_came:  assert (!(followed && !sent && ahead_out == 0) || io_out_aw_valid && asks == burst);
      its_data:    assert (!(followed && !full && ahead_w == 0)
                           || io_out_w_valid == w_valid[who] && (!io_out_w_valid || w_out == w_bits)
                           && w_ready == (io_out_w_ready ? 2'd1 << who : 2'd0));
      no_data:     assert (unfilled != 0 || !io_out_w_valid && w_ready == 0);
      its_answer:  assert (!(followed && ahead == 0 && io_out_b_valid)
                           || sent && full && b_valid == (2'd1 << who) && io_out_b_ready == b_ready[who]);
      i_staged:    assert (staged == {2'd0, unit.address.stage.maybe_full && unit.address.stage.ptr_match,
                                      unit.address.stage.enq_ptr_value != unit.address.stage.deq_ptr_value});
      i_all:       assert (all == {1'b0, unit.respOrder.maybe_full && unit.respOrder.ptr_match,
                                   2'(unit.respOrder.enq_ptr_value - unit.respOrder.deq_ptr_value)});
      i_unfilled:  assert (unfilled == {1'b0, unit.dataOrder.maybe_full && unit.dataOrder.ptr_match,
                                        2'(unit.dataOrder.enq_ptr_value - unit.dataOrder.deq_ptr_value)});
      i_bounds:    assert (staged <= 2 && staged <= all && unfilled <= all);
      i_ahead:     assert (!followed || ahead < all);
      i_sent:      assert (!followed || (sent ? all - ahead > staged : ahead_out < staged
                                         && all - ahead == staged - ahead_out));
      i_full:      assert (!followed || (full ? all - ahead > unfilled : ahead_w < unfilled
                                         && all - ahead == unfilled - ahead_w));
      i_whose:     assert (!followed || unit.respOrder.ram_ext.Memory[2'(unit.respOrder.deq_ptr_value + ahead)] == who);
      i_whose_w:   assert (!followed || full
                           || unit.dataOrder.ram_ext.Memory[2'(unit.dataOrder.deq_ptr_value + ahead_w)] == who);
      i_burst:     assert (!followed || sent || unit.address.stage.ram_ext.Memory[
                             1'(unit.address.stage.deq_ptr_value + ahead_out)] == burst);

      reach_full:  cover (all == MOST && unfilled == 1);
      reach_last:  cover (followed && ahead == 0 && ends && who);
      reach_early: cover (followed && full && !sent);
      reach_data:  cover (followed && !full && ahead_w == 1 && filled && who && w_valid == 2'b11);
    end
  end
endmodule
