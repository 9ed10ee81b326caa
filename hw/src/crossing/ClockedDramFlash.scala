// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The controller and its flash in DRAM with a clock of their own: wiring only. All ports are in the clock `bus`, that
  * of memories, CPU and host.
  */
class ClockedDramFlash(p: Params) extends ClockedModule {
  private val controller = new Side("controller")
  private val bus        = new Side("bus")
  private val channels   = p.g.channels
  val s_axil_bar         = FlatIO(new AxiLiteFlat("s_axil_bar", 14))
  val s_axil_fw          = FlatIO(new AxiLiteFlat("s_axil_fw", 16))
  val m_axi_host         = FlatIO(new Axi4Flat("m_axi_host", AxiParams(64)))
  val m_axi_dram         = FlatIO(new Axi4Flat("m_axi_dram", AxiParams(p.dramAddrBits)))
  val m_axi_nvram        = FlatIO(new Axi4Flat("m_axi_nvram", AxiParams(p.nvramAddrBits)))
  val m_axi_flash        =
    Seq.tabulate(channels)(i => FlatIO(new Axi4Flat(s"m_axi_flash_$i", AxiParams(p.dramAddrBits))))
  val msix           = IO(Decoupled(UInt(p.vectorBits.W)))
  val fw_irq         = IO(Output(Bool()))
  val function_reset = IO(Input(Bool())) // a pulse or a level
  val flash_times    = IO(Input(new FlashTimes))
  val flash_forget   = IO(Input(Bool())) // with the reset's end: set before it, and held

  private val top = controller(Module(new DramFlashTop(p)))
  slave(s_axil_bar, bus, top.s_axil_bar, controller, "bar")
  slave(s_axil_fw, bus, top.s_axil_fw, controller, "fw")
  master(top.m_axi_host, controller, m_axi_host, bus, "host")
  master(top.m_axi_dram, controller, m_axi_dram, bus, "dram")
  master(top.m_axi_nvram, controller, m_axi_nvram, bus, "nvram")
  for (i <- 0 until channels) master(top.m_axi_flash(i), controller, m_axi_flash(i), bus, s"flash$i")
  interrupts(top.msix, controller, msix, bus, "interrupts")
  level(top.fw_irq, controller, fw_irq, bus, "irq")
  event(function_reset, bus, top.function_reset, controller, "functionReset")
  value(flash_times, bus, top.flash_times, controller, "flashTimes")
  strap(flash_forget, bus, top.flash_forget, controller, "flashForget")
  top.skipped := 0.U
}
