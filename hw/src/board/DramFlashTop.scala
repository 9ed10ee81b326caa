// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The controller with its flash in DRAM: wiring only. The ports of OpenRemapTop go through, but for the NAND ports:
  * behind each is a NandInDram, with an AXI master of its own. All of them are for one DRAM, a region each.
  */
class DramFlashTop(p: Params) extends Module {
  private val channels = p.g.channels
  val s_axil_bar       = FlatIO(new AxiLiteFlat("s_axil_bar", 14))
  val s_axil_fw        = FlatIO(new AxiLiteFlat("s_axil_fw", 16))
  val m_axi_host       = FlatIO(new Axi4Flat("m_axi_host", AxiParams(64)))
  val m_axi_dram       = FlatIO(new Axi4Flat("m_axi_dram", AxiParams(p.dramAddrBits)))
  val m_axi_nvram      = FlatIO(new Axi4Flat("m_axi_nvram", AxiParams(p.nvramAddrBits)))
  val m_axi_flash      =
    Seq.tabulate(channels)(i => FlatIO(new Axi4Flat(s"m_axi_flash_$i", AxiParams(p.dramAddrBits))))
  val msix           = IO(Decoupled(UInt(p.vectorBits.W)))
  val fw_irq         = IO(Output(Bool()))
  val function_reset = IO(Input(Bool()))
  val quiet          = IO(Output(Bool()))
  val skipped        = IO(Input(UInt(32.W)))
  // Of the flash: its times; DRAM has lost it; what a checker sees of the NAND ports.
  val flash_times  = IO(Input(new FlashTimes))
  val flash_forget = IO(Input(Bool()))
  val seen         = IO(Output(Vec(channels, new NandPort(p))))

  private val top   = Module(new OpenRemapTop(p))
  private val flash = DramFlashTop.layouts(p).map(l => Module(new NandInDram(l)))

  s_axil_bar <> top.s_axil_bar
  s_axil_fw <> top.s_axil_fw
  m_axi_host <> top.m_axi_host
  m_axi_dram <> top.m_axi_dram
  m_axi_nvram <> top.m_axi_nvram
  msix <> top.msix
  fw_irq             := top.fw_irq
  top.function_reset := function_reset
  top.skipped        := skipped
  quiet              := top.quiet &&
    VecInit(flash.map(f => f.io.ready && f.io.idle && !f.io.nand.cmd.valid && !f.io.nand.wdata.valid)).asUInt.andR
  for ((f, i) <- flash.zipWithIndex) {
    f.io.nand <> top.nand(i)
    m_axi_flash(i).asMaster(f.io.axi.rd, f.io.axi.wr)
    f.io.times  := flash_times
    f.io.forget := flash_forget
    seen(i) :#= top.nand(i)
  }
}

object DramFlashTop {

  /** Those of the channels, one behind the other. */
  def layouts(p: Params): Seq[FlashLayout] =
    Seq.iterate(FlashLayout(p), p.g.channels)(before => FlashLayout(p, base = before.end))
}
