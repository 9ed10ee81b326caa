// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util.DecoupledIO

/** A top with several clocks whose host is behind a PCIe endpoint, which has the clock of the PCIe core. */
abstract class ClockedPcieModule extends ClockedModule {

  /** Wires the endpoint to the core's ports `pcie`, and a controller's side of the host to the endpoint. `bar`,
    * `memory`, `msix` and `functionReset` are ports of a unit with the clock `controller`.
    */
  protected def host(pcie: PcieCorePorts, endpoint: PcieTlp, core: Side)(
      bar: AxiLiteFlat,
      memory: Axi4Flat,
      msix: DecoupledIO[UInt],
      functionReset: Bool,
      controller: Side
  ): Unit = {
    endpoint.io.rx <> pcie.rx
    pcie.tx <> endpoint.io.tx
    pcie.npOk                 := endpoint.io.npOk
    endpoint.io.config        := pcie.config
    endpoint.io.functionReset := pcie.functionReset
    endpoint.io.linkUp        := pcie.linkUp
    pcie.errors               := endpoint.io.errors
    registers(endpoint.io.bar, core, bar, controller, "bar")
    this.memory(memory, controller, endpoint.io.host, core, "host")
    interrupts(msix, controller, endpoint.io.msix, core, "interrupts")
    event(endpoint.io.controllerReset, core, functionReset, controller, "functionReset")
  }
}
