// SPDX-License-Identifier: Apache-2.0
//
// Proves that the slots that a client programs are gathered into flash pages:
// - Each accepted slot is in the page that goes to the scheduler, once and at its place. A full page goes in the
//   cycle of its last slot.
// - A page that goes before it is full was closed: `closing` named it, no slot was accepted since, and its remaining
//   slots have no LPN. A wanted page is closed as soon as no other page is being closed, the client does not hold and
//   no offer to the scheduler stands. Such an offer is not taken back.
// - A reader does not overtake a page that has not gone.
// - Answers are given slot by slot, in order.
//
// Pages have four slots; there are two entries and one reader. Of a spare, only the LPN is modelled. The proof
// follows an arbitrary slot of an arbitrary page.
//
// Assumptions: the slots of a page arrive in order. An offer of the client stands until it is taken. The client holds (`io_hold`) while it has a slot to program, and
// has no slot for the page that is being closed. Readers do not erase.
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
  input        io_reader_0_in_valid,
  input [1:0]  io_reader_0_in_bits_op,
  input [1:0]  io_reader_0_in_bits_client,
  input [3:0]  io_reader_0_in_bits_slot,
  input [4:0]  io_reader_0_in_bits_buf,
  input        io_reader_0_out_ready,
  input        io_closeAll,
  input        io_hold
);
  localparam [1:0]  READ = 0, PROGRAM = 2, ERASE = 3; // NandRequestOp
  localparam [31:0] NONE = 32'hFFFFFFFF;
  wire [1:0]   io_slot_bits_client = 0; // hostWrite
  wire [255:0] io_slot_bits_oob = slot_lpn, io_pageDone_bits_oob = done_lpn, io_reader_0_in_bits_oob = 0;
  wire         io_slot_ready, io_slotDone_valid, io_page_valid, io_pageDone_ready, io_reader_0_in_ready,
               io_reader_0_out_valid;
  wire         io_closing_valid, io_quiet;
  wire [1:0]   io_slotDone_bits_op, io_slotDone_bits_client, io_slotDone_bits_status, io_page_bits_op,
               io_page_bits_client;
  wire [1:0]   io_page_bits_last, io_reader_0_out_bits_op, io_reader_0_out_bits_client, io_padded;
  wire [3:0]   io_slotDone_bits_slot, io_page_bits_slot, io_reader_0_out_bits_slot, io_closing_bits;
  wire [4:0]   io_slotDone_bits_buf, io_page_bits_buf, io_page_bits_rest_0_buf, io_page_bits_rest_1_buf,
               io_page_bits_rest_2_buf;
  wire [4:0]   io_reader_0_out_bits_buf;
  wire [255:0] io_slotDone_bits_oob, io_page_bits_oob, io_page_bits_rest_0_oob, io_page_bits_rest_1_oob,
               io_page_bits_rest_2_oob;
  wire [255:0] io_reader_0_out_bits_oob;
  PageGatherer unit(.*);

  `RIGID(2, page) // any page,
  `RIGID(2, sub)  // any slot of it
  wire        programs = io_slot_valid && io_slot_bits_op == PROGRAM;
  wire        takes    = programs && io_slot_ready && io_slot_bits_slot[3:2] == page;
  wire        goes     = io_page_valid && io_page_ready && io_page_bits_op == PROGRAM && io_page_bits_slot[3:2] == page;
  wire        passes   = io_slot_valid && io_slot_ready && !programs;
  wire        closes   = io_closing_valid && io_closing_bits[3:2] == page;
  wire        reads    = io_reader_0_in_valid && io_reader_0_in_bits_op == READ
                         && io_reader_0_in_bits_slot[3:2] == page;
  reg  [2:0]  came;    // slots of the page that were accepted and have not gone to the scheduler
  reg  [36:0] its;     // {buf, lpn} of its slot `sub`
  reg         wanted;  // a reader or client waits for the page
  reg         closing; // the page `leaving` is being closed,
  reg  [1:0]  leaving;
  reg  [2:0]  since;   // for this number of cycles
  reg         stands;  // an offer to the scheduler,
  reg  [12:0] stood;   // which is this
  wire [2:0]  comes = came + takes;
  wire [36:0] now   = takes && io_slot_bits_slot[1:0] == sub ? {io_slot_bits_buf, slot_lpn} : its;
  wire        closed = closing && leaving == page;
  wire [36:0] gone  = sub == 0 ? {io_page_bits_buf, io_page_bits_oob[31:0]}
                    : sub == 1 ? {io_page_bits_rest_0_buf, io_page_bits_rest_0_oob[31:0]}
                    : sub == 2 ? {io_page_bits_rest_1_buf, io_page_bits_rest_1_oob[31:0]}
                               : {io_page_bits_rest_2_buf, io_page_bits_rest_2_oob[31:0]};
  always @(posedge clock) begin
    came    <= reset || goes ? 3'd0 : comes;
    its     <= now;
    wanted  <= !reset && !goes && comes != 0 && (wanted || io_closeAll || reads && came != 0);
    closing <= !reset && (io_closing_valid || closing && !(io_page_valid && io_page_ready));
    since   <= io_closing_valid ? 3'd0 : since + (since != 7);
    if (io_closing_valid) leaving <= io_closing_bits[3:2];
    stands  <= !reset && io_page_valid && !io_page_ready;
    if (io_page_valid) stood <= {io_page_bits_op, io_page_bits_slot, io_page_bits_buf, io_page_bits_last};
  end

  reg         slot_stands;
  reg  [42:0] slot_stood;
  always @(posedge clock) begin
    slot_stands <= !reset && io_slot_valid && !io_slot_ready;
    slot_stood  <= {io_slot_bits_op, io_slot_bits_slot, io_slot_bits_buf, slot_lpn};
  end

  // ---- answers
  wire [1:0]  client_now = unit.landed.io_deq_bits_client;
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
  wire [1:0]  count = is_0 ? unit.pages_0_count : unit.pages_1_count;
  wire        marked = is_0 ? unit.pages_0_marked : unit.pages_1_marked;
  wire [260:0] slot_0 = unit.contents_0_ext.Memory[!is_0], slot_1 = unit.contents_1_ext.Memory[!is_0];
  wire [260:0] slot_2 = unit.contents_2_ext.Memory[!is_0], slot_3 = unit.contents_3_ext.Memory[!is_0];
  wire [36:0] kept = sub == 0 ? {slot_0[260:256], slot_0[31:0]} : sub == 1 ? {slot_1[260:256], slot_1[31:0]}
                   : sub == 2 ? {slot_2[260:256], slot_2[31:0]} : {slot_3[260:256], slot_3[31:0]};
  wire        out_valid = unit.closed ? unit.pages_1_valid && unit.pages_1_marked
                          : unit.pages_0_valid && unit.pages_0_marked;
  wire [1:0]  out_page = unit.closed ? unit.pages_1_page : unit.pages_0_page;
  wire [1:0]  out_count = unit.closed ? unit.pages_1_count : unit.pages_0_count;

  always @(posedge clock) if (!reset) begin
    assume (!slot_stands || io_slot_valid && slot_stood
            == {io_slot_bits_op, io_slot_bits_slot, io_slot_bits_buf, slot_lpn});
    assume (!programs || io_hold);
    assume (!programs || io_slot_bits_slot[1:0]
            == (unit.hits_0 ? unit.pages_0_count : unit.hits_1 ? unit.pages_1_count : 2'd0));
    assume (!programs || !closing || leaving != io_slot_bits_slot[3:2]);
    assume (!io_reader_0_in_valid || io_reader_0_in_bits_op != ERASE);

    goes_whole:    assert (!goes || io_page_bits_slot[1:0] == 0 && io_page_bits_last == 2'(comes - 1) && comes != 0);
    goes_its:      assert (!goes || sub > io_page_bits_last || gone == now);
    goes_padded:   assert (!goes || sub <= io_page_bits_last || gone[31:0] == NONE);
    goes_closed:   assert (!goes || closed || io_page_bits_last == 3);
    full_at_once:  assert (comes < 4 || goes);
    closes_its:    assert (!closes || came != 0 && !closed && !takes);
    client_waits:  assert (!closing || !io_slot_ready);
    closed_soon:   assert (!closing || since < 3 || io_page_valid);
    one_at_a_time: assert (!(io_closing_valid && closing));
    wanted_closes: assert (!(wanted && !closing && !io_hold) || io_closing_valid || stands);
    offer_stands:  assert (!stands || io_page_valid && stood
                           == {io_page_bits_op, io_page_bits_slot, io_page_bits_buf, io_page_bits_last});
    reader_waits:  assert (!(reads && came != 0) || !io_reader_0_out_valid && !io_reader_0_in_ready);
    reader_passes: assert (!io_reader_0_in_valid || reads && came != 0 || io_reader_0_in_bits_op == READ
                             && io_reader_0_in_bits_slot[3:2] != page
                           || io_reader_0_out_valid && io_reader_0_in_ready == io_reader_0_out_ready);
    reader_its:    assert (!io_reader_0_out_valid || io_reader_0_in_valid
                           && {io_reader_0_out_bits_op, io_reader_0_out_bits_client, io_reader_0_out_bits_slot,
                               io_reader_0_out_bits_buf}
                           == {io_reader_0_in_bits_op, io_reader_0_in_bits_client, io_reader_0_in_bits_slot,
                               io_reader_0_in_bits_buf});
    others_pass:   assert (!passes || io_page_valid && io_page_ready
                           && {io_page_bits_op, io_page_bits_slot, io_page_bits_buf, io_page_bits_oob[31:0]}
                           == {io_slot_bits_op, io_slot_bits_slot, io_slot_bits_buf, slot_lpn});
    only_passes:   assert (!(io_page_valid && io_page_ready && io_page_bits_op != PROGRAM) || passes);
    answers_all:   assert (io_slotDone_valid == answers);
    answers_slot:  assert (!io_slotDone_valid || {io_slotDone_bits_op, io_slotDone_bits_client, io_slotDone_bits_status}
                           == {a_op, a_client, a_status} && io_slotDone_bits_oob[31:0] == a_lpn
                           && io_slotDone_bits_slot == (a_op == PROGRAM ? {a_slot[3:2], done} : a_slot)
                           && io_slotDone_bits_buf == a_bufs[5 * done +: 5]);

    i_stands:   assert (stands == unit.offered);
    i_entry:    assert ((is_0 || is_1) == (came != 0) && (came == 0 || came == count) && !(is_0 && is_1));
    i_kept:     assert (sub >= came || kept == its);
    i_marked:   assert (!wanted || came != 0 && marked);
    i_twice:    assert (!(unit.pages_0_valid && unit.pages_1_valid && unit.pages_0_page == unit.pages_1_page));
    i_counts:   assert ((!unit.pages_0_valid || unit.pages_0_count != 0)
                        && (!unit.pages_1_valid || unit.pages_1_count != 0));
    i_state:    assert (unit.state <= 2 && closing == (unit.state != 0)
                        && (!closing || out_valid && out_page == leaving));
    i_pad:      assert (unit.state != 1 || unit.padAt >= out_count && since == unit.padAt - out_count);
    i_padded:   assert (!closed || sub < came || unit.state == 1 && sub >= unit.padAt || kept[31:0] == NONE);
    i_sends:    assert (unit.state != 2 || since >= 1);
    i_landed:   assert (unit._landed_io_deq_valid == answers && (!answers
                        || {unit._landed_io_deq_bits_op, client_now, unit._landed_io_deq_bits_slot,
                            unit._landed_io_deq_bits_last, unit._landed_io_deq_bits_rest_2,
                            unit._landed_io_deq_bits_rest_1, unit._landed_io_deq_bits_rest_0,
                            unit._landed_io_deq_bits_buf} == {a_op, a_client, a_slot, a_last, a_bufs}));
    i_done:     assert (unit.answered == (answers ? done : 2'd0) && (!answers || done <= a_last)
                        && (!answers || a_op == PROGRAM || done == 0));
    i_lands:    assert (!answers || unit.landed.io_deq_bits_status == a_status
                        && unit.landed.io_deq_bits_oob[31:0] == a_lpn);

    reach_full:   cover (goes && !closed && io_closeAll);
    reach_padded: cover (goes && closed && comes == 2 && sub == 3);
    reach_reader: cover (reads && came != 0 && io_hold);
  end
endmodule
