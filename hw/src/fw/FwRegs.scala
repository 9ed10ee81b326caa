// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** The ports of the window, by slice. */
class FwRegsPorts(val p: Params)
    extends Bundle
    with FwNvmePorts
    with FwMailboxPorts
    with FwNandPorts
    with FwRemapPorts
    with FwGcPorts
    with FwSuperblockPorts
    with FwOrderPorts
    with FwCounterPorts {
  val bus = Flipped(new AxiLite(16))
  val irq = Output(Bool())
}

/** The firmware's window (interfaces/registers/openremap.rdl).
  *
  * Each slice holds the registers of one subsystem, with what a write does and what a read shows side by side; a new
  * register goes into its slice. Constants are in FwConstants, the bus in AxiLiteSlave. This module joins them: one
  * read multiplexer, one interrupt.
  *
  * Starting something that is already under way is a firmware bug and asserted against; the write is then ignored.
  */
class FwRegs(p: Params) extends Module with Quiesces {
  val io = IO(new FwRegsPorts(p))

  private val slave  = Module(new AxiLiteSlave(16))
  private val window = new FwWindow(slave.io.access)
  slave.io.bus <> io.bus

  FwConstants.checkCodes()
  for ((reg, word) <- FwConstants(p)) window.shows(reg)(word)

  new FwNvmeRegs(p, window, io)
  new FwMailboxRegs(window, io)
  new FwRemapRegs(p, window, io)
  new FwGcRegs(p, window, io)
  new FwSuperblockRegs(p, window, io)
  new FwOrderRegs(window, io)
  new FwCounterRegs(window, io)
  private val nand = new FwNandRegs(p, window, io)

  io.irq                   := window.interrupt()
  slave.io.access.readData := window.readData()
  quiet                    := !slave.io.busy && nand.quiet && !window.moving
}
