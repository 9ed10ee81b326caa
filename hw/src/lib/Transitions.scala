// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** Checks a state machine against a table of its transitions.
  *
  * The table lists the possible next states of each state; a state may always stay. Each transition of the table is a
  * cover that some test bench must reach, named "Unit: from -> to" (launcher/suites/covers.py). Every other transition
  * violates an assertion.
  *
  * The check costs one register of the state's width, which synthesis removes.
  */
object Transitions {
  private val Literal = """.*\(\d+=(\w+)\)""".r // how an enumeration's value prints itself

  private def nameOf(value: EnumType): String = value.toString match {
    case Literal(name) => name
    case other         => throw new IllegalArgumentException(s"$other has no name")
  }

  /** @param unit
    *   the unit's name, for messages
    * @param state
    *   the register that holds the state
    * @param all
    *   its enumeration; the table has a row for each value
    * @param first
    *   the state after reset
    */
  def apply[S <: EnumType](unit: String, state: S, all: ChiselEnum, first: S)(table: (S, Seq[S])*): Unit = {
    require(
      table.map(row => nameOf(row._1)).sorted == all.all.map(nameOf(_)).sorted,
      s"$unit: a row for each state"
    )
    val before = RegNext(state, first)
    for ((from, next) <- table) {
      require(next.nonEmpty && !next.map(nameOf).contains(nameOf(from)), s"$unit: ${nameOf(from)} goes nowhere else")
      assert(
        before =/= from || (from +: next).map(state === _).reduce(_ || _),
        s"$unit: ${nameOf(from)} may only go to ${next.map(nameOf).mkString(", ")}"
      )
      for (to <- next)
        cover(before === from && state === to, s"$unit: a transition")
          .suggestName(s"${nameOf(from)}_becomes_${nameOf(to)}")
    }
  }
}
