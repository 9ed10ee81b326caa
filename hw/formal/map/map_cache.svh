// SPDX-License-Identifier: Apache-2.0
//
// Abstraction of the map unit's caches with the properties that LineCache.sv proves: an access sees the last write,
// two cycles after it began, and claims and accesses take any time. If CACHE_USE is defined, the assumptions of
// LineCache.sv about its user are proven: accesses are in the order of the claims and to the same entry.
//
// MAP_CACHE(NAME, BITS, SHIFT): entries of BITS bits at addresses that are multiples of 2^SHIFT. `entries` is the whole
// table, of four.
`define MAP_CACHE(NAME, BITS, SHIFT) \
module NAME( \
  input          clock, reset, \
  output         io_claim_ready, \
  input          io_claim_valid, \
  input  [31:0]  io_claim_bits, \
  output         io_access_ready, \
  input          io_access_valid, \
  input  [31:0]  io_access_bits, \
  output [BITS-1:0] io_entry_bits, \
  input          io_update_valid, \
  input  [BITS-1:0] io_update_bits, \
  input          io_dram_rd_ar_ready, \
  output         io_dram_rd_ar_valid, \
  output [31:0]  io_dram_rd_ar_bits_addr, \
  output [7:0]   io_dram_rd_ar_bits_len, \
  output         io_dram_rd_r_ready, \
  input          io_dram_rd_r_valid, \
  input  [127:0] io_dram_rd_r_bits_data, \
  input  [1:0]   io_dram_rd_r_bits_resp, \
  input          io_dram_rd_r_bits_last, \
  input          io_dram_wr_aw_ready, \
  output         io_dram_wr_aw_valid, \
  output [31:0]  io_dram_wr_aw_bits_addr, \
  output [7:0]   io_dram_wr_aw_bits_len, \
  input          io_dram_wr_w_ready, \
  output         io_dram_wr_w_valid, \
  output [127:0] io_dram_wr_w_bits_data, \
  output [15:0]  io_dram_wr_w_bits_strb, \
  output         io_dram_wr_w_bits_last, \
  input          io_dram_wr_b_valid, \
  input  [1:0]   io_dram_wr_b_bits_resp, \
  output         io_quiet, \
  output         io_event_hit, \
  output         io_event_miss \
); \
  /* claim_ready, access_ready, quiet and `any` are undriven, so they are arbitrary. */ \
  wire [BITS-1:0]   any; \
  reg  [4*BITS-1:0] entries; \
  reg               picks, active; \
  reg  [1:0]        pick_at, at; \
  wire              accesses = io_access_valid && io_access_ready; \
  assign io_entry_bits = active ? entries[BITS * at +: BITS] : any; \
  assign io_dram_rd_ar_valid = 0, io_dram_wr_aw_valid = 0, io_dram_wr_w_valid = 0; \
  always @(posedge clock) begin \
    picks   <= !reset && accesses; \
    active  <= !reset && picks; \
    pick_at <= io_access_bits[SHIFT +: 2]; \
    at      <= pick_at; \
    if (!reset && active && io_update_valid) entries[BITS * at +: BITS] <= io_update_bits; \
  end \
  `CACHE_USER \
endmodule

// DRAM_PORT(TABLE): the port of MapUnit to the table in DRAM, which the abstract cache does not use.
`define DRAM_PORT(TABLE) \
  wire         io_``TABLE``_rd_ar_valid, io_``TABLE``_rd_r_ready, io_``TABLE``_wr_aw_valid, io_``TABLE``_wr_w_valid; \
  wire         io_``TABLE``_wr_w_bits_last, io_``TABLE``_wr_b_ready; \
  wire [31:0]  io_``TABLE``_rd_ar_bits_addr, io_``TABLE``_wr_aw_bits_addr; \
  wire [7:0]   io_``TABLE``_rd_ar_bits_len, io_``TABLE``_wr_aw_bits_len; \
  wire [127:0] io_``TABLE``_wr_w_bits_data; \
  wire [15:0]  io_``TABLE``_wr_w_bits_strb; \
  wire         io_``TABLE``_rd_ar_ready = 0, io_``TABLE``_rd_r_valid = 0, io_``TABLE``_rd_r_bits_last = 0; \
  wire         io_``TABLE``_wr_aw_ready = 0, io_``TABLE``_wr_w_ready = 0, io_``TABLE``_wr_b_valid = 0; \
  wire [127:0] io_``TABLE``_rd_r_bits_data = 0; \
  wire [1:0]   io_``TABLE``_rd_r_bits_resp = 0, io_``TABLE``_wr_b_bits_resp = 0;

`ifdef CACHE_USE
`define CACHE_USER \
  localparam CLAIMS = 6; /* of the map unit's caches */ \
  `RIGID(5, one) /* addresses are compared in an arbitrary bit */ \
  reg  [2:0]        claimed, accessed; /* numbers of the next claim and of the next access */ \
  reg  [7:0]        places; /* by number of the claim */ \
  wire [2:0]        open   = claimed - accessed; /* claims without an access */ \
  wire              claims = io_claim_valid && io_claim_ready; \
  always @(posedge clock) begin \
    claimed  <= reset ? 3'd0 : claimed + claims; \
    accessed <= reset ? 3'd0 : accessed + accesses; \
    if (claims) places[claimed] <= io_claim_bits[one]; \
    if (!reset) begin \
      in_order:     assert (!io_access_valid || open != 0 && places[accessed] == io_access_bits[one]); \
      few_claims:   assert (open <= CLAIMS && (!io_claim_valid || open < CLAIMS)); \
      its_update:   assert (!io_update_valid || active); \
    end \
  end
`else
`define CACHE_USER
`endif

`MAP_CACHE(LineCache, 32, 2)
`MAP_CACHE(LineCache_1, 8, 0)
