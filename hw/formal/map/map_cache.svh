// SPDX-License-Identifier: Apache-2.0
//
// Abstraction of the map unit's caches with the properties that LineCache.sv proves: an access sees the last write,
// and claims and accesses take any time. If CACHE_USE is defined, the assumptions of LineCache.sv about its user are
// proven: accesses are in the order of the claims and to the same place, and unstrobed bytes are as they were read.
module LineCache(
  input          clock, reset,
  output         io_claim_ready,
  input          io_claim_valid,
  input  [31:0]  io_claim_bits,
  output [5:0]   io_line,
  output         io_access_ready,
  input          io_access_valid,
  input  [5:0]   io_access_bits_line,
  input  [31:0]  io_access_bits_addr,
  output [127:0] io_row_bits,
  input          io_update_valid,
  input  [127:0] io_update_bits_data,
  input  [15:0]  io_update_bits_strb,
  input          io_dram_rd_ar_ready,
  output         io_dram_rd_ar_valid,
  output [31:0]  io_dram_rd_ar_bits_addr,
  output [7:0]   io_dram_rd_ar_bits_len,
  output         io_dram_rd_r_ready,
  input          io_dram_rd_r_valid,
  input  [127:0] io_dram_rd_r_bits_data,
  input  [1:0]   io_dram_rd_r_bits_resp,
  input          io_dram_rd_r_bits_last,
  input          io_dram_wr_aw_ready,
  output         io_dram_wr_aw_valid,
  output [31:0]  io_dram_wr_aw_bits_addr,
  output [7:0]   io_dram_wr_aw_bits_len,
  input          io_dram_wr_w_ready,
  output         io_dram_wr_w_valid,
  output [127:0] io_dram_wr_w_bits_data,
  output [15:0]  io_dram_wr_w_bits_strb,
  output         io_dram_wr_w_bits_last,
  input          io_dram_wr_b_valid,
  input  [1:0]   io_dram_wr_b_bits_resp,
  output         io_quiet,
  output         io_event_hit,
  output         io_event_miss
);
  // claim_ready, line, access_ready, quiet and `any` are undriven, so they are arbitrary.
  wire [127:0] any;
  reg  [127:0] row; // the whole table
  reg          active;
  wire         accesses = io_access_valid && io_access_ready;
  assign io_row_bits = active ? row : any;
  assign io_dram_rd_ar_valid = 0, io_dram_wr_aw_valid = 0, io_dram_wr_w_valid = 0;
  always @(posedge clock) begin
    active <= !reset && accesses;
    if (!reset && active && io_update_valid) row <= io_update_bits_data;
  end
`ifdef CACHE_USE
  localparam CLAIMS = 6; // of the map unit's caches
  `RIGID(6, one) // places are compared in an arbitrary bit
  reg  [2:0]   open; // claims without an access
  reg  [CLAIMS-1:0] places;
  wire         claims   = io_claim_valid && io_claim_ready;
  wire [63:0]  claimed  = {io_line, io_claim_bits};
  wire [63:0]  accessed = {io_access_bits_line, io_access_bits_addr};
  wire [2:0]   at       = open - accesses;
  integer i;
  reg spares; // unstrobed bytes are unchanged
  always @(*) begin
    spares = 1;
    for (i = 0; i < 16; i = i + 1)
      if (!io_update_bits_strb[i] && io_update_bits_data[8 * i +: 8] != io_row_bits[8 * i +: 8]) spares = 0;
  end
  always @(posedge clock) begin
    open <= reset ? 3'd0 : open + claims - accesses;
    for (i = 0; i < CLAIMS; i = i + 1)
      if (claims && at == i) places[i] <= claimed[one];
      else if (accesses && i + 1 < CLAIMS) places[i] <= places[i + 1];
    if (!reset) begin
      in_order:     assert (!io_access_valid || open != 0 && places[0] == accessed[one]);
      few_claims:   assert (open + active <= CLAIMS && (!io_claim_valid || open + active < CLAIMS));
      its_update:   assert (!io_update_valid || active && spares);
    end
  end
`endif
endmodule
