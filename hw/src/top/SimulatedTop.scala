// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.reflect.DataMirror
import scala.collection.mutable

/** The controller as the Verilated model of the device `rtl` has it: with clocks that stop (Gating), and with inputs
  * that change on a clock of their own. It has the ports of OpenRemapTop, and `take`.
  *
  * An input takes effect at the rising edge of `take`. The simulation raises it together with `clock`, after it has set
  * the inputs of the next cycle, so that the controller sees what it would see of inputs that change behind the edge.
  * Verilator evaluates what depends on inputs once more in each evaluation; here that is `clock` and `take` alone.
  */
class SimulatedTop(p: Params) extends RawModule {
  val clock = IO(Input(Clock()))
  val take  = IO(Input(Clock()))
  val reset = IO(Input(Bool()))

  /** The port that a pin belongs to: `m_axi_host` of `m_axi_host_rdata`. */
  private def portOf(name: String): String = name.split('_').take(if (name.startsWith("nand")) 2 else 3).mkString("_")

  /** Pins as the controller sees them. Those of a port have a clock of their own, with an edge only if one of them has
    * changed.
    */
  private def held(pins: Seq[UInt]): Seq[UInt] = {
    val clock = Wire(Clock())
    val now   = withClock(clock)(pins.map(pin => Reg(chiselTypeOf(pin))))
    now.zip(pins).foreach { case (before, pin) => before := pin }
    clock := (take.asBool && now.zip(pins).map { case (before, pin) => before =/= pin }.reduce(_ || _)).asClock
    now
  }

  private val controller =
    withClockAndReset(clock, held(Seq(reset.asUInt)).head.asBool)(Module(new OpenRemapTop(p, gated = true)))
  // By port: pins that are inputs, each with what it drives.
  private val inputs = mutable.LinkedHashMap.empty[String, mutable.ListBuffer[(UInt, Data)]]
  for ((name, port) <- DataMirror.modulePorts(controller) if (port ne controller.clock) && (port ne controller.reset)) {
    val pins = IO(chiselTypeOf(port)).suggestName(name)
    for ((pin, inner) <- DataMirror.collectLeafMembers(pins).zip(DataMirror.collectLeafMembers(port)))
      if (DataMirror.directionOf(inner) == ActualDirection.Input)
        inputs.getOrElseUpdate(portOf(name), mutable.ListBuffer.empty) += (pin.asUInt -> inner)
      else pin := inner
  }
  for (port <- inputs.values)
    held(port.map(_._1).toSeq).zip(port).foreach { case (now, (_, inner)) => inner := now.asTypeOf(inner) }
}
