// SPDX-License-Identifier: Apache-2.0
// Binds the bus protocol checkers to the controller. Test benches find a port's signals by their prefix, so the names
// of the instances must not begin with one.
`define AXI_MASTER_RULES(PORT, BITS) \
  bind OpenRemapTop AxiMasterRules #(.NAME(`"PORT`"), .ADDR(BITS)) rules_of_``PORT ( \
    .clock(clock), .reset(reset), \
    .awvalid(PORT``_awvalid), .awready(PORT``_awready), .awaddr(PORT``_awaddr), .awlen(PORT``_awlen), \
    .awsize(PORT``_awsize), .awburst(PORT``_awburst), \
    .wvalid(PORT``_wvalid), .wready(PORT``_wready), .wdata(PORT``_wdata), .wstrb(PORT``_wstrb), .wlast(PORT``_wlast), \
    .bvalid(PORT``_bvalid), .bready(PORT``_bready), \
    .arvalid(PORT``_arvalid), .arready(PORT``_arready), .araddr(PORT``_araddr), .arlen(PORT``_arlen), \
    .arsize(PORT``_arsize), .arburst(PORT``_arburst), \
    .rvalid(PORT``_rvalid), .rready(PORT``_rready));

`define AXI_LITE_SLAVE_RULES(PORT, BITS) \
  bind OpenRemapTop AxiLiteSlaveRules #(.NAME(`"PORT`"), .ADDR(BITS)) rules_of_``PORT ( \
    .clock(clock), .reset(reset), \
    .awvalid(PORT``_awvalid), .awready(PORT``_awready), .awaddr(PORT``_awaddr), \
    .wvalid(PORT``_wvalid), .wready(PORT``_wready), .wdata(PORT``_wdata), .wstrb(PORT``_wstrb), \
    .bvalid(PORT``_bvalid), .bready(PORT``_bready), .bresp(PORT``_bresp), \
    .arvalid(PORT``_arvalid), .arready(PORT``_arready), .araddr(PORT``_araddr), \
    .rvalid(PORT``_rvalid), .rready(PORT``_rready), .rdata(PORT``_rdata), .rresp(PORT``_rresp));

`AXI_MASTER_RULES(m_axi_dram, $bits(m_axi_dram_awaddr))
`AXI_MASTER_RULES(m_axi_nvram, $bits(m_axi_nvram_awaddr))
`AXI_MASTER_RULES(m_axi_host, $bits(m_axi_host_awaddr))
`AXI_LITE_SLAVE_RULES(s_axil_bar, $bits(s_axil_bar_awaddr))
`AXI_LITE_SLAVE_RULES(s_axil_fw, $bits(s_axil_fw_awaddr))
