// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.reflect.DataMirror
import chisel3.util.{ReadyValidIO, Valid}

/** Stops the clocks of units that have nothing to do, for simulations: Verilator evaluates neither their registers nor
  * the logic behind them in such a cycle. The results are the same, cycle for cycle.
  *
  * A unit that is quiet changes no register until one of its inputs changes (Quiesces). So its clock runs while it is
  * not quiet, and when an input stirs. A register that follows such an input may itself be followed by others, which is
  * why the clock runs on for some cycles (ClockGate).
  */
object Gating {

  /** The clock of a unit, in the module around it. */
  def clockOf(unit: Module with Quiesces): Clock = {
    val gate = Module(new ClockGate(runsOn(unit)))
    gate.clock   := Module.clock
    gate.reset   := Module.reset
    gate.stirred := new Inputs(takesUnasked(unit)).stir(unit)
    gate.quiet   := unit.quiet
    gate.gated
  }

  /** Cycles after which no register of a quiet unit follows an input any more. */
  private def runsOn(unit: Module): Int = unit match {
    case _: FwRegs      => Counters.answersAfter + 4 // it lets reads of a counter wait
    case _: RangeEngine => 31                        // the steps of its search
    case _              => 7
  }

  /** What of a stream's payload may change a register of a unit even when it is not offered. */
  private object Unasked extends Enumeration { val nothing, allButData, all = Value }

  private def takesUnasked(unit: Module): Unasked.Value = unit match {
    case _: HostReader | _: HostWriter | _: NandChannel | _: RangeEngine | _: RemapStarter | _: TrimEngine =>
      Unasked.all
    case _: CommandRouter | _: FwDma | _: Journal | _: MemoryErrors | _: NvmeRegs | _: ReadEngine | _: WriteEngine =>
      Unasked.nothing
    case _ => Unasked.allButData
  }

  // A word of data, with the marks that go with it. It is wired to all that could take it, and changes in each cycle of
  // a transfer.
  private val dataBits   = 128
  private val markedBits = 160

  private class Inputs(unasked: Unasked.Value) {

    /** Whether one of the module's inputs does something that may change a register. */
    def stir(module: Module): Bool =
      DataMirror.modulePorts(module).map(_._2).filter(_ ne module.reset).flatMap(of(_)).fold(false.B)(_ || _)

    private def of(data: Data): Seq[Bool] = data match {
      case _: Clock                => Nil
      case stream: ReadyValidIO[_] =>
        if (isInput(stream.valid)) stream.valid +: payload(stream.bits) else Seq(stream.valid && stream.ready)
      case event: Valid[_] if isInput(event.valid) => event.valid +: payload(event.bits)
      case parts: Record                           => parts.elements.values.toSeq.flatMap(of)
      case parts: Vec[_]                           => parts.flatMap(of(_))
      case leaf: Element if isInput(leaf)          => Seq(leaf.asUInt =/= RegNext(leaf.asUInt))
      case _                                       => Nil
    }

    private def payload(bits: Any): Seq[Bool] = bits match {
      case data: Data if unasked == Unasked.all || unasked == Unasked.allButData && !isWord(data) => of(data)
      case _                                                                                      => Nil
    }

    private def isWord(data: Data): Boolean = {
      val widths = DataMirror.collectLeafMembers(data).map(_.getWidth)
      widths.count(_ >= dataBits) == 1 && widths.sum < markedBits
    }

    private def isInput(leaf: Data): Boolean = DataMirror.directionOf(leaf) == ActualDirection.Input
  }
}
