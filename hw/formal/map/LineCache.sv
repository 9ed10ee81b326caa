// SPDX-License-Identifier: Apache-2.0
//
// Proves that an access to a word sees the last write to it, or the initial content of DRAM. The proof follows one
// arbitrary word. It also shows that a line is in at most one place, stays while it is claimed, is fetched once, and
// is not fetched while a write to it is unanswered.
//
// Size: two sets of two lines of two words of two bytes; at most three claims, two misses and four writes in flight.
//
// Assumptions: the user accesses words in the order of its claims, each claimed word once, with at most three open
// claims. Bytes that an update does not strobe are as they were read. DRAM answers reads in order and writes in
// order, only what it was asked, without errors. The order between reads and writes is free: a read never overlaps
// with a write to its line.
`include "rigid.svh"
module LineCacheProof(
  input        clock,
  input        reset,
  input        io_claim_valid,
  input [4:0]  io_claim_bits,
  input        io_access_valid,
  input        io_update_valid,
  input [15:0] io_update_bits_data,
  input [1:0]  io_update_bits_strb,
  input        io_dram_rd_ar_ready,
  input        io_dram_rd_r_valid,
  input [15:0] io_dram_rd_r_bits_data,
  input        io_dram_rd_r_bits_last,
  input        io_dram_wr_aw_ready,
  input        io_dram_wr_w_ready,
  input        io_dram_wr_b_valid,
  input [15:0] found // initial content of DRAM
);
  localparam CLAIMS = 3, FILLS = 2, POSTED = 3, WRITES = 4;
  localparam MISS_LINE = 3, MISS_ADDR = 0; // bit positions of a miss's line and address
  wire        io_claim_ready, io_access_ready, io_row_valid, io_dram_rd_ar_valid, io_dram_rd_r_ready;
  wire        io_dram_wr_aw_valid, io_dram_wr_w_valid, io_dram_wr_w_bits_last, io_dram_wr_b_ready, io_quiet;
  wire        io_event_hit, io_event_miss;
  wire [1:0]  io_line, io_dram_wr_w_bits_strb;
  wire [15:0] io_row_bits, io_dram_wr_w_bits_data;
  wire [4:0]  io_dram_rd_ar_bits_addr, io_dram_wr_aw_bits_addr;
  wire [7:0]  io_dram_rd_ar_bits_len, io_dram_wr_aw_bits_len;
  wire [1:0]  io_dram_rd_r_bits_resp = 0, io_dram_wr_b_bits_resp = 0;
  wire [1:0]  io_access_bits_line;
  wire [4:0]  io_access_bits_addr;
  LineCache unit(.*);

  `RIGID(4, word)
  wire [2:0] its_line = word[3:1];

  function automatic [15:0] merge(input [15:0] old, input [15:0] data, input [1:0] strb);
    merge = {strb[1] ? data[15:8] : old[15:8], strb[0] ? data[7:0] : old[7:0]};
  endfunction
  function automatic [1:0] third(input [1:0] first, input [1:0] k); // index in a ring of three
    third = {1'b0, first} + k >= 3 ? first + k - 2'd3 : first + k;
  endfunction

  // ---- the user: claims without an access, oldest first
  reg [1:0]  claimed;
  reg [1:0]  q_line [0:CLAIMS-1];
  reg [4:0]  q_addr [0:CLAIMS-1];
  wire       claims   = io_claim_valid && io_claim_ready;
  wire       accesses = io_access_valid && io_access_ready;
  wire [1:0] at       = claimed - accesses;
  assign io_access_bits_line = q_line[0], io_access_bits_addr = q_addr[0];
  integer i;
  always @(posedge clock) begin
    claimed <= reset ? 2'd0 : claimed + claims - accesses;
    for (i = 0; i < CLAIMS; i = i + 1)
      if (claims && at == i) begin
        q_line[i] <= io_line;
        q_addr[i] <= io_claim_bits;
      end else if (accesses && i + 1 < CLAIMS) begin
        q_line[i] <= q_line[i + 1];
        q_addr[i] <= q_addr[i + 1];
      end
  end

  // ---- the word: its expected value, and DRAM's value after all answered writes
  reg [15:0] value, dram;
  wire       active  = unit.active;
  wire       updates = active && io_update_valid;
  wire       is_it   = unit.current_addr[4:1] == word;

  // ---- writes as they leave, by their place in `owed`; the bus is compared with them
  reg [3:0]  g_addr [0:WRITES-1];
  reg [15:0] g_data [0:WRITES-1];
  reg [1:0]  g_strb [0:WRITES-1];
  reg [2:0]  aws, ws; // addresses, data that DRAM has accepted but not answered
  wire [1:0] first = unit.owed.deq_ptr_value;
  wire [2:0] owed  = unit._owed_io_count;
  wire [1:0] to_send = unit._aw_io_count, to_give = unit._w_io_count;
  wire       aw_fires = io_dram_wr_aw_valid && io_dram_wr_aw_ready;
  wire       w_fires  = io_dram_wr_w_valid && io_dram_wr_w_ready;

  // ---- reads
  reg [2:0] asked [0:FILLS-1];
  reg [1:0] reads; // accepted by DRAM, not ended
  reg       beat;
  wire      ar_fires = io_dram_rd_ar_valid && io_dram_rd_ar_ready;
  wire      r_fires  = io_dram_rd_r_valid && io_dram_rd_r_ready;
  wire      r_ends   = r_fires && io_dram_rd_r_bits_last;
  wire [1:0] reads_at = reads - r_ends;
  reg       collided; // the row that is read was written in the same cycle: the RAM's output is arbitrary
  reg       refilled, evicted; // for the covers
  always @(posedge clock) begin
    collided <= unit.rows_ext.R0_en && unit.rows_ext.W0_en && unit.rows_ext.R0_addr == unit.rows_ext.W0_addr;
    if (unit.leaves) begin
      g_addr[unit.owed.enq_ptr_value] <= unit.pending_bits_addr;
      g_data[unit.owed.enq_ptr_value] <= unit.pending_bits_update_data;
      g_strb[unit.owed.enq_ptr_value] <= unit.pending_bits_update_strb;
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
      if (updates && is_it) value <= io_update_bits_data;
      if (io_dram_wr_b_valid && g_addr[first] == word) dram <= merge(dram, g_data[first], g_strb[first]);
    end
    if (!reset) begin
      assume (!io_claim_valid || claimed + active < CLAIMS);
      assume (!io_access_valid || claimed != 0);
      assume (!io_update_valid || active
              && io_update_bits_data == merge(io_row_bits, io_update_bits_data, io_update_bits_strb));
      assume (!io_dram_wr_b_valid || aws != 0 && ws != 0);
      assume (!io_dram_rd_r_valid || reads != 0 && io_dram_rd_r_bits_last == beat);
      assume (!(io_dram_rd_r_valid && asked[0] == its_line && beat == word[0]) || io_dram_rd_r_bits_data == dram);
    end
  end

  // ---- the unit's tables, by line
  wire [3:0] present = {unit.present_1[1], unit.present_0[1], unit.present_1[0], unit.present_0[0]}; // {set, way}
  wire [3:0] filled  = {unit.filled_1[1], unit.filled_0[1], unit.filled_1[0], unit.filled_0[0]};
  wire       ready   = unit.clearAt[1];
  reg [1:0]  tag  [0:3];
  reg [1:0]  pins [0:3]; // claims - accesses
  reg [1:0]  want [0:3]; // the user's open claims
  reg [2:0]  fills [0:3]; // outstanding misses of a line
  reg        its_fill, its_unsettled; // the word's line: is being fetched; has a write in flight
  reg [3:0]  unsettled; // by bucket; below: bad
  reg [2:0]  sums [0:1];
  reg [15:0] last;
  reg        bad_claim, bad_miss, bad_fill, bad_pin, bad_write, bad_aw, bad_w, bad_row;
  wire [1:0] missed = {unit.misses.maybe_full && unit.misses.ptr_match,
                       unit.misses.enq_ptr_value ^ unit.misses.deq_ptr_value};
  wire [1:0] filling = {unit.filling.maybe_full && unit.filling.ptr_match,
                        unit.filling.enq_ptr_value ^ unit.filling.deq_ptr_value};
  wire [1:0] offered = {unit.ar.maybe_full && unit.ar.ptr_match, unit.ar.enq_ptr_value ^ unit.ar.deq_ptr_value};
  function automatic [1:0] flip(input [1:0] line); // {way, set} is the unit's order
    flip = {line[0], line[1]};
  endfunction
  reg [4:0]  m; // a miss: {line, address}
  reg [1:0]  f; // a fill's line
  reg [1:0]  x, y;
  integer k, l;
  always @(*) begin
    tag[0] = unit.tags_0_ext.Memory[0];
    tag[1] = unit.tags_1_ext.Memory[0];
    tag[2] = unit.tags_0_ext.Memory[1];
    tag[3] = unit.tags_1_ext.Memory[1];
    pins[0] = unit.made_0_ext.Memory[0] - unit.done_0_ext.Memory[0];
    pins[1] = unit.made_1_ext.Memory[0] - unit.done_1_ext.Memory[0];
    pins[2] = unit.made_0_ext.Memory[1] - unit.done_0_ext.Memory[1];
    pins[3] = unit.made_1_ext.Memory[1] - unit.done_1_ext.Memory[1];
    bad_claim = 0;
    for (l = 0; l < 4; l = l + 1) begin
      want[l] = active && flip(unit.current_line) == l;
      fills[l] = 0;
    end
    for (k = 0; k < CLAIMS; k = k + 1) if (k < claimed) begin
      x = flip(q_line[k]);
      want[x] = want[x] + 1;
      if (!present[x] || tag[x] != q_addr[k][4:3] || x[1] != q_addr[k][2]) bad_claim = 1;
    end
    bad_miss = 0;
    for (k = 0; k < 2; k = k + 1) if (k < missed) begin
      m = unit.misses.ram_ext.Memory[1'(unit.misses.deq_ptr_value + k)];
      x = flip(m[MISS_LINE +: 2]);
      fills[x] = fills[x] + 1;
      if (tag[x] != m[MISS_ADDR + 1 +: 2] || x[1] != m[MISS_ADDR]) bad_miss = 1;
    end
    bad_fill = 0;
    its_fill = 0;
    for (k = 0; k < 2; k = k + 1) if (k < filling) begin
      f = unit.filling.ram_ext.Memory[1'(unit.filling.deq_ptr_value + k)];
      x = flip(f);
      fills[x] = fills[x] + 1;
      if ((k < reads ? asked[k] : unit.ar.ram_ext.Memory[1'(unit.ar.deq_ptr_value + (k - reads))][12:10])
          != {tag[x], x[1]}) bad_fill = 1;
      if (k >= reads && unit.ar.ram_ext.Memory[1'(unit.ar.deq_ptr_value + (k - reads))][9:0] != 10'd1) bad_fill = 1;
      if ({tag[x], x[1]} == its_line) its_fill = 1;
    end
    bad_pin = 0;
    for (l = 0; l < 4; l = l + 1)
      if (pins[l] != want[l] || fills[l] != (present[l] && !filled[l]) || filled[l] && !present[l]
          || present[l] && !filled[l] && want[l] == 0) bad_pin = 1;

    // ---- writes
    bad_write = 0;
    its_unsettled = unit.pending_valid && unit.pending_bits_addr[3:1] == its_line;
    sums[0] = unit.pending_valid && !(unit.pending_bits_addr[1] ^ unit.pending_bits_addr[2]);
    sums[1] = unit.pending_valid && (unit.pending_bits_addr[1] ^ unit.pending_bits_addr[2]);
    last = dram;
    for (k = 0; k < WRITES; k = k + 1) if (k < owed) begin
      y = first + k;
      if (unit.owed.ram_ext.Memory[y] != (g_addr[y][1] ^ g_addr[y][2])) bad_write = 1;
      sums[g_addr[y][1] ^ g_addr[y][2]] = sums[g_addr[y][1] ^ g_addr[y][2]] + 1;
      if (g_addr[y][3:1] == its_line) its_unsettled = 1;
      if (g_addr[y] == word) last = merge(last, g_data[y], g_strb[y]);
    end
    if (unit.pending_valid && unit.pending_bits_addr == word)
      last = merge(last, unit.pending_bits_update_data, unit.pending_bits_update_strb);
    bad_aw = 0;
    bad_w  = 0;
    for (k = 0; k < POSTED; k = k + 1) begin
      y = first + aws + k;
      if (k < to_send && unit.aw.ram_ext.Memory[third(unit.aw.deq_ptr_value, k)] != {g_addr[y], 9'd0}) bad_aw = 1;
      y = first + ws + k;
      if (k < to_give && unit.w.ram_ext.Memory[third(unit.w.deq_ptr_value, k)] != {g_data[y], g_strb[y], 1'b1})
        bad_w = 1;
    end

    // ---- rows: the word's row, in the place of its line
    bad_row = 0;
    for (l = 0; l < 4; l = l + 1)
      if (present[l] && {tag[l], l[1]} == its_line && unit.rows_ext.Memory[{l[0], l[1], word[0]}] != value
          && (filled[l] || filling != 0 && unit.filling.ram_ext.Memory[unit.filling.deq_ptr_value] == {l[0], l[1]}
                           && beat && !word[0])) bad_row = 1;
  end

  always @(posedge clock) begin
    if (reset) {evicted, refilled} <= 0;
    else if (value != found) begin
      if (unit.miss && io_claim_bits[4:2] != its_line && flip(io_line) == {its_line[0], 1'b0}) evicted <= 1;
      if (evicted && r_fires && asked[0] == its_line) refilled <= 1;
    end
    if (!reset) begin
      sees_last_write: assert (!(active && is_it) || io_row_valid && io_row_bits == value);
      one_place:       assert (!(present[0] && present[1] && tag[0] == tag[1])
                               && !(present[2] && present[3] && tag[2] == tag[3]));
      claimed_stays:   assert (!bad_claim);
      filled_once:     assert (!ready || !bad_pin);
      read_is_settled: assert (!(its_fill && its_unsettled));
      write_not_lost:  assert (last == value);
      as_it_left:      assert (!(aw_fires && io_dram_wr_aw_bits_addr != {g_addr[2'(first + aws)], 1'b0})
                               && !(w_fires && {io_dram_wr_w_bits_data, io_dram_wr_w_bits_strb}
                                    != {g_data[2'(first + ws)], g_strb[2'(first + ws)]}));
      no_collision:    assert (!(active && collided) || unit.forward);
      quiet_is_all:    assert (!io_quiet || dram == value);

      i_miss:     assert (!bad_miss);
      i_fill:     assert (!bad_fill && filling == 3'(reads) + offered && filling <= FILLS && missed <= FILLS);
      i_beat:     assert (beat == unit.beat && (!beat || reads != 0));
      i_row:      assert (!bad_row);
      i_write:    assert (!bad_write && !bad_aw && !bad_w && owed <= WRITES);
      i_taken:    assert (owed == 4'(aws) + to_send && owed == 4'(ws) + to_give);
      i_rings:    assert (unit.aw.deq_ptr_value < 3 && unit.aw.enq_ptr_value < 3 && unit.w.deq_ptr_value < 3
                          && unit.w.enq_ptr_value < 3 && (!unit.aw.maybe_full || unit.aw.ptr_match || to_send != 0)
                          && (!unit.w.maybe_full || unit.w.ptr_match || to_give != 0));
      i_room:     assert (!active || to_send < POSTED && to_give < POSTED && owed < WRITES);
      i_counted:  assert (!ready || 3'(unit.sent_ext.Memory[0] - unit.answered_ext.Memory[0]) == sums[0]
                          && 3'(unit.sent_ext.Memory[1] - unit.answered_ext.Memory[1]) == sums[1]);
      i_active:   assert (!active || filled[flip(unit.current_line)]
                          && tag[flip(unit.current_line)] == unit.current_addr[4:3]
                          && unit.current_line[0] == unit.current_addr[2]
                          && unit.rowAt == {unit.current_line, unit.current_addr[1]}
                          && unit.rows_ext._R0_en_d0 && unit.rows_ext._R0_addr_d0 == unit.rowAt);
      i_forward:  assert (!unit.forward_REG || unit.rows_ext.Memory[unit.forward_REG_1] == unit.io_row_bits_REG);
      i_claimed:  assert (claimed + active <= CLAIMS);
      i_clearing: assert (unit.clearAt <= 2
                          && (ready || present == 0 && filled == 0 && claimed == 0 && !active && missed == 0
                          && filling == 0 && owed == 0 && !unit.pending_valid));
      i_cleared:  assert (ready || unit.clearAt == 0 || unit.made_0_ext.Memory[0] == 0 && unit.done_0_ext.Memory[0] == 0
                          && unit.made_1_ext.Memory[0] == 0 && unit.done_1_ext.Memory[0] == 0
                          && unit.sent_ext.Memory[0] == 0 && unit.answered_ext.Memory[0] == 0);

      reach_written:  cover (active && is_it && unit.forward && value != found);
      reach_merged:   cover (unit.merges && is_it);
      reach_hazard:   cover (unit._misses_io_deq_valid && unit.hazard && evicted);
      reach_refilled: cover (active && is_it && refilled && !unit.forward);
    end
  end
endmodule
