// SPDX-License-Identifier: Apache-2.0
//
// Proves for requests of the clients and answers of the dies:
// - A request goes to its channel unchanged in the cycle in which it is accepted. So requests of a die keep their
//   order and none is lost.
// - A request goes only to a die with a free place. A channel gets a request in every cycle in which one can go to
//   it.
// - GC has at most its share of a die's places.
// - Answers go unchanged to the client that asked.
//
// There are two channels of two dies; the proof follows an arbitrary one of them.
//
// Assumptions: clients send their own client number. A channel accepts a request for a die that has room. Dies answer
// only requests that GC sent.
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
  input [1:0]   channel_ready,
  input [3:0]   room, // by die, then channel
  input [1:0]   done_valid,
  input [1:0]   done_client [0:1],
  input [1:0]   done_op [0:1],
  input [3:0]   done_slot [0:1],
  input [3:0]   done_buf [0:1],
  input [1:0]   done_status [0:1],
  input [7:0]   done_oob [0:1]
);
  localparam GC = 2, PLACES = 3; // NandClient.gc, Knobs.gcDiePlaces
  wire [3:0]   ready, answers;
  wire [1:0]   channel_valid, answered;
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
    .io_channel_``C``_ready(channel_ready[C]), .io_channel_``C``_valid(channel_valid[C]), \
    .io_channel_``C``_bits_op(given[C][267:266]), .io_channel_``C``_bits_client(given[C][265:264]), \
    .io_channel_``C``_bits_slot(given[C][263:260]), .io_channel_``C``_bits_buf(given[C][259:256]), \
    .io_channel_``C``_bits_oob(given[C][255:0]), .io_room_``C``_0(room[2 * C]), .io_room_``C``_1(room[2 * C + 1]), \
    .io_channelDone_``C``_ready(answered[C]), .io_channelDone_``C``_valid(done_valid[C]), \
    .io_channelDone_``C``_bits_op(done_op[C]), .io_channelDone_``C``_bits_client(done_client[C]), \
    .io_channelDone_``C``_bits_slot(done_slot[C]), .io_channelDone_``C``_bits_buf(done_buf[C]), \
    .io_channelDone_``C``_bits_status(done_status[C]), .io_channelDone_``C``_bits_oob({32{done_oob[C]}})
  NandScheduler unit(.clock(clock), .reset(reset), `REQUEST(0), `REQUEST(1), `REQUEST(2), `REQUEST(3), `CHANNEL(0),
                     `CHANNEL(1));
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
  wire       its_room = room[{ch, slot[one][1]}];
  wire [1:0] gives = done_valid & answered; // by channel
  wire [3:0] gets = answers & done_ready;   // by client
  reg  [2:0] places; // GC's places in this die
  wire       gc_here = takes[GC] && here[GC] && slot[GC][1] == die;
  wire       gc_left = gives[ch] && done_client[ch] == GC && done_slot[ch][1] == die;
  wire [1:0] held = ch ? (die ? unit.granted_held_1_1 : unit.granted_held_1_0)
                    : (die ? unit.granted_held_1 : unit.granted_held_0);
  wire [1:0] held_0 = ch ? unit.granted_held_1_0 : unit.granted_held_0;
  wire [1:0] held_1 = ch ? unit.granted_held_1_1 : unit.granted_held_1;
  function automatic cycle(input f01, input f03, input f13); // NandAdmission's order of three clients is cyclic
    cycle = f01 && f13 && !f03 || !f01 && !f13 && f03;
  endfunction
  always @(posedge clock) begin
    places <= reset ? 3'd0 : places + gc_here - gc_left;
    if (!reset) begin
      assume (!channel_valid[0] || channel_ready[0]);
      assume (!channel_valid[1] || channel_ready[1]);
      // Holds for each die, as this one is arbitrary. Answers to GC from the other dies do not count.
      assume (!gc_left || places != 0);
      assume (!(gives[0] && done_client[0] == GC)
              || (done_slot[0][1] ? unit.granted_held_1 : unit.granted_held_0) != 0);
      assume (!(gives[1] && done_client[1] == GC)
              || (done_slot[1][1] ? unit.granted_held_1_1 : unit.granted_held_1_0) != 0);
      assume (done_slot[0][0] == 0 && done_slot[1][0] == 1);

      goes_at_once:  assert ($countones(takes & here) == (channel_valid[ch] && channel_ready[ch]));
      goes_as_it_is: assert (!(takes[one] && here[one]) || given[ch] == asked[one]);
      has_room:      assert (!channel_valid[ch] || room[{ch, given[ch][261]}]);
      none_held_up:  assert (!(valid[one] && here[one] && its_room
                               && (one != GC || (slot[GC][1] ? held_1 : held_0) < PLACES))
                             || channel_valid[ch]);
      gc_places:     assert (places <= PLACES);
      answer_of_one: assert (!gets[one] || $countones(gives & {done_client[1] == one, done_client[0] == one}) == 1);
      answer_taken:  assert (!gives[ch] || gets[done_client[ch]] && answer[done_client[ch]] == came[ch]);
      i_places:      assert (places == held);
      i_order:       assert (!cycle(unit.NandAdmission.first_0_1, unit.NandAdmission.first_0_3,
                                    unit.NandAdmission.first_1_3)
                             && !cycle(unit.NandAdmission_1.first_0_1, unit.NandAdmission_1.first_0_3,
                                       unit.NandAdmission_1.first_1_3));

      reach_both:   cover ($countones(takes) == 2 && $countones(gets) == 2);
      reach_places: cover (places == PLACES && valid[GC] && here[GC] && its_room && one == GC && !ready[GC]
                           && slot[GC][1] == die);
    end
  end
endmodule
