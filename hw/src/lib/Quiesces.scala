// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** A unit that reports when it is quiet. Simulation jumps over time in which the whole controller is quiet.
  *
  * The unit drives `quiet`; elaboration fails if it does not. `quiet` is high while no register of the unit changes
  * until one of its inputs does. It may be high while the unit waits for another unit or for the outside world.
  *
  * A module that instantiates such a unit uses its `quiet`. The top does so for all of its units (Units, Quiescence),
  * and a unit does so for its parts. OpenRemapTopSpec checks that the elaborated controller uses all of them.
  */
trait Quiesces { this: Module =>
  // Named as a member of `io`, as the unit's other ports are.
  val quiet: Bool = IO(Output(Bool())).suggestName("io_quiet")
}
