// SPDX-License-Identifier: Apache-2.0
//
// Proves that the slots that a client programs are gathered into flash pages:
// - Each accepted slot is in the page that goes to the scheduler, once and at its place. The last slot of a full page
//   is accepted in the cycle after the page goes, and then only.
// - A page that goes before it is full was closed: `closing` named it, no slot was accepted since, and its remaining
//   slots have no LPN. A wanted page is closed within three cycles in which no other page is being closed, the client
//   does not hold, and nothing is offered to the scheduler or accepted. Such an offer is not taken back.
// - A reader does not overtake a page that has not gone. Else it may go on in the second cycle of its offer.
// - Answers are given slot by slot, in order.
//
// Pages have four slots; there are two entries and one reader. Of a spare, only the LPN is modelled. The proof
// follows an arbitrary slot of an arbitrary page.
//
// Assumptions: the slots of a page arrive in order. An offer of the client or of a reader stands until it is taken. The
// client holds (`io_hold`) while it has a slot to program, and in the cycle before it offers it. It has no slot for the
// page that is being closed. A reader is taken when it may go on. Readers do not erase. While a read of a page is
// offered, no first slot of the page is accepted: the reader has found its slot in the mapping.
`include "rigid.svh"
module PageGathererProof(
  input        clock,
  input        reset,
  input        io_slot_valid,
  input [1:0]  io_slot_bits_op,
  input [3:0]  io_slot_bits_slot,
  input [4:0]  io_slot_bits_buf,
  input [31:0] slot_lpn,
  input        io_slotDone_ready,
  input        io_page_ready,
  input        io_pageDone_valid,
  input [1:0]  io_pageDone_bits_op,
  input [1:0]  io_pageDone_bits_client,
  input [3:0]  io_pageDone_bits_slot,
  input [4:0]  io_pageDone_bits_buf,
  input [1:0]  io_pageDone_bits_status,
  input [31:0] done_lpn,
  input [4:0]  io_pageDone_bits_rest_0,
  input [4:0]  io_pageDone_bits_rest_1,
  input [4:0]  io_pageDone_bits_rest_2,
  input [1:0]  io_pageDone_bits_last,
  input        io_reader_0_offer_valid,
  input [1:0]  io_reader_0_offer_bits_op,
  input [3:0]  io_reader_0_offer_bits_slot,
  input        io_reader_0_taken,
  input        io_closeAll,
  input        io_hold
);
  localparam [1:0]  READ = 0, PROGRAM = 2, ERASE = 3; // NandRequestOp
  localparam [31:0] NONE = 32'hFFFFFFFF;
  wire [1:0]   io_slot_bits_client = 0; // hostWrite
  wire [255:0] io_slot_bits_oob = slot_lpn, io_pageDone_bits_oob = done_lpn;
  wire         io_slot_ready, io_slotDone_valid, io_page_valid, io_pageDone_ready, io_reader_0_may;
  wire         io_closing_valid, io_quiet;
  wire [1:0]   io_slotDone_bits_op, io_slotDone_bits_client, io_slotDone_bits_status, io_page_bits_op,
               io_page_bits_client;
  wire [1:0]   io_page_bits_last, io_padded;
  wire [3:0]   io_slotDone_bits_slot, io_page_bits_slot, io_closing_bits;
  wire [4:0]   io_slotDone_bits_buf, io_page_bits_buf, io_page_bits_rest_0_buf, io_page_bits_rest_1_buf,
               io_page_bits_rest_2_buf;
  wire [255:0] io_slotDone_bits_oob, io_page_bits_oob, io_page_bits_rest_0_oob, io_page_bits_rest_1_oob,
               io_page_bits_rest_2_oob;
  PageGatherer unit(.*);

  `RIGID(2, page) // any page,
  `RIGID(2, sub)  // any slot of it
  wire [1:0]  its_page = io_slot_bits_slot[3:2], its_sub = io_slot_bits_slot[1:0]; // of what the client offers
  wire [36:0] its_data = {io_slot_bits_buf, slot_lpn};
  wire        programs = io_slot_valid && io_slot_bits_op == PROGRAM;
  wire        takes    = programs && io_slot_ready && its_page == page;
  wire        goes_any = io_page_valid && io_page_ready;
  wire        goes     = goes_any && io_page_bits_op == PROGRAM && io_page_bits_slot[3:2] == page;
  wire        passes   = io_slot_valid && io_slot_ready && !programs;
  wire        closes   = io_closing_valid && io_closing_bits[3:2] == page;
  wire        reads    = io_reader_0_offer_valid && io_reader_0_offer_bits_op == READ
                         && io_reader_0_offer_bits_slot[3:2] == page;
  reg  [2:0]  came;    // slots of the page that were accepted and have not gone to the scheduler
  reg  [36:0] its;     // {buf, lpn} of its slot `sub`
  reg         wanted;  // a reader or client waits for the page
  reg         read;    // a reader waited for it in the last cycle
  reg         had;     // it had slots in the last cycle
  reg         held;    // the client held in the last cycle
  reg         full;    // it went in the last cycle, with the slot that the client offers
  reg         single;  // another request went in the last cycle,
  reg  [42:0] went;    // which was this
  reg         closing; // the page `leaving` is being closed,
  reg  [1:0]  leaving;
  reg  [2:0]  since;   // for this number of cycles
  reg  [1:0]  waited;  // cycles in which the page was wanted and could be closed
  reg         stands;  // an offer to the scheduler,
  reg  [12:0] stood;   // which is this
  wire [2:0]  comes  = full ? 3'd0 : came + takes;
  wire [36:0] now    = takes && its_sub == sub ? its_data : its;
  wire        closed = closing && leaving == page;
  wire        able   = wanted && !closing && !io_hold && !io_page_valid && !io_slot_ready;
  wire [36:0] gone   = sub == 0 ? {io_page_bits_buf, io_page_bits_oob[31:0]}
                     : sub == 1 ? {io_page_bits_rest_0_buf, io_page_bits_rest_0_oob[31:0]}
                     : sub == 2 ? {io_page_bits_rest_1_buf, io_page_bits_rest_1_oob[31:0]}
                                : {io_page_bits_rest_2_buf, io_page_bits_rest_2_oob[31:0]};
  always @(posedge clock) begin
    came    <= reset || goes ? 3'd0 : comes;
    its     <= now;
    wanted  <= !reset && !goes && comes != 0 && (wanted || io_closeAll || read);
    read    <= !reset && !goes && comes != 0 && reads;
    had     <= !reset && comes != 0;
    held    <= io_hold;
    full    <= !reset && goes && !closed;
    single  <= !reset && goes_any && io_page_bits_op != PROGRAM;
    went    <= {io_page_bits_op, io_page_bits_slot, io_page_bits_buf, io_page_bits_oob[31:0]};
    closing <= !reset && (io_closing_valid || closing && !goes_any);
    since   <= io_closing_valid ? 3'd0 : since + (since != 7);
    waited  <= reset || !able || io_closing_valid ? 2'd0 : waited + (waited != 3);
    if (io_closing_valid) leaving <= io_closing_bits[3:2];
    stands  <= !reset && io_page_valid && !io_page_ready;
    if (io_page_valid) stood <= {io_page_bits_op, io_page_bits_slot, io_page_bits_buf, io_page_bits_last};
  end

  reg         slot_stands, reader_stands;
  reg  [42:0] slot_stood;
  reg  [5:0]  reader_stood;
  reg         read_had; // the page that the reader reads had slots in the last cycle
  wire        read_begun = io_reader_0_offer_bits_op == READ
                           && (unit.pages_0_valid && unit.pages_0_page == io_reader_0_offer_bits_slot[3:2]
                               || unit.pages_1_valid && unit.pages_1_page == io_reader_0_offer_bits_slot[3:2]);
  always @(posedge clock) begin
    slot_stands   <= !reset && io_slot_valid && !io_slot_ready;
    slot_stood    <= {io_slot_bits_op, io_slot_bits_slot, io_slot_bits_buf, slot_lpn};
    reader_stands <= !reset && io_reader_0_offer_valid && !io_reader_0_taken;
    read_had      <= read_begun;
    reader_stood  <= {io_reader_0_offer_bits_op, io_reader_0_offer_bits_slot};
  end

  // ---- answers
  reg         answers;
  reg  [1:0]  done, a_op, a_client, a_status, a_last; // done: number of answered slots
  reg  [3:0]  a_slot;
  reg  [19:0] a_bufs;
  reg  [31:0] a_lpn;
  wire        ends = io_slotDone_valid && io_slotDone_ready && (a_op != PROGRAM || done == a_last);
  always @(posedge clock)
    if (reset) begin
      answers <= 0;
      done    <= 0;
    end else if (io_pageDone_valid && io_pageDone_ready) begin
      answers <= 1;
      done    <= 0;
      {a_op, a_client, a_status, a_slot} <= {io_pageDone_bits_op, io_pageDone_bits_client, io_pageDone_bits_status,
                                             io_pageDone_bits_slot};
      a_last <= io_pageDone_bits_last;
      a_bufs <= {io_pageDone_bits_rest_2, io_pageDone_bits_rest_1, io_pageDone_bits_rest_0, io_pageDone_bits_buf};
      a_lpn  <= done_lpn;
    end else begin
      if (ends) answers <= 0;
      if (io_slotDone_valid && io_slotDone_ready) done <= done + 1;
    end

  // ---- the entry
  wire        is_0 = unit.pages_0_valid && unit.pages_0_page == page;
  wire        is_1 = unit.pages_1_valid && unit.pages_1_page == page;
  wire        its_0 = unit.pages_0_valid && unit.pages_0_page == its_page;
  wire        its_1 = unit.pages_1_valid && unit.pages_1_page == its_page;
  wire [1:0]  count = is_0 ? unit.pages_0_count : unit.pages_1_count;
  wire        marked = is_0 ? unit.pages_0_marked : unit.pages_1_marked;
  wire [260:0] slot_0 = unit.contents_0_ext.Memory[!is_0], slot_1 = unit.contents_1_ext.Memory[!is_0];
  wire [260:0] slot_2 = unit.contents_2_ext.Memory[!is_0], slot_3 = unit.contents_3_ext.Memory[!is_0];
  wire [36:0] kept = sub == 0 ? {slot_0[260:256], slot_0[31:0]} : sub == 1 ? {slot_1[260:256], slot_1[31:0]}
                   : sub == 2 ? {slot_2[260:256], slot_2[31:0]} : {slot_3[260:256], slot_3[31:0]};
  wire        in_hand = unit.mine == (unit.row == 0 ? 2'b01 : 2'b10) && unit.row <= 1; // an entry, and its row
  wire        of_1 = unit.mine == 2'b10;
  wire        out_valid = of_1 ? unit.pages_1_valid : unit.pages_0_valid;
  wire        out_marked = of_1 ? unit.pages_1_marked : unit.pages_0_marked;
  wire [1:0]  out_page = of_1 ? unit.pages_1_page : unit.pages_0_page;
  wire [1:0]  out_count = of_1 ? unit.pages_1_count : unit.pages_0_count;
  wire [260:0] passing = unit.contents_0_ext.Memory[2], last = unit.contents_3_ext.Memory[of_1];
  localparam [2:0] IDLE = 0, LOOK = 1, STORE = 2, SEND = 3, PICK = 4, HEAD = 5, SEAL = 6, PAD = 7; // unit.state
  wire        at_slot = unit.state == LOOK || unit.state == STORE;

  always @(posedge clock) if (!reset) begin
    assume (!slot_stands || io_slot_valid && slot_stood
            == {io_slot_bits_op, io_slot_bits_slot, io_slot_bits_buf, slot_lpn});
    assume (!programs || io_hold && held);
    assume (!programs || io_slot_ready || its_sub == (its_0 ? unit.pages_0_count : its_1 ? unit.pages_1_count : 2'd0));
    assume (!programs || !closing || leaving != its_page);
    assume (!reader_stands || io_reader_0_offer_valid
            && reader_stood == {io_reader_0_offer_bits_op, io_reader_0_offer_bits_slot});
    assume (!io_reader_0_taken || io_reader_0_offer_valid && io_reader_0_may);
    assume (!(reader_stands && read_begun) || read_had);
    assume (!io_reader_0_offer_valid || io_reader_0_offer_bits_op != ERASE);

    goes_whole:    assert (!goes || io_page_bits_slot[1:0] == 0 && comes != 0
                           && io_page_bits_last == (closed ? 2'(comes - 1) : 2'd3));
    goes_its:      assert (!goes || sub >= comes || gone == now);
    goes_last:     assert (!goes || closed || comes == 3 && programs && its_page == page && its_sub == 3
                           && (sub != 3 || gone == its_data));
    goes_padded:   assert (!goes || sub <= io_page_bits_last || gone[31:0] == NONE);
    full_at_once:  assert (full == (takes && its_sub == 3));
    closes_its:    assert (!closes || comes != 0 && !closed && !takes && !(programs && its_page == page));
    client_waits:  assert (!closing && !io_closing_valid || !io_slot_ready);
    closed_soon:   assert (!closing || since < 6 || io_page_valid);
    one_at_a_time: assert (!(io_closing_valid && closing));
    wanted_closes: assert (!(able && waited == 3) || io_closing_valid);
    offer_stands:  assert (!stands || io_page_valid && stood
                           == {io_page_bits_op, io_page_bits_slot, io_page_bits_buf, io_page_bits_last});
    reader_waits:  assert (!(reads && comes != 0) || !io_reader_0_may);
    reader_passes: assert (!reader_stands || reads && had || io_reader_0_offer_bits_op == READ
                           && io_reader_0_offer_bits_slot[3:2] != page || io_reader_0_may);
    others_pass:   assert (passes == single && (!passes || went
                           == {io_slot_bits_op, io_slot_bits_slot, io_slot_bits_buf, slot_lpn}));
    answers_all:   assert (io_slotDone_valid == answers);
    answers_slot:  assert (!io_slotDone_valid || {io_slotDone_bits_op, io_slotDone_bits_client, io_slotDone_bits_status}
                           == {a_op, a_client, a_status} && io_slotDone_bits_oob[31:0] == a_lpn
                           && io_slotDone_bits_slot == (a_op == PROGRAM ? {a_slot[3:2], done} : a_slot)
                           && io_slotDone_bits_buf == a_bufs[5 * done +: 5]);

    i_stands:   assert (!stands || unit.state == SEND);
    i_offered:  assert (unit.offered == (unit.state == SEND));
    i_held:     assert (!held || !unit.tells || unit.fromLook);
    i_entry:    assert ((is_0 || is_1) == (comes != 0) && (comes == 0 || comes == count) && !(is_0 && is_1));
    i_kept:     assert (sub >= comes || kept == now);
    i_marked:   assert (!wanted || comes != 0 && marked);
    i_marks:    assert ((unit.pages_0_valid || !unit.pages_0_marked) && (unit.pages_1_valid || !unit.pages_1_marked));
    i_twice:    assert (!(unit.pages_0_valid && unit.pages_1_valid && unit.pages_0_page == unit.pages_1_page));
    i_counts:   assert ((!unit.pages_0_valid || unit.pages_0_count != 0)
                        && (!unit.pages_1_valid || unit.pages_1_count != 0));
    i_told:     assert (io_slot_ready == unit.told && (!unit.told || unit.state == IDLE && io_slot_valid));
    i_slot:     assert (!at_slot || io_slot_valid && unit.program_0 == programs && unit.completes == (its_sub == 3)
                        && unit.hits == {its_1, its_0});
    i_store:    assert (unit.state != STORE || (programs
                        ? in_hand && (unit.hits != 0 ? unit.mine == unit.hits : !out_valid)
                        : unit.mine == 0 && unit.row == 2));
    i_send:     assert (unit.state != SEND || unit.closing || io_slot_valid && unit.outOp == io_slot_bits_op
                        && (programs ? in_hand && out_valid && out_page == its_page && out_count == 3 && its_sub == 3
                                       && unit.outSlot == {its_page, 2'd0} && unit.outLast == 3
                                       && {last[260:256], last[31:0]} == its_data
                                     : unit.mine == 0 && unit.row == 2 && unit.outSlot == io_slot_bits_slot
                                       && {passing[260:256], passing[31:0]} == its_data));
    i_pick:     assert (unit.state != PICK || (unit.mine == 2'b01 || of_1) && out_valid && out_marked
                        && (!unit.fromLook || programs && its_page != out_page));
    i_closing:  assert (unit.closing == (closing || io_closing_valid) && unit.tells == (unit.state == HEAD)
                        && (!closing || unit.state == SEAL || unit.state == PAD || unit.state == SEND)
                        && (unit.closing || unit.state <= PICK)
                        && (!unit.closing || in_hand && out_valid && out_marked && unit.outOp == PROGRAM
                            && unit.outSlot == {out_page, 2'd0} && unit.outLast == 2'(out_count - 1)
                            && (!closing || leaving == out_page)));
    i_pad:      assert (unit.state != HEAD && unit.state != SEAL && unit.state != PAD
                        || unit.padAt >= out_count && (unit.state != HEAD || unit.padAt == out_count)
                        && (unit.state == HEAD || since == 2 * (unit.padAt - out_count) + (unit.state == PAD)));
    i_padded:   assert (!closed || sub < comes || unit.state != SEND && sub >= unit.padAt || kept[31:0] == NONE);
    i_waited:   assert (waited == 0 || (waited == 1 && (unit.state == LOOK || unit.state == SEND) || waited <= 2
                        && unit.state == PICK || unit.state == HEAD));
    i_read:     assert (!read || (is_0 || is_1) && (is_0 ? unit.blocked_0_1[0] : unit.blocked_0_1[1]) || comes == 0);
    i_blocked:  assert (unit.blocked_comes == reader_stands && (!reader_stands || unit.blocked_clear == !read_had)
                        && (!(reader_stands && reads) || read_had == had));
    i_landed:   assert (unit.landed == answers && (!answers
                        || {unit.answer_op, unit.answer_client, unit.answer_last, unit.answer_status,
                            unit.answer_oob[31:0], unit.count} == {a_op, a_client, a_last, a_status, a_lpn, done}));
    i_bufs:     assert (!answers || (done > 2 || unit.answer_rest_0 == a_bufs[5 * (done + 1) +: 5])
                        && (done > 1 || unit.answer_rest_1 == a_bufs[5 * (done + 2) +: 5])
                        && (done > 0 || unit.answer_rest_2 == a_bufs[15 +: 5]));
    i_done:     assert (!answers || done <= a_last && (a_op == PROGRAM || done == 0));

    reach_full:   cover (goes && !closed && io_closeAll);
    reach_padded: cover (goes && closed && comes == 2 && sub == 3);
    reach_reader: cover (reads && came != 0 && io_hold);
    reach_begins: cover (io_closing_valid && io_hold && !held);
  end
endmodule
