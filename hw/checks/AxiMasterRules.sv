// SPDX-License-Identifier: Apache-2.0
// Protocol checker of AXI4 (ARM IHI 0022) for a port that the controller drives, for the subset that it uses: INCR
// bursts of full-width, aligned beats. It also checks the slave. Every simulation of the controller binds it
// (OpenRemapTop.sv).
module AxiMasterRules #(
  parameter NAME = "?",
  parameter ADDR = 32
) (
  input             clock, reset,
  input             awvalid, awready,
  input [ADDR-1:0]  awaddr,
  input [7:0]       awlen,
  input [2:0]       awsize,
  input [1:0]       awburst,
  input             wvalid, wready,
  input [127:0]     wdata,
  input [15:0]      wstrb,
  input             wlast,
  input             bvalid, bready,
  input             arvalid, arready,
  input [ADDR-1:0]  araddr,
  input [7:0]       arlen,
  input [2:0]       arsize,
  input [1:0]       arburst,
  input             rvalid, rready
);
`ifndef SYNTHESIS
  localparam [2:0] FULL_WIDTH = 3'd4;  // log2 of 16 bytes
  localparam [1:0] INCR = 2'd1;

  // A3.2.1: an offer stays unchanged until it is accepted.
  reg             aw_held, w_held, ar_held;
  reg [ADDR+12:0] aw_was, ar_was;
  reg [144:0]     w_was;
  wire [ADDR+12:0] aw = {awaddr, awlen, awsize, awburst};
  wire [ADDR+12:0] ar = {araddr, arlen, arsize, arburst};
  wire [144:0]     w = {wdata, wstrb, wlast};

  // A3.4.1: no burst crosses 4 KiB.
  wire [12:0] aw_end = {1'b0, awaddr[11:0]} + (({5'b0, awlen} + 13'd1) << FULL_WIDTH);
  wire [12:0] ar_end = {1'b0, araddr[11:0]} + (({5'b0, arlen} + 13'd1) << FULL_WIDTH);

  // Bursts of write data without an address yet, addresses without their data yet, and outstanding responses.
  byte unsigned addressed[$], written[$];
  reg [7:0]     beat;
  int unsigned  b_owed, r_owed;

  // Only this process uses the queues and counts; it updates them with blocking assignments.
  /* verilator lint_off BLKSEQ */
  always @(posedge clock) begin
    if (reset) begin
      aw_held <= 0;
      w_held <= 0;
      ar_held <= 0;
      beat <= 0;
      b_owed = 0;
      r_owed = 0;
      addressed.delete();
      written.delete();
    end else begin
      if (aw_held) assert (awvalid && aw == aw_was) else $error("%s AW: fell or changed before ready", NAME);
      if (w_held) assert (wvalid && w == w_was) else $error("%s W: fell or changed before ready", NAME);
      if (ar_held) assert (arvalid && ar == ar_was) else $error("%s AR: fell or changed before ready", NAME);
      aw_held <= awvalid && !awready;
      w_held <= wvalid && !wready;
      ar_held <= arvalid && !arready;
      if (awvalid && !awready) aw_was <= aw;
      if (wvalid && !wready) w_was <= w;
      if (arvalid && !arready) ar_was <= ar;

      if (bvalid && bready) begin
        assert (b_owed != 0) else $error("%s B: response without a write", NAME);
        b_owed--;
      end
      if (rvalid && rready) begin
        assert (r_owed != 0) else $error("%s R: data without a read", NAME);
        r_owed--;
      end
      if (awvalid && awready) begin
        assert (awburst == INCR && awsize == FULL_WIDTH && awaddr[3:0] == 0 && aw_end <= 13'd4096)
          else $error("%s AW: address %x, length %0d, size %0d, burst %0d", NAME, awaddr, awlen, awsize, awburst);
        addressed.push_back(awlen);
      end
      if (arvalid && arready) begin
        assert (arburst == INCR && arsize == FULL_WIDTH && araddr[3:0] == 0 && ar_end <= 13'd4096)
          else $error("%s AR: address %x, length %0d, size %0d, burst %0d", NAME, araddr, arlen, arsize, arburst);
        r_owed += 32'(arlen) + 1;
      end
      if (wvalid && wready) begin
        assert (wlast || beat != 8'hFF) else $error("%s W: burst of more than 256 beats", NAME);
        if (wlast) written.push_back(beat);
        beat <= wlast ? 8'd0 : beat + 8'd1;
      end
      while (addressed.size() != 0 && written.size() != 0) begin
        assert (addressed[0] == written[0])
          else $error("%s W: burst of %0d beats; its address says %0d", NAME, written[0] + 1, addressed[0] + 1);
        void'(addressed.pop_front());
        void'(written.pop_front());
        b_owed++;
      end
    end
  end
  /* verilator lint_on BLKSEQ */
`endif
endmodule
