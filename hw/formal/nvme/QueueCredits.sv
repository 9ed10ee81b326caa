// SPDX-License-Identifier: Apache-2.0
//
// Proves that a completion queue has an entry for every command inside the controller that will complete into it, so
// that no completion has to wait.
//
// Assumptions: queues have up to 8 entries (in the hardware up to 4096). A submission queue keeps its completion
// queue. Commands are fetched only when allowed, and only commands inside the controller leave it. Firmware holds at
// most 8 admin commands, all of them inside, and does not release them (`adminRoom` covers the release).
`include "rigid.svh"
module QueueCreditsProof(
  input        clock,
  input        reset,
  input [12:0] io_held,
  input        io_wants_0,
  input        io_wants_1,
  input        io_wants_2,
  input        io_taken_valid,
  input [1:0]  io_taken_bits,
  input        io_back_0_valid, // completed: uses an entry of the completion queue
  input [1:0]  io_back_0_bits,
  input        io_back_1_valid, // dropped: uses no entry
  input [1:0]  io_back_1_bits,
  input [12:0] freed_0,         // entries that the host frees
  input [12:0] freed_1,
  input [12:0] freed_2
);
  `RIGID(2, of_0)
  `RIGID(2, of_1)
  `RIGID(2, of_2)
  reg  [12:0] io_room_0, io_room_1, io_room_2;
  wire [1:0]  io_cqOf_0 = of_0, io_cqOf_1 = of_1, io_cqOf_2 = of_2;
  wire        io_allowed_0, io_allowed_1, io_allowed_2, io_adminRoom;
  wire [12:0] io_inside_0, io_inside_1, io_inside_2;
  QueueCredits unit(.*);

  // The harness's count, by queue.
  wire [2:0] allowed = {io_allowed_2, io_allowed_1, io_allowed_0};
  wire [1:0] posts   = io_back_0_bits == 0 ? of_0 : io_back_0_bits == 1 ? of_1 : of_2; // into this completion queue
  reg [12:0] held_was;
  reg [12:0] in_now [0:2];
  wire [14:0] counts_0 = in_now[0] - io_held;
  function automatic [15:0] load(input [1:0] cq);
    load = (of_0 == cq ? counts_0 : 15'd0) + (of_1 == cq ? in_now[1] : 15'd0) + (of_2 == cq ? in_now[2] : 15'd0);
  endfunction
  function automatic [1:0] leaving(input [1:0] sq);
    leaving = (io_back_0_valid && io_back_0_bits == sq) + (io_back_1_valid && io_back_1_bits == sq);
  endfunction
  localparam MOST = 13'd8; // entries of a queue

  integer i;
  always @(posedge clock) begin
    held_was <= io_held;
    if (reset) begin
      held_was <= 0;
      for (i = 0; i < 3; i = i + 1) in_now[i] <= 0;
      // Completion queues of arbitrary size.
      io_room_0 <= freed_0;
      io_room_1 <= freed_1;
      io_room_2 <= freed_2;
    end else begin
      for (i = 0; i < 3; i = i + 1)
        in_now[i] <= in_now[i] + (io_taken_valid && io_taken_bits == i) - leaving(i[1:0]);
      io_room_0 <= io_room_0 + freed_0 - (io_back_0_valid && posts == 0);
      io_room_1 <= io_room_1 + freed_1 - (io_back_0_valid && posts == 1);
      io_room_2 <= io_room_2 + freed_2 - (io_back_0_valid && posts == 2);
    end
    assume (freed_0 < MOST && freed_1 < MOST && freed_2 < MOST);
    if (!reset) begin
      assume (of_0 < 3 && of_1 < 3 && of_2 < 3);
      // One entry of a queue always stays empty.
      assume (io_room_0 + freed_0 < MOST && io_room_1 + freed_1 < MOST && io_room_2 + freed_2 < MOST);
      assume (!io_taken_valid || io_taken_bits < 3 && allowed[io_taken_bits]);
      assume (!io_back_0_valid || io_back_0_bits < 3);
      assume (!io_back_1_valid || io_back_1_bits < 3);
      assume (leaving(0) <= in_now[0] - io_held && leaving(1) <= in_now[1] && leaving(2) <= in_now[2]);
      assume (of_0 == 0); // the admin submission queue completes into the admin completion queue
      assume (io_held >= held_was && io_held <= in_now[0] && io_held <= MOST);

      counts:      assert (io_inside_0 == in_now[0] && io_inside_1 == in_now[1] && io_inside_2 == in_now[2]);
      room_kept_0: assert (load(0) <= io_room_0);
      room_kept_1: assert (load(1) <= io_room_1);
      room_kept_2: assert (load(2) <= io_room_2);
      never_waits: assert (!io_back_0_valid || (posts == 0 ? io_room_0 : posts == 1 ? io_room_1 : io_room_2) != 0);
      i_rooms:     assert (io_room_0 < MOST && io_room_1 < MOST && io_room_2 < MOST);
      i_held:      assert (held_was <= in_now[0] && held_was <= MOST);
      // The counts by completion queue include the commands that firmware holds.
      i_load_0:    assert ({3'd0, unit.load_0} == load(0) + io_held);
      i_load_1:    assert ({3'd0, unit.load_1} == load(1));
      i_load_2:    assert ({3'd0, unit.load_2} == load(2));
      admin_room:  assert (io_adminRoom == (load(0) <= io_room_0));

      reach_refused: cover (io_wants_1 && !io_allowed_1 && in_now[1] == 2);
      reach_shared:  cover (of_1 == 2 && of_2 == 2 && in_now[1] == 1 && in_now[2] == 1 && !io_allowed_1);
      reach_held:    cover (io_held == 2 && io_allowed_0 && io_room_0 == 1);
    end
  end
endmodule
