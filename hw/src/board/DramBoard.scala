// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** A part of a board's DRAM, in bytes. Both are powers of two, or the base is a multiple of the size. */
case class DramRegion(base: BigInt, bytes: BigInt) {
  require(isPow2(bytes) && base % bytes == 0)

  /** An address inside the region: its low bits behind the base. */
  def apply(addr: UInt, addrBits: Int): UInt = base.U(addrBits.W) | addr(log2Ceil(bytes) - 1, 0)
}

/** The controller of a board whose only memory is one DRAM, with what its CPU needs at its side, and without its host.
  * Flash, the controller's DRAM and NVRAM are regions of that DRAM; one AXI master reaches all of them. `wb_dram` has
  * the whole DRAM. soc/boards puts CPU and DRAM controller around it.
  *
  * A class of this kind wires the host's side of `top`, and ends with `join`.
  *
  * @param megahertz
  *   of the clock. The firmware counts time in cycles of ClockHz; a cycle here counts as several of them.
  * @param flash
  *   where the flash is in DRAM
  */
abstract class DramBoardModule(p: Params, megahertz: Int, flash: DramRegion) extends Module {
  import DramBoard._
  protected val a = AxiParams(addrBits)

  val m_axi        = FlatIO(new Axi4Flat("m_axi", a))
  val flash_forget = IO(Input(Bool())) // DRAM has lost the flash
  // Buses of the CPU: DRAM, NVRAM, the firmware's window, SocRegs.
  val wb_dram  = IO(Flipped(new Wishbone))
  val wb_nvram = IO(Flipped(new Wishbone))
  val wb_fw    = IO(Flipped(new Wishbone))
  val wb_regs  = IO(Flipped(new Wishbone))
  // As SocController has them.
  val cpu_fetch   = IO(Input(new WatchedBus))
  val cpu_data    = IO(Input(new WatchedBus))
  val cpu_expired = IO(Output(Vec(2, Bool())))
  val cpu_fault   = IO(Output(Bool()))

  require(firmwareMegahertz % megahertz == 0, "a cycle is a whole number of the firmware's")
  require(p.dramBytes <= Map.dram.bytes && p.nvramBytes <= Map.nvram.bytes, "the controller's memories fit")
  require(DramFlashTop.layouts(p).last.end <= flash.bytes, "the flash fits")

  protected val top  = Module(new DramFlashTop(p))
  private val regs   = Module(new SocRegs)
  protected val dram = Module(new DramBridge(a))
  private val nvram  = Module(new NvramBridge(AxiParams(p.nvramAddrBits)))
  private val fw     = Module(new FwBridge(16))
  private val wrong  = Module(new BusFaults)

  val fw_state = IO(Output(chiselTypeOf(regs.io.state)))

  // ------------------------------------------------------------------ the CPU's side
  top.flash_forget := flash_forget
  top.skipped      := 0.U

  wb_regs <> regs.io.bus
  regs.io.irq         := top.fw_irq
  regs.io.skipped     := (firmwareMegahertz / megahertz - 1).U
  regs.io.temperature := 0.U
  regs.io.trial       := 0.U.asTypeOf(regs.io.trial)
  fw_state            := regs.io.state

  wrong.io.fetch      := cpu_fetch
  wrong.io.data       := cpu_data
  wrong.io.clear      := regs.io.faultClear
  wrong.io.lost.valid := dram.io.lost.valid
  wrong.io.lost.bits  := SocRegMap.dram.U | dram.io.lost.bits
  cpu_expired         := wrong.io.expired
  cpu_fault           := wrong.io.fault.cause.orR
  regs.io.fault       := wrong.io.fault

  wb_dram <> dram.io.bus
  wb_nvram <> nvram.io.bus
  wb_fw <> fw.io.bus
  fw.io.drained    := dram.io.drained
  nvram.io.drained := dram.io.drained
  protected val hurries: Bool = fw.io.waits || nvram.io.waits
  dram.io.hurry := hurries
  top.s_axil_fw.asMaster(fw.io.window)

  // ------------------------------------------------------------------ one DRAM for all
  /** A bus whose addresses lie in a region, as its unit has been made. */
  private def within(region: DramRegion, bus: Axi4): Axi4 = {
    val moved = Wire(new Axi4(a))
    moved <> bus
    moved.rd.ar.bits.addr := region(bus.rd.ar.bits.addr, addrBits)
    moved.wr.aw.bits.addr := region(bus.wr.aw.bits.addr, addrBits)
    moved
  }
  private def port(region: DramRegion, flat: Axi4Flat): Axi4 = {
    val bus = Wire(new Axi4(flat.a))
    flat.asMasterOf(bus)
    within(region, bus)
  }

