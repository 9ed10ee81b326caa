// SPDX-License-Identifier: Apache-2.0
//
// Proves the order of host writes, remaps, trims and GC on one LPN:
// - Operations take effect in the order in which they are accepted, for all clients. Each operates on the result of
//   the one before, and its answer reports that.
// - A compare-and-swap changes the mapping if and only if the mapping is the expected one.
// - REF gains or loses a sharer exactly when the mapping changes. (MapUnit.sv proves that REF counts the mapping.)
//
// The proof follows an arbitrary LPN, `page`, and the answer of an arbitrary operation on it. There are four LPNs,
// four slots and two clients. map_cache.svh replaces the caches.
//
// Assumptions: operations are those of MapOp and LPNs are in range. REF stays between 0 and the limit, as MapUnit.sv
// shows.
`include "rigid.svh"
`include "map_cache.svh"
module MapOrderProof(
  input        clock,
  input        reset,
  input        io_client_0_req_valid,
  input  [3:0] io_client_0_req_bits_op,
  input  [1:0] lpn_0,
  input  [1:0] io_client_0_req_bits_slot,
  input  [1:0] io_client_0_req_bits_expect,
  input        io_client_0_resp_ready,
  input        io_client_1_req_valid,
  input  [3:0] io_client_1_req_bits_op,
  input  [1:0] lpn_1,
  input  [1:0] io_client_1_req_bits_slot,
  input  [1:0] io_client_1_req_bits_expect,
  input        io_client_1_resp_ready,
  input        look // follow the answer of the operation that is accepted in this cycle
);
  localparam [3:0] LOOKUP = 0, SET = 1, UNMAP = 2, RESERVE = 3, RELEASE = 4, LINK = 5, CAS = 6, REFS = 7, SHARE = 8,
                   PEEK = 9;
  localparam [2:0] NONE = 0, GAIN = 1, C_RESERVE = 2, C_REFS = 4; // Count
  localparam [2:0] DROP = 2, A_RESERVE = 3, A_REFS = 4, OTHER = 7; // Act; the other values are as in Count
  wire [31:0]  io_client_0_req_bits_lpn = lpn_0, io_client_1_req_bits_lpn = lpn_1;
  wire         io_client_0_req_ready, io_client_0_resp_valid, io_client_0_resp_bits_ok, io_client_0_resp_bits_mapped;
  wire         io_client_1_req_ready, io_client_1_resp_valid, io_client_1_resp_bits_ok, io_client_1_resp_bits_mapped;
  wire [1:0]   io_client_0_resp_bits_slot, io_client_1_resp_bits_slot;
  wire [7:0]   io_client_0_resp_bits_count, io_client_1_resp_bits_count;
  wire         io_dram_rd_ar_valid, io_dram_rd_r_ready, io_dram_wr_aw_valid, io_dram_wr_w_valid, io_dram_wr_w_bits_last;
  wire         io_dram_wr_b_ready, io_valid_inc_valid, io_valid_inc_bits, io_valid_dec_valid, io_valid_dec_bits;
  wire         io_quiet, io_event_lookup, io_event_update, io_event_l2pHit, io_event_l2pMiss;
  wire         io_event_sharers2, io_event_sharers4, io_event_sharers8, io_event_sharersMore;
  wire [31:0]  io_dram_rd_ar_bits_addr, io_dram_wr_aw_bits_addr;
  wire [7:0]   io_dram_rd_ar_bits_len, io_dram_wr_aw_bits_len;
  wire [127:0] io_dram_wr_w_bits_data;
  wire [15:0]  io_dram_wr_w_bits_strb;
  wire         io_dram_rd_ar_ready = 0, io_dram_rd_r_valid = 0, io_dram_rd_r_bits_last = 0, io_dram_wr_aw_ready = 0;
  wire         io_dram_wr_w_ready = 0, io_dram_wr_b_valid = 0;
  wire [127:0] io_dram_rd_r_bits_data = 0;
  wire [1:0]   io_dram_rd_r_bits_resp = 0, io_dram_wr_b_bits_resp = 0;
  MapUnit unit(.*);

  function automatic uses(input [3:0] op);
    uses = op == LOOKUP || op == SET || op == UNMAP || op == LINK || op == CAS || op == SHARE || op == PEEK;
  endfunction
  function automatic by_ref(input [3:0] op);
    by_ref = op == RESERVE || op == RELEASE || op == CAS || op == REFS || op == SHARE || op == PEEK;
  endfunction

  // ---- effect of the operations on the LPN's mapping: {mapped, slot}; 0: not mapped
  function automatic [2:0] after(input [3:0] op, input [1:0] slot, input [1:0] expect_, input [2:0] was);
    after = op == SET || op == LINK || op == CAS && was == {1'b1, expect_} ? {1'b1, slot} : op == UNMAP ? 3'd0 : was;
  endfunction
  `RIGID(2, page)
  wire        fires_0 = io_client_0_req_valid && io_client_0_req_ready;
  wire        fires_1 = io_client_1_req_valid && io_client_1_req_ready;
  wire [3:0]  op       = fires_0 ? io_client_0_req_bits_op : io_client_1_req_bits_op;
  wire [1:0]  slot     = fires_0 ? io_client_0_req_bits_slot : io_client_1_req_bits_slot;
  wire [1:0]  expected = fires_0 ? io_client_0_req_bits_expect : io_client_1_req_bits_expect;
  wire        on_page  = (fires_0 || fires_1) && (fires_0 ? lpn_0 : lpn_1) == page;
  wire [31:0] word     = unit.l2p.row[{page, 5'd0} +: 32];
  wire [2:0]  stored   = word == 32'hFFFFFFFF ? 3'd0 : {1'b1, word[1:0]};
  wire        acts     = unit.acting && unit.now_req_lpn == page;
  wire [2:0]  becomes  = after(unit.now_req_op, unit.now_req_slot, unit.now_req_expect, stored);
  reg  [2:0]  mapping; // after all accepted operations
  always @(posedge clock)
    if (reset) mapping <= stored;
    else if (on_page) mapping <= after(op, slot, expected, mapping);

  // ---- the followed operation: an arbitrary one on that LPN
  reg        watches, its_client, its_late, its_lost; // late: a change was in the pipeline; lost: it decides
  reg  [3:0] its_op;
  reg  [2:0] its_was;
  reg  [1:0] its_expect;
  reg  [1:0] its_turn; // earlier answers to its client
  wire       its_hit = its_was == {1'b1, its_expect};
  wire       takes_0 = io_client_0_resp_valid && io_client_0_resp_ready;
  wire       takes_1 = io_client_1_resp_valid && io_client_1_resp_ready;
  wire       its_takes = its_client ? takes_1 : takes_0;
  wire       its_answer = watches && its_turn == 0 && its_takes;
  wire [3:0] says = its_client ? {io_client_1_resp_bits_ok, io_client_1_resp_bits_mapped, io_client_1_resp_bits_slot}
                               : {io_client_0_resp_bits_ok, io_client_0_resp_bits_mapped, io_client_0_resp_bits_slot};
  function automatic right(input [3:0] resp); // {ok, mapped, slot}
    right = its_op == CAS ? resp[3] == its_hit
          : resp[2] == its_was[2] && (!its_was[2] || resp[1:0] == its_was[1:0])
            && (its_op == SHARE ? its_was[2] || !resp[3] : its_op == PEEK ? resp[3] == its_was[2] : resp[3]);
  endfunction
  always @(posedge clock) begin
    if (reset || its_answer) watches <= 0;
    else if (look && on_page && uses(op)) watches <= 1;
    if (!watches) begin
      its_client <= fires_1;
      its_op     <= op;
      its_was    <= mapping;
      its_expect <= expected;
      its_late   <= mapping != stored;
      its_lost   <= mapping != stored && stored == {1'b1, expected};
      its_turn   <= fires_1 ? unit.clientStates_open_1 + unit._clientStates_answers_1_io_count - takes_1
                            : unit.clientStates_open + unit._clientStates_answers_io_count - takes_0;
    end else if (its_takes) its_turn <= its_turn - 1;
  end
  // Whether the operation is unchanged since it was accepted: before the L2P stage, and behind it.
  function automatic asked(input [3:0] op, input [31:0] lpn, input [1:0] expect_, input [2:0] was);
    asked = op == its_op && lpn == page && expect_ == its_expect && was == its_was;
  endfunction
  function automatic counted(input [2:0] act, input [1:0] slot, input ok);
    counted = its_op == CAS ? ok == its_hit && (act == NONE || its_hit && (act == GAIN || act == DROP))
                            : (its_op == SHARE || its_op == PEEK) && ok == its_was[2]
                              && (its_was[2] ? act == (its_op == SHARE ? A_RESERVE : A_REFS) && slot == its_was[1:0]
                                  : act == NONE);
  endfunction

  // ---- content of the pipeline, oldest first
  wire [1:0] n_intake = {unit.intake.maybe_full && unit.intake.ptr_match,
                         unit.intake.enq_ptr_value ^ unit.intake.deq_ptr_value};
  wire [2:0] n_steps = {unit.steps.maybe_full && unit.steps.ptr_match,
                        2'(unit.steps.enq_ptr_value - unit.steps.deq_ptr_value)};
  wire [1:0] n_changes = unit._changes_io_count;
  wire [1:0] n_counts = {unit.counts.maybe_full && unit.counts.ptr_match,
                         unit.counts.enq_ptr_value ^ unit.counts.deq_ptr_value};
  reg [40:0] r; // intake: {client, op, lpn, slot, expect}
  reg [46:0] t; // steps: the same, and line
  reg [10:0] g; // changes: {client, count, slot, drop valid, drop slot, answer, ok}
  reg [13:0] q; // counts: {client, act, slot, line, answer, ok}
  reg [11:0] e; // answers: {ok, mapped, slot, count}
  reg [2:0]  folded;             // the mapping after the pipeline's operations up to here
  reg [3:0]  nth [0:1];          // answers to each client, made or outstanding, up to here
  reg        found, wrong;       // the followed operation is in the pipeline; it is not as expected
  reg [1:0]  stages [0:1];       // stages that will answer, by client
  reg        bad_request, bad_change;
  integer    k, c;
  `define FIND(CLIENT, RIGHT) begin \
    if ((CLIENT) == its_client && nth[CLIENT] == its_turn) begin found = 1; if (!(RIGHT)) wrong = 1; end \
    nth[CLIENT] = nth[CLIENT] + 1; \
  end
  always @(*) begin
    bad_request = 0;
    bad_change  = 0;
    found       = 0;
    wrong       = 0;
    stages[0]   = 0;
    stages[1]   = 0;
    nth[0]      = unit._clientStates_answers_io_count;
    nth[1]      = unit._clientStates_answers_1_io_count;
    if (its_turn < nth[its_client]) begin
      found = 1;
      e = its_client ? unit.clientStates_answers_1.ram
                     : unit.clientStates_answers.ram_ext.Memory[1'(unit.clientStates_answers.deq_ptr_value + its_turn)];
      if (!right(e[11:8])) wrong = 1;
    end
    // REF stage
    if (unit.tallying && unit.tally_answer) begin
      stages[unit.tally_client] = 2'd2;
      `FIND(unit.tally_client, counted(unit.tally_act, unit.tally_slot, unit.tally_ok))
    end
    for (k = 0; k < 2; k = k + 1) if (k < n_counts) begin
      q = unit.counts.ram_ext.Memory[1'(unit.counts.deq_ptr_value + k)];
      if (q[1]) begin
        stages[q[13]] = 2'd2;
        `FIND(q[13], counted(q[12:10], q[9:8], q[0]))
      end
    end
    for (k = 0; k < 2; k = k + 1) if (k < n_changes) begin
      g = unit.changes.ram_ext.Memory[1'(unit.changes.deq_ptr_value + k)];
      if (g[1]) begin
        stages[g[10]] = 2'd2;
        `FIND(g[10], its_op == CAS ? g[0] == its_hit && (g[9:7] == NONE && !g[4] || its_hit && g[9:7] == GAIN)
                   : !g[4] && counted(g[9:7] == C_RESERVE ? A_RESERVE : g[9:7] == C_REFS ? A_REFS
                                      : g[9:7] == NONE ? NONE : OTHER, g[6:5], g[0]))
      end
      if (g[9:7] > 4 || g[4] && g[9:7] != NONE && g[9:7] != GAIN) bad_change = 1;
      if (k == 0 && unit.second && !(g[4] && g[9:7] == GAIN)) bad_change = 1;
    end
    if (n_changes == 0 && unit.second) bad_change = 1;
    // L2P stage
    folded = stored;
    if (unit.acting) begin
      if (unit.now_req_op > PEEK || unit.now_req_lpn > 3) bad_request = 1;
      stages[unit.now_client] = stages[unit.now_client] | (2'd1 << by_ref(unit.now_req_op));
      `FIND(unit.now_client, asked(unit.now_req_op, unit.now_req_lpn, unit.now_req_expect, folded))
      if (acts) folded = becomes;
    end
    for (k = 0; k < 4; k = k + 1) if (k < n_steps) begin
      t = unit.steps.ram_ext.Memory[2'(unit.steps.deq_ptr_value + k)];
      if (t[45:42] > PEEK || t[41:10] > 3) bad_request = 1;
      stages[t[46]] = stages[t[46]] | (2'd1 << by_ref(t[45:42]));
      `FIND(t[46], asked(t[45:42], t[41:10], t[7:6], folded))
      if (t[11:10] == page) folded = after(t[45:42], t[9:8], t[7:6], folded);
    end
    for (k = 0; k < 2; k = k + 1) if (k < n_intake) begin
      r = unit.intake.ram_ext.Memory[1'(unit.intake.deq_ptr_value + k)];
      if (r[39:36] > PEEK || r[35:4] > 3) bad_request = 1;
      stages[r[40]] = stages[r[40]] | (2'd1 << by_ref(r[39:36]));
      `FIND(r[40], asked(r[39:36], r[35:4], r[1:0], folded))
      if (r[5:4] == page) folded = after(r[39:36], r[3:2], r[1:0], folded);
    end
  end

  always @(posedge clock) if (!reset) begin
    assume (!io_client_0_req_valid || io_client_0_req_bits_op <= PEEK);
    assume (!io_client_1_req_valid || io_client_1_req_bits_op <= PEEK);
    assume (!(unit.tallying && unit.drops && unit.casez_tmp == 0));
    assume (!(unit.tallying && unit.gains && unit.casez_tmp >= 31));

    in_order:      assert (folded == mapping);
    quiet_order:   assert (!io_quiet || stored == mapping);
    answers:       assert (!its_answer || right(says));
    cas_if_equal:  assert (!(acts && unit.now_req_op == CAS)
                           || unit.io_event_update == (stored == {1'b1, unit.now_req_expect}));
    adds_sharer:   assert (!acts || (unit.changes_io_enq_valid && unit.changes_io_enq_bits_count == GAIN)
                           == (becomes[2] && becomes != stored && unit.now_req_op != LINK));
    drops_sharer:  assert (!acts || (unit.changes_io_enq_valid && unit.changes_io_enq_bits_drop_valid)
                           == (stored[2] && (becomes != stored || unit.now_req_op == LINK)));
    its_sharers:   assert (!acts || !unit.changes_io_enq_valid
                           || (unit.changes_io_enq_bits_count != GAIN || unit.now_req_slot == becomes[1:0])
                              && (!unit.changes_io_enq_bits_drop_valid || unit.oldSlot == stored[1:0]));

    i_watched:  assert (!watches || found && !wrong && uses(its_op));
    i_request:  assert (!bad_request && n_steps <= 4 && n_intake <= 2);
    i_change:   assert (!bad_change && n_changes + unit.acting <= 2 && n_counts <= 2);
    i_active:   assert (unit.l2p.active == (unit.acting && uses(unit.now_req_op))
                        && unit.ref_0.active == (unit.tallying && unit.tally_act != 0));
    i_waits:    assert (nth[0] == unit.clientStates_open + 4'(unit._clientStates_answers_io_count)
                        && nth[1] == unit.clientStates_open_1 + 4'(unit._clientStates_answers_1_io_count));
    i_room:     assert (nth[0] <= 2 && nth[1] <= 1);
    i_stages:   assert (stages[0][!unit.clientStates_fromStage] == 0 && stages[1][!unit.clientStates_fromStage_1] == 0);

    // A compare-and-swap expects the value still in L2P, but fails because an earlier operation in the pipeline changes
    // the mapping. Another one succeeds because it expects that change.
    reach_lost:    cover (its_answer && its_lost && its_op == CAS && !says[3]);
    reach_follows: cover (its_answer && its_late && its_op == CAS && says[3]);
    reach_shared:  cover (its_answer && its_late && its_op == SHARE && says[3]);
  end
endmodule
