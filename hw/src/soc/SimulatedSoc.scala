// SPDX-License-Identifier: Apache-2.0
package openremap

/** SocController as the Verilated model of the device `soc` has it: with clocks that stop (Gating). The module has the
  * same name, so that the SoC around it is the same.
  */
class SimulatedSoc(p: Params) extends SocController(p, gated = true) {
  override def desiredName: String = "SocController"
}
