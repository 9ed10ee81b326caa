// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** The steps of a remap command, and which step may follow which (Transitions).
  *
  * A command that yields releases its references in a pass over its whole list, which ends in `endPass`. So `giveUp`
  * does not lead to `yielded`.
  */
object RemapState extends ChiselEnum {
  val clear     = Value // after reset: counts are made zero
  val idle      = Value
  val lockShare = Value
  val lockMap   = Value
  val rewind    = Value // a pass begins
  val stream    = Value // page by page
  val endPass   = Value // the list is over; waits for answers
  val giveUp    = Value // the pass ends before its list does
  val journal   = Value // a trim record
  val journaled = Value
  val room      = Value // is there room in chains and journal?
  val fence     = Value // waits until the sources are programmed
  val yielded   = Value // without locks, until a failed program has been done again
  val drain     = Value // waits until the entries are durable
  val commit    = Value // the commit pointer
  val committed = Value
  val report    = Value

  val transitions: Seq[(Type, Seq[Type])] = Seq(
    clear     -> Seq(idle),
    idle      -> Seq(lockShare, report),
    lockShare -> Seq(lockMap),
    lockMap   -> Seq(rewind),
    rewind    -> Seq(stream),
    stream    -> Seq(endPass, journal, giveUp),
    endPass   -> Seq(
      room,
      journal,
      rewind,
      drain,
      giveUp,
      yielded,
      report
    ),
    giveUp    -> Seq(rewind, report),
    journal   -> Seq(journaled),
    journaled -> Seq(stream, endPass),
    room      -> Seq(fence, rewind),
    fence     -> Seq(rewind),
    yielded   -> Seq(lockShare),
    drain     -> Seq(commit),
    commit    -> Seq(committed),
    committed -> Seq(rewind),
    report    -> Seq(idle)
  )
}
