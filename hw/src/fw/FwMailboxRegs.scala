// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The ports of the mailbox's registers. */
trait FwMailboxPorts extends Bundle {
  val p: Params
  val cmd = Flipped(Decoupled(new FetchedCommand(p)))
  val cpl = Decoupled(new Completion(p))
}

/** The registers of the mailbox: commands that firmware handles, one at a time, and their completions. */
class FwMailboxRegs(w: FwWindow, io: FwMailboxPorts) {
  import FwRegMap._
  import w.data

  private val mboxPop = w.command(MboxPop.reg) && MboxPop.pop.of(data).asBool
  io.cmd.ready := mboxPop
  assert(!mboxPop || io.cmd.valid, "firmware bug: nothing in the mailbox to drop")
  w.shows(MboxStatus.reg)(
    MboxStatus.valid.word(io.cmd.valid.asUInt) | MboxStatus.qid.word(Mux(io.cmd.valid, io.cmd.bits.qid, 0.U))
  )
  w.showsEach(MboxSqe.reg)(i => io.cmd.bits.sqe(32 * i + 31, 32 * i))
  w.prompt(MboxStatus.reg, MboxSqe.reg)
  w.level(IrqStatus.cmdAvail, io.cmd.valid)

  private val cplDw0 = w.stored(CplDw0.reg)
  private val cplQid = w.written(CplQueue.reg, CplQueue.qid)
  w.shows(CplQueue.reg)(CplQueue.qid.word(cplQid) | CplQueue.ready.word(!io.cpl.valid))
  w.request(io.cpl, w.command(CplPost.reg), true.B, "CPL_POST") { c =>
    c.qid    := cplQid
    c.cid    := CplPost.cid.of(data)
    c.status := CplPost.status.of(data)
    c.dw0    := cplDw0
  }
  cover(io.cmd.valid && !io.cmd.ready, "FwRegs: a command waits for firmware")
  cover(io.cpl.valid && !io.cpl.ready, "FwRegs: completion waits")
}
