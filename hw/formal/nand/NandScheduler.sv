// SPDX-License-Identifier: Apache-2.0
//
// Proves for requests of the clients and answers of the dies:
// - A request goes to its channel unchanged in the cycle in which it is accepted. So requests of a die keep their
//   order and none is lost.
// - A request goes only to a die with a free place. A channel gets a request in each cycle after one in which a request
//   was offered that could go to it. (The die that gets one in that cycle has its turn a cycle later.)
// - GC has at most its share of a die's places.
// - Answers go unchanged and in order to the client that asked. An answer waits only for its client, and for answers of
//   the other channel to the same client.
//
// There are two channels of two dies; the proof follows an arbitrary one of them.
//
// Assumptions: clients send their own client number. An offer, of a request or of an answer, stands unchanged until it
// is accepted. Dies answer only requests that they have got.
`include "rigid.svh"
module NandSchedulerProof(
  input         clock,
  input         reset,
  input [3:0]   valid, // by client
  input [1:0]   op [0:3],
  input [3:0]   slot [0:3],
  input [3:0]   buf_ [0:3],
  input [7:0]   oob [0:3], // each byte is the same
  input [3:0]   done_ready,
  input [1:0]   done_valid,
  input [1:0]   done_client [0:1],
  input [1:0]   done_op [0:1],
  input [3:0]   done_slot [0:1],
  input [3:0]   done_buf [0:1],
  input [1:0]   done_status [0:1],
  input [7:0]   done_oob [0:1]
);
  localparam GC = 2, PLACES = 3, DEPTH = 4; // NandClient.gc, Knobs.gcDiePlaces, Knobs.dieQueueDepth
  wire [3:0]   ready, answers;
  wire [1:0]   channel_valid, answered;
  wire         quiet;
  wire [267:0] asked [0:3], given [0:1];  // {op, client, slot, buf, oob}
  wire [269:0] came [0:1], answer [0:3];  // {op, client, slot, buf, status, oob}
  `define REQUEST(I) \
    .io_req_``I``_ready(ready[I]), .io_req_``I``_valid(valid[I]), .io_req_``I``_bits_op(op[I]), \
    .io_req_``I``_bits_client(2'd``I), .io_req_``I``_bits_slot(slot[I]), .io_req_``I``_bits_buf(buf_[I]), \
    .io_req_``I``_bits_oob({32{oob[I]}}), .io_done_``I``_ready(done_ready[I]), .io_done_``I``_valid(answers[I]), \
    .io_done_``I``_bits_op(answer[I][269:268]), .io_done_``I``_bits_client(answer[I][267:266]), \
    .io_done_``I``_bits_slot(answer[I][265:262]), .io_done_``I``_bits_buf(answer[I][261:258]), \
    .io_done_``I``_bits_status(answer[I][257:256]), .io_done_``I``_bits_oob(answer[I][255:0])
  `define CHANNEL(C) \
    .io_channel_``C``_valid(channel_valid[C]), \
    .io_channel_``C``_bits_op(given[C][267:266]), .io_channel_``C``_bits_client(given[C][265:264]), \
    .io_channel_``C``_bits_slot(given[C][263:260]), .io_channel_``C``_bits_buf(given[C][259:256]), \
    .io_channel_``C``_bits_oob(given[C][255:0]), \
    .io_channelDone_``C``_ready(answered[C]), .io_channelDone_``C``_valid(done_valid[C]), \
    .io_channelDone_``C``_bits_op(done_op[C]), .io_channelDone_``C``_bits_client(done_client[C]), \
    .io_channelDone_``C``_bits_slot(done_slot[C]), .io_channelDone_``C``_bits_buf(done_buf[C]), \
    .io_channelDone_``C``_bits_status(done_status[C]), .io_channelDone_``C``_bits_oob({32{done_oob[C]}})
  NandScheduler unit(.clock(clock), .reset(reset), .io_quiet(quiet), `REQUEST(0), `REQUEST(1), `REQUEST(2), `REQUEST(3),
                     `CHANNEL(0), `CHANNEL(1));
  genvar i;
  generate
    for (i = 0; i < 4; i = i + 1) assign asked[i] = {op[i], 2'(i), slot[i], buf_[i], {32{oob[i]}}};
    for (i = 0; i < 2; i = i + 1)
      assign came[i] = {done_op[i], done_client[i], done_slot[i], done_buf[i],
                        done_status[i], {32{done_oob[i]}}};
  endgenerate

  `RIGID(1, ch)  // any channel,
  `RIGID(1, die) // a die of it,
  `RIGID(2, one) // any client
  function automatic on(input [3:0] slot, input c); // slot: {block, page, die, channel}
    on = slot[0] == c;
  endfunction
  wire [3:0] takes = valid & ready;
  wire [3:0] here = {on(slot[3], ch), on(slot[2], ch), on(slot[1], ch), on(slot[0], ch)};
  wire [1:0] gives = done_valid & answered; // by channel
  wire [3:0] gets = answers & done_ready;   // by client

  // ---- places of the die
  reg  [3:0] used;   // places in use, without the request that the channel gets now
  reg  [2:0] places; // GC's of them
  wire       comes = channel_valid[ch] && given[ch][261] == die;
  wire       leaves = gives[ch] && done_slot[ch][1] == die;
  wire       gc_here = takes[GC] && here[GC] && slot[GC][1] == die;
  wire       gc_left = leaves && done_client[ch] == GC;
  // `one` offers a request for the die, which could have gone a cycle ago
  wire       could = valid[one] && !ready[one] && here[one] && slot[one][1] == die && !comes && used < DEPTH
                     && (one != GC || places < PLACES);
  reg        could_go;

  // ---- offers stand
  reg [3:0]   waited;
  reg [1:0]   answer_waited;
  reg [267:0] asked_before [0:3];
  reg [269:0] came_before [0:1];
  integer k;
  always @(posedge clock) begin
    waited        <= reset ? 4'd0 : valid & ~ready;
    answer_waited <= reset ? 2'd0 : done_valid & ~answered;
    for (k = 0; k < 4; k = k + 1) asked_before[k] <= asked[k];
    for (k = 0; k < 2; k = k + 1) came_before[k] <= came[k];
  end

  // ---- the answers to `one` that could have been taken a cycle ago, by channel
  reg [1:0]   could_answer;
  wire [1:0]  its = done_valid & ~answered & {done_client[1] == one, done_client[0] == one};

  wire [3:0] u_used = ch ? (die ? unit.grants_dies_used_1_1 : unit.grants_dies_used_1_0)
                      : (die ? unit.grants_dies_used_0_1 : unit.grants_dies_used_0_0);
  wire [1:0] u_held = ch ? (die ? unit.grants_dies_held_1_1 : unit.grants_dies_held_1_0)
                      : (die ? unit.grants_dies_held_0_1 : unit.grants_dies_held_0_0);
  wire       u_room = ch ? (die ? unit.grants_dies_room_1_1 : unit.grants_dies_room_1_0)
                      : (die ? unit.grants_dies_room_0_1 : unit.grants_dies_room_0_0);
  wire       u_gc_room = ch ? (die ? unit.grants_dies_gcRoom_1_1 : unit.grants_dies_gcRoom_1_0)
                         : (die ? unit.grants_dies_gcRoom_0_1 : unit.grants_dies_gcRoom_0_0);
  wire [3:0] u_accepted = ch ? unit.accepted_1 : unit.accepted_0;
  wire       u_taken = ch ? unit.taken_1 : unit.taken_0;
  wire [3:0] fits [0:1]; // by channel, then client: an accepted request is the one that the channel gets
  generate
    for (i = 0; i < 4; i = i + 1) begin
      assign fits[0][i] = !unit.accepted_0[i] || waited[i] && on(slot[i], 0) && given[0] == asked[i];
      assign fits[1][i] = !unit.accepted_1[i] || waited[i] && on(slot[i], 1) && given[1] == asked[i];
    end
  endgenerate
  function automatic cycle(input f01, input f03, input f13); // NandAdmission's order of three clients is cyclic
    cycle = f01 && f13 && !f03 || !f01 && !f13 && f03;
  endfunction
  always @(posedge clock) begin
    used         <= reset ? 4'd0 : used + comes - leaves;
    places       <= reset ? 3'd0 : places + gc_here - gc_left;
    could_go     <= !reset && could;
    could_answer <= reset || answers[one] && !done_ready[one] ? 2'd0 : its;
    if (!reset) begin
      // Each holds for any client, channel or die, as the chosen one is arbitrary.
      for (k = 0; k < 4; k = k + 1) assume (!waited[k] || valid[k] && asked[k] == asked_before[k]);
      for (k = 0; k < 2; k = k + 1) assume (!answer_waited[k] || done_valid[k] && came[k] == came_before[k]);
      assume (!done_valid[ch] || done_slot[ch][1] != die || used != 0 && (done_client[ch] != GC || places != 0));
      assume (done_slot[0][0] == 0 && done_slot[1][0] == 1);
      assume (!(done_valid[0]) || (done_slot[0][1] ? unit.grants_dies_used_0_1 : unit.grants_dies_used_0_0) != 0);
      assume (!(done_valid[1]) || (done_slot[1][1] ? unit.grants_dies_used_1_1 : unit.grants_dies_used_1_0) != 0);
      assume (!(done_valid[0] && done_client[0] == GC)
              || (done_slot[0][1] ? unit.grants_dies_held_0_1 : unit.grants_dies_held_0_0) != 0);
      assume (!(done_valid[1] && done_client[1] == GC)
              || (done_slot[1][1] ? unit.grants_dies_held_1_1 : unit.grants_dies_held_1_0) != 0);

      goes_at_once:  assert ($countones(takes & here) == channel_valid[ch]);
      goes_as_it_is: assert (!(takes[one] && here[one]) || given[ch] == asked[one]);
      only_offered:  assert (!ready[one] || valid[one]);
      has_room:      assert (!comes || used < DEPTH);
      none_held_up:  assert (!could_go || channel_valid[ch]);
      gc_places:     assert (places <= PLACES);
      answer_of_one: assert (!gives[ch] || answers[done_client[ch]] && answer[done_client[ch]] == came[ch]);
      answer_taken:  assert ($countones(gives & {done_client[1] == one, done_client[0] == one}) <= 1);
      answer_soon:   assert (could_answer == 0 || (could_answer & answered) != 0);
      i_bound:       assert (used <= DEPTH);
      i_used:        assert (used == u_used && places == u_held);
      i_room:        assert (u_room == (used != DEPTH) && u_gc_room == (used != DEPTH && places != PLACES));
      i_fits:        assert (!comes || u_room && (!u_accepted[GC] || u_gc_room));
      i_accepted:    assert ($countones(u_accepted) == channel_valid[ch] && &fits[0] && &fits[1]);
      i_order:       assert (!cycle(unit.NandAdmission.first_0_1, unit.NandAdmission.first_0_3,
                                    unit.NandAdmission.first_1_3)
                             && !cycle(unit.NandAdmission_1.first_0_1, unit.NandAdmission_1.first_0_3,
                                       unit.NandAdmission_1.first_1_3));
      i_taken:       assert (!u_taken || answer_waited[ch] && answers[done_client[ch]]
                             && answer[done_client[ch]] == came[ch]);
      i_one_answer:  assert (!(unit.taken_0 && unit.taken_1) || done_client[0] != done_client[1]);

      reach_both:   cover ($countones(takes) == 2 && $countones(gets) == 2);
      reach_places: cover (places == PLACES && valid[GC] && here[GC] && used < DEPTH && one == GC && waited[GC]
                           && !ready[GC] && slot[GC][1] == die);
      reach_full:   cover (used == DEPTH && valid[one] && here[one] && slot[one][1] == die && waited[one]);
    end
  end
endmodule
