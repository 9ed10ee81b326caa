// SPDX-License-Identifier: Apache-2.0
// Protocol checker of AXI4-Lite (ARM IHI 0022, B1) for a register port of the controller. Every simulation of the
// controller binds it (OpenRemapTop.sv).
module AxiLiteSlaveRules #(
  parameter NAME = "?",
  parameter ADDR = 16
) (
  input            clock, reset,
  input            awvalid, awready,
  input [ADDR-1:0] awaddr,
  input            wvalid, wready,
  input [31:0]     wdata,
  input [3:0]      wstrb,
  input            bvalid, bready,
  input [1:0]      bresp,
  input            arvalid, arready,
  input [ADDR-1:0] araddr,
  input            rvalid, rready,
  input [31:0]     rdata,
  input [1:0]      rresp
);
`ifndef SYNTHESIS
  // A3.2.1: an offer stays unchanged until it is accepted. Applies to both sides.
  reg            aw_held, w_held, b_held, ar_held, r_held;
  reg [ADDR-1:0] aw_was, ar_was;
  reg [35:0]     w_was;
  reg [1:0]      b_was;
  reg [33:0]     r_was;
  // Accepted, but not answered.
  reg [15:0] addresses, data, reads;

  always @(posedge clock) begin
    if (reset) begin
      aw_held <= 0;
      w_held <= 0;
      b_held <= 0;
      ar_held <= 0;
      r_held <= 0;
      addresses <= 0;
      data <= 0;
      reads <= 0;
    end else begin
      if (aw_held) assert (awvalid && awaddr == aw_was) else $error("%s AW: fell or changed before ready", NAME);
      if (w_held) assert (wvalid && {wdata, wstrb} == w_was) else $error("%s W: fell or changed before ready", NAME);
      if (ar_held) assert (arvalid && araddr == ar_was) else $error("%s AR: fell or changed before ready", NAME);
      if (b_held) assert (bvalid && bresp == b_was) else $error("%s B: fell or changed before ready", NAME);
      if (r_held) assert (rvalid && {rdata, rresp} == r_was) else $error("%s R: fell or changed before ready", NAME);
      aw_held <= awvalid && !awready;
      w_held <= wvalid && !wready;
      ar_held <= arvalid && !arready;
      b_held <= bvalid && !bready;
      r_held <= rvalid && !rready;
      if (awvalid && !awready) aw_was <= awaddr;
      if (wvalid && !wready) w_was <= {wdata, wstrb};
      if (arvalid && !arready) ar_was <= araddr;
      if (bvalid && !bready) b_was <= bresp;
      if (rvalid && !rready) r_was <= {rdata, rresp};

      if (bvalid) assert (addresses != 0 && data != 0) else $error("%s B: response without a write", NAME);
      if (rvalid) assert (reads != 0) else $error("%s R: response without a read", NAME);
      addresses <= addresses + 16'(awvalid && awready) - 16'(bvalid && bready);
      data <= data + 16'(wvalid && wready) - 16'(bvalid && bready);
      reads <= reads + 16'(arvalid && arready) - 16'(rvalid && rready);
    end
  end
`endif
endmodule
