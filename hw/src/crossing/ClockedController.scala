// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The controller with a clock of its own: wiring only. Its buses, interrupts and the function's reset are in the clock
  * `bus`, that of memories, CPU and host. The NAND ports stay in the clock `controller`.
  */
class ClockedController(p: Params) extends ClockedModule {
  private val controller = new Side("controller")
  private val bus        = new Side("bus")
  val s_axil_bar         = FlatIO(new AxiLiteFlat("s_axil_bar", 14))
  val s_axil_fw          = FlatIO(new AxiLiteFlat("s_axil_fw", 16))
  val m_axi_host         = FlatIO(new Axi4Flat("m_axi_host", AxiParams(64)))
  val m_axi_dram         = FlatIO(new Axi4Flat("m_axi_dram", AxiParams(p.dramAddrBits)))
  val m_axi_nvram        = FlatIO(new Axi4Flat("m_axi_nvram", AxiParams(p.nvramAddrBits)))
  val nand               = IO(Vec(p.g.channels, new NandPort(p)))
  val msix               = IO(Decoupled(UInt(p.vectorBits.W)))
  val fw_irq             = IO(Output(Bool()))
  val function_reset     = IO(Input(Bool())) // a pulse or a level

  private val top = controller(Module(new OpenRemapTop(p)))
  slave(s_axil_bar, bus, top.s_axil_bar, controller, "bar")
  slave(s_axil_fw, bus, top.s_axil_fw, controller, "fw")
  master(top.m_axi_host, controller, m_axi_host, bus, "host")
  master(top.m_axi_dram, controller, m_axi_dram, bus, "dram")
  master(top.m_axi_nvram, controller, m_axi_nvram, bus, "nvram")
  interrupts(top.msix, controller, msix, bus, "interrupts")
  level(top.fw_irq, controller, fw_irq, bus, "irq")
  event(function_reset, bus, top.function_reset, controller, "functionReset")
  nand <> top.nand
  top.skipped := 0.U
}
