// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.reflect.DataMirror

/** A unit behind four pins, so that a unit with thousands of ports can be placed and routed by itself: a shift register
  * drives the inputs, and the outputs are folded into one bit. Nothing of the unit can be optimised away. Each of its
  * ports has a register on the other side, so that paths through ports are timed, too. It is for synthesis figures
  * only; its output has no meaning.
  */
class PinHarness(make: => Module) extends Module {
  val in  = IO(Input(Bool()))
  val out = IO(Output(Bool()))

  // Registered, so that the time which reset takes to reach everything counts as a path between registers.
  val unit = withReset(RegNext(reset.asBool))(Module(make))

  private def leaves(data: Data): Seq[Element] = data match {
    case many: Aggregate => many.getElements.flatMap(leaves)
    case one: Element    => Seq(one)
  }
  // Hardware ties it to 0; see OpenRemapTop.
  private val simulationOnly    = Set("skipped")
  private val clockAndReset     = Set[Data](unit.clock, unit.reset)
  private val (inputs, outputs) = DataMirror
    .modulePorts(unit)
    .collect { case (name, port) if !simulationOnly(name) && !clockAndReset(port) => port }
    .flatMap(leaves)
    .partition(DataMirror.directionOf(_) == ActualDirection.Input)

  DataMirror.modulePorts(unit).foreach { case (name, port) => if (simulationOnly(name)) port := 0.U.asTypeOf(port) }

  private val chain = Reg(UInt((inputs.map(_.getWidth).sum).W))
  chain := chain.tail(1) ## in
  inputs.foldLeft(0) { (low, port) =>
    val high = low + port.getWidth
    // Enumerations get values that they lack: for area and time that is as good.
    if (high > low) suppressEnumCastWarning(port := chain(high - 1, low).asTypeOf(port)) else port := DontCare
    high
  }

  private def fold(bits: Seq[Bool]): Bool =
    if (bits.size == 1) bits.head else fold(bits.grouped(4).map(group => RegNext(group.reduce(_ ^ _))).toSeq)
  // A width that is only inferred later has no bits to take apart yet.
  private def bits(port: UInt): Seq[Bool] = if (port.isWidthKnown) port.asBools else Seq(port.xorR)
  out := fold(outputs.flatMap(port => bits(RegNext(port.asUInt))))
}
