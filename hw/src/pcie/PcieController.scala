// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** The controller behind its PCIe endpoint, with one clock: wiring only. The other ports of OpenRemapTop go through. */
class PcieController(p: Params, e: PcieParams, coreBits: Int = 64) extends Module {
  require(e.vectors == p.queues, "a vector for each completion queue")
  val io          = IO(new PcieCorePorts(coreBits))
  val s_axil_fw   = FlatIO(new AxiLiteFlat("s_axil_fw", 16))
  val m_axi_dram  = FlatIO(new Axi4Flat("m_axi_dram", AxiParams(p.dramAddrBits)))
  val m_axi_nvram = FlatIO(new Axi4Flat("m_axi_nvram", AxiParams(p.nvramAddrBits)))
  val nand        = IO(Vec(p.g.channels, new NandPort(p)))
  val fw_irq      = IO(Output(Bool()))

  private val top      = Module(new OpenRemapTop(p))
  private val endpoint = Module(new PcieTlp(e, coreBits))

  endpoint.io.rx <> io.rx
  io.tx <> endpoint.io.tx
  io.npOk                   := endpoint.io.npOk
  endpoint.io.config        := io.config
  endpoint.io.functionReset := io.functionReset
  endpoint.io.linkUp        := io.linkUp
  io.errors                 := endpoint.io.errors
  top.s_axil_bar.asMaster(endpoint.io.bar)
  top.m_axi_host.asMasterOf(endpoint.io.host)
  endpoint.io.msix <> top.msix
  top.function_reset := endpoint.io.controllerReset

  s_axil_fw <> top.s_axil_fw
  m_axi_dram <> top.m_axi_dram
  m_axi_nvram <> top.m_axi_nvram
  nand <> top.nand
  fw_irq      := top.fw_irq
  top.skipped := 0.U
}
