// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** The ports of the firmware's window, one slice after the other. */
class FwRegsPorts(val p: Params)
    extends Bundle
    with FwNvmePorts
    with FwMailboxPorts
    with FwNandPorts
    with FwRemapPorts
    with FwGcPorts
    with FwSuperblockPorts
    with FwOrderPorts
    with FwErrorPorts
    with FwCounterPorts {
  val bus = Flipped(new AxiLite(16))
  val irq = Output(Bool())
}

/** The firmware's window (interfaces/registers/openremap.rdl).
  *
  * Each slice holds the registers of one subsystem, with the effect of a write and the value of a read side by side; a
  * new register goes into its slice. Constants are in FwConstants, the bus is in AxiLiteSlave. This module joins them:
  * it has one read multiplexer and one interrupt.
  *
  * Starting an operation that is already under way is a firmware bug, which an assertion reports; the write is ignored.
  */
class FwRegs(p: Params) extends Module with Quiesces {
  val io = IO(new FwRegsPorts(p))

  private val slave  = Module(new AxiLiteSlave(16))
  private val window = new FwWindow(slave.io.access)
  slave.io.bus <> io.bus

  FwConstants.checkCodes()
  for ((reg, word) <- FwConstants(p)) window.shows(reg)(word)

  private val errors = new FwErrorRegs(window, io)
  new FwNvmeRegs(p, window, io, errors.stopped)
  new FwMailboxRegs(window, io)
  new FwRemapRegs(p, window, io)
  new FwGcRegs(p, window, io)
  new FwSuperblockRegs(p, window, io)
  new FwOrderRegs(window, io)
  new FwCounterRegs(window, io)
  private val nand = new FwNandRegs(p, window, io)

  io.irq                   := window.interrupt()
  slave.io.access.readData := window.readData()
  slave.io.access.holds    := window.held()
  quiet                    := !slave.io.busy && nand.quiet && !window.moving
}
