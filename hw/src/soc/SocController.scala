// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The controller with what its CPU needs at its side: wiring only. soc/ puts LiteX's CPU, memories and peripherals
  * around it. The ports of OpenRemapTop go through, but for the firmware's window, which the CPU has.
  *
  * @param gated
  *   clocks of the controller's idle units stop (SimulatedSoc)
  */
class SocController(p: Params, gated: Boolean = false) extends Module {
  val s_axil_bar     = FlatIO(new AxiLiteFlat("s_axil_bar", 14))
  val m_axi_host     = FlatIO(new Axi4Flat("m_axi_host", AxiParams(64)))
  val m_axi_dram     = FlatIO(new Axi4Flat("m_axi_dram", AxiParams(p.dramAddrBits)))
  val m_axi_nvram    = FlatIO(new Axi4Flat("m_axi_nvram", AxiParams(p.nvramAddrBits)))
  val nand           = IO(Vec(p.g.channels, new NandPort(p)))
  val msix           = IO(Decoupled(UInt(p.vectorBits.W)))
  val function_reset = IO(Input(Bool()))
  val quiet          = IO(Output(Bool()))
  val skipped        = IO(Input(UInt(32.W)))
  // The CPU's buses: DRAM, NVRAM, the firmware's window, SocRegs.
  val wb_dram  = IO(Flipped(new Wishbone))
  val wb_nvram = IO(Flipped(new Wishbone))
  val wb_fw    = IO(Flipped(new Wishbone))
  val wb_regs  = IO(Flipped(new Wishbone))
  // Its accesses as they are on their way to its bus, and the end of those that take too long (BusFaults).
  val cpu_fetch   = IO(Input(new WatchedBus))
  val cpu_data    = IO(Input(new WatchedBus))
  val cpu_expired = IO(Output(Vec(2, Bool())))
  val cpu_fault   = IO(Output(Bool())) // an interrupt
  // Its own ports to the memories.
  val m_axi_cpu_dram  = FlatIO(new Axi4Flat("m_axi_cpu_dram", AxiParams(p.dramAddrBits)))
  val m_axi_cpu_nvram = FlatIO(new Axi4Flat("m_axi_cpu_nvram", AxiParams(p.nvramAddrBits)))

  private val top   = Module(new OpenRemapTop(p, gated))
  private val regs  = Module(new SocRegs)
  private val dram  = Module(new DramBridge(AxiParams(p.dramAddrBits)))
  private val nvram = Module(new NvramBridge(AxiParams(p.nvramAddrBits)))
  private val fw    = Module(new FwBridge(16))
  private val wrong = Module(new BusFaults)

  val temperature = IO(Input(chiselTypeOf(regs.io.temperature)))
  val trial       = IO(Input(chiselTypeOf(regs.io.trial)))
  val fw_state    = IO(Output(chiselTypeOf(regs.io.state)))
  // As SocRegs has them: the CPU waits, for an interrupt only, for so many cycles.
  val cpu_waiting = IO(Output(Bool()))
  val cpu_idle    = IO(Output(Bool()))
  val cpu_left    = IO(Output(chiselTypeOf(regs.io.sim.left)))

  s_axil_bar <> top.s_axil_bar
  m_axi_host <> top.m_axi_host
  m_axi_dram <> top.m_axi_dram
  m_axi_nvram <> top.m_axi_nvram
  nand <> top.nand
  msix <> top.msix
  top.function_reset := function_reset
  top.skipped        := skipped
  quiet              := top.quiet && dram.io.drained

  wb_regs <> regs.io.bus
  regs.io.irq         := top.fw_irq
  regs.io.skipped     := skipped
  regs.io.temperature := temperature
  fw_state            := regs.io.state
  regs.io.trial       := trial
  cpu_waiting         := regs.io.sim.waiting
  cpu_idle            := regs.io.sim.idle
  cpu_left            := regs.io.sim.left

  wrong.io.fetch      := cpu_fetch
  wrong.io.data       := cpu_data
  wrong.io.clear      := regs.io.faultClear
  wrong.io.lost.valid := dram.io.lost.valid
  wrong.io.lost.bits  := SocRegMap.dram.U | dram.io.lost.bits
  cpu_expired         := wrong.io.expired
  cpu_fault           := wrong.io.fault.cause.orR
  regs.io.fault       := wrong.io.fault

  wb_dram <> dram.io.bus
  m_axi_cpu_dram.asMaster(dram.io.axi.rd, dram.io.axi.wr)
  wb_nvram <> nvram.io.bus
  m_axi_cpu_nvram.asMaster(nvram.io.axi.rd, nvram.io.axi.wr)
  wb_fw <> fw.io.bus
  fw.io.drained    := dram.io.drained
  nvram.io.drained := dram.io.drained
  dram.io.hurry    := fw.io.waits || nvram.io.waits
  top.s_axil_fw.asMaster(fw.io.window)
}
