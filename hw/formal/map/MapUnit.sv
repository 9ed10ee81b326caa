// SPDX-License-Identifier: Apache-2.0
//
// Proves I1 of the device contract: REF of a slot is the number of LPNs that L2P maps to it plus the references that
// users hold, and VALID of a superblock is the number of its slots with REF > 0. This holds in every cycle if the
// operations in the pipeline are counted, and for the tables alone when the unit is quiet. MapOrder.sv proves the
// operations on one LPN.
//
// The proof follows an arbitrary slot and its superblock. There are four LPNs, four slots, two superblocks and two
// clients. map_cache.svh replaces the caches, map_queues.svh the queues.
//
// For the induction, each request has notes: its turn among its client's requests, the number of its claim, and what
// REF of the slot is before it (`was`). So each is compared with the one before it only: a solver has no sums to do.
//
// Assumptions: L2P, REF and VALID are consistent at the start. Operations are those of MapOp; LPNs and expected slots
// are in range. `link` and `release` name a slot with a reserved reference that is still held. `set` and `cas` do not
// raise a slot above the limit of sharers. The other slots never lose a reference that they do not have: each of them
// may be the followed slot, so none can be the first to do so.
`include "rigid.svh"
`define CACHE_USE
`include "map_cache.svh"
`include "map_queues.svh"
module MapUnitProof(
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
  input  [4:0] held_first // references that users hold initially
);
  localparam [3:0] LOOKUP = 0, SET = 1, UNMAP = 2, RESERVE = 3, RELEASE = 4, LINK = 5, CAS = 6, REFS = 7, SHARE = 8,
                   PEEK = 9;
  localparam [2:0] NONE = 0, GAIN = 1, C_RELEASE = 3; // Count
  localparam [2:0] DROP = 2, A_RESERVE = 3, LAST_ACT = 4;            // Act; the other values are as in Count
  localparam LIMIT = 31;
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

  `RIGID(2, it)
  function automatic uses(input [3:0] op);
    uses = op == LOOKUP || op == SET || op == UNMAP || op == LINK || op == CAS || op == SHARE || op == PEEK;
  endfunction
  function automatic by_ref(input [3:0] op);
    by_ref = op == RESERVE || op == RELEASE || op == CAS || op == REFS || op == SHARE || op == PEEK;
  endfunction

  // ---- requests, and the references that users hold: reserved, and not yet used by an accepted link or release
  wire       fires_0 = io_client_0_req_valid && io_client_0_req_ready;
  wire       fires_1 = io_client_1_req_valid && io_client_1_req_ready;
  wire       spends_0 = fires_0 && (io_client_0_req_bits_op == LINK || io_client_0_req_bits_op == RELEASE)
                        && io_client_0_req_bits_slot == it;
  wire       spends_1 = fires_1 && (io_client_1_req_bits_op == LINK || io_client_1_req_bits_op == RELEASE)
                        && io_client_1_req_bits_slot == it;
  wire       earns   = unit.tallying && unit.tally_act == A_RESERVE && unit.gains && unit.tally_slot == it;
  reg  [5:0] held;
  reg  [1:0] valid; // VALID of its superblock
  integer    k, i;
  always @(posedge clock)
    if (reset) held <= held_first;
    else held <= held + earns - spends_0 - spends_1;

  // ---- the tables
  wire [127:0] l2p = unit.l2p.entries;
  wire [31:0]  refs = unit.ref_0.entries;
  wire [7:0]   tallied = refs[{unit.tally_slot, 3'd0} +: 8];
  wire [7:0]   count = refs[{it, 3'd0} +: 8];
  wire [15:0]  both = refs[{it[1], 4'd0} +: 16];
  wire [1:0]   live = (both[15:8] != 0) + (both[7:0] != 0);
  reg  [2:0]   mapped; // LPNs
  reg          odd;    // a word that is neither a slot nor UNMAPPED

  // ---- the pipeline, oldest first
  wire [3:0]  n_steps = unit.steps.q.n, n_changes = unit.changes.q.n, n_counts = unit.counts.q.n;
  wire [3:0]  n_answers = unit.clientStates_leavingQueue.q.n;
  wire [1:0]  change_slot = unit.d_ofOld ? unit.d_old : unit.d_slot;
  // {client, op, lpn, slot, expect, claims, late}
  wire [42:0] r_now   = {unit.now_client, unit.now_ask_req_op, 32'd0, unit.now_ask_req_slot, unit.now_ask_req_expect,
                         uses(unit.now_ask_req_op), unit.now_ask_late};
  wire [42:0] r_read  = {unit.now_r_client, unit.now_r_ask_req_op, 32'd0, unit.now_r_ask_req_slot,
                         unit.now_r_ask_req_expect, uses(unit.now_r_ask_req_op), unit.now_r_ask_late};
  wire [42:0] r_item  = {unit.stepsSkid.item_client, unit.stepsSkid.item_ask_req_op, unit.stepsSkid.item_ask_req_lpn,
                         unit.stepsSkid.item_ask_req_slot, unit.stepsSkid.item_ask_req_expect,
                         unit.stepsSkid.item_ask_claims, unit.stepsSkid.item_ask_late};
  wire [42:0] r_spill = {unit.stepsSkid.behind_client, unit.stepsSkid.behind_ask_req_op,
                         unit.stepsSkid.behind_ask_req_lpn, unit.stepsSkid.behind_ask_req_slot,
                         unit.stepsSkid.behind_ask_req_expect, unit.stepsSkid.behind_ask_claims,
                         unit.stepsSkid.behind_ask_late};
  // Before the arbiter, as the items of a client 0.
  wire [42:0] r_wait  = {1'b0, unit.clientStates_waitingSkid.item_req_op, unit.clientStates_waitingSkid.item_req_lpn,
                         unit.clientStates_waitingSkid.item_req_slot, unit.clientStates_waitingSkid.item_req_expect,
                         unit.clientStates_waitingSkid.item_claims, unit.clientStates_waitingSkid.item_late};
  wire [42:0] r_after = {1'b0, unit.clientStates_waitingSkid.behind_req_op,
                         unit.clientStates_waitingSkid.behind_req_lpn, unit.clientStates_waitingSkid.behind_req_slot,
                         unit.clientStates_waitingSkid.behind_req_expect, unit.clientStates_waitingSkid.behind_claims,
                         unit.clientStates_waitingSkid.behind_late};
  wire [42:0] r_other = {1'b0, unit.clientStates_waiting_q.ram};
  wire [7:0]  q_tally = {unit.tally_client, unit.tally_act, unit.tally_slot, unit.tally_answer, unit.tally_ok};
  wire [7:0]  q_fetch = {unit.tally_r_client, unit.tally_r_act, unit.tally_r_slot, unit.tally_r_answer,
                         unit.tally_r_ok};

  // ---- notes
  wire       skid_takes = unit.stepsSkid_io_out_ready || !unit.stepsSkid.offered;
  reg  [1:0] issued [0:1], answered [0:1]; // turns, by client
  wire [1:0] open_0 = unit.clientStates_open, open_1 = unit.clientStates_open_1;
  reg  [4:0] item_note, spill_note;
  reg  [1:0] read_turn, now_turn, d_turn, fetch_turn, tally_turn, answer_turn;
  `NOTES(step_note, 5, 4, unit.steps.q, {issued[unit._arbiter_io_chosen], unit.l2p.claimed}) // {turn, claim}
  `NOTES(change_turn, 2, 8, unit.changes.q, d_turn)
  `NOTES(count_note, 5, 4, unit.counts.q, {change_turn[0], unit.ref_0.claimed}) // {turn, claim}
  always @(posedge clock) begin
    issued[0]   <= reset ? 2'd0 : issued[0] + unit.clientStates_granted;
    issued[1]   <= reset ? 2'd0 : issued[1] + unit.clientStates_granted_1;
    answered[0] <= reset ? 2'd0 : answered[0] + unit.clientStates_answers_valid;
    answered[1] <= reset ? 2'd0 : answered[1] + unit.clientStates_answers_1_valid;
    if (skid_takes) item_note <= unit.stepsSkid.spilled ? spill_note : step_note[0];
    else if (unit.steps.q.out_fire) spill_note <= step_note[0];
    if (unit._now_T) read_turn <= item_note[4:3];
    now_turn <= read_turn;
    d_turn   <= now_turn;
    if (unit._tally_T) fetch_turn <= count_note[0][4:3];
    tally_turn  <= fetch_turn;
    answer_turn <= tally_turn;
  end
  // REF of the slot before each operation, and before the one that is decided in this cycle (`total`), without the
  // references that were reserved since reset (`earned`). So it does not change while the operation moves on. `low` and
  // `mid` are the same behind the REF stage's last accesses, and behind `counts`.
  function automatic [5:0] moved(input [2:0] act, input [1:0] slot); // what an operation of the REF stage adds
    moved = slot != it ? 6'd0 : act == GAIN ? 6'd1 : act == DROP ? 6'h3F : 6'd0;
  endfunction
  wire       decides = unit.decided && unit.changes_io_in_valid;
  // What a change adds: by its first slot, by the one that loses a sharer.
  function automatic [5:0] first_moves(input [2:0] op, input [1:0] slot);
    first_moves = slot != it ? 6'd0 : op == GAIN ? 6'd1 : op == C_RELEASE ? 6'h3F : 6'd0;
  endfunction
  function automatic [5:0] drop_moves(input drops, input [1:0] slot);
    drop_moves = drops && slot == it ? 6'h3F : 6'd0;
  endfunction
  wire [5:0] d_first = decides ? first_moves(unit.changes_io_in_bits_count, change_slot) : 6'd0;
  wire [5:0] d_drop  = decides ? drop_moves(unit.changes_io_in_bits_drop_valid, unit.d_old) : 6'd0;
  wire [5:0] d_moves = d_first + d_drop;
  reg  [5:0] change_was [0:7];
  reg  [5:0] fetch_was, tally_was, low, mid, total, earned;
  `NOTES(count_was, 6, 4, unit.counts.q, mid)
  wire [7:0] low_op = unit.counts.q.at[0], mid_op = unit.counts.q.in_bits;
  reg  [2:0] steps_spent; // links and releases in `steps`
  function automatic spends(input [42:0] t);
    spends = (t[41:38] == LINK || t[41:38] == RELEASE) && t[5:4] == it;
  endfunction
  always @(posedge clock) begin
    for (i = 0; i < 8; i = i + 1)
      if (unit.changes.q.in_fire && n_changes - unit.changes.q.out_fire == i) change_was[i] <= total;
      else if (unit.changes.q.out_fire && i < 7) change_was[i] <= change_was[i < 7 ? i + 1 : 7];
    if (unit._tally_T) fetch_was <= low;
    tally_was   <= fetch_was;
    total       <= reset ? count[5:0] : (total + d_first) + d_drop;
    low         <= reset ? count[5:0] : unit._tally_T ? low + moved(low_op[6:4], low_op[3:2]) : low;
    mid         <= reset ? count[5:0] : unit.counts.q.in_fire ? mid + moved(mid_op[6:4], mid_op[3:2]) : mid;
    earned      <= reset ? 6'd0 : earned + earns;
    steps_spent <= reset ? 3'd0 : steps_spent + (unit.steps.q.in_fire && spends(unit.steps.q.in_bits))
                                  - (unit.steps.q.out_fire && spends(unit.steps.q.at[0]));
  end

  // ---- each operation compared with its notes, and with the one before it
  reg [42:0] t;
  reg [10:0] g; // changes: {client, count, slot, drop valid, drop slot, answer, ok}
  reg [7:0]  q; // counts: {client, act, slot, answer, ok}
  reg [3:0]  spent, in_steps;          // links and releases that the L2P stage has not processed
  reg [5:0]  now, runs;                // REF after the operations up to here
  reg [1:0]  turns [0:1];              // the next turn of each client
  reg [2:0]  l2p_claim, ref_claim;
  reg [4:0]  note;
  reg [31:0] place;
  reg        below, bad_request, bad_change, bad_count, bad_place, bad_turn, bad_most;
  reg [2:0]  bad_was; // REF stage's last accesses, counts, changes
  `define TURN(CLIENT, TURN_, LATE) begin \
    if ((TURN_) != turns[CLIENT] || 2'((TURN_) - answered[CLIENT]) >= ((CLIENT) ? open_1 : open_0) \
        || ((CLIENT) ? unit.clientStates_fromStage_1 : unit.clientStates_fromStage) != (LATE)) bad_turn = 1; \
    turns[CLIENT] = (TURN_) + 2'd1; \
  end
  `define COUNTS(Q, TURN_, WAS, BEFORE, MOST, STAGE) begin \
    if ((WAS) != (BEFORE)) bad_was[STAGE] = 1; \
    if (6'((WAS) + earned) > LIMIT + (MOST)) bad_most = 1; \
    if (Q[6:4] == DROP && Q[3:2] == it && 6'((WAS) + earned) == 0) below = 1; \
    runs = (WAS) + moved(Q[6:4], Q[3:2]); \
    if (Q[1]) `TURN(Q[7], TURN_, 1'b1) \
    if (Q[6:4] > LAST_ACT) bad_count = 1; \
  end
  always @(*) begin
    odd = 0;
    below = 0;
    bad_request = 0;
    bad_change = 0;
    bad_count = 0;
    bad_place = 0;
    bad_turn = 0;
    bad_was = 0;
    bad_most = 0;
    mapped = 0;
    for (k = 0; k < 4; k = k + 1)
      if (l2p[32 * k +: 32] != 32'hFFFFFFFF) begin
        if (l2p[32 * k +: 2] == it) mapped = mapped + 1;
        if (l2p[32 * k + 2 +: 30] != 0) odd = 1;
      end

    // REF stage
    runs = count[5:0] - earned;
    turns[0] = answered[0];
    turns[1] = answered[1];
    if (unit.answer_valid) `TURN(unit.answer_client, answer_turn, 1'b1)
    if (unit.tallying) `COUNTS(q_tally, tally_turn, tally_was, runs, 0, 0)
    if (unit.fetching) `COUNTS(q_fetch, fetch_turn, fetch_was, runs, 1, 0)
    if (runs != low) bad_was[0] = 1;
    if (n_counts == 0 && low != mid) bad_was[1] = 1;
    ref_claim = unit.ref_0.accessed;
    for (k = 0; k < 4; k = k + 1) if (k < n_counts) begin
      q = unit.counts.q.at[k];
      note = count_note[k];
      `COUNTS(q, note[4:3], count_was[k], k == 0 ? low : runs, 2 + k, 1)
      if (n_counts == k + 1 && runs != mid) bad_was[1] = 1;
      if (q[6:4] != 0) begin
        place = 32'h1000 + q[3:2];
        if (note[2:0] != ref_claim || 3'(note[2:0] - unit.ref_0.accessed) > k
            || unit.ref_0.places[note[2:0]] != place[unit.ref_0.one]) bad_place = 1;
        ref_claim = note[2:0] + 3'd1;
      end
    end

    // changes, and what the L2P stage has decided
    for (k = 0; k < 9; k = k + 1) if (k < 8 ? k < n_changes : decides) begin
      g = k == 8 ? {unit.d_client, unit.changes_io_in_bits_count, change_slot, unit.changes_io_in_bits_drop_valid,
                    unit.d_old, unit.d_late, unit.d_ofOld ? unit.d_mapped : unit.d_hit}
        : unit.changes.q.at[k < 8 ? k : 7];
      now = k == 8 ? total : change_was[k < 8 ? k : 7];
      if (k > 0 && k < 8 && now != runs) bad_was[2] = 1;
      if (k == 0 && mid != (unit.second ? now + first_moves(g[9:7], g[6:5]) : now)) bad_was[2] = 1;
      runs = now;
      if (6'(runs + earned) > LIMIT + 6 + k) bad_most = 1;
      if (g[9:7] == C_RELEASE && g[6:5] == it && 6'(runs + earned) == 0) below = 1;
      runs = runs + first_moves(g[9:7], g[6:5]);
      if (g[4]) begin
        if (g[3:2] == it && 6'(runs + earned) == 0) below = 1;
        runs = runs + drop_moves(1'b1, g[3:2]);
        if (g[9:7] != NONE && g[9:7] != GAIN) bad_change = 1;
      end
      if (n_changes == k + 1 && runs != total) bad_was[2] = 1;
      if (g[9:7] > 4) bad_change = 1;
      if (g[1]) `TURN(g[10], k == 8 ? d_turn : change_turn[k < 8 ? k : 7], 1'b1)
      if (k == 0 && unit.second && !(g[4] && g[9:7] == GAIN)) bad_change = 1;
    end
    if (n_changes == 0 && mid != total) bad_was[2] = 1;
    if (6'(total + earned) > LIMIT + 14) bad_most = 1;
    if (n_changes == 0 && unit.second) bad_change = 1;
    if (unit.decided && !$onehot0({unit.d_set, unit.d_cas, unit.d_unmap, unit.d_link, unit.d_reserve, unit.d_release,
                                   unit.d_refs})
        || unit.decided && unit.d_late != (unit.d_cas || unit.d_reserve || unit.d_release || unit.d_refs)
        || unit.decided && unit.d_ofOld && !unit.d_reserve && !unit.d_refs) bad_change = 1;

    // L2P stage: acting, reading, the border, then the steps
    spent = steps_spent;
    in_steps = 0;
    l2p_claim = unit.l2p.accessed;
    for (k = -4; k < 4; k = k + 1)
      if (k == -4 ? unit.acting : k == -3 ? unit.reading : k == -2 ? unit.stepsSkid.offered
          : k == -1 ? unit.stepsSkid.spilled : k < n_steps) begin
        t = k == -4 ? r_now : k == -3 ? r_read : k == -2 ? r_item : k == -1 ? r_spill : unit.steps.q.at[k < 0 ? 0 : k];
        note = k == -4 ? {now_turn, 3'd0} : k == -3 ? {read_turn, 3'd0} : k == -2 ? item_note : k == -1 ? spill_note
             : step_note[k < 0 ? 0 : k];
        if (k < 0) spent = spent + spends(t);
        else in_steps = in_steps + spends(t);
        `TURN(t[42], note[4:3], t[0])
        if (t[41:38] > PEEK || t[37:6] > 3 || t[1] != uses(t[41:38]) || t[0] != by_ref(t[41:38])) bad_request = 1;
        if (k >= -2 && t[1]) begin
          place = {28'd0, t[7:6], 2'd0};
          if (note[2:0] != l2p_claim || 3'(note[2:0] - unit.l2p.accessed) > k + 2
              || unit.l2p.places[note[2:0]] != place[unit.l2p.one]) bad_place = 1;
          l2p_claim = note[2:0] + 3'd1;
        end
      end
    // The requests that wait before the arbiter.
    for (k = 0; k < 3; k = k + 1)
      if (k == 0 ? unit.clientStates_waitingSkid.offered : k == 1 ? unit.clientStates_waitingSkid.spilled
          : unit.clientStates_waiting_q.maybe_full) begin
        t = k == 0 ? r_wait : k == 1 ? r_after : r_other;
        spent = spent + spends(t);
        if (t[41:38] > PEEK || t[37:6] > 3 || t[1] != uses(t[41:38]) || t[0] != by_ref(t[41:38])) bad_request = 1;
      end
  end

  // For the covers: operations on the slot so far.
  reg did_set, did_link, did_unmap, did_cas;
  always @(posedge clock) begin
    if (reset) {did_set, did_link, did_unmap, did_cas} <= 0;
    else if (unit.acting && unit.now_ask_req_op == UNMAP) did_unmap <= did_unmap || unit.mapped && unit.oldSlot == it;
    else if (unit.acting && unit.now_ask_req_slot == it) begin
      if (unit.now_ask_req_op == SET) did_set <= 1;
      if (unit.now_ask_req_op == LINK) did_link <= 1;
      if (unit.now_ask_req_op == CAS && unit.hit) did_cas <= 1;
    end
    if (reset) valid <= live;
    else valid <= valid + (io_valid_inc_valid && io_valid_inc_bits == it[1])
                  - (io_valid_dec_valid && io_valid_dec_bits == it[1]);
    if (reset) assume (count == 9'(mapped) + held_first && count <= LIMIT && !odd);
    if (!reset) begin
      assume (!io_client_0_req_valid || io_client_0_req_bits_op <= PEEK);
      assume (!io_client_1_req_valid || io_client_1_req_bits_op <= PEEK);
      assume (held >= 6'(spends_0) + spends_1);
      assume (!(unit.tallying && unit.tally_act == GAIN && tallied >= LIMIT));
      assume (!(unit.tallying && unit.tally_act == DROP && tallied == 0 && unit.tally_slot != it));

      i1_ref:        assert (8'(6'(total + earned)) + {{2{d_moves[5]}}, d_moves} == 8'(mapped) + held + spent);
      i1_quiet:      assert (!io_quiet || count == 9'(mapped) + held && valid == live);
      i1_valid:      assert (4'(valid) + (io_valid_inc_valid && io_valid_inc_bits == it[1])
                             == 4'(live) + (io_valid_dec_valid && io_valid_dec_bits == it[1]));
      l2p_is_slots:  assert (!odd);
      no_loss:       assert (!below);

      i_limit:    assert (count <= LIMIT);
      i_request:  assert (!bad_request && n_steps <= 4 && (!unit.stepsRoom || n_steps <= 3)
                          && (!unit.stepsSkid.spilled || unit.stepsSkid.offered)
                          && (!unit.clientStates_waitingSkid.spilled || unit.clientStates_waitingSkid.offered));
      i_change:   assert (!bad_change && n_changes <= 8 && (!unit.room || n_changes <= 4)
                          && (!unit.reading || n_changes <= 5) && (!unit.acting || n_changes <= 6)
                          && (!unit.decided || n_changes <= 7));
      i_count:    assert (!bad_count && n_counts <= 4);
      i_low:      assert (!bad_was[0]);
      i_mid:      assert (!bad_was[1]);
      i_total:    assert (!bad_was[2]);
      i_most:     assert (!bad_most);
      i_spent:    assert (steps_spent == in_steps);
      i_places:   assert (!bad_place && unit.l2p.claimed == l2p_claim && unit.ref_0.claimed == ref_claim);
      i_active:   assert (unit.l2p.active == (unit.acting && uses(unit.now_ask_req_op))
                          && unit.l2p.picks == (unit.reading && uses(unit.now_r_ask_req_op))
                          && unit.ref_0.active == (unit.tallying && unit.tally_act != 0)
                          && unit.ref_0.picks == (unit.fetching && unit.tally_r_act != 0)
                          && (!unit.ref_0.active || unit.ref_0.at == unit.tally_slot)
                          && (!unit.ref_0.picks || unit.ref_0.pick_at == unit.tally_r_slot));
      i_turns:    assert (!bad_turn && turns[0] == issued[0] && turns[1] == issued[1]
                          && open_0 == 2'(issued[0] - answered[0]) && open_1 == 2'(issued[1] - answered[1])
                          && open_0 <= 2 && open_1 <= 1);
      i_room:     assert (unit.clientStates_kept == 4'(open_0) + n_answers && unit.clientStates_kept <= 2
                          && unit.clientStates_kept_1 == open_1 + unit.clientStates_leaving_q.maybe_full);

      reach_all_ops: cover (io_quiet && did_set && did_link && did_unmap);
      reach_cas:     cover (io_quiet && did_cas && mapped == 2);
      reach_busy:    cover (unit.second && n_counts != 0 && unit.tallying && unit.decided);
    end
  end
endmodule
