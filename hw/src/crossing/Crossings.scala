// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import scala.collection.mutable.ListBuffer
import scala.util.DynamicVariable

/** The names of two clocks: data go from the one to the other. */
case class Between(from: String, to: String) {
  def back: Between = Between(from = to, to = from)
}

/** A unit between two clocks. It enters itself into the list of crossings (Crossings). */
trait Crossing { this: RawModule =>

  /** The clocks at its sides. A reset comes from no clock: "any". */
  def clocks: Between

  /** Bits that cross, those of a handshake left out. */
  def width: Int

  Crossings.note(this)
}

/** The list of crossings, which elaboration makes. */
object Crossings {
  private val noted  = ListBuffer.empty[RawModule with Crossing]
  private val skewed = new DynamicVariable(false)

  private[openremap] def note(unit: RawModule with Crossing): Unit = synchronized(noted += unit)

  /** Whether the synchronisers that are elaborated now let bits come late (`elaborate`). */
  def skews: Boolean = skewed.value

  /** Elaborates a top by running `body`, and returns the list of its crossings:
    * `[{"instance", "kind", "from", "to", "width"}]`, with the path of the instance inside the top.
    *
    * @param skews
    *   a bit of a synchroniser that has changed in the sender's last cycle comes a cycle late at random, as a
    *   metastable flip-flop and wires of different length let it. For simulations only.
    */
  def elaborate(skews: Boolean)(body: => Unit): String = synchronized {
    noted.clear()
    skewed.withValue(skews)(body)
    noted.toSeq
      .map(unit => unit.pathName -> unit)
      .sortBy(_._1)
      .map { case (path, unit) =>
        val instance = path.split('.').tail.mkString(".")
        val kind     = unit.getClass.getSimpleName
        s"""{"instance": "$instance", "kind": "$kind", "from": "${unit.clocks.from}", """ +
          s""""to": "${unit.clocks.to}", "width": ${unit.width}}"""
      }
      .mkString("[\n", ",\n", "\n]\n")
  }
}

/** A clock and what resets its flip-flops, in step with it. */
class ClockAndReset extends Bundle {
  val clock = Clock()
  val reset = Bool()
}

/** A crossing that has both clocks. */
abstract class TwoClockModule(val clocks: Between) extends RawModule with Crossing {
  val from = IO(Input(new ClockAndReset))
  val to   = IO(Input(new ClockAndReset))

  protected def inFrom[T](body: => T): T = withClockAndReset(from.clock, from.reset)(body)
  protected def inTo[T](body: => T): T   = withClockAndReset(to.clock, to.reset)(body)

  /** Registers of the one side as the other sees them. */
  protected def seenByTo(bits: UInt, stages: Int): UInt   = inTo(seen(bits, clocks, stages, from))
  protected def seenByFrom(bits: UInt, stages: Int): UInt = inFrom(seen(bits, clocks.back, stages, to))

  private def seen(bits: UInt, clocks: Between, stages: Int, sender: ClockAndReset): UInt = {
    val synchroniser = Module(new Synchroniser(bits.getWidth, clocks, stages))
    synchroniser.io.in := bits
    synchroniser.before.foreach(_ := withClock(sender.clock)(RegNext(bits)))
    synchroniser.io.out
  }

  /** Wires an inner crossing whose sides are those of this one, or the other way round. */
  protected def along[M <: TwoClockModule](inner: M): M = {
    inner.from := from
    inner.to   := to
    inner
  }
  protected def against[M <: TwoClockModule](inner: M): M = {
    inner.from := to
    inner.to   := from
    inner
  }
}
