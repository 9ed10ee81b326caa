// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** What a side of a crossing is told of the resets of both. */
class Joint extends Bundle {
  val up    = Bool() // items may be sent, or taken
  val clear = Bool() // this side's pointers become zero; the other side does not look at them
}

/** Resets both sides of a crossing when one of them is reset, whichever it is and however short its reset is, and
  * brings them up again when neither is in reset.
  *
  * The side `from` asks, the side `to` answers, with four phases: down is a request of 0, up is a request of 1. `to`
  * clears its pointers when it has seen a 0, and `from` while it also sees the answer to it. So no side looks at
  * pointers that are being cleared. A side that has been reset stays down until both have been cleared. The registers
  * of the handshake have no reset: the request changes only when it has been answered, and any pair of request and
  * answer is a state of the handshake.
  */
class JointReset(clocks: Between, stages: Int = Synchroniser.stages) extends TwoClockModule(clocks) {
  val io = IO(new Bundle {
    val from = Output(new Joint)
    val to   = Output(new Joint)
  })
  def width: Int = 1

  private val request   = inFrom(Reg(Bool()))
  private val answer    = inTo(Reg(Bool()))
  private val resetting = inTo(RegInit(true.B)) // `to` has been reset since it last was down

  inFrom {
    val answered = seenByFrom(answer, stages).asBool
    val other    = seenByFrom(resetting, stages).asBool
    val fresh    = RegInit(true.B) // `from` has been reset since it last was down
    val cleared  = Reg(Bool())
    val up       = RegNext(request && answered && !fresh && !other, false.B)
    io.from.clear := !request && !answered
    io.from.up    := up
    cleared       := io.from.clear
    when(request && answered) {
      request := !(fresh || other)
    }.elsewhen(cleared && io.from.clear && !other && !from.reset) {
      request := true.B
      fresh   := false.B
    }
    assert(!(up && io.from.clear), "pointers are cleared only after everything has stopped")
    cover(request && answered && other && !fresh, "JointReset: `to` has been reset alone")
    cover(request && !answered && fresh, "JointReset: `from` is reset while both come up")
    cover(request && answered && fresh && !other, "JointReset: `from` has been reset alone")
  }
  inTo {
    val requested = seenByTo(request, stages).asBool
    answer      := requested
    io.to.clear := !requested && !answer // a cycle later, when nothing is sent or taken any more
    // A cycle later than the request: the pointers have changed a cycle before it.
    io.to.up := RegNext(requested && answer && !resetting, false.B) && requested
    when(!requested)(resetting := false.B)
    cover(requested && !answer && resetting, "JointReset: `to` is reset while both come up")
  }
}
