// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** The controller behind its PCIe endpoint, each with a clock of its own: wiring only. The endpoint has the clock
  * `core`, that of the PCIe core. Memories and CPU are in the clock `bus`, the NAND ports in the clock `controller`.
  */
class ClockedPcieController(p: Params, e: PcieParams, coreBits: Int = 64) extends ClockedPcieModule {
  require(e.vectors == p.queues, "a vector for each completion queue")
  private val controller = new Side("controller")
  private val core       = new Side("core")
  private val bus        = new Side("bus")
  val io                 = IO(new PcieCorePorts(coreBits))
  val s_axil_fw          = FlatIO(new AxiLiteFlat("s_axil_fw", 16))
  val m_axi_dram         = FlatIO(new Axi4Flat("m_axi_dram", AxiParams(p.dramAddrBits)))
  val m_axi_nvram        = FlatIO(new Axi4Flat("m_axi_nvram", AxiParams(p.nvramAddrBits)))
  val nand               = IO(Vec(p.g.channels, new NandPort(p)))
  val fw_irq             = IO(Output(Bool()))

  private val top      = controller(Module(new OpenRemapTop(p)))
  private val endpoint = core(Module(new PcieTlp(e, coreBits)))

  host(io, endpoint, core)(top.s_axil_bar, top.m_axi_host, top.msix, top.function_reset, controller)

  slave(s_axil_fw, bus, top.s_axil_fw, controller, "fw")
  master(top.m_axi_dram, controller, m_axi_dram, bus, "dram")
  master(top.m_axi_nvram, controller, m_axi_nvram, bus, "nvram")
  nand <> top.nand
  level(top.fw_irq, controller, fw_irq, bus, "irq")
  top.skipped := 0.U
}
