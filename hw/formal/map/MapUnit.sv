// SPDX-License-Identifier: Apache-2.0
//
// Proves I1 of the device contract: REF of a slot is the number of LPNs that L2P maps to it plus the references that
// users hold, and VALID of a superblock is the number of its slots with REF > 0. This holds in every cycle if the
// operations in the pipeline are counted, and for the tables alone when the unit is quiet. MapOrder.sv proves the
// operations on one LPN.
//
// The proof follows an arbitrary slot and its superblock. There are four LPNs, four slots, two superblocks and two
// clients. map_cache.svh replaces the caches.
//
// Assumptions: L2P, REF and VALID are consistent at the start. Operations are those of MapOp; LPNs and expected slots
// are in range. `link` and `release` name a slot with a reserved reference that is still held. `set` and `cas` do not
// raise a slot above the limit of sharers. The other slots never lose a reference that they do not have: each of them
// may be the followed slot, so none can be the first to do so.
`include "rigid.svh"
`define CACHE_USE
`include "map_cache.svh"
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
  localparam [2:0] NONE = 0, GAIN = 1, C_RESERVE = 2, C_RELEASE = 3; // Count
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
  // Entries of a HeadQueue.
  `define ENTRIES(Q, BITS) (4'(unit.Q.full) + {unit.Q.behind.maybe_full && unit.Q.behind.ptr_match, \
                            BITS'(unit.Q.behind.enq_ptr_value - unit.Q.behind.deq_ptr_value)})
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
  wire       earns   = unit.tallying && unit.tally_act == A_RESERVE && unit.gains;
  reg  [5:0] held;
  reg  [1:0] valid; // VALID of its superblock
  integer k;
  always @(posedge clock)
    if (reset) held <= held_first;
    else held <= held + (earns && unit.tally_slot == it) - spends_0 - spends_1;

  // ---- the tables
  wire [127:0] l2p = unit.l2p.entries;
  wire [31:0]  refs = unit.ref_0.entries;
  wire [7:0]   tallied = refs[{unit.tally_slot, 3'd0} +: 8];
  wire [7:0]   count = refs[{it, 3'd0} +: 8];
  wire [15:0]  both = refs[{it[1], 4'd0} +: 16];
  wire [1:0]   live = (both[15:8] != 0) + (both[7:0] != 0);
  reg  [2:0]   mapped; // LPNs
  reg          odd;    // a word that is neither a slot nor UNMAPPED

  // ---- content of the pipeline, oldest last
  wire [2:0] n_steps = {unit.steps.maybe_full && unit.steps.ptr_match,
                        2'(unit.steps.enq_ptr_value - unit.steps.deq_ptr_value)};
  wire [3:0] n_changes = `ENTRIES(changes, 3);
  wire [3:0] n_counts  = `ENTRIES(counts, 1);
  wire [3:0] n_answers = `ENTRIES(clientStates_leavingQueue, 1);
  wire [1:0] change_slot = unit.d_ofOld ? unit.d_old : unit.d_slot;
  reg [41:0] r; // waiting: {op, lpn, slot, expect, claims, late}
  reg [42:0] t; // steps: {client, the same}
  reg [10:0] g; // changes: {client, count, slot, drop valid, drop slot, answer, ok}
  reg [7:0]  q; // counts: {client, act, slot, answer, ok}
  reg [3:0]  spent;                    // links and releases that the L2P stage has not processed
  reg [3:0]  gains, drops;             // that REF does not include yet
  reg [8:0]  runs;                     // REF after the pipeline's operations up to here
  reg [4:0]  waits [0:1];              // unanswered requests, by client
  reg [1:0]  stages [0:1];             // stages that will answer them
  reg [2:0]  l2p_open, ref_open;
  reg [31:0] place;
  reg        below, bad_request, bad_change, bad_count, bad_place;
  always @(*) begin
    odd = 0;
    below = 0;
    bad_request = 0;
    bad_change = 0;
    bad_count = 0;
    bad_place = 0;
    mapped = 0;
    spent  = 0;
    gains  = 0;
    drops  = 0;
    runs   = count;
    for (k = 0; k < 4; k = k + 1)
      if (l2p[32 * k +: 32] != 32'hFFFFFFFF) begin
        if (l2p[32 * k +: 2] == it) mapped = mapped + 1;
        if (l2p[32 * k + 2 +: 30] != 0) odd = 1;
      end
    for (integer c = 0; c < 2; c = c + 1) begin
      waits[c] = 0;
      stages[c] = 0;
    end

    // REF stage
    if (unit.tallying) begin
      if (unit.tally_act == GAIN && unit.tally_slot == it) begin gains = gains + 1; runs = runs + 1; end
      if (unit.tally_act == DROP && unit.tally_slot == it) begin
        if (runs == 0) below = 1;
        drops = drops + 1;
        runs = runs - 1;
      end
      if (unit.tally_answer) begin
        waits[unit.tally_client] = waits[unit.tally_client] + 1;
        stages[unit.tally_client] = stages[unit.tally_client] | 2'd2;
      end
      if (unit.tally_act > LAST_ACT) bad_count = 1;
    end
    if (unit.answer_valid) begin
      waits[unit.answer_client] = waits[unit.answer_client] + 1;
      stages[unit.answer_client] = stages[unit.answer_client] | 2'd2;
    end
    ref_open = 0;
    for (k = -1; k < 2; k = k + 1) if (k < 0 ? unit.fetching : k < n_counts) begin
      q = k < 0 ? {unit.tally_r_client, unit.tally_r_act, unit.tally_r_slot, unit.tally_r_answer, unit.tally_r_ok}
        : unit.counts.full && k == 0 ? {unit.counts.head_client, unit.counts.head_act, unit.counts.head_slot,
                                        unit.counts.head_answer, unit.counts.head_ok}
        : unit.counts.behind.ram_ext.Memory[1'(unit.counts.behind.deq_ptr_value + k - unit.counts.full)];
      if (q[6:4] == GAIN && q[3:2] == it) begin gains = gains + 1; runs = runs + 1; end
      if (q[6:4] == DROP && q[3:2] == it) begin if (runs == 0) below = 1; drops = drops + 1; runs = runs - 1; end
      if (q[1]) begin
        waits[q[7]] = waits[q[7]] + 1;
        stages[q[7]] = stages[q[7]] | 2'd2;
      end
      if (q[6:4] > LAST_ACT) bad_count = 1;
      if (k >= 0 && q[6:4] != 0) begin
        place = 32'h1000 + q[3:2];
        if (unit.ref_0.places[ref_open] != place[unit.ref_0.one]) bad_place = 1;
        ref_open = ref_open + 1;
      end
    end

    // changes, and what the L2P stage has decided
    for (k = 0; k < 9; k = k + 1)
      if (k < 8 ? k < n_changes : unit.decided && unit.changes_io_in_valid) begin
        g = k == 8 ? {unit.d_client, unit.changes_io_in_bits_count, change_slot, unit.changes_io_in_bits_drop_valid,
                      unit.d_old, unit.d_late, unit.d_ofOld ? unit.d_mapped : unit.d_hit}
          : unit.changes.full && k == 0
            ? {unit.changes.head_client, unit.changes.head_count, unit.changes.head_slot, unit.changes.head_drop_valid,
               unit.changes.head_drop_bits, unit.changes.head_answer, unit.changes.head_ok}
          : unit.changes.behind.ram_ext.Memory[3'(unit.changes.behind.deq_ptr_value + k - unit.changes.full)];
        if (!(k == 0 && unit.second)) begin
          if (g[9:7] == GAIN && g[6:5] == it) begin gains = gains + 1; runs = runs + 1; end
          if (g[9:7] == C_RELEASE && g[6:5] == it) begin
            if (runs == 0) below = 1;
            drops = drops + 1;
            runs = runs - 1;
          end
        end
        if (g[4]) begin
          if (g[3:2] == it) begin if (runs == 0) below = 1; drops = drops + 1; runs = runs - 1; end
          if (g[9:7] != NONE && g[9:7] != GAIN) bad_change = 1;
        end
        if (g[9:7] > 4) bad_change = 1;
        if (g[1]) begin
          waits[g[10]] = waits[g[10]] + 1;
          stages[g[10]] = stages[g[10]] | 2'd2;
        end
        if (k == 0 && unit.second && !(g[4] && g[9:7] == GAIN && unit.changes.full)) bad_change = 1;
      end
    if (n_changes == 0 && unit.second) bad_change = 1;
    if (unit.decided && !$onehot0({unit.d_set, unit.d_cas, unit.d_unmap, unit.d_link, unit.d_reserve, unit.d_release,
                                   unit.d_refs})
        || unit.decided && unit.d_late != (unit.d_cas || unit.d_reserve || unit.d_release || unit.d_refs)
        || unit.decided && unit.d_ofOld && !unit.d_reserve && !unit.d_refs) bad_change = 1;

    // L2P stage, oldest first: acting, reading, then the steps
    l2p_open = 0;
    for (k = -4; k < 4; k = k + 1)
      if (k == -4 ? unit.acting : k == -3 ? unit.reading : k == -2 ? unit.stepsSkid.offered
          : k == -1 ? unit.stepsSkid.spilled : k < n_steps) begin
        t = k == -4 ? {unit.now_client, unit.now_ask_req_op, 32'd0, unit.now_ask_req_slot, unit.now_ask_req_expect,
                       uses(unit.now_ask_req_op), unit.now_ask_late}
          : k == -3 ? {unit.now_r_client, unit.now_r_ask_req_op, 32'd0, unit.now_r_ask_req_slot,
                       unit.now_r_ask_req_expect, uses(unit.now_r_ask_req_op), unit.now_r_ask_late}
          : k == -2 ? {unit.stepsSkid.item_client, unit.stepsSkid.item_ask_req_op,
                       unit.stepsSkid.item_ask_req_lpn, unit.stepsSkid.item_ask_req_slot,
                       unit.stepsSkid.item_ask_req_expect, unit.stepsSkid.item_ask_claims,
                       unit.stepsSkid.item_ask_late}
          : k == -1 ? {unit.stepsSkid.behind_client, unit.stepsSkid.behind_ask_req_op,
                       unit.stepsSkid.behind_ask_req_lpn, unit.stepsSkid.behind_ask_req_slot,
                       unit.stepsSkid.behind_ask_req_expect, unit.stepsSkid.behind_ask_claims,
                       unit.stepsSkid.behind_ask_late}
          : unit.steps.ram_ext.Memory[2'(unit.steps.deq_ptr_value + k)];
        if ((t[41:38] == LINK || t[41:38] == RELEASE) && t[5:4] == it) spent = spent + 1;
        waits[t[42]] = waits[t[42]] + 1;
        stages[t[42]] = stages[t[42]] | (2'd1 << t[0]);
        if (t[41:38] > PEEK || t[37:6] > 3 || t[1] != uses(t[41:38]) || t[0] != by_ref(t[41:38])) bad_request = 1;
        if (k >= -2 && t[1]) begin
          place = {28'd0, t[7:6], 2'd0};
          if (unit.l2p.places[l2p_open] != place[unit.l2p.one]) bad_place = 1;
          l2p_open = l2p_open + 1;
        end
      end
    // The requests that wait before the arbiter.
    for (k = 0; k < 3; k = k + 1)
      if (k == 0 ? unit.clientStates_waitingSkid.offered : k == 1 ? unit.clientStates_waitingSkid.spilled
          : unit.clientStates_waiting_q.maybe_full) begin
        r = k == 0 ? {unit.clientStates_waitingSkid.item_req_op, unit.clientStates_waitingSkid.item_req_lpn,
                      unit.clientStates_waitingSkid.item_req_slot, unit.clientStates_waitingSkid.item_req_expect,
                      unit.clientStates_waitingSkid.item_claims, unit.clientStates_waitingSkid.item_late}
          : k == 1 ? {unit.clientStates_waitingSkid.behind_req_op, unit.clientStates_waitingSkid.behind_req_lpn,
                      unit.clientStates_waitingSkid.behind_req_slot, unit.clientStates_waitingSkid.behind_req_expect,
                      unit.clientStates_waitingSkid.behind_claims, unit.clientStates_waitingSkid.behind_late}
          : unit.clientStates_waiting_q.ram;
        if ((r[41:38] == LINK || r[41:38] == RELEASE) && r[5:4] == it) spent = spent + 1;
        if (r[41:38] > PEEK || r[37:6] > 3 || r[1] != uses(r[41:38]) || r[0] != by_ref(r[41:38])) bad_request = 1;
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

      i1_ref:        assert (count + gains == 9'(mapped) + held + spent + drops);
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
      i_count:    assert (!bad_count && n_counts <= 2);
      i_queues:   assert (unit.changes.count == n_changes && unit.changes.room == (n_changes != 8)
                          && unit.counts.count == n_counts && unit.counts.room == (n_counts != 2)
                          && unit.clientStates_leavingQueue.count == n_answers
                          && unit.clientStates_leavingQueue.room == (n_answers != 2) && n_answers <= 2);
      i_places:   assert (!bad_place && unit.l2p.open == l2p_open && unit.ref_0.open == ref_open);
      i_active:   assert (unit.l2p.active == (unit.acting && uses(unit.now_ask_req_op))
                          && unit.l2p.picks == (unit.reading && uses(unit.now_r_ask_req_op))
                          && unit.ref_0.active == (unit.tallying && unit.tally_act != 0)
                          && unit.ref_0.picks == (unit.fetching && unit.tally_r_act != 0)
                          && (!unit.ref_0.active || unit.ref_0.at == unit.tally_slot)
                          && (!unit.ref_0.picks || unit.ref_0.pick_at == unit.tally_r_slot));
      i_waits:    assert (waits[0] == unit.clientStates_open && waits[1] == unit.clientStates_open_1);
      i_room:     assert (unit.clientStates_kept == 4'(unit.clientStates_open) + n_answers
                          && unit.clientStates_kept <= 2
                          && unit.clientStates_kept_1
                             == 2'(unit.clientStates_open_1) + unit.clientStates_leaving_q.maybe_full);
      i_stages:   assert (stages[0][!unit.clientStates_fromStage] == 0
                          && stages[1][!unit.clientStates_fromStage_1] == 0);

      reach_all_ops: cover (io_quiet && did_set && did_link && did_unmap);
      reach_cas:     cover (io_quiet && did_cas && mapped == 2);
      reach_busy:    cover (unit.second && n_counts != 0 && unit.tallying && unit.decided);
    end
  end
endmodule