  /** Gives all masters the one DRAM: those here, and the host's if it has memory in it. */
  protected def join(host: Option[Axi4]): Unit = {
    val masters = Seq(
      port(Map.dram, top.m_axi_dram),
      port(Map.nvram, top.m_axi_nvram),
      within(Map.nvram, nvram.io.axi),
      dram.io.axi
    ) ++ host ++ top.m_axi_flash.map(port(flash, _))
    val rd = Module(new AxiReadArbiter(a, masters.size))
    val wr = Module(new AxiWriteArbiter(a, masters.size))
    rd.io.stop := false.B
    wr.io.stop := false.B
    for ((m, i) <- masters.zipWithIndex) {
      rd.io.in(i) <> m.rd
      wr.io.in(i) <> m.wr
    }
    m_axi.asMaster(rd.io.out, wr.io.out)
  }
}

/** The same for a board whose host has its memory in the board's DRAM: wiring only. `wb_bar` has the host's registers
  * (BAR0). An access to BAR0 waits for the stores before it on `wb_dram`, as one to the firmware's window does: so an
  * entry of a queue is there before its doorbell.
  */
class DramBoard(p: Params, megahertz: Int) extends DramBoardModule(p, megahertz, DramBoard.Map.flash) {
  import DramBoard._
  val msix           = IO(Decoupled(UInt(p.vectorBits.W)))
  val function_reset = IO(Input(Bool()))
  val wb_bar         = IO(Flipped(new Wishbone))

  private val bar  = Module(new FwBridge(14))
  private val host = Module(new AxiWindow(AxiParams(64), a, hostAddress, Map.host.bytes, Map.host.base))

  msix <> top.msix
  top.function_reset := function_reset
  top.flash_times    := flashTimes(megahertz)
  wb_bar <> bar.io.bus
  bar.io.drained := dram.io.drained
  dram.io.hurry  := hurries || bar.io.waits
  top.s_axil_bar.asMaster(bar.io.window)
  top.m_axi_host.asMasterOf(host.io.in)
  join(Some(host.io.out))
}

object DramBoard {
  val addrBits          = 30  // DramBridge has as many
  val dramBytes         = 1L << 29
  val firmwareMegahertz = 100 // the clock that the image has been compiled for

  /** Where everything is in DRAM. */
  object Map {
    val dram  = DramRegion(0x00000000L, 0x04000000L) // the controller's DRAM
    val nvram = DramRegion(0x04000000L, 0x01000000L)
    val image = DramRegion(0x05000000L, 0x00040000L) // of the firmware: the CPU's ROM
    val ram   = DramRegion(0x05100000L, 0x00080000L) // the CPU's RAM
    val flash = DramRegion(0x08000000L, 0x08000000L)
    val host  = DramRegion(0x10000000L, 0x10000000L) // what the host gives to the controller: queues and data

    val named = Seq("dram" -> dram, "nvram" -> nvram, "image" -> image, "ram" -> ram, "flash" -> flash, "host" -> host)

    private val all = named.map(_._2)
    require(all.zip(all.tail).forall { case (one, next) => one.base + one.bytes <= next.base }, "regions are disjoint")
    require(host.base + host.bytes <= dramBytes)
  }

  /** The address of host memory in queue entries and PRPs: where `wb_dram` has it on the CPU's bus. */
  val hostAddress = BigInt(SocRegMap.dram) + Map.host.base

  /** For what is around it: base and size of each region, the size of DRAM, the address of host memory. */
  def layout: Seq[(String, Any)] =
    Map.named.flatMap { case (name, r) => Seq(s"${name}Base" -> r.base, s"${name}RegionBytes" -> r.bytes) } ++
      Seq("dramBytes" -> dramBytes, "hostAddress" -> hostAddress, "firmwareMegahertz" -> firmwareMegahertz) ++
      Seq("flashReadNs" -> read, "flashProgramNs" -> program, "flashEraseNs" -> erase)

  /** Of the flash, in nanoseconds. */
  private val read    = 40000
  private val program = 200000
  private val erase   = 2000000

  private[openremap] def flashTimes(megahertz: Int): FlashTimes = {
    def cycles(ns: Int): UInt = (BigInt(ns) * megahertz / 1000).U
    val times                 = Wire(new FlashTimes)
    times.read    := cycles(read)
    times.retry   := cycles(read)
    times.program := cycles(program)
    times.erase   := cycles(erase)
    times.word    := 0.U
    times
  }
}
