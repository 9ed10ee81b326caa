// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** The steps of GcEngine with the victim or chain in hand, and which step may follow which (Transitions).
  *
  * A collection goes down the left column of the table to `erase`, a compaction to `compacting`, a destaging to
  * `destaging`. hw/formal/gc/GcEngine.sv uses the same numbers.
  */
object GcEngineState extends ChiselEnum {
  val idle       = Value
  val refuse     = Value // may the superblock be collected?
  val behind     = Value // work on a chain waits for the erase under way
  val lock       = Value
  val load       = Value // the chain is loaded
  val loading    = Value
  val batch      = Value // slots are moved
  val moving     = Value
  val between    = Value // a remap may have the lock now
  val forget     = Value // the destaged set is unmapped
  val forgetting = Value
  val erase      = Value // handed over to GcErase
  val compact    = Value
  val compacting = Value
  val destage    = Value
  val destaging  = Value
  val report     = Value
  val doubt      = Value // the chain's destaged part could not be read: is a slot of the victim valid?
  val release    = Value // the lock is free in this cycle: a remap waits for it

  val transitions: Seq[(Type, Seq[Type])] = Seq(
    idle       -> Seq(refuse, behind),
    refuse     -> Seq(lock, report),
    behind     -> Seq(lock),
    lock       -> Seq(load),
    load       -> Seq(loading),
    loading    -> Seq(batch, doubt, compact, destage, report),
    doubt      -> Seq(batch, report),
    batch      -> Seq(moving),
    moving     -> Seq(between),
    between    -> Seq(release, batch, forget, erase, report),
    release    -> Seq(lock),
    forget     -> Seq(forgetting),
    forgetting -> Seq(erase),
    erase      -> Seq(idle),
    compact    -> Seq(compacting),
    compacting -> Seq(report),
    destage    -> Seq(destaging),
    destaging  -> Seq(report),
    report     -> Seq(idle)
  )
}

/** The steps of GcMover's worker with the slot in hand, and which step may follow which (Transitions). */
object GcMoverState extends ChiselEnum {
  val idle     = Value
  val pick     = Value // the oldest work there is: re-point, append, judge
  val identify = Value // judge: the sharer that the spare names
  val named    = Value
  val count    = Value // judge: REF, where the spare is not good
  val counted  = Value
  val insert   = Value // judge: the spare's sharer joins the list
  val list     = Value // any phase: goes over the slot's sharers
  val sharer   = Value
  val ask      = Value // judge: lookup; re-point: compare and set
  val answer   = Value
  val decide   = Value // judge: can it be moved?
  val recount  = Value // judge: REF, of a slot that stays or is left by all sharers
  val space    = Value // judge: are there segments for its sharers?
  val alloc    = Value // judge: a slot
  val room     = Value // judge: has the target's chain room?
  val program  = Value
  val ended    = Value // the phase is over for this slot
  val report   = Value
  val choose   = Value // a cycle: what there is to pick follows what was done last
  val append   = Value // append: the entry of a sharer

  val transitions: Seq[(Type, Seq[Type])] = Seq(
    idle     -> Seq(choose),
    choose   -> Seq(pick),
    pick     -> Seq(choose, identify, list, ended, report),
    identify -> Seq(named, count),
    named    -> Seq(insert, list, count),
    count    -> Seq(counted),
    counted  -> Seq(list),
    insert   -> Seq(list),
    list     -> Seq(sharer),
    sharer   -> Seq(ask, append, decide, ended),
    append   -> Seq(sharer),
    ask      -> Seq(answer),
    answer   -> Seq(sharer),
    decide   -> Seq(space, alloc, recount),
    recount  -> Seq(ended),
    space    -> Seq(alloc, choose, ended),
    alloc    -> Seq(room),
    room     -> Seq(program),
    program  -> Seq(alloc, ended),
    ended    -> Seq(choose),
    report   -> Seq(idle)
  )
}
