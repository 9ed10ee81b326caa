// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

object CommandQueues {

  /** Engines whose commands are an IoCommand. */
  object Engine extends Clients { val read, write, trim = Value }
}

/** Holds the commands that wait for their engine, or for firmware. Each class has its own queue, long enough for
  * `commandsWaiting` commands. So a slow class (writes on a full device, deallocations of large ranges) does not block
  * the others in the router.
  *
  * An I/O command whose submission queue was deleted meanwhile, by Delete I/O Submission Queue or a controller reset,
  * is not begun: it completes with Command Aborted due to SQ Deletion. So a deletion takes no longer than the commands
  * that the engines have in hand; what an engine takes in the cycle of the deletion is in its hand. A queue is not
  * defined again while commands of it are inside (QueueCredits). So if a command's queue is absent, it is the queue
  * that the command came from. Firmware treats the commands that wait for it in the same way.
  */
class CommandQueues(p: Params) extends Module with Quiesces {
  import CommandQueues.Engine
  private val classes = Engine.size
  val io              = IO(new Bundle {
    val alive       = Input(Vec(p.queues, Bool()))          // submission queues that are there
    val in          = Engine.ports(Flipped(Decoupled(new IoCommand(p))))
    val out         = Engine.ports(Decoupled(new IoCommand(p)))
    val rangesIn    = Flipped(Decoupled(new FetchedCommand(p)))
    val rangesOut   = Decoupled(new FetchedCommand(p))
    val firmwareIn  = Flipped(Decoupled(new FetchedCommand(p)))
    val firmwareOut = Decoupled(new FetchedCommand(p))
    val refused     = Flipped(Decoupled(new Completion(p))) // by the router
    val cpl         = Decoupled(new Completion(p))          // that, and what is aborted here
  })
  private val waiting  = Seq.fill(classes)(Module(new CommandQueue(p, new IoCommand(p), p.k.commandsWaiting)(_.qid)))
  private val ranges   = Module(new CommandQueue(p, new FetchedCommand(p), p.k.commandsWaiting)(_.qid))
  private val firmware = Module(
    new HeadQueue(new FetchedCommand(p), p.k.commandsWaiting, blockRam = true, late = p.k.lateQueues)
  )
  // Aborted commands are few and somebody waits for them; what the router has refused waits behind them for a while.
  private val ends   = Module(new Arbiter(new Completion(p), classes + 2))
  private val ending = Module(new Skid(new Completion(p))) // a completion waits anyway, so a cycle more is no loss

  private def connect[T <: Data](
      queue: CommandQueue[T],
      in: DecoupledIO[T],
      out: DecoupledIO[T],
      end: DecoupledIO[Completion]
  )(qid: T => UInt, cid: T => UInt): Unit = {
    queue.io.alive := io.alive
    queue.io.in <> in
    out <> queue.io.out
    end.valid           := queue.io.gone.valid
    end.bits.qid        := qid(queue.io.gone.bits)
    end.bits.cid        := cid(queue.io.gone.bits)
    end.bits.status     := NvmeStatus.AbortSqDeletion
    end.bits.dw0        := 0.U
    queue.io.gone.ready := end.ready
    assert(!out.valid && !end.valid || qid(out.bits) =/= 0.U, "admin commands are for firmware")
    cover(end.valid && !end.ready, "CommandQueues: an aborted command waits to be completed")
  }
  for ((((queue, in), out), end) <- waiting.zip(io.in).zip(io.out).zip(ends.io.in))
    connect(queue, in, out, end)(_.qid, _.cid)
  connect(ranges, io.rangesIn, io.rangesOut, ends.io.in(classes))(_.qid, c => new RangeFields(c.sqe).cid)
  firmware.io.in <> io.firmwareIn
  io.firmwareOut <> firmware.io.out
  // They are few. A place of their own has a register's `ready`, whatever the other classes have to complete.
  private val refused = Queue(io.refused, 1)
  ends.io.in.last <> refused
  ending.io.in <> ends.io.out
  io.cpl <> ending.io.out
  quiet := waiting.map(q => q.quiet).reduce(_ && _) && ranges.quiet && firmware.quiet && ending.quiet &&
    !ends.io.out.fire && !io.refused.fire

  cover(io.refused.valid && !io.refused.ready, "CommandQueues: a refused command waits to be completed")
  cover(
    (waiting.map(_.io.count) ++ Seq(ranges.io.count, firmware.io.count)).reduce(_ +& _) >= p.k.commandsWaiting.U,
    "CommandQueues: as many commands wait as one class may have"
  )
}
