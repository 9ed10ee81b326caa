// SPDX-License-Identifier: Apache-2.0
//
// Proves that bursts are forwarded unchanged and in the order in which they were accepted, and that each burst's data
// returns to its reader. The proof follows one arbitrary burst of an arbitrary reader.
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
  input        marks // the burst accepted in this cycle is the followed one
);
  localparam MOST = 4; // bursts in flight
  wire        io_in_0_ar_ready, io_in_1_ar_ready, io_in_0_r_valid, io_in_1_r_valid;
  wire [7:0]  io_in_0_r_bits_data, io_in_1_r_bits_data;
  wire [1:0]  io_in_0_r_bits_resp, io_in_1_r_bits_resp;
  wire        io_in_0_r_bits_last, io_in_1_r_bits_last, io_out_ar_valid, io_out_r_ready;
  wire [11:0] io_out_ar_bits_addr;
  wire [7:0]  io_out_ar_bits_len;
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
  wire       mark = marks && valid[who] && ready[who] && !followed;
  always @(posedge clock) begin
    offered <= !reset && io_out_ar_valid && !io_out_ar_ready;
    offer   <= asks;
    if (reset) begin
      staged   <= 0;
      away     <= 0;
      followed <= 0;
    end else begin
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

      one_taken:    assert (!(&(valid & ready)));
      bounded:      assert (staged + away <= MOST);
      stays:        assert (!offered || io_out_ar_valid && asks == offer);
      as_it_came:   assert (!(followed && !sent && ahead_out == 0) || io_out_ar_valid && asks == burst);
      to_its_asker: assert (!(followed && ahead == 0 && io_out_r_valid)
                            || data == (2'd1 << who) && io_out_r_ready == sinks[who]);
      to_one:       assert (io_out_r_valid ? $countones(data) == 1 : data == 0);
      i_staged:     assert (staged == {2'd0, unit.address.stage.maybe_full && unit.address.stage.ptr_match,
                                       unit.address.stage.enq_ptr_value != unit.address.stage.deq_ptr_value});
      i_order:      assert (staged + away == {1'b0, unit.order.maybe_full && unit.order.ptr_match,
                                       2'(unit.order.enq_ptr_value - unit.order.deq_ptr_value)});
      i_bounds:     assert (staged <= 2 && away <= MOST && (!unit.order.maybe_full || staged + away != 0));
      i_ahead:     assert (!followed || ahead < staged + away && (sent ? ahead < away : ahead == away + ahead_out));
      i_ahead_out: assert (!followed || sent || ahead_out < staged);
      i_whose:      assert (!followed || unit.order.ram_ext.Memory[2'(unit.order.deq_ptr_value + ahead)] == who);
      i_burst:      assert (!followed || sent || unit.address.stage.ram_ext.Memory[
                              1'(unit.address.stage.deq_ptr_value + ahead_out)] == burst);

      reach_full:  cover (staged + away == MOST);
      reach_last:  cover (followed && sent && ahead == 0 && ends && who);
      reach_other: cover (followed && ahead == 3 && data == 2'b01 && who);
    end
  end
endmodule
