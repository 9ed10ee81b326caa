// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** Events: `in` may be a pulse of one cycle or a level. A four-phase handshake: the request rises and falls, and the
  * answer follows it.
  *
  * After each cycle with `in` high there is a cycle with `level` high. `pulse` is high in the first cycle of each such
  * time. Events that come before an earlier one is through are joined into one.
  *
  * The registers of the handshake have no reset: a request may only change when the last change has been answered, also
  * when a side is reset. A reset of the sending side forgets events that wait; one of the receiving side makes no
  * pulse.
  */
class EventCrossing(clocks: Between, stages: Int = Synchroniser.stages) extends TwoClockModule(clocks) {
  val io = IO(new Bundle {
    val in    = Input(Bool())
    val level = Output(Bool())
    val pulse = Output(Bool())
  })
  def width: Int = 1

  private val request = inFrom(Reg(Bool()))
  private val answer  = inTo(Reg(Bool()))

  inFrom {
    val answered = seenByFrom(answer, stages).asBool
    val waiting  = RegInit(false.B) // events that nothing has been sent of
    val event    = io.in || waiting
    when(request) {
      // A request that is not answered yet lasts, so it covers what comes meanwhile.
      request := !answered || io.in
      waiting := false.B
    }.elsewhen(answered) {
      waiting := event
    }.otherwise {
      request := event && !from.reset
      waiting := false.B
    }
    cover(waiting, "EventCrossing: an event waits for the end of an earlier one")
    cover(request && answered && io.in, "EventCrossing: a level lasts")
  }
  inTo {
    val seen = seenByTo(request, stages).asBool
    answer   := seen
    io.level := seen
    io.pulse := RegNext(seen && !answer, false.B)
  }
}
