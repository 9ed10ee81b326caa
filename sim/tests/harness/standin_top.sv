// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for the controller, with the ports of OpenRemapTop. Registers in its firmware window (standin.h) make it
// do one thing at a time: AXI bursts between a buffer and the three memories, NAND operations, interrupts, and
// deliberate protocol errors. The harness tests use it, so that a failed test points at the harness and not at the
// controller.
module StandIn #(
  parameter [31:0] MAP_VERSION = 0  // of the register map; given by CMake, from the generated header
) (
    input  logic clock,
    input  logic reset,

    input  logic         s_axil_bar_awvalid, output logic s_axil_bar_awready, input logic [13:0] s_axil_bar_awaddr,
    input  logic         s_axil_bar_wvalid, output logic s_axil_bar_wready, input logic [31:0] s_axil_bar_wdata,
    input  logic [3:0]   s_axil_bar_wstrb,
    output logic         s_axil_bar_bvalid, input logic s_axil_bar_bready, output logic [1:0] s_axil_bar_bresp,
    input  logic         s_axil_bar_arvalid, output logic s_axil_bar_arready, input logic [13:0] s_axil_bar_araddr,
    output logic         s_axil_bar_rvalid, input logic s_axil_bar_rready, output logic [31:0] s_axil_bar_rdata,
    output logic [1:0]   s_axil_bar_rresp,

    input  logic         s_axil_fw_awvalid, output logic s_axil_fw_awready, input logic [15:0] s_axil_fw_awaddr,
    input  logic         s_axil_fw_wvalid, output logic s_axil_fw_wready, input logic [31:0] s_axil_fw_wdata,
    input  logic [3:0]   s_axil_fw_wstrb,
    output logic         s_axil_fw_bvalid, input logic s_axil_fw_bready, output logic [1:0] s_axil_fw_bresp,
    input  logic         s_axil_fw_arvalid, output logic s_axil_fw_arready, input logic [15:0] s_axil_fw_araddr,
    output logic         s_axil_fw_rvalid, input logic s_axil_fw_rready, output logic [31:0] s_axil_fw_rdata,
    output logic [1:0]   s_axil_fw_rresp,

`define MASTER(p, A) \
    output logic p``_arvalid, input logic p``_arready, output logic [A-1:0] p``_araddr, output logic [7:0] p``_arlen, \
    output logic [2:0] p``_arsize, output logic [1:0] p``_arburst, output logic p``_arid, \
    input logic p``_rvalid, output logic p``_rready, input logic [127:0] p``_rdata, input logic [1:0] p``_rresp, \
    input logic p``_rlast, input logic p``_rid, \
    output logic p``_awvalid, input logic p``_awready, output logic [A-1:0] p``_awaddr, output logic [7:0] p``_awlen, \
    output logic [2:0] p``_awsize, output logic [1:0] p``_awburst, output logic p``_awid, \
    output logic p``_wvalid, input logic p``_wready, output logic [127:0] p``_wdata, output logic [15:0] p``_wstrb, \
    output logic p``_wlast, input logic p``_bvalid, output logic p``_bready, input logic [1:0] p``_bresp, \
    input logic p``_bid,
    `MASTER(m_axi_host, 64)
    `MASTER(m_axi_dram, 32)
    `MASTER(m_axi_nvram, 32)

`define NAND(i) \
    output logic nand_``i``_cmd_valid, input logic nand_``i``_cmd_ready, output logic [2:0] nand_``i``_cmd_bits_op, \
    output logic nand_``i``_cmd_bits_die, output logic [5:0] nand_``i``_cmd_bits_block, \
    output logic [4:0] nand_``i``_cmd_bits_page, output logic nand_``i``_cmd_bits_sub, \
    output logic [1:0] nand_``i``_cmd_bits_retry, \
    output logic nand_``i``_wdata_valid, input logic nand_``i``_wdata_ready, \
    output logic [127:0] nand_``i``_wdata_bits_data, output logic nand_``i``_wdata_bits_last, \
    input logic nand_``i``_rdata_valid, output logic nand_``i``_rdata_ready, \
    input logic [127:0] nand_``i``_rdata_bits_data, input logic nand_``i``_rdata_bits_last, \
    input logic nand_``i``_result_valid, output logic nand_``i``_result_ready, input logic nand_``i``_result_bits_die, \
    input logic [1:0] nand_``i``_result_bits_status, input logic nand_``i``_result_bits_weak,
    `NAND(0)
    `NAND(1)

    output logic        msix_valid,
    input  logic        msix_ready,
    output logic [2:0]  msix_bits,
    output logic        fw_irq,
    input  logic        function_reset,
    output logic        quiet,
    input  logic [31:0] skipped
);
  typedef enum logic [3:0] {
    IDLE, READ_ADDR, READ_DATA, WRITE_ADDR, WRITE_DATA, WRITE_RESP, NAND_CMD, NAND_WDATA, NAND_RDATA, DROP, RETRACT
  } state_e;

  localparam int WORDS = 258;
  logic [127:0] buffer [WORDS];

  state_e       state;
  logic [1:0]   bus;          // 0 host, 1 DRAM, 2 NVRAM
  logic [63:0]  addr;
  logic [7:0]   len;          // beats - 1
  logic [8:0]   word;
  logic [15:0]  strobe;
  logic [1:0]   resp;
  logic [31:0]  nand_cmd;
  logic         nand_channel;
  logic [31:0]  stall;        // cycles in which a NAND operation was awaited and nothing else done
  logic [2:0]   waiting;      // NAND operations under way
  logic [31:0]  bar_scratch, bar_event;
  logic         bar_pending;
  logic [7:0]   results [4];  // {valid, 3'b0, status, channel, die}
  logic         irq_enable;

  // ------------------------------------------------------------------ one master at a time
  wire bus_arready = bus == 0 ? m_axi_host_arready : bus == 1 ? m_axi_dram_arready : m_axi_nvram_arready;
  wire bus_rvalid  = bus == 0 ? m_axi_host_rvalid : bus == 1 ? m_axi_dram_rvalid : m_axi_nvram_rvalid;
  wire bus_rlast   = bus == 0 ? m_axi_host_rlast : bus == 1 ? m_axi_dram_rlast : m_axi_nvram_rlast;
  wire [1:0] bus_rresp = bus == 0 ? m_axi_host_rresp : bus == 1 ? m_axi_dram_rresp : m_axi_nvram_rresp;
  wire [127:0] bus_rdata = bus == 0 ? m_axi_host_rdata : bus == 1 ? m_axi_dram_rdata : m_axi_nvram_rdata;
  wire bus_awready = bus == 0 ? m_axi_host_awready : bus == 1 ? m_axi_dram_awready : m_axi_nvram_awready;
  wire bus_wready  = bus == 0 ? m_axi_host_wready : bus == 1 ? m_axi_dram_wready : m_axi_nvram_wready;
  wire bus_bvalid  = bus == 0 ? m_axi_host_bvalid : bus == 1 ? m_axi_dram_bvalid : m_axi_nvram_bvalid;
  wire [1:0] bus_bresp = bus == 0 ? m_axi_host_bresp : bus == 1 ? m_axi_dram_bresp : m_axi_nvram_bresp;

`define DRIVE(p, i, A) \
  assign p``_arvalid = state == READ_ADDR && bus == i; \
  assign p``_araddr = addr[A-1:0]; assign p``_arlen = len; assign p``_arsize = 3'd4; assign p``_arburst = 2'd1; \
  assign p``_arid = 0; assign p``_rready = state == READ_DATA && bus == i; \
  assign p``_awvalid = state == WRITE_ADDR && bus == i; \
  assign p``_awaddr = addr[A-1:0]; assign p``_awlen = len; assign p``_awsize = 3'd4; assign p``_awburst = 2'd1; \
  assign p``_awid = 0; assign p``_wvalid = (state == WRITE_DATA || state == RETRACT) && bus == i; \
  assign p``_wdata = buffer[word]; assign p``_wstrb = strobe; assign p``_wlast = word == {1'b0, len}; \
  assign p``_bready = state == WRITE_RESP && bus == i;
  `DRIVE(m_axi_host, 0, 64)
  `DRIVE(m_axi_dram, 1, 32)
  `DRIVE(m_axi_nvram, 2, 32)

  // ------------------------------------------------------------------ NAND
  wire nand_cmd_ready   = nand_channel ? nand_1_cmd_ready : nand_0_cmd_ready;
  wire nand_wdata_ready = nand_channel ? nand_1_wdata_ready : nand_0_wdata_ready;
  wire nand_rdata_valid = nand_channel ? nand_1_rdata_valid : nand_0_rdata_valid;
  wire nand_rdata_last  = nand_channel ? nand_1_rdata_bits_last : nand_0_rdata_bits_last;
  wire [127:0] nand_rdata = nand_channel ? nand_1_rdata_bits_data : nand_0_rdata_bits_data;
`define DRIVE_NAND(i) \
  assign nand_``i``_cmd_valid = state == NAND_CMD && nand_channel == i; \
  assign nand_``i``_cmd_bits_op = nand_cmd[2:0]; assign nand_``i``_cmd_bits_die = nand_cmd[4]; \
  assign nand_``i``_cmd_bits_block = nand_cmd[13:8]; assign nand_``i``_cmd_bits_page = nand_cmd[20:16]; \
  assign nand_``i``_cmd_bits_sub = 0; assign nand_``i``_cmd_bits_retry = 0; \
  assign nand_``i``_wdata_valid = state == NAND_WDATA && nand_channel == i; \
  assign nand_``i``_wdata_bits_data = buffer[word]; assign nand_``i``_wdata_bits_last = word == WORDS - 1; \
  assign nand_``i``_rdata_ready = state == NAND_RDATA && nand_channel == i; \
  assign nand_``i``_result_ready = 1;
  `DRIVE_NAND(0)
  `DRIVE_NAND(1)

  wire any_result = results[0][7] || results[1][7] || results[2][7] || results[3][7];
  assign fw_irq = irq_enable && (any_result || bar_pending);
  wire nand_answers = nand_0_result_valid || nand_1_result_valid;
  assign quiet = state == IDLE && !nand_answers && !msix_valid && !s_axil_fw_awvalid && !s_axil_fw_arvalid &&
                 !s_axil_bar_awvalid && !s_axil_bar_arvalid && !s_axil_fw_bvalid && !s_axil_fw_rvalid &&
                 !s_axil_bar_bvalid && !s_axil_bar_rvalid;

  // ------------------------------------------------------------------ register windows
  wire fw_write = s_axil_fw_awvalid && s_axil_fw_wvalid && !s_axil_fw_bvalid;
  wire fw_read  = s_axil_fw_arvalid && !s_axil_fw_rvalid;
  assign s_axil_fw_awready = fw_write;
  assign s_axil_fw_wready  = fw_write;
  assign s_axil_fw_arready = fw_read;
  wire bar_write = s_axil_bar_awvalid && s_axil_bar_wvalid && !s_axil_bar_bvalid;
  wire bar_read  = s_axil_bar_arvalid && !s_axil_bar_rvalid;
  assign s_axil_bar_awready = bar_write;
  assign s_axil_bar_wready  = bar_write;
  assign s_axil_bar_arready = bar_read;

  wire [8:0] rd_word = 9'((s_axil_fw_araddr - 16'h2000) >> 4);
  wire [8:0] wr_word = 9'((s_axil_fw_awaddr - 16'h2000) >> 4);

  always_ff @(posedge clock) begin
    if (msix_ready) msix_valid <= 0;
    if (waiting != 0 && state == IDLE && !nand_answers) stall <= stall + 1 + skipped;

    // firmware window
    if (s_axil_fw_bvalid && s_axil_fw_bready) s_axil_fw_bvalid <= 0;
    if (s_axil_fw_rvalid && s_axil_fw_rready) s_axil_fw_rvalid <= 0;
    if (fw_read) begin
      s_axil_fw_rvalid <= 1;
      s_axil_fw_rresp  <= 0;
      case (s_axil_fw_araddr)
        16'h0000: s_axil_fw_rdata <= 32'h504D524F;
        16'h0004: s_axil_fw_rdata <= MAP_VERSION;
        16'h0008: s_axil_fw_rdata <= {16'd4, 8'd2, 8'd2};
        16'h000C: s_axil_fw_rdata <= 4;
        16'h0010: s_axil_fw_rdata <= 16;
        16'h001C: s_axil_fw_rdata <= {16'd2, 16'd12};
        16'h0024: s_axil_fw_rdata <= {16'd256, 16'd4};
        16'h003C: s_axil_fw_rdata <= 8192;
        16'h0040: s_axil_fw_rdata <= 0;
        16'h0064: s_axil_fw_rdata <= 4096;
        16'h0068: s_axil_fw_rdata <= 4096;
        16'h100C: s_axil_fw_rdata <= {state != IDLE, 29'd0, resp};
        16'h101C: s_axil_fw_rdata <= bar_event;
        16'h1020: s_axil_fw_rdata <= stall;
        16'h1030: s_axil_fw_rdata <= {results[3], results[2], results[1], results[0]};
        default:
          if (s_axil_fw_araddr >= 16'h2000 && s_axil_fw_araddr < 16'h2000 + 16'(WORDS * 16))
            s_axil_fw_rdata <= buffer[rd_word][s_axil_fw_araddr[3:2]*32 +: 32];
          else s_axil_fw_rresp <= 2;
      endcase
    end
    if (fw_write) begin
      s_axil_fw_bvalid <= 1;
      s_axil_fw_bresp  <= 0;
      case (s_axil_fw_awaddr)
        16'h1000: begin
          word <= 0;
          len  <= s_axil_fw_wdata[15:8];
          bus  <= s_axil_fw_wdata[5:4];
          case (s_axil_fw_wdata[3:0])
            1: state <= READ_ADDR;
            2: state <= WRITE_ADDR;
            3: begin msix_valid <= 1; msix_bits <= s_axil_fw_wdata[18:16]; end
            4: $error("told to fail");
            5: state <= DROP;
            default: s_axil_fw_bresp <= 2;
          endcase
        end
        16'h1004: addr[31:0] <= s_axil_fw_wdata;
        16'h1008: addr[63:32] <= s_axil_fw_wdata;
        16'h1010: begin
          nand_cmd <= s_axil_fw_wdata;
          nand_channel <= s_axil_fw_wdata[31];
          word <= 0;
          state <= NAND_CMD;
        end
        16'h1014: strobe <= s_axil_fw_wdata[15:0];
        16'h1018: bar_pending <= 0;
        16'h1024: irq_enable <= s_axil_fw_wdata[0];
        16'h1034: results[s_axil_fw_wdata[1:0]] <= 0;
        default:
          if (s_axil_fw_awaddr >= 16'h2000 && s_axil_fw_awaddr < 16'h2000 + 16'(WORDS * 16))
            buffer[wr_word][s_axil_fw_awaddr[3:2]*32 +: 32] <= s_axil_fw_wdata;
          else s_axil_fw_bresp <= 2;
      endcase
    end

    // host window: a scratch register at 0, a doorbell at 0x1000
    if (s_axil_bar_bvalid && s_axil_bar_bready) s_axil_bar_bvalid <= 0;
    if (s_axil_bar_rvalid && s_axil_bar_rready) s_axil_bar_rvalid <= 0;
    if (bar_read) begin
      s_axil_bar_rvalid <= 1;
      s_axil_bar_rdata  <= bar_scratch;
      s_axil_bar_rresp  <= s_axil_bar_araddr == 0 ? 0 : 2;
    end
    if (bar_write) begin
      s_axil_bar_bvalid <= 1;
      s_axil_bar_bresp  <= 0;
      case (s_axil_bar_awaddr)
        14'h0000: bar_scratch <= s_axil_bar_wdata;
        14'h1000: begin bar_event <= s_axil_bar_wdata; bar_pending <= 1; end
        default: s_axil_bar_bresp <= 2;
      endcase
    end
    if (function_reset) bar_scratch <= 0;

    // what was started
    case (state)
      READ_ADDR: if (bus_arready) state <= READ_DATA;
      READ_DATA: if (bus_rvalid) begin
        buffer[word] <= bus_rdata;
        resp <= bus_rresp;
        word <= word + 1;
        if (bus_rlast) state <= IDLE;
      end
      WRITE_ADDR: if (bus_awready) state <= WRITE_DATA;
      WRITE_DATA: if (bus_wready) begin
        word <= word + 1;
        if (word == {1'b0, len}) state <= WRITE_RESP;
      end
      WRITE_RESP: if (bus_bvalid) begin resp <= bus_bresp; state <= IDLE; end
      NAND_CMD: if (nand_cmd_ready) begin
        state <= nand_cmd[2:0] == 3 ? NAND_WDATA : nand_cmd[2:0] == 2 ? NAND_RDATA : IDLE;
      end
      NAND_WDATA: if (nand_wdata_ready) begin
        word <= word + 1;
        if (word == WORDS - 1) state <= IDLE;
      end
      NAND_RDATA: if (nand_rdata_valid) begin
        buffer[word] <= nand_rdata;
        word <= word + 1;
        if (nand_rdata_last) state <= IDLE;
      end
      DROP: state <= RETRACT;  // data without an address is never taken ...
      RETRACT: state <= IDLE;  // ... and is withdrawn
      default: ;
    endcase
    waiting <= waiting + 3'(state == NAND_CMD && nand_cmd_ready && nand_cmd[2:0] != 2)
                       - 3'(nand_0_result_valid) - 3'(nand_1_result_valid);
    if (nand_0_result_valid)
      results[{1'b0, nand_0_result_bits_die}] <= {1'b1, 3'd0, nand_0_result_bits_status, 1'b0, nand_0_result_bits_die};
    if (nand_1_result_valid)
      results[{1'b1, nand_1_result_bits_die}] <= {1'b1, 3'd0, nand_1_result_bits_status, 1'b1, nand_1_result_bits_die};

    if (reset) begin
      state <= IDLE;
      s_axil_fw_bvalid <= 0; s_axil_fw_rvalid <= 0; s_axil_bar_bvalid <= 0; s_axil_bar_rvalid <= 0;
      strobe <= 16'hFFFF;
      addr <= 0;
      stall <= 0;
      waiting <= 0;
      irq_enable <= 0;
      bar_pending <= 0;
      bar_event <= 0;
      bar_scratch <= 0;
      for (int i = 0; i < 4; i++) results[i] <= 0;
    end
  end
endmodule
