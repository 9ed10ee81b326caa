// SPDX-License-Identifier: Apache-2.0
//
// Proves I4 of the device contract: each NVRAM segment is on the free list or in exactly one chain. It holds in every
// cycle for all segments. A chain that a compaction has set aside counts as a chain, and a segment that an operation
// has in hand counts as placed. There are eight segments, four superblocks and chains of at most two segments. The
// proof begins with empty tables: the clearing after reset is left out.
//
// Assumptions: firmware loads one item per cycle, each segment into one place, links before the chain that needs
// them, and chains while the table is idle and nothing waits. Engines append only if there is room. A compaction sets
// one chain aside at a time. NVRAM answers only what it was asked. SuperblockTable answers two cycles after a question.
module RemapTableProof(
  input         clock,
  input         reset,
  input         io_append_0_entry_valid,
  input  [1:0]  io_append_0_entry_bits_sb,
  input  [1:0]  io_append_0_entry_bits_offset,
  input  [31:0] io_append_0_entry_bits_lpn,
  input  [47:0] io_append_0_entry_bits_seq,
  input         io_append_1_entry_valid,
  input  [1:0]  io_append_1_entry_bits_sb,
  input  [1:0]  io_append_1_entry_bits_offset,
  input  [31:0] io_append_1_entry_bits_lpn,
  input  [47:0] io_append_1_entry_bits_seq,
  input         io_walk_start_valid,
  input  [1:0]  io_walk_start_bits,
  input         io_walk_entry_ready,
  input         io_freeChain_valid,
  input  [1:0]  io_freeChain_bits,
  input         io_setAside_valid,
  input  [1:0]  io_setAside_bits,
  input         io_dropOld_valid,
  input         io_sbRead_answer_valid,
  input  [31:0] io_sbRead_answer_bits_gen,
  input  [15:0] io_sbRead_answer_bits_epoch,
  input         io_nvram_rd_ar_ready,
  input         io_nvram_rd_r_valid,
  input [127:0] io_nvram_rd_r_bits_data,
  input  [1:0]  io_nvram_rd_r_bits_resp,
  input         io_nvram_rd_r_bits_last,
  input         io_nvram_wr_aw_ready,
  input         io_nvram_wr_w_ready,
  input         io_nvram_wr_b_valid,
  input         io_capacity_0_ask_valid,
  input  [1:0]  io_capacity_0_ask_bits_sb,
  input  [5:0]  io_capacity_0_ask_bits_entries,
  input         io_capacity_1_ask_valid,
  input  [1:0]  io_capacity_1_ask_bits_sb,
  input  [5:0]  io_capacity_1_ask_bits_entries,
  input  [1:0]  io_look_0_sb,
  input  [1:0]  io_look_1_sb,
  input         io_fw_chain_valid,
  input  [1:0]  io_fw_chain_bits_sb,
  input  [2:0]  io_fw_chain_bits_tail,
  input  [4:0]  io_fw_chain_bits_fill,
  input  [1:0]  io_fw_chain_bits_count,
  input         io_fw_link_valid,
  input  [2:0]  io_fw_link_bits_seg,
  input  [2:0]  io_fw_link_bits_prev,
  input         io_fw_free_valid,
  input  [2:0]  io_fw_free_bits
);
  localparam SEGMENTS = 8, SUPERBLOCKS = 4, CHAIN = 2, ENTRIES = 31, RESERVE = 4;
  localparam IDLE = 1, PLACE = 2, HEADER = 3, ENTRY = 4, SETTLE = 5, ADDRESS = 6, ASK = 7, READ = 8, LAST = 9,
             LINK = 10, FREE = 11;
  localparam J_APPEND = 0, J_WALK = 1, J_FREE = 2, J_ASIDE = 3, J_DROP = 4; // jobs

  wire         io_append_0_entry_ready, io_append_0_drained, io_append_1_entry_ready, io_append_1_drained;
  wire [1:0]   io_capacity_0_segments, io_capacity_1_segments;
  wire         io_capacity_0_fits, io_capacity_1_fits, io_capacity_0_begins, io_capacity_1_begins;
  wire [3:0]   io_capacity_0_free, io_capacity_1_free;
  wire         io_walk_start_ready, io_walk_entry_valid, io_walk_entry_bits_valid_, io_walk_entry_bits_last;
  wire [1:0]   io_walk_entry_bits_e_sb, io_walk_entry_bits_e_offset;
  wire [31:0]  io_walk_entry_bits_e_lpn;
  wire [47:0]  io_walk_entry_bits_e_seq;
  wire         io_freeChain_ready;
  wire         io_sbRead_ask_valid;
  wire [1:0]   io_sbRead_ask_bits;
  wire         io_nvram_rd_ar_valid, io_nvram_rd_r_ready, io_nvram_wr_aw_valid, io_nvram_wr_w_valid;
  wire         io_nvram_wr_w_bits_last, io_nvram_wr_b_ready;
  wire [31:0]  io_nvram_rd_ar_bits_addr, io_nvram_wr_aw_bits_addr;
  wire [7:0]   io_nvram_rd_ar_bits_len, io_nvram_wr_aw_bits_len;
  wire [127:0] io_nvram_wr_w_bits_data;
  wire [15:0]  io_nvram_wr_w_bits_strb;
  wire [3:0]   io_freeSegments;
  wire [1:0]   io_look_0_segments, io_look_1_segments;
  wire         io_setAside_ready, io_dropOld_ready;
  // No entries are destaged: a part in flash would only reduce the room.
  wire         io_place_valid = 0, io_fw_part_valid = 0;
  wire [1:0]   io_place_bits_sb = 0, io_fw_part_bits_sb = 0;
  wire [1:0]   io_place_bits_part_set = 0, io_fw_part_bits_part_set = 0;
  wire         io_place_bits_part_slots = 0, io_fw_part_bits_part_slots = 0;
  wire [1:0]   io_place_bits_part_segments = 0, io_fw_part_bits_part_segments = 0;
  wire [1:0]   io_look_0_destaged_set, io_look_1_destaged_set;
  wire         io_look_0_destaged_slots, io_look_1_destaged_slots;
  wire [1:0]   io_look_0_destaged_segments, io_look_1_destaged_segments;
  wire         io_fw_free_ready, io_quiet, io_event_appended, io_event_freedSegment, io_event_badEntry;
  wire [1:0]   io_nvram_wr_b_bits_resp = 0;
  RemapTable unit(.*);

  // ---- the place of each segment
  wire [3:0] counted = unit.pool.count;                        // on the free list
  wire [3:0] stored = unit.pool.stored + unit.pool.reading;    // of them, in its memory from `takeAt` on
  wire       gives = unit.state == LINK || unit.state == FREE;
  wire       taking_back = unit.job == J_FREE && gives; // op.sb's chain
  wire       dropping = unit.job == J_DROP && gives;    // the chain that was set aside
  wire [2:0] aside_tail = dropping ? unit.chain_tail : unit.aside_tail;
  wire [1:0] aside_count = dropping ? unit.chain_count : unit.aside_count;

  // The present chain of a superblock: an operation in progress has it in `chain`.
  reg [2:0] tails [0:SUPERBLOCKS-1];
  reg [1:0] counts [0:SUPERBLOCKS-1];
  localparam PLACES = SEGMENTS + 2 * SUPERBLOCKS + 5;
  // By place: free list, two for each chain, the next free one, one on its way there, two set aside, one in hand.
  reg [PLACES-1:0]      used;
  reg [2:0]             holds [0:PLACES-1];
  reg [SEGMENTS-1:0]    placed; // by segment: it has a place
  reg                   twice;  // a segment has more than one place
  reg [SUPERBLOCKS-1:0] broken; // a chain is too long
  integer b, s, i;
  always @(*) begin
    for (b = 0; b < SUPERBLOCKS; b = b + 1) begin
      if (b == unit.op_sb && (unit.state == ENTRY || taking_back)) begin
        tails[b]  = unit.chain_tail;
        counts[b] = unit.chain_count;
      end else begin
        tails[b]  = unit.chains_ext.Memory[b][9:7];
        counts[b] = unit.chains_ext.Memory[b][1:0];
      end
      broken[b] = counts[b] > CHAIN;
      used[SEGMENTS + 2 * b]      = counts[b] != 0;
      holds[SEGMENTS + 2 * b]     = tails[b];
      used[SEGMENTS + 2 * b + 1]  = counts[b] == 2;
      holds[SEGMENTS + 2 * b + 1] = unit.prev_ext.Memory[tails[b]];
    end
    for (i = 0; i < SEGMENTS; i = i + 1) begin
      used[i]  = i - unit.pool.takeAt < stored && i >= unit.pool.takeAt || i + SEGMENTS - unit.pool.takeAt < stored;
      holds[i] = unit.pool.memory_ext.Memory[i];
    end
    used[PLACES-5]  = unit.pool.valid;
    holds[PLACES-5] = unit.pool.next;
    used[PLACES-4]  = unit.loadsSegment.maybe_full;
    holds[PLACES-4] = unit.loadsSegment.ram;
    used[PLACES-3]  = aside_count != 0;
    holds[PLACES-3] = aside_tail;
    used[PLACES-2]  = aside_count == 2;
    holds[PLACES-2] = unit.prev_ext.Memory[aside_tail];
    used[PLACES-1]  = unit.state == HEADER;
    holds[PLACES-1] = unit.newSegment;
    placed = 0;
    twice  = 0;
    for (s = 0; s < PLACES; s = s + 1) begin
      if (used[s]) placed[holds[s]] = 1;
      for (i = 0; i < s; i = i + 1) if (used[s] && used[i] && holds[s] == holds[i]) twice = 1;
    end
  end
  reg [SEGMENTS-1:0] placed_before;
  reg                begun, looked;
  // What is looked up contains the write of the same cycle.
  reg [1:0]          look_0, look_1;           // of two cycles ago
  reg [1:0]          look_0_sb, look_1_sb;     // a cycle ago
  always @(posedge clock) begin
    placed_before <= placed;
    begun         <= !reset;
    looked        <= begun && !reset;
    look_0_sb     <= io_look_0_sb;
    look_1_sb     <= io_look_1_sb;
    look_0        <= unit.chains_ext.Memory[look_0_sb][1:0];
    look_1        <= unit.chains_ext.Memory[look_1_sb][1:0];
  end

  wire wants_segment = unit.state == PLACE && (unit.chain_count == 0 || unit.chain_fill == ENTRIES);

  // ---- answers about room for one more entry: those of the chain at the question, with the write of that cycle
  wire       asks_one = io_capacity_0_ask_valid ? io_capacity_0_ask_bits_entries == 1
                        : io_capacity_1_ask_valid && io_capacity_1_ask_bits_entries == 1;
  reg  [1:0] asked_sb;
  reg        asked [1:5];
  reg  [1:0] needs [2:5], has_then [2:5];
  wire [1:0] had = unit.chains_ext.Memory[asked_sb][1:0];
  integer q;
  always @(posedge clock) begin
    asked_sb    <= io_capacity_0_ask_valid ? io_capacity_0_ask_bits_sb : io_capacity_1_ask_bits_sb;
    asked[1]    <= asks_one && !reset;
    asked[2]    <= asked[1] && !reset;
    has_then[2] <= had;
    needs[2]    <= had == 0 || unit.chains_ext.Memory[asked_sb][6:2] == ENTRIES;
    for (q = 3; q <= 5; q = q + 1) begin
      asked[q]    <= asked[q - 1] && !reset;
      has_then[q] <= has_then[q - 1];
      needs[q]    <= needs[q - 1];
    end
  end

  // ---- NVRAM
  reg [5:0] aws, ws; // addresses, complete data without a response
  reg [5:0] left;    // remaining beats of the current read
  wire      aw_fires = io_nvram_wr_aw_valid && io_nvram_wr_aw_ready;
  wire      w_ends = io_nvram_wr_w_valid && io_nvram_wr_w_ready && io_nvram_wr_w_bits_last;
  wire      r_fires = io_nvram_rd_r_valid && io_nvram_rd_r_ready;
  always @(posedge clock)
    if (reset) begin
      aws  <= 0;
      ws   <= 0;
      left <= 0;
    end else begin
      aws <= aws + aw_fires - io_nvram_wr_b_valid;
      ws  <= ws + w_ends - io_nvram_wr_b_valid;
      if (io_nvram_rd_ar_valid && io_nvram_rd_ar_ready) left <= io_nvram_rd_ar_bits_len + 1;
      else if (r_fires) left <= left - 1;
    end

  // ---- generations and epochs
  reg salt_asked, salt_due;
  always @(posedge clock) begin
    salt_asked <= !reset && io_sbRead_ask_valid;
    salt_due   <= !reset && salt_asked;
    if (!reset) assume (io_sbRead_answer_valid == salt_due);
  end

  // ---- firmware's loads
  wire [2:0] chain_first = io_fw_chain_bits_count == 2 ? unit.prev_ext.Memory[io_fw_chain_bits_tail]
                           : io_fw_chain_bits_tail;
  integer k;
  always @(posedge clock) begin
    // The clearing has ended. What the unit does during the reset itself does not count.
    if (!begun && !reset) for (k = 0; k < SUPERBLOCKS; k = k + 1) begin
      assume (unit.chains_ext.Memory[k] == 0);
      assume (unit.sizes.sizes_ext.Memory[k] == 0);
      assume (unit.sizes.parts_ext.Memory[k] == 0);
    end
  end
  always @(posedge clock) if (!reset) begin
    assume (io_fw_chain_valid + io_fw_link_valid + io_fw_free_valid <= 1);
    assume (!io_fw_free_valid || !placed[io_fw_free_bits]);
    assume (!io_fw_link_valid || unit.state == IDLE && !placed[io_fw_link_bits_seg]);
    if (io_fw_chain_valid) begin
      assume (unit.state == IDLE && counts[io_fw_chain_bits_sb] == 0 && io_fw_chain_bits_count <= CHAIN);
      if (io_fw_chain_bits_count != 0) assume (!placed[io_fw_chain_bits_tail] && !placed[chain_first]);
      if (io_fw_chain_bits_count == 2) assume (chain_first != io_fw_chain_bits_tail);
    end
    // ---- the engines' appends: when one needs a segment, there is one, and its chain may have it. The engine has been
    // told of it some cycles before, so that the free list shows it.
    assume (!wants_segment || unit.pool.valid && unit.chain_count < CHAIN);
    // A load beside an append would invalidate the check of its room; with an operation it is a mistake of firmware.
    // The operation may wait for its turn (`early`) or have it (`next`): "loaded while it works" asserts both.
    assume (!io_fw_chain_valid && !io_fw_link_valid
            || io_append_0_drained && !io_append_0_entry_valid && !io_append_1_entry_valid && !unit.next_valid
               && !unit.early_valid && !unit.walks.maybe_full && !unit.frees.maybe_full && !unit.asides.maybe_full
               && !unit.drops
               && !io_freeChain_valid && !io_walk_start_valid && !io_setAside_valid && !io_dropOld_valid);
    assume (!io_capacity_0_ask_valid || !io_capacity_1_ask_valid);
    // ---- a compaction sets one chain aside at a time
    assume (!(io_setAside_valid && io_setAside_ready) || unit.aside_count == 0);
    assume (!io_nvram_wr_b_valid || aws != 0 && ws != 0);
    assume (!io_nvram_rd_r_valid || left != 0 && io_nvram_rd_r_bits_last == (left == 1));
  end

  always @(posedge clock) if (!reset) begin
    i4_in_one_place:  assert (!twice);
    i4_none_lost:     assert (!begun || (placed_before & ~placed) == 0);
    chains_bounded:   assert (broken == 0 && aside_count <= CHAIN);
    look_is_so:       assert (!looked || io_look_0_segments == look_0 && io_look_1_segments == look_1);
    room_is_so:       assert (!asked[5] || io_capacity_0_segments == needs[5] && io_capacity_1_segments == needs[5]
                              && io_capacity_0_begins == needs[5][0] && io_capacity_1_begins == needs[5][0]
                              && io_capacity_0_fits == (has_then[5] + needs[5] <= CHAIN)
                              && io_capacity_1_fits == (has_then[5] + needs[5] <= CHAIN));
    free_is_so:       assert (!begun || io_capacity_1_free == counted
                              && io_capacity_0_free == (counted > RESERVE ? counted - RESERVE : 0));

    i_aside:    assert (!(unit.state == SETTLE && unit.job == J_ASIDE) || unit.aside_count == 0);
    i_states:   assert (unit.state <= FREE && unit.state >= IDLE);
    i_pool:     assert (counted == stored + unit.pool.valid);
    i_behind:   assert (unit.state != FREE || unit.prev_ext._R0_addr_d0 == unit.chain_tail);
    // The operation in progress holds the tables' values of its start.
    i_taken:    assert (unit.state != PLACE && unit.state != HEADER
                        || unit.chain_count == unit.chains_ext.Memory[unit.op_sb][1:0]
                           && (unit.chain_count == 0 || unit.chain_tail == unit.chains_ext.Memory[unit.op_sb][9:7]));
    i_next:     assert (!unit.next_valid || unit.age[0] || unit.next_job == J_DROP
                        || unit.next_chain_count == unit.chains_ext.Memory[unit.next_e_sb][1:0]
                           && (unit.next_chain_count == 0
                               || unit.next_chain_tail == unit.chains_ext.Memory[unit.next_e_sb][9:7]));
    i_entry:    assert (unit.state != ENTRY || unit.chain_fill < ENTRIES && unit.chain_count != 0);
    i_free_has: assert (unit.state != FREE || (unit.job == J_FREE || unit.job == J_DROP) && unit.chain_count != 0);
    i_freed:    assert (!taking_back || unit.chain_count == 0 || unit.chains_ext.Memory[unit.op_sb][1:0] != 0);
    i_walks:    assert (!(unit.state == ADDRESS || unit.state == ASK || unit.state == READ || unit.state == LAST)
                        || unit.job == J_WALK);
    i_read:     assert (left == 0 || unit.state == READ && left == unit.beats);
    i_walk:     assert (!(unit.state == ADDRESS || unit.state == READ || unit.state == LINK && unit.job == J_WALK)
                        || unit.chain_count <= CHAIN);
    i_reading:  assert (unit.state != READ || unit.chain_count != 0);
    i_room:     assert (unit.state != FREE || counted != SEGMENTS);
    i_answers:  assert (unit.writer.inFlight <= 32);

    reach_loaded:    cover (counts[2] == 2 && counted == 3);
    reach_appended:  cover (io_event_appended && counts[1] == 1 && unit.chains_ext.Memory[1][6:2] == 1);
    reach_second:    cover (io_event_appended && counts[1] == 2);
    reach_freed:     cover (io_event_freedSegment && unit.chain_count == 1);
    reach_aside:     cover (unit.aside_count == 2 && counted == 1);
    reach_walk:      cover (io_walk_entry_valid && io_walk_entry_bits_last);
  end
endmodule
