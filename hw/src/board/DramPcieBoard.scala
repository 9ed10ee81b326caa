// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** What DramPcieBoard has in the controller's clock: wiring only. The host's side goes through. */
class DramPcieSide(p: Params, megahertz: Int) extends DramBoardModule(p, megahertz, DramPcieBoard.flash) {
  val s_axil_bar     = FlatIO(new AxiLiteFlat("s_axil_bar", 14))
  val m_axi_host     = FlatIO(new Axi4Flat("m_axi_host", AxiParams(64)))
  val msix           = IO(Decoupled(UInt(p.vectorBits.W)))
  val function_reset = IO(Input(Bool()))
  val flash_times    = IO(Input(new FlashTimes))

  s_axil_bar <> top.s_axil_bar
  m_axi_host <> top.m_axi_host
  msix <> top.msix
  top.function_reset := function_reset
  top.flash_times    := flash_times
  join(None)
}

/** The controller of a board with PCIe whose only memory is one DRAM, with the endpoint and what the CPU needs at its
  * side: wiring only. The endpoint has the clock `core`, that of the PCIe core. Controller, CPU and DRAM have the clock
  * `controller`.
  *
  * DRAM has lost its content when the board gets its supply, so each reset begins with an empty flash.
  *
  * @param megahertz
  *   of the clock `controller`
  */
class DramPcieBoard(p: Params, e: PcieParams, megahertz: Int) extends ClockedPcieModule {
  require(e.vectors == p.queues, "a vector for each completion queue")
  private val controller = new Side("controller")
  private val core       = new Side("core")

  val pcie        = IO(new PcieCorePorts(DramPcieBoard.coreBits))
  val m_axi       = FlatIO(new Axi4Flat("m_axi", AxiParams(DramBoard.addrBits)))
  val flash_times = IO(Input(new FlashTimes))
  val wb_dram     = IO(Flipped(new Wishbone))
  val wb_nvram    = IO(Flipped(new Wishbone))
  val wb_fw       = IO(Flipped(new Wishbone))
  val wb_regs     = IO(Flipped(new Wishbone))
  val cpu_fetch   = IO(Input(new WatchedBus))
  val cpu_data    = IO(Input(new WatchedBus))
  val cpu_expired = IO(Output(Vec(2, Bool())))
  val cpu_fault   = IO(Output(Bool()))

  private val side     = controller(Module(new DramPcieSide(p, megahertz)))
  private val endpoint = core(Module(new PcieTlp(e, DramPcieBoard.coreBits)))

  val fw_state = IO(Output(chiselTypeOf(side.fw_state)))

  // ------------------------------------------------------------------ host
  host(pcie, endpoint, core)(side.s_axil_bar, side.m_axi_host, side.msix, side.function_reset, controller)

  // ------------------------------------------------------------------ CPU and memory
  m_axi <> side.m_axi
  side.wb_dram <> wb_dram
  side.wb_nvram <> wb_nvram
  side.wb_fw <> wb_fw
  side.wb_regs <> wb_regs
  side.cpu_fetch    := cpu_fetch
  side.cpu_data     := cpu_data
  cpu_expired       := side.cpu_expired
  cpu_fault         := side.cpu_fault
  fw_state          := side.fw_state
  side.flash_times  := flash_times
  side.flash_forget := true.B
}

object DramPcieBoard {

  /** Of the PCIe core's streams, for four lanes at 5 GT/s and a clock of 250 MHz. */
  val coreBits = 64

  /** The host has its own memory: there is more room for flash. */
  val flash = DramRegion(DramBoard.Map.host.base, DramBoard.Map.host.bytes)

  /** The endpoint for this controller. A read that the host does not answer fails after 10 ms of the core's 250 MHz. */
  def endpoint(p: Params): PcieParams = PcieParams(vectors = p.queues)
}
