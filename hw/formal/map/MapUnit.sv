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
  wire [3:0] op      = fires_0 ? io_client_0_req_bits_op : io_client_1_req_bits_op;
  wire [1:0] slot    = fires_0 ? io_client_0_req_bits_slot : io_client_1_req_bits_slot;
  wire       spends  = (fires_0 || fires_1) && (op == LINK || op == RELEASE);
  wire       earns   = unit.tallying && unit.tally_act == A_RESERVE && unit.gains;
  reg  [5:0] held;
  reg  [1:0] valid; // VALID of its superblock
  integer k;
  always @(posedge clock)
    if (reset) held <= held_first;
    else held <= held + (earns && unit.tally_slot == it) - (spends && slot == it);

  // ---- the tables
  wire [127:0] l2p = unit.l2p.row;
  wire [127:0] refs = unit.ref_0.row;
  wire [7:0]   tallied = refs[{unit.tally_slot, 3'd0} +: 8];
  wire [7:0]   count = refs[{it, 3'd0} +: 8];
  wire [15:0]  both = refs[{it[1], 4'd0} +: 16];
  wire [1:0]   live = (both[15:8] != 0) + (both[7:0] != 0);
  reg  [2:0]   mapped; // LPNs
  reg          odd;    // a word that is neither a slot nor UNMAPPED

  // ---- content of the pipeline, oldest last
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
  reg [3:0]  spent;                    // links and releases that the L2P stage has not processed
  reg [3:0]  gains, drops;             // that REF does not include yet
  reg [8:0]  runs;                     // REF after the pipeline's operations up to here
  reg [3:0]  waits [0:1];              // unanswered requests, by client
  reg [1:0]  stages [0:1];             // stages that will answer them
  reg [2:0]  l2p_open, ref_open;
  reg [63:0] place;
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
    ref_open = 0;
    for (k = 0; k < 2; k = k + 1) if (k < n_counts) begin
      q = unit.counts.ram_ext.Memory[1'(unit.counts.deq_ptr_value + k)];
      if (q[12:10] == GAIN && q[9:8] == it) begin gains = gains + 1; runs = runs + 1; end
      if (q[12:10] == DROP && q[9:8] == it) begin if (runs == 0) below = 1; drops = drops + 1; runs = runs - 1; end
      if (q[1]) begin
        waits[q[13]] = waits[q[13]] + 1;
        stages[q[13]] = stages[q[13]] | 2'd2;
      end
      if (q[12:10] > LAST_ACT) bad_count = 1;
      if (q[12:10] != 0) begin
        place = {q[7:2], 32'h1000 + q[9:8]};
        if (unit.ref_0.places[ref_open] != place[unit.ref_0.one]) bad_place = 1;
        ref_open = ref_open + 1;
      end
    end

    // changes
    for (k = 0; k < 2; k = k + 1) if (k < n_changes) begin
      g = unit.changes.ram_ext.Memory[1'(unit.changes.deq_ptr_value + k)];
      if (!(k == 0 && unit.second)) begin
        if (g[9:7] == GAIN && g[6:5] == it) begin gains = gains + 1; runs = runs + 1; end
        if (g[9:7] == C_RELEASE && g[6:5] == it) begin if (runs == 0) below = 1; drops = drops + 1; runs = runs - 1; end
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
      if (k == 0 && unit.second && !(g[4] && g[9:7] == GAIN)) bad_change = 1;
    end
    if (n_changes == 0 && unit.second) bad_change = 1;

    // L2P stage
    if (unit.acting) begin
      if ((unit.now_req_op == LINK || unit.now_req_op == RELEASE) && unit.now_req_slot == it) spent = 1;
      waits[unit.now_client] = waits[unit.now_client] + 1;
      stages[unit.now_client] = stages[unit.now_client] | (2'd1 << by_ref(unit.now_req_op));
      if (unit.now_req_op > PEEK || unit.now_req_lpn > 3) bad_request = 1;
    end
    l2p_open = 0;
    for (k = 0; k < 4; k = k + 1) if (k < n_steps) begin
      t = unit.steps.ram_ext.Memory[2'(unit.steps.deq_ptr_value + k)];
      if ((t[45:42] == LINK || t[45:42] == RELEASE) && t[9:8] == it) spent = spent + 1;
      waits[t[46]] = waits[t[46]] + 1;
      stages[t[46]] = stages[t[46]] | (2'd1 << by_ref(t[45:42]));
      if (t[45:42] > PEEK || t[41:10] > 3) bad_request = 1;
      if (uses(t[45:42])) begin
        place = {t[5:0], 28'd0, t[11:10], 2'd0};
        if (unit.l2p.places[l2p_open] != place[unit.l2p.one]) bad_place = 1;
        l2p_open = l2p_open + 1;
      end
    end
    for (k = 0; k < 2; k = k + 1) if (k < n_intake) begin
      r = unit.intake.ram_ext.Memory[1'(unit.intake.deq_ptr_value + k)];
      if ((r[39:36] == LINK || r[39:36] == RELEASE) && r[3:2] == it) spent = spent + 1;
      waits[r[40]] = waits[r[40]] + 1;
      stages[r[40]] = stages[r[40]] | (2'd1 << by_ref(r[39:36]));
      if (r[39:36] > PEEK || r[35:4] > 3) bad_request = 1;
    end
  end

  // For the covers: operations on the slot so far.
  reg did_set, did_link, did_unmap, did_cas;
  always @(posedge clock) begin
    if (reset) {did_set, did_link, did_unmap, did_cas} <= 0;
    else if (unit.acting && unit.now_req_op == UNMAP) did_unmap <= did_unmap || unit.mapped && unit.oldSlot == it;
    else if (unit.acting && unit.now_req_slot == it) begin
      if (unit.now_req_op == SET) did_set <= 1;
      if (unit.now_req_op == LINK) did_link <= 1;
      if (unit.now_req_op == CAS && unit.hit) did_cas <= 1;
    end
    if (reset) valid <= live;
    else valid <= valid + (io_valid_inc_valid && io_valid_inc_bits == it[1])
                  - (io_valid_dec_valid && io_valid_dec_bits == it[1]);
    if (reset) assume (count == 9'(mapped) + held_first && count <= LIMIT && !odd);
    if (!reset) begin
      assume (!io_client_0_req_valid || io_client_0_req_bits_op <= PEEK);
      assume (!io_client_1_req_valid || io_client_1_req_bits_op <= PEEK);
      assume (!(spends && slot == it) || held != 0);
      assume (!(unit.tallying && unit.tally_act == GAIN && tallied >= LIMIT));
      assume (!(unit.tallying && unit.tally_act == DROP && tallied == 0 && unit.tally_slot != it));

      i1_ref:        assert (count + gains == 9'(mapped) + held + spent + drops);
      i1_quiet:      assert (!io_quiet || count == 9'(mapped) + held);
      i1_valid:      assert (valid == live);
      l2p_is_slots:  assert (!odd);
      no_loss:       assert (!below);

      i_limit:    assert (count <= LIMIT);
      i_request:  assert (!bad_request && n_steps <= 4 && n_intake <= 2);
      i_change:   assert (!bad_change && n_changes + unit.acting <= 2);
      i_count:    assert (!bad_count && n_counts <= 2);
      i_places:   assert (!bad_place && unit.l2p.open == l2p_open && unit.ref_0.open == ref_open);
      i_active:   assert (unit.l2p.active == (unit.acting && uses(unit.now_req_op))
                          && unit.ref_0.active == (unit.tallying && unit.tally_act != 0));
      i_waits:    assert (waits[0] == unit.clientStates_open && waits[1] == unit.clientStates_open_1);
      i_room:     assert (unit.clientStates_open + 3'(unit._clientStates_answers_io_count) <= 2
                          && unit.clientStates_open_1 + 2'(unit._clientStates_answers_1_io_count) <= 1);
      i_stages:   assert (stages[0][!unit.clientStates_fromStage] == 0
                          && stages[1][!unit.clientStates_fromStage_1] == 0);

      reach_all_ops: cover (io_quiet && did_set && did_link && did_unmap);
      reach_cas:     cover (io_quiet && did_cas && mapped == 2);
      reach_busy:    cover (unit.second && n_counts != 0 && unit.tallying && unit.acting);
    end
  end
endmodule
