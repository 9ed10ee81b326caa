// SPDX-License-Identifier: Apache-2.0
//
// Abstraction of the map unit's queues, with the properties that HeadQueue.sv proves: entries leave once, in order, and
// there is room unless the queue is full. A queue with entries may offer none for any time. (`steps` is a Queue of
// Chisel, which offers its first entry at once. It may be late here, too.) The entries are in the first `n` places of a
// shift register, the oldest first: a solver needs no pointers to find them.
module MapFifo #(parameter W = 1, parameter N = 2) (
  input          clock, reset,
  output         in_ready,
  input          in_valid,
  input  [W-1:0] in_bits,
  input          out_ready,
  output         out_valid,
  output [W-1:0] out_bits
);
  wire           late; // undriven, so it is arbitrary
  reg  [3:0]     n;
  reg  [W-1:0]   at [0:N-1];
  wire           in_fire = in_valid && in_ready, out_fire = out_valid && out_ready;
  assign in_ready = n != N, out_valid = n != 0 && !late, out_bits = at[0];
  integer i;
  always @(posedge clock) begin
    n <= reset ? 4'd0 : n + in_fire - out_fire;
    for (i = 0; i < N; i = i + 1)
      if (in_fire && n - out_fire == i) at[i] <= in_bits;
      else if (out_fire && i + 1 < N) at[i] <= at[i + 1];
    if (!reset) in_range: assert (n <= N);
  end
endmodule

// What the harness notes of each entry of a MapFifo, in the same places.
`define NOTES(NAME, W, N, FIFO, IN) \
  reg [W-1:0] NAME [0:N-1]; \
  integer NAME``_i; \
  always @(posedge clock) \
    for (NAME``_i = 0; NAME``_i < N; NAME``_i = NAME``_i + 1) \
      if (FIFO.in_fire && FIFO.n - FIFO.out_fire == NAME``_i) NAME[NAME``_i] <= IN; \
      else if (FIFO.out_fire && NAME``_i + 1 < N) NAME[NAME``_i] <= NAME[NAME``_i + 1];

module MapAnswers(
  input        clock, reset,
  output       io_quiet, io_in_ready,
  input        io_in_valid, io_in_bits_ok, io_in_bits_mapped,
  input  [1:0] io_in_bits_slot,
  input  [7:0] io_in_bits_count,
  input        io_out_ready,
  output       io_out_valid, io_out_bits_ok, io_out_bits_mapped,
  output [1:0] io_out_bits_slot,
  output [7:0] io_out_bits_count
);
  MapFifo #(12, 2) q(clock, reset, io_in_ready, io_in_valid,
    {io_in_bits_ok, io_in_bits_mapped, io_in_bits_slot, io_in_bits_count}, io_out_ready, io_out_valid,
    {io_out_bits_ok, io_out_bits_mapped, io_out_bits_slot, io_out_bits_count});
endmodule

module Queue4_Step(
  input         clock, reset,
  output        io_enq_ready,
  input         io_enq_valid, io_enq_bits_client,
  input  [3:0]  io_enq_bits_ask_req_op,
  input  [31:0] io_enq_bits_ask_req_lpn,
  input  [1:0]  io_enq_bits_ask_req_slot, io_enq_bits_ask_req_expect,
  input         io_enq_bits_ask_claims, io_enq_bits_ask_late, io_deq_ready,
  output        io_deq_valid, io_deq_bits_client,
  output [3:0]  io_deq_bits_ask_req_op,
  output [31:0] io_deq_bits_ask_req_lpn,
  output [1:0]  io_deq_bits_ask_req_slot, io_deq_bits_ask_req_expect,
  output        io_deq_bits_ask_claims, io_deq_bits_ask_late,
  output [2:0]  io_count
);
  assign io_count = q.n[2:0];
  MapFifo #(43, 4) q(clock, reset, io_enq_ready, io_enq_valid,
    {io_enq_bits_client, io_enq_bits_ask_req_op, io_enq_bits_ask_req_lpn, io_enq_bits_ask_req_slot,
     io_enq_bits_ask_req_expect, io_enq_bits_ask_claims, io_enq_bits_ask_late}, io_deq_ready, io_deq_valid,
    {io_deq_bits_client, io_deq_bits_ask_req_op, io_deq_bits_ask_req_lpn, io_deq_bits_ask_req_slot,
     io_deq_bits_ask_req_expect, io_deq_bits_ask_claims, io_deq_bits_ask_late});
endmodule

module MapChanges(
  input        clock, reset,
  output       io_quiet, io_in_ready,
  input        io_in_valid, io_in_bits_client,
  input  [2:0] io_in_bits_count,
  input  [1:0] io_in_bits_slot,
  input        io_in_bits_drop_valid,
  input  [1:0] io_in_bits_drop_bits,
  input        io_in_bits_answer, io_in_bits_ok, io_out_ready,
  output       io_out_valid, io_out_bits_client,
  output [2:0] io_out_bits_count,
  output [1:0] io_out_bits_slot,
  output       io_out_bits_drop_valid,
  output [1:0] io_out_bits_drop_bits,
  output       io_out_bits_answer, io_out_bits_ok,
  output [3:0] io_count
);
  assign io_count = q.n;
  MapFifo #(11, 8) q(clock, reset, io_in_ready, io_in_valid,
    {io_in_bits_client, io_in_bits_count, io_in_bits_slot, io_in_bits_drop_valid, io_in_bits_drop_bits,
     io_in_bits_answer, io_in_bits_ok}, io_out_ready, io_out_valid,
    {io_out_bits_client, io_out_bits_count, io_out_bits_slot, io_out_bits_drop_valid, io_out_bits_drop_bits,
     io_out_bits_answer, io_out_bits_ok});
endmodule

module MapCounts(
  input        clock, reset,
  output       io_quiet, io_in_ready,
  input        io_in_valid, io_in_bits_client,
  input  [2:0] io_in_bits_act,
  input  [1:0] io_in_bits_slot,
  input        io_in_bits_answer, io_in_bits_ok, io_out_ready,
  output       io_out_valid, io_out_bits_client,
  output [2:0] io_out_bits_act,
  output [1:0] io_out_bits_slot,
  output       io_out_bits_answer, io_out_bits_ok,
  output [2:0] io_count
);
  assign io_count = q.n[2:0];
  MapFifo #(8, 4) q(clock, reset, io_in_ready, io_in_valid,
    {io_in_bits_client, io_in_bits_act, io_in_bits_slot, io_in_bits_answer, io_in_bits_ok}, io_out_ready, io_out_valid,
    {io_out_bits_client, io_out_bits_act, io_out_bits_slot, io_out_bits_answer, io_out_bits_ok});
endmodule
