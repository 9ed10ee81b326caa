// SPDX-License-Identifier: Apache-2.0
//
// Proves that a completion queue has an entry for every command inside the controller that will complete into it, so
// that no completion has to wait.
//
// Assumptions: queues have up to 8 entries (in the hardware up to 4096). A submission queue keeps its completion
// queue. Commands are fetched only when allowed a cycle before, four cycles apart and not while the unit is unsettled;
// only commands inside the controller leave it. Firmware holds at most 8 admin commands, all of them inside, and does
// not release them (`adminRoom` covers the release).
`include "rigid.svh"
module QueueCreditsProof(
  input        clock,
  input        reset,
  input [12:0] io_held,
  input        io_wants_0,
  input        io_wants_1,
  input        io_wants_2,
  input        io_taken_valid,
  input [1:0]  io_taken_bits_qid,
  input        io_mayTake,
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
  wire        io_allowed_0, io_allowed_1, io_allowed_2, io_adminRoom, io_unsettled, io_moves;
  wire [12:0] io_inside_0, io_inside_1, io_inside_2;

  // The harness's count, by queue.
  wire [2:0] allowed = {io_allowed_2, io_allowed_1, io_allowed_0};
  wire [1:0] posts   = io_back_0_bits == 0 ? of_0 : io_back_0_bits == 1 ? of_1 : of_2; // into this completion queue
  reg [12:0] held_was;
  reg [4:0] in_now [0:2];
  wire [4:0] counts_0 = in_now[0] - io_held[4:0];
  function automatic [1:0] of(input [1:0] sq);
    of = sq == 0 ? of_0 : sq == 1 ? of_1 : of_2;
  endfunction
  function automatic [5:0] load(input [1:0] cq);
    load = (of_0 == cq ? counts_0 : 6'd0) + (of_1 == cq ? in_now[1] : 6'd0) + (of_2 == cq ? in_now[2] : 6'd0);
  endfunction
  function automatic [1:0] leaving(input [1:0] sq);
    leaving = (io_back_0_valid && io_back_0_bits == sq) + (io_back_1_valid && io_back_1_bits == sq);
  endfunction
  localparam MOST = 13'd8; // entries of a queue

  // Cycles since the last fetch began; 4 stands for more.
  reg [2:0] since;
  reg [2:0] allowed_was;
  reg       fits; // a cycle ago the admin completion queue had room, also for a command that might have come then
  wire [1:0] asks = io_taken_bits_qid == 0 ? of_0 : io_taken_bits_qid == 1 ? of_1 : of_2;
  wire [1:0] io_taken_bits_cqid = asks;
  QueueCredits unit(.*);

  // Steps of the unit that are under way, by queue.
  wire [2:0] up    = {unit.up_2, unit.up_1, unit.up_0};
  wire [2:0] down0 = {unit.down_0_2, unit.down_0_1, unit.down_0_0};
  wire [2:0] down1 = {unit.down_1_2, unit.down_1_1, unit.down_1_0};
  function automatic [2:0] by_cq(input [2:0] by_sq);
    by_cq = (by_sq[0] ? 3'd1 << of_0 : 3'd0) | (by_sq[1] ? 3'd1 << of_1 : 3'd0) | (by_sq[2] ? 3'd1 << of_2 : 3'd0);
  endfunction
  wire [2:0] back0  = unit.back_0_valid ? 3'd1 << unit.back_0_bits : 3'd0;
  wire [2:0] back1  = unit.back_1_valid ? 3'd1 << unit.back_1_bits : 3'd0;
  wire [2:0] up_cq  = by_cq(up);
  wire [2:0] cq_0   = by_cq(down0), cq_1 = by_cq(down1), cq_2 = by_cq(back0), cq_3 = by_cq(back1);
  function automatic [4:0] inside_soon(input [4:0] now, input integer q);
    inside_soon = now + up[q] - down0[q] - down1[q] - back0[q] - back1[q];
  endfunction
  function automatic [5:0] load_soon(input [5:0] now, input integer q);
    load_soon = now + up_cq[q] - cq_0[q] - cq_1[q] - cq_2[q] - cq_3[q];
  endfunction

  integer i;
  always @(posedge clock) begin
    held_was    <= io_held;
    allowed_was <= allowed;
    if (reset) begin
      held_was    <= 0;
      since       <= 4;
      allowed_was <= 0;
      fits        <= 1;
      for (i = 0; i < 3; i = i + 1) in_now[i] <= 0;
      // Completion queues of arbitrary size.
      io_room_0 <= freed_0;
      io_room_1 <= freed_1;
      io_room_2 <= freed_2;
    end else begin
      since <= io_taken_valid ? 1 : since == 4 ? 4 : since + 1;
      fits  <= load(0) + (io_mayTake && asks == 0 && since == 4) <= io_room_0;
      for (i = 0; i < 3; i = i + 1)
        in_now[i] <= in_now[i] + (io_taken_valid && io_taken_bits_qid == i) - leaving(i[1:0]);
      io_room_0 <= io_room_0 + freed_0 - (io_back_0_valid && posts == 0);
      io_room_1 <= io_room_1 + freed_1 - (io_back_0_valid && posts == 1);
      io_room_2 <= io_room_2 + freed_2 - (io_back_0_valid && posts == 2);
    end
    assume (freed_0 < MOST && freed_1 < MOST && freed_2 < MOST);
    if (!reset) begin
      assume (of_0 < 3 && of_1 < 3 && of_2 < 3);
      // One entry of a queue always stays empty.
      assume (io_room_0 + freed_0 < MOST && io_room_1 + freed_1 < MOST && io_room_2 + freed_2 < MOST);
      assume (!io_taken_valid
              || io_taken_bits_qid < 3 && allowed_was[io_taken_bits_qid] && since == 4 && !io_unsettled);
      assume (!io_taken_valid || io_mayTake);
      assume (!io_back_0_valid || io_back_0_bits < 3);
      assume (!io_back_1_valid || io_back_1_bits < 3);
      assume (leaving(0) <= in_now[0] - io_held && leaving(1) <= in_now[1] && leaving(2) <= in_now[2]);
      assume (of_0 == 0); // the admin submission queue completes into the admin completion queue
      assume (io_held >= held_was && io_held + up[0] <= in_now[0] && io_held <= MOST);

      none_missed: assert (since < 2
                           || io_inside_0 >= in_now[0] && io_inside_1 >= in_now[1] && io_inside_2 >= in_now[2]);
      room_kept_0: assert (load(0) <= io_room_0);
      room_kept_1: assert (load(1) <= io_room_1);
      room_kept_2: assert (load(2) <= io_room_2);
      never_waits: assert (!io_back_0_valid || (posts == 0 ? io_room_0 : posts == 1 ? io_room_1 : io_room_2) != 0);
      admin_room:  assert (!io_adminRoom || fits);

      i_rooms:     assert (io_room_0 < MOST && io_room_1 < MOST && io_room_2 < MOST);
      // The harness adds few bits, because the solver is slow with long sums. That is exact: the counts are small.
      i_small:     assert (in_now[0] < 16 && in_now[1] < 8 && in_now[2] < 8 && io_inside_0 < 32 && io_inside_1 < 32
                           && io_inside_2 < 32 && unit.load_0 < 64 && unit.load_1 < 64 && unit.load_2 < 64);
      i_held:      assert (held_was <= in_now[0] && held_was <= MOST);
      i_since:     assert (since >= 1 && since <= 4);
      i_recent:    assert (unit.recent_0 == (since == 1) && unit.recent_1 == (since == 2)
                           && unit.recent_2 == (since == 3));
      i_back:      assert ((!unit.back_0_valid || unit.back_0_bits < 3)
                           && (!unit.back_1_valid || unit.back_1_bits < 3));
      i_back_cq:   assert ((!unit.back_0_valid || unit.backCq_0 == of(unit.back_0_bits))
                           && (!unit.back_1_valid || unit.backCq_1 == of(unit.back_1_bits)));
      i_one:       assert ((up & up - 1) == 0 && (down0 & down0 - 1) == 0 && (down1 & down1 - 1) == 0);
      i_up:        assert ((up != 0) == (since == 1));
      i_by_cq:     assert ({unit.upLoad_2, unit.upLoad_1, unit.upLoad_0} == up_cq
                           && {unit.downLoad_0_2, unit.downLoad_0_1, unit.downLoad_0_0} == cq_0
                           && {unit.downLoad_1_2, unit.downLoad_1_1, unit.downLoad_1_0} == cq_1);
      i_inside_0:  assert (inside_soon(io_inside_0[4:0], 0) == in_now[0]);
      i_inside_1:  assert (inside_soon(io_inside_1[4:0], 1) == in_now[1]);
      i_inside_2:  assert (inside_soon(io_inside_2[4:0], 2) == in_now[2]);
      // The counts by completion queue include the commands that firmware holds.
      i_load_0:    assert (load_soon(unit.load_0[5:0], 0) == load(0) + io_held[5:0]);
      i_load_1:    assert (load_soon(unit.load_1[5:0], 1) == load(1));
      i_load_2:    assert (load_soon(unit.load_2[5:0], 2) == load(2));
      // Who is said to have room has it, once the last fetch is counted.
      i_roomy:     assert (since < 2 || (!unit.roomy_0 || load(0) < io_room_0)
                           && (!unit.roomy_1 || load(1) < io_room_1) && (!unit.roomy_2 || load(2) < io_room_2));
      i_allowed:   assert (since < 3 || (!allowed[0] || roomy_of(of_0)) && (!allowed[1] || roomy_of(of_1))
                           && (!allowed[2] || roomy_of(of_2)));
      i_was:       assert (since < 4 || (!allowed_was[0] || roomy_of(of_0)) && (!allowed_was[1] || roomy_of(of_1))
                           && (!allowed_was[2] || roomy_of(of_2)));

      reach_refused: cover (io_wants_1 && !io_allowed_1 && in_now[1] == 2);
      reach_shared:  cover (of_1 == 2 && of_2 == 2 && in_now[1] == 1 && in_now[2] == 1 && !io_allowed_1);
      reach_held:    cover (io_held == 2 && io_allowed_0 && io_room_0 == 1);
    end
  end
  function automatic roomy_of(input [1:0] cq);
    roomy_of = cq == 0 ? load(0) < io_room_0 : cq == 1 ? load(1) < io_room_1 : load(2) < io_room_2;
  endfunction
endmodule
