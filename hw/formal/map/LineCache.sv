// SPDX-License-Identifier: Apache-2.0
//
// Proves that an access to an entry sees the last write to it, or the initial content of DRAM. The proof follows one
// arbitrary entry. It also shows that a line is in at most one place, stays while it is claimed, is fetched once, and
// is not fetched while a write to it is unanswered.
//
// Size: two sets of two lines of two words of two entries of a byte; at most three claims, two misses and eight writes
// in flight.
//
// Assumptions: the user accesses entries in the order of its claims, each claimed entry once, with at most three open
// claims. DRAM answers reads in order and writes in order, only what it was asked, without errors. The order between
// reads and writes is free: a read never overlaps with a write to its line.
`include "rigid.svh"
module LineCacheProof(
  input        clock,
  input        reset,
  input        io_claim_valid,
  input [4:0]  io_claim_bits,
  input        io_access_valid,
  input        io_update_valid,
  input [7:0]  io_update_bits,
  input        io_dram_rd_ar_ready,
  input        io_dram_rd_r_valid,
  input [15:0] io_dram_rd_r_bits_data,
  input        io_dram_rd_r_bits_last,
  input        io_dram_wr_aw_ready,
  input        io_dram_wr_w_ready,
  input        io_dram_wr_b_valid,
  input [7:0]  found // initial content of DRAM
);
  localparam CLAIMS = 3, FILLS = 2, LINES = 2, POSTED = 8, WRITES = 8;
  localparam MISS_LINE = 3, MISS_ADDR = 0; // bit positions of a miss's line and address
  wire        io_claim_ready, io_access_ready, io_entry_valid, io_dram_rd_ar_valid, io_dram_rd_r_ready;
  wire        io_dram_wr_aw_valid, io_dram_wr_w_valid, io_dram_wr_w_bits_last, io_dram_wr_b_ready, io_quiet;
  wire        io_event_hit, io_event_miss;
  wire [1:0]  io_dram_wr_w_bits_strb;
  wire [7:0]  io_entry_bits;
  wire [15:0] io_dram_wr_w_bits_data;
  wire [4:0]  io_dram_rd_ar_bits_addr, io_dram_wr_aw_bits_addr;
  wire [7:0]  io_dram_rd_ar_bits_len, io_dram_wr_aw_bits_len;
  wire [1:0]  io_dram_rd_r_bits_resp = 0, io_dram_wr_b_bits_resp = 0;
  wire [4:0]  io_access_bits;
  LineCache unit(.*);

  `RIGID(5, it)
  wire [2:0] its_line = it[4:2];

  function automatic [7:0] lane(input [15:0] word);
    lane = it[0] ? word[15:8] : word[7:0];
  endfunction
  function automatic [1:0] flip(input [1:0] line); // {way, set} is the unit's order
    flip = {line[0], line[1]};
  endfunction
  // Entries of a queue of two, and of a HeadQueue.
  `define TWO(Q) {unit.Q.maybe_full && unit.Q.ptr_match, unit.Q.enq_ptr_value ^ unit.Q.deq_ptr_value}
  `define ALL(Q) (3'(unit.Q.full) + `TWO(Q.behind))
  `define POSTS(Q) (4'(unit.Q.full) + {unit.Q.behind.maybe_full && unit.Q.behind.ptr_match, \
                    3'(unit.Q.behind.enq_ptr_value - unit.Q.behind.deq_ptr_value)})
  `define POST(Q, K) unit.Q.behind.ram_ext.Memory[3'(unit.Q.behind.deq_ptr_value + (K) - unit.Q.full)]
  `define BEHIND(Q, K) unit.Q.behind.ram_ext.Memory[1'(unit.Q.behind.deq_ptr_value + (K) - unit.Q.full)]

  // ---- the user: claims without an access, oldest first
  reg [1:0]  claimed;
  reg [4:0]  q_addr [0:CLAIMS-1];
  wire       claims   = io_claim_valid && io_claim_ready;
  wire       accesses = io_access_valid && io_access_ready;
  wire [1:0] at       = claimed - accesses;
  assign io_access_bits = q_addr[0];
  integer i;
  always @(posedge clock) begin
    claimed <= reset ? 2'd0 : claimed + claims - accesses;
    for (i = 0; i < CLAIMS; i = i + 1)
      if (claims && at == i) q_addr[i] <= io_claim_bits;
      else if (accesses && i + 1 < CLAIMS) q_addr[i] <= q_addr[i + 1];
  end

  // ---- the entry: its expected value, and DRAM's value after all answered writes
  reg [7:0]  value, dram;
  wire       active  = unit.active;
  wire       updates = active && io_update_valid;
  wire       is_it   = unit.now_addr == it;
  wire       writes_it = unit.writes && unit.write_addr == it;

  // ---- writes as they leave, by their place in `owed`; the bus is compared with them
  reg [3:0]  g_addr [0:WRITES-1];
  reg [15:0] g_data [0:WRITES-1];
  reg [1:0]  g_strb [0:WRITES-1];
  reg [3:0]  aws, ws; // addresses, data that DRAM has accepted but not answered
  wire [2:0] first = unit.owed.deq_ptr_value;
  wire [3:0] owed  = unit._owed_io_count;
  wire [3:0] to_send = `POSTS(aw), to_give = `POSTS(w);
  wire       aw_fires = io_dram_wr_aw_valid && io_dram_wr_aw_ready;
  wire       w_fires  = io_dram_wr_w_valid && io_dram_wr_w_ready;
  wire [15:0] pending_data = {unit.pending_bits_data_1, unit.pending_bits_data_0};

  // ---- reads
  reg [2:0] asked [0:FILLS-1];
  reg [1:0] reads; // accepted by DRAM, not ended
  reg       beat;
  wire      ar_fires = io_dram_rd_ar_valid && io_dram_rd_ar_ready;
  wire      r_fires  = io_dram_rd_r_valid && io_dram_rd_r_ready;
  wire      r_ends   = r_fires && io_dram_rd_r_bits_last;
  wire [1:0] reads_at = reads - r_ends;
  reg       refilled, evicted; // for the covers
  always @(posedge clock) begin
    if (unit.leaves) begin
      g_addr[unit.owed.enq_ptr_value] <= unit.pending_bits_word;
      g_data[unit.owed.enq_ptr_value] <= pending_data;
      g_strb[unit.owed.enq_ptr_value] <= unit.pending_bits_strb;
    end
    if (ar_fires && reads_at == 1) asked[1] <= io_dram_rd_ar_bits_addr[4:2];
    if (ar_fires && reads_at == 0) asked[0] <= io_dram_rd_ar_bits_addr[4:2];
    else if (r_ends) asked[0] <= asked[1];
    if (reset) begin
      value <= found;
      dram  <= found;
      aws   <= 0;
      ws    <= 0;
      reads <= 0;
      beat  <= 0;
    end else begin
      aws   <= aws + aw_fires - io_dram_wr_b_valid;
      ws    <= ws + w_fires - io_dram_wr_b_valid;
      reads <= reads + ar_fires - r_ends;
      if (r_fires) beat <= !beat;
      if (updates && is_it) value <= io_update_bits;
      if (io_dram_wr_b_valid && g_addr[first] == it[4:1] && g_strb[first][it[0]]) dram <= lane(g_data[first]);
    end
    if (!reset) begin
      assume (!io_claim_valid || claimed < CLAIMS);
      assume (!io_access_valid || claimed != 0);
      assume (!io_update_valid || active);
      assume (!io_dram_wr_b_valid || aws != 0 && ws != 0);
      assume (!io_dram_rd_r_valid || reads != 0 && io_dram_rd_r_bits_last == beat);
      assume (!(io_dram_rd_r_valid && asked[0] == its_line && beat == it[1]) || lane(io_dram_rd_r_bits_data) == dram);
    end
  end

  // ---- the unit's tables, by line: {set, way}
  wire       ready   = unit.clearAt[1];
  wire [3:0] busy    = {unit.busy_1[1], unit.busy_0[1], unit.busy_1[0], unit.busy_0[0]};
  wire [1:0] c_free  = {unit.cFree_1, unit.cFree_0};
  wire [1:0] c_hits  = {unit.cHits_1, unit.cHits_0};
  wire [1:0] w_way   = {unit.wWay_1, unit.wWay_0};
  reg [3:0]  present, missing; // missing: its data has not arrived
  reg [1:0]  tag   [0:3];
  reg [2:0]  b_tag [0:1];
  reg [2:0]  stamp [0:3];
  reg [1:0]  want  [0:3]; // claims that wait for their access
  reg [2:0]  last_of [0:3]; // the number of the last of them
  reg [1:0]  late [0:3];  // lines that are missing, oldest first
  reg [1:0]  owner [0:3]; // lines of the claims that were misses
  reg [2:0]  n_late, n_owner;
  reg        its_fill, its_unsettled, its_missing, its_next; // the word's line; its_next: is the first of the misses
  reg [3:0]  sums [0:1]; // below: bad
  reg [7:0]  last;
  reg        bad_claim, bad_miss, bad_fill, bad_line, bad_pipe, bad_write, bad_aw, bad_w, bad_row, bad_stamp;
  wire [2:0] n_lines = `ALL(lines), n_misses = `ALL(misses), n_filling = `ALL(filling);
  wire [1:0] offered = `TWO(ar);
  wire [2:0] in_c = n_lines, in_b = in_c + unit.cValid, in_a = in_b + unit.bValid;
  reg [4:0]  m; // a miss: {line, address}
  reg [2:0]  p; // a claim: {line, miss}
  reg [1:0]  f; // a fill's line
  reg [1:0]  x;
  reg [2:0]  y;
  integer k, l;
  always @(*) begin
    for (l = 0; l < 2; l = l + 1) begin
      {present[2 * l], tag[2 * l]}         = unit.tags_0_ext.Memory[l];
      {present[2 * l + 1], tag[2 * l + 1]} = unit.tags_1_ext.Memory[l];
      stamp[2 * l]     = unit.stamps_0_ext.Memory[l];
      stamp[2 * l + 1] = unit.stamps_1_ext.Memory[l];
    end
    b_tag[0] = unit.bTags_0;
    b_tag[1] = unit.bTags_1;

    // ---- claims with a place, oldest first
    bad_claim = 0;
    n_owner = 0;
    for (l = 0; l < 4; l = l + 1) begin
      want[l] = 0;
      last_of[l] = 0;
      owner[l] = 0;
      late[l] = 0;
    end
    for (k = 0; k < LINES; k = k + 1) if (k < n_lines) begin
      p = unit.lines.full && k == 0 ? {unit.lines.head_line, unit.lines.head_miss} : `BEHIND(lines, k);
      x = flip(p[2:1]);
      want[x] = want[x] + 1;
      last_of[x] = unit.oldest + k;
      if (!present[x] || {tag[x], x[1]} != q_addr[k][4:2]) bad_claim = 1;
      if (p[0]) begin
        owner[n_owner] = x;
        n_owner = n_owner + 1;
      end
    end

    // ---- lines that are missing, oldest first: asked for, then not yet
    bad_fill = 0;
    bad_miss = 0;
    missing  = 0;
    its_fill = 0;
    its_next = 0;
    n_late   = 0;
    for (k = 0; k < 2; k = k + 1) if (k < n_filling) begin
      f = unit.filling.full && k == 0 ? unit.filling.head : `BEHIND(filling, k);
      x = flip(f);
      if (missing[x]) bad_fill = 1;
      missing[x] = 1;
      late[n_late] = x;
      n_late = n_late + 1;
      if ((k < reads ? asked[k] : unit.ar.ram_ext.Memory[1'(unit.ar.deq_ptr_value + (k - reads))][12:10])
          != {tag[x], x[1]}) bad_fill = 1;
      if (k >= reads && unit.ar.ram_ext.Memory[1'(unit.ar.deq_ptr_value + (k - reads))][9:0] != 10'd1) bad_fill = 1;
      if ({tag[x], x[1]} == its_line) its_fill = 1;
    end
    for (k = 0; k < 2; k = k + 1) if (k < n_misses) begin
      m = unit.misses.full && k == 0 ? {unit.misses.head_line, unit.misses.head_addr} : `BEHIND(misses, k);
      x = flip(m[MISS_LINE +: 2]);
      if (missing[x] || n_late > 3) bad_miss = 1;
      missing[x] = 1;
      late[2'(n_late)] = x;
      n_late = n_late + 1;
      if ({tag[x], x[1]} != m[MISS_ADDR +: 3]) bad_miss = 1;
      if (k == 0 && unit.misses.full && m[MISS_ADDR +: 3] == its_line) its_next = 1;
    end
    its_missing = 0;
    for (l = 0; l < 4; l = l + 1) if (missing[l] && {tag[l], l[1]} == its_line) its_missing = 1;
    // Each claim that was a miss waits for the line that it brings, in order; the first `arrived` have it.
    if (n_owner != n_late + unit.arrived) bad_claim = 1;
    for (k = 0; k < 2; k = k + 1) if (k < n_late && owner[2'(unit.arrived + k)] != late[k]) bad_claim = 1;
    if (n_owner == 2 && owner[0] == owner[1]) bad_claim = 1;
    // A claim that was a hit is behind the one that brings its line.
    for (k = 0; k < LINES; k = k + 1) if (k < n_lines) begin
      p = unit.lines.full && k == 0 ? {unit.lines.head_line, unit.lines.head_miss} : `BEHIND(lines, k);
      if (!p[0] && missing[flip(p[2:1])] && !(k == 1 && n_owner == 1 && owner[0] == flip(p[2:1]))) bad_claim = 1;
    end

    // ---- claims without a place
    bad_pipe = 0;
    if (unit.cValid) begin
      if (unit.cAddr != q_addr[2'(in_c)][4:2]) bad_pipe = 1;
      for (l = 0; l < 2; l = l + 1) begin
        x = {unit.cAddr[0], l[0]};
        if (c_hits[l] != (present[x] && tag[x] == unit.cAddr[2:1]) || c_free[l] && busy[x]) bad_pipe = 1;
      end
    end
    if (unit.bValid) begin
      if (unit.bAddr != q_addr[2'(in_b)][4:2]) bad_pipe = 1;
      for (l = 0; l < 2; l = l + 1) begin
        x = {unit.bAddr[0], l[0]};
        if ((unit.afterW && w_way[l] ? unit.likeW : b_tag[l] == {1'b1, unit.bAddr[2:1]})
            != (present[x] && tag[x] == unit.bAddr[2:1])) bad_pipe = 1;
      end
      if (unit.afterC != (unit.cValid && unit.cAddr[0] == unit.bAddr[0])
          || unit.likeC != (unit.cAddr[2:1] == unit.bAddr[2:1])) bad_pipe = 1;
    end
    if (unit.incoming.offered && unit.incoming.item != q_addr[2'(in_a)][4:2]) bad_pipe = 1;
    if (unit.incoming.spilled && unit.incoming.behind != q_addr[2'(in_a + 1)][4:2]) bad_pipe = 1;

    // ---- lines: claimed ones, and those of accesses, are busy
    bad_line = 0;
    bad_stamp = 0;
    for (l = 0; l < 4; l = l + 1) begin
      if (want[l] != 0 && (!busy[l] || !present[l])) bad_line = 1;
      if (want[l] != 0 && stamp[l] != last_of[l]) bad_stamp = 1;
      if (missing[l] && want[l] == 0) bad_line = 1;
    end

    // ---- writes
    bad_write = 0;
    its_unsettled = unit.pending_valid && unit.pending_bits_word[3:1] == its_line
                    || unit.writes && unit.write_addr[4:2] == its_line;
    for (l = 0; l < 2; l = l + 1)
      sums[l] = (unit.pending_valid && (unit.pending_bits_word[1] ^ unit.pending_bits_word[2]) == l)
                + (unit.settled && unit.settledOf == l);
    last = dram;
    for (k = 0; k < WRITES; k = k + 1) if (k < owed) begin
      y = first + k;
      if (unit.owed.ram_ext.Memory[y] != (g_addr[y][1] ^ g_addr[y][2])) bad_write = 1;
      sums[g_addr[y][1] ^ g_addr[y][2]] = sums[g_addr[y][1] ^ g_addr[y][2]] + 1;
      if (g_addr[y][3:1] == its_line) its_unsettled = 1;
      if (g_addr[y] == it[4:1] && g_strb[y][it[0]]) last = lane(g_data[y]);
    end
    if (unit.pending_valid && unit.pending_bits_word == it[4:1] && unit.pending_bits_strb[it[0]])
      last = lane(pending_data);
    if (writes_it) last = unit.written;
    if (unit.pending_valid && unit.pending_bits_bucket != (unit.pending_bits_word[1] ^ unit.pending_bits_word[2])
        || unit.writes && unit.writeTo != (unit.write_addr[2] ^ unit.write_addr[3])
        || unit.writes && unit.pending_valid && unit.joins != (unit.write_addr[4:1] == unit.pending_bits_word))
      bad_write = 1;
    bad_aw = 0;
    bad_w  = 0;
    for (k = 0; k < POSTED; k = k + 1) begin
      y = first + aws + k;
      if (k < to_send && (unit.aw.full && k == 0 ? {unit.aw.head_addr, unit.aw.head_len} : `POST(aw, k))
          != {g_addr[y], 9'd0}) bad_aw = 1;
      y = first + ws + k;
      if (k < to_give && (unit.w.full && k == 0 ? {unit.w.head_data, unit.w.head_strb, unit.w.head_last}
                                                : `POST(w, k)) != {g_data[y], g_strb[y], 1'b1}) bad_w = 1;
    end

    // ---- rows: the entry in its row, in the place of its line
    bad_row = 0;
    for (l = 0; l < 4; l = l + 1)
      if (present[l] && {tag[l], l[1]} == its_line
          && (writes_it ? unit.written : lane(unit.rows_ext.Memory[{l[0], l[1], it[1]}])) != value
          && (!missing[l] || n_filling != 0 && late[0] == l && beat && !it[1])) bad_row = 1;
  end
  wire [1:0] at_pick = flip(unit.pick_line), at_now = flip(unit.now_line), at_write = flip(unit.write_line);

  always @(posedge clock) begin
    if (reset) {evicted, refilled} <= 0;
    else if (value != found) begin
      if (unit.miss && unit.cAddr != its_line && unit.line == {1'b0, its_line[0]}) evicted <= 1;
      if (evicted && r_fires && asked[0] == its_line) refilled <= 1;
    end
    if (!reset) begin
      sees_last_write: assert (!(active && is_it) || io_entry_valid && io_entry_bits == value);
      one_place:       assert (!ready || !(present[0] && present[1] && tag[0] == tag[1])
                               && !(present[2] && present[3] && tag[2] == tag[3]));
      claimed_stays:   assert (!bad_claim && !bad_line);
      filled_once:     assert (!bad_fill && !bad_miss);
      read_is_settled: assert (!(its_fill && its_unsettled));
      write_not_lost:  assert (last == value);
      as_it_left:      assert (!(aw_fires && io_dram_wr_aw_bits_addr != {g_addr[3'(first + aws)], 1'b0})
                               && !(w_fires && {io_dram_wr_w_bits_data, io_dram_wr_w_bits_strb}
                                    != {g_data[3'(first + ws)], g_strb[3'(first + ws)]}));
      quiet_is_all:    assert (!io_quiet || dram == value);

      i_queues:   assert (unit.lines.count == n_lines && n_lines <= LINES && unit.lines.room == (n_lines != LINES)
                          && unit.misses.count == n_misses && n_misses <= FILLS
                          && unit.misses.room == (n_misses != FILLS) && unit.filling.count == n_filling
                          && n_filling <= FILLS && unit.filling.room == (n_filling != FILLS)
                          && unit.aw.count == to_send && unit.aw.room == (to_send != POSTED)
                          && unit.w.count == to_give && unit.w.room == (to_give != POSTED));
      i_fill:     assert (n_filling == 3'(reads) + offered);
      i_beat:     assert (beat == unit.beat && (!beat || reads != 0));
      i_row:      assert (!ready || !bad_row);
      i_pipe:     assert (!bad_pipe && claimed == in_a + unit.incoming.offered + unit.incoming.spilled
                          && (!unit.incoming.spilled || unit.incoming.offered));
      i_stamp:    assert (!bad_stamp && unit.next == 3'(unit.oldest + n_lines)
                          && (!unit.pickValid || unit.pickNumber == 3'(unit.oldest - 1))
                          && (!active || unit.number == 3'(unit.oldest - 1 - unit.pickValid)));
      i_ends:     assert (!unit.ends || want[at_now] == 0 && !(unit.pickValid && unit.pick_line == unit.now_line));
      i_write:    assert (!bad_write && !bad_aw && !bad_w && owed <= WRITES);
      i_taken:    assert (owed == 5'(aws) + to_send && owed == 5'(ws) + to_give);
      i_room:     assert ((!unit.room || to_send <= POSTED - 4 && to_give <= POSTED - 4 && owed <= WRITES - 4)
                          && (!unit.pickValid || to_send <= POSTED - 3 && to_give <= POSTED - 3 && owed <= WRITES - 3)
                          && (!active || to_send <= POSTED - 2 && to_give <= POSTED - 2 && owed <= WRITES - 2)
                          && (!unit.writes && !unit.idle || to_send < POSTED && to_give < POSTED && owed < WRITES));
      i_counted:  assert (!ready || 4'(unit.sent_ext.Memory[0] - unit.answered_ext.Memory[0]) == sums[0]
                          && 4'(unit.sent_ext.Memory[1] - unit.answered_ext.Memory[1]) == sums[1]);
      i_looked:   assert (!unit.looked || unit.misses.full
                          && !(its_next && unit.sentTo == unit.answeredTo && its_unsettled));
      i_pick:     assert (!unit.pickValid || busy[at_pick] && present[at_pick] && !missing[at_pick]
                          && {tag[at_pick], at_pick[1]} == unit.pick_addr[4:2]
                          && unit.pickLane == 2'd1 << unit.pick_addr[0] && unit.pickWay == 2'd1 << unit.pick_line[1]
                          && unit.rows_ext._R0_en_d0
                          && unit.rows_ext._R0_addr_d0 == {unit.pick_line, unit.pick_addr[1]});
      i_active:   assert (!active || busy[at_now] && present[at_now] && !missing[at_now]
                          && {tag[at_now], at_now[1]} == unit.now_addr[4:2]);
      i_writes:   assert (!unit.writes || present[at_write] && !missing[at_write]
                          && {tag[at_write], at_write[1]} == unit.write_addr[4:2]
                          && !(unit.cValid && unit.cAddr[0] == at_write[1] && c_free[at_write[0]]));
      i_forward:  assert (!active || unit.sameAsWrite == (unit.now_addr[1:0] == unit.write_addr[1:0]
                                                          && unit.now_line == unit.write_line) || !unit.writes);
      i_missing:  assert (!its_missing || !(unit.pickValid && unit.pick_addr[4:2] == its_line)
                          && !(active && unit.now_addr[4:2] == its_line)
                          && !(unit.writes && unit.write_addr[4:2] == its_line));
      i_clearing: assert (unit.clearAt <= 2
                          && (ready || busy == 0 && n_lines == 0 && !unit.cValid && !unit.bValid && !unit.pickValid
                          && !active && !unit.writes && n_misses == 0 && n_filling == 0 && owed == 0
                          && !unit.pending_valid && !unit.settled && !unit.committed));
      i_cleared:  assert (ready || unit.clearAt == 0 || !present[0] && !present[1]
                          && unit.sent_ext.Memory[0] == 0 && unit.answered_ext.Memory[0] == 0);

      reach_written:  cover (active && is_it && unit.forward && value != found);
      reach_merged:   cover (unit.merges && writes_it);
      reach_hazard:   cover (unit.looked && unit.sentTo != unit.answeredTo);
      reach_refilled: cover (active && is_it && refilled && !unit.forward);
    end
  end
endmodule
