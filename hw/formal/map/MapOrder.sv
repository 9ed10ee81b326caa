// SPDX-License-Identifier: Apache-2.0
//
// Proves the order of host writes, remaps, trims and GC on one LPN:
// - Operations take effect in the order in which the arbiter takes them, for all clients: a client's in the order of
//   its requests, each between its request and its answer. Each operates on the result of the one before, and its
//   answer reports that.
// - A compare-and-swap changes the mapping if and only if the mapping is the expected one.
// - REF gains or loses a sharer exactly when the mapping changes. (MapUnit.sv proves that REF counts the mapping.)
//
// The proof follows an arbitrary LPN, `page`, and the answer of an arbitrary operation on it. There are four LPNs,
// four slots and two clients. map_cache.svh replaces the caches, map_queues.svh the queues.
//
// Assumptions: operations are those of MapOp and LPNs are in range. REF stays between 0 and the limit, as MapUnit.sv
// shows.
`include "rigid.svh"
`include "map_cache.svh"
`include "map_queues.svh"
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
  wire         io_valid_inc_valid, io_valid_inc_bits, io_valid_dec_valid, io_valid_dec_bits;
  wire         io_quiet, io_event_lookup, io_event_update, io_event_l2pHit, io_event_l2pMiss;
  wire         io_event_sharers2, io_event_sharers4, io_event_sharers8, io_event_sharersMore;
  `DRAM_PORT(l2p)
  `DRAM_PORT(ref)
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
  // A request is accepted when the arbiter takes it.
  wire        fires_0 = unit.clientStates_granted, fires_1 = unit.clientStates_granted_1;
  wire [41:0] ask_0   = {unit.clientStates_waitingSkid.item_req_op, unit.clientStates_waitingSkid.item_req_lpn,
                         unit.clientStates_waitingSkid.item_req_slot, unit.clientStates_waitingSkid.item_req_expect,
                         unit.clientStates_waitingSkid.item_claims, unit.clientStates_waitingSkid.item_late};
  wire [41:0] ask     = fires_0 ? ask_0 : unit.clientStates_waiting_q.ram; // {op, lpn, slot, expect, claims, late}
  wire [3:0]  op       = ask[41:38];
  wire [1:0]  slot     = ask[5:4];
  wire [1:0]  expected = ask[3:2];
  wire        on_page  = (fires_0 || fires_1) && ask[7:6] == page;
  wire [31:0] word     = unit.l2p.entries[{page, 5'd0} +: 32];
  wire [2:0]  stored   = word == 32'hFFFFFFFF ? 3'd0 : {1'b1, word[1:0]};
  wire        acts     = unit.acting && uses(unit.now_ask_req_op) && unit.l2p.at == page;
  wire [2:0]  becomes  = after(unit.now_ask_req_op, unit.now_ask_req_slot, unit.now_ask_req_expect, stored);
  // What the stage did in the cycle before: it says now what that means for REF.
  reg         acted;
  reg  [3:0]  did_op;
  reg  [1:0]  did_slot, did_expect;
  reg  [2:0]  was, became;
  always @(posedge clock) begin
    acted      <= !reset && acts;
    did_op     <= unit.now_ask_req_op;
    did_slot   <= unit.now_ask_req_slot;
    did_expect <= unit.now_ask_req_expect;
    was        <= stored;
    became     <= becomes;
  end
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
      its_turn   <= fires_1 ? unit.clientStates_kept_1 - takes_1 : unit.clientStates_kept - takes_0;
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
  wire [3:0] n_steps = unit.steps.q.n, n_changes = unit.changes.q.n, n_counts = unit.counts.q.n;
  wire [3:0] n_answers = unit.clientStates_leavingQueue.q.n;
  wire [1:0] change_slot = unit.d_ofOld ? unit.d_old : unit.d_slot;
  reg [41:0] r; // waiting: {op, lpn, slot, expect, claims, late}
  reg [42:0] t; // steps: {client, the same}
  reg [10:0] g; // changes: {client, count, slot, drop valid, drop slot, answer, ok}
  reg [7:0]  q; // counts: {client, act, slot, answer, ok}
  reg [11:0] e; // answers: {ok, mapped, slot, count}
  reg [2:0]  folded;             // the mapping after the pipeline's operations up to here
  reg [4:0]  nth [0:1];          // answers to each client, made or outstanding, up to here
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
    nth[0]      = n_answers;
    nth[1]      = unit.clientStates_leaving_q.maybe_full;
    if (its_turn < nth[its_client]) begin
      found = 1;
      e = its_client ? unit.clientStates_leaving_q.ram : unit.clientStates_leavingQueue.q.at[its_turn[0]];
      if (!right(e[11:8])) wrong = 1;
    end
    // REF stage
    if (unit.answer_valid) begin
      stages[unit.answer_client] = 2'd2;
      `FIND(unit.answer_client, right({unit.answer_resp_ok, unit.answer_resp_mapped, unit.answer_resp_slot}))
    end
    for (k = -2; k < 4; k = k + 1)
      if (k == -2 ? unit.tallying : k == -1 ? unit.fetching : k < n_counts) begin
        q = k == -2 ? {unit.tally_client, unit.tally_act, unit.tally_slot, unit.tally_answer, unit.tally_ok}
          : k == -1 ? {unit.tally_r_client, unit.tally_r_act, unit.tally_r_slot, unit.tally_r_answer, unit.tally_r_ok}
          : unit.counts.q.at[k < 0 ? 0 : k];
        if (q[1]) begin
          stages[q[7]] = 2'd2;
          `FIND(q[7], counted(q[6:4], q[3:2], q[0]))
        end
      end
    for (k = 0; k < 9; k = k + 1)
      if (k < 8 ? k < n_changes : unit.decided && unit.changes_io_in_valid) begin
        g = k == 8 ? {unit.d_client, unit.changes_io_in_bits_count, change_slot, unit.changes_io_in_bits_drop_valid,
                      unit.d_old, unit.d_late, unit.d_ofOld ? unit.d_mapped : unit.d_hit}
          : unit.changes.q.at[k < 8 ? k : 7];
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
    if (unit.decided && !$onehot0({unit.d_set, unit.d_cas, unit.d_unmap, unit.d_link, unit.d_reserve, unit.d_release,
                                   unit.d_refs})
        || unit.decided && unit.d_late != (unit.d_cas || unit.d_reserve || unit.d_release || unit.d_refs)
        || unit.decided && unit.d_ofOld && !unit.d_reserve && !unit.d_refs) bad_change = 1;
    if (acted && (!unit.decided || unit.d_set != (did_op == SET) || unit.d_cas != (did_op == CAS)
                  || unit.d_unmap != (did_op == UNMAP) || unit.d_link != (did_op == LINK)
                  || unit.d_mapped != was[2] || unit.d_old != was[1:0] && was[2] || unit.d_slot != did_slot
                  || unit.d_hit != (was == {1'b1, did_expect}) || unit.d_same != (was == {1'b1, did_slot})
                  || became != after(did_op, did_slot, did_expect, was) || !uses(did_op))) bad_change = 1;
    // L2P stage, oldest first: acting, reading, then the steps
    folded = stored;
    for (k = -4; k < 4; k = k + 1)
      if (k == -4 ? unit.acting : k == -3 ? unit.reading : k == -2 ? unit.stepsSkid.offered
          : k == -1 ? unit.stepsSkid.spilled : k < n_steps) begin
        t = k == -4 ? {unit.now_client, unit.now_ask_req_op, 30'd0, unit.l2p.at, unit.now_ask_req_slot,
                       unit.now_ask_req_expect, uses(unit.now_ask_req_op), unit.now_ask_late}
          : k == -3 ? {unit.now_r_client, unit.now_r_ask_req_op, 30'd0, unit.l2p.pick_at, unit.now_r_ask_req_slot,
                       unit.now_r_ask_req_expect, uses(unit.now_r_ask_req_op), unit.now_r_ask_late}
          : k == -2 ? {unit.stepsSkid.item_client, unit.stepsSkid.item_ask_req_op,
                       unit.stepsSkid.item_ask_req_lpn, unit.stepsSkid.item_ask_req_slot,
                       unit.stepsSkid.item_ask_req_expect, unit.stepsSkid.item_ask_claims,
                       unit.stepsSkid.item_ask_late}
          : k == -1 ? {unit.stepsSkid.behind_client, unit.stepsSkid.behind_ask_req_op,
                       unit.stepsSkid.behind_ask_req_lpn, unit.stepsSkid.behind_ask_req_slot,
                       unit.stepsSkid.behind_ask_req_expect, unit.stepsSkid.behind_ask_claims,
                       unit.stepsSkid.behind_ask_late}
          : unit.steps.q.at[k < 0 ? 0 : k];
        if (t[41:38] > PEEK || t[37:6] > 3 || t[1] != uses(t[41:38]) || t[0] != by_ref(t[41:38])) bad_request = 1;
        stages[t[42]] = stages[t[42]] | (2'd1 << t[0]);
        `FIND(t[42], asked(t[41:38], t[37:6], t[3:2], folded))
        if (t[7:6] == page && t[1]) folded = after(t[41:38], t[5:4], t[3:2], folded);
      end
    // The requests that wait before the arbiter.
    for (k = 0; k < 3; k = k + 1)
      if (k == 0 ? unit.clientStates_waitingSkid.offered : k == 1 ? unit.clientStates_waitingSkid.spilled
          : unit.clientStates_waiting_q.maybe_full) begin
        r = k == 0 ? ask_0
          : k == 1 ? {unit.clientStates_waitingSkid.behind_req_op, unit.clientStates_waitingSkid.behind_req_lpn,
                      unit.clientStates_waitingSkid.behind_req_slot, unit.clientStates_waitingSkid.behind_req_expect,
                      unit.clientStates_waitingSkid.behind_claims, unit.clientStates_waitingSkid.behind_late}
          : unit.clientStates_waiting_q.ram;
        if (r[41:38] > PEEK || r[37:6] > 3 || r[1] != uses(r[41:38]) || r[0] != by_ref(r[41:38])) bad_request = 1;
      end
  end

  always @(posedge clock) if (!reset) begin
    assume (!io_client_0_req_valid || io_client_0_req_bits_op <= PEEK);
    assume (!io_client_1_req_valid || io_client_1_req_bits_op <= PEEK);
    assume (!(unit.tallying && unit.drops && unit._ref_io_entry_bits == 0));
    assume (!(unit.tallying && unit.gains && unit._ref_io_entry_bits >= 31));

    in_order:      assert (folded == mapping);
    quiet_order:   assert (!io_quiet || stored == mapping);
    answers:       assert (!its_answer || right(says));
    cas_if_equal:  assert (!(acts && unit.now_ask_req_op == CAS)
                           || unit.event_update == (stored == {1'b1, unit.now_ask_req_expect}));
    adds_sharer:   assert (!acted || (unit.changes_io_in_valid && unit.changes_io_in_bits_count == GAIN)
                           == (became[2] && became != was && did_op != LINK));
    drops_sharer:  assert (!acted || (unit.changes_io_in_valid && unit.changes_io_in_bits_drop_valid)
                           == (was[2] && (became != was || did_op == LINK)));
    its_sharers:   assert (!acted || !unit.changes_io_in_valid
                           || (unit.changes_io_in_bits_count != GAIN || change_slot == became[1:0])
                              && (!unit.changes_io_in_bits_drop_valid || unit.d_old == was[1:0]));

    i_watched:  assert (!watches || found && !wrong && uses(its_op));
    i_request:  assert (!bad_request && n_steps <= 4 && (!unit.stepsRoom || n_steps <= 3)
                        && (!unit.stepsSkid.spilled || unit.stepsSkid.offered)
                        && (!unit.clientStates_waitingSkid.spilled || unit.clientStates_waitingSkid.offered));
    i_change:   assert (!bad_change && n_changes <= 8 && (!unit.room || n_changes <= 4)
                        && (!unit.reading || n_changes <= 5) && (!unit.acting || n_changes <= 6)
                        && (!unit.decided || n_changes <= 7));
    i_queues:   assert (n_counts <= 4 && n_answers <= 2);
    i_active:   assert (unit.l2p.active == (unit.acting && uses(unit.now_ask_req_op))
                        && unit.l2p.picks == (unit.reading && uses(unit.now_r_ask_req_op))
                        && unit.ref_0.active == (unit.tallying && unit.tally_act != 0)
                        && unit.ref_0.picks == (unit.fetching && unit.tally_r_act != 0));
    i_waits:    assert (nth[0] == unit.clientStates_open + 5'(n_answers)
                        && nth[1] == unit.clientStates_open_1 + 5'(unit.clientStates_leaving_q.maybe_full));
    i_room:     assert (nth[0] == unit.clientStates_kept && nth[1] == unit.clientStates_kept_1 && nth[0] <= 2);
    i_stages:   assert (stages[0][!unit.clientStates_fromStage] == 0 && stages[1][!unit.clientStates_fromStage_1] == 0);

    // A compare-and-swap expects the value still in L2P, but fails because an earlier operation in the pipeline changes
    // the mapping. Another one succeeds because it expects that change.
    reach_lost:    cover (its_answer && its_lost && its_op == CAS && !says[3]);
    reach_follows: cover (its_answer && its_late && its_op == CAS && says[3]);
    reach_shared:  cover (its_answer && its_late && its_op == SHARE && says[3]);
  end
endmodule
